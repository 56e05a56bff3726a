#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf script of every deferred golden recording: the kernel tree's perf says what ours
# does, also through a pipe, from a big-endian copy, from copies that perf inject wrote, and
# with the user callchains by themselves.
set -u
here=$(cd "$(dirname "$0")" && pwd)
perf=$(realpath "$PERF") ours=$(realpath "$OURS")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null HOME=$tmp
cd "$here/../golden" || exit 1
args=(--symfs "$PWD/symfs" --kallsyms "$PWD/kallsyms")
nr=0 failed=0

# same NAME: the two of $tmp/ours and $tmp/theirs. In samples behind the exit of a thread 6.12
# has its number for its name (":132"), ours keeps the name.
same() {
	nr=$((nr + 1))
	awk 'NR == FNR { if ($1 ~ /^:[0-9]+$/) number[FNR] = $1; next }
		FNR in number { sub(/^[^ ]+/, number[FNR]) } 1' "$tmp/theirs" "$tmp/ours" >"$tmp/renamed"
	if [ -s "$tmp/ours" ] && cmp -s "$tmp/renamed" "$tmp/theirs"; then
		echo "ok $nr - $1"
	else
		echo "not ok $nr - $1"
		diff -u "$tmp/renamed" "$tmp/theirs" | sed -n '1,10s/^/# /p'
		head -n 3 "$tmp/err" | sed 's/^/# stderr: /'
		failed=1
	fi
}

theirs() { "$perf" script "${args[@]}" "$@" >"$tmp/theirs" 2>"$tmp/err"; }

for f in *.defer.data; do
	"$ours" script "${args[@]}" -i "$f" --no-merge-callchains >"$tmp/ours" 2>/dev/null
	theirs -i "$f" --no-merge-callchains
	same "$f --no-merge-callchains"

	"$ours" script "${args[@]}" -i "$f" >"$tmp/ours" 2>/dev/null
	theirs -i "$f"
	same "$f"
	# From a file to a pipe 6.12 writes no formats of tracepoints, and its events are named
	# with the modifiers of attributes that say nothing of guests.
	case $f in
	multi.*|sleepers.*|system.*) ;;
	*)	"$perf" inject -i "$f" -o - 2>"$tmp/err" | "$perf" script "${args[@]}" -i - \
			2>>"$tmp/err" | sed 's/cpu-clock:HG:/cpu-clock:/' >"$tmp/theirs"
		same "$f through a pipe" ;;
	esac
	# perf 6.12 does not unpack the compressed copy, whose pieces are not those of a perf.
	if [ "$f" != zstd.defer.data ]; then
		../tool/swap-perfdata "$f" "$tmp/be.data"
		theirs -i "$tmp/be.data"
		same "$f of the other byte order"
	fi
	"$perf" inject -i "$f" -o "$tmp/inject.data" 2>"$tmp/err"
	theirs -i "$tmp/inject.data"
	same "$f after perf inject"
	"$perf" inject -b -i "$f" -o "$tmp/inject.data" 2>"$tmp/err"
	theirs -i "$tmp/inject.data"
	same "$f after perf inject -b"
done
echo "1..$nr"
exit $failed
