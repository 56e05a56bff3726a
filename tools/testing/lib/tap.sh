# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# TAP for tests that are shell scripts: counts checks in $nr and $failed; the folders $lib, and
# $here of the test. Sourced.
set -u
lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

# A signal that was ignored when the test was started (nohup, a shell's background) is so in all
# that it starts, which no shell can undo.
[[ $(trap -p) != *"-- '' "* ]] || exec env --default-signal "$BASH" "$0" "$@"

nr=0 failed=0
# Files that say why a check failed, if it names none itself.
shown=()

# ok STATUS NAME [FILE]: a check; the first lines of FILE say why it failed
ok() {
	local f files=("${shown[@]}")

	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
		return
	fi
	echo "not ok $nr - $2"
	failed=$((failed + 1))
	[ $# -lt 3 ] || files=("$3")
	for f in "${files[@]}"; do
		[ ! -s "$f" ] || grep -av '^$' "$f" | head -n 40 | cut -c 1-200 | sed 's/^/# /'
	done
}

# passes NAME COMMAND...: a check that a command succeeds
passes() {
	local name=$1

	shift
	"$@"
	ok $? "$name"
}

# each_case FILE: checks that stand in a file: lines "== NAME | COMMAND", what each of these prints;
# lines "=# ..." are comments
each_case() {
	local n head

	awk '/^=#/ { next }
		/^== / { if (text) first = n; text = 0; n++; print substr($0, 4); next }
		{ text = 1; for (i = first + 1; i <= n; i++) print > ("want." i) }' "$1" > heads
	for ((n = 1; n <= $(wc -l < heads); n++)); do
		head=$(sed -n ${n}p heads)
		eval "${head#* | }" > got
		diff "want.$n" got > diff
		ok $? "${head% | *}" diff
	done
}

# skip NAME REASON; with CI=true that is a failure
skip() {
	if [ "${CI:-}" = true ]; then
		ok 1 "$1: $2"
	else
		nr=$((nr + 1))
		echo "ok $nr - $1 # SKIP $2"
	fi
}

# plan: at the end; the status is that of the test
plan() {
	echo "1..$nr"
	[ $failed = 0 ]
}
