#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The harness itself: what vm/run must bring back, and what it must not let
# pass. KERNEL and INITRD come from the environment.
set -u
here=$(dirname "$(readlink -f "$0")")/..
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
is() { # GOT EXPECTED NAME
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# got: %s\n# expected: %s\n' "$1" "$2"
}
vm() { "$here/run" --kernel "$KERNEL" --initrd "$INITRD" --log "$tmp/log" "$@" >"$tmp/stdout" 2>"$tmp/stderr"; }

# Report lines are found, ordinary ones are not.
missed=$(while IFS= read -r line; do
	grep -qE -f "$here/reports" <<<"$line" || echo "$line"
done <"$here/t/complaints.txt")
is "$missed" "" "every known kind of complaint is recognised"
is "$(grep -E -f "$here/reports" "$here/t/harmless.txt")" "" "ordinary lines are no complaints"

mkdir "$tmp/folder"
echo inner >"$tmp/folder/file"
echo 'a "quoted" $input' >"$tmp/input"
vm --in "$tmp/input" --in "$tmp/folder" --out "$tmp/out" --timeout 120 \
	'cat /in/input; cat /in/folder/file >&2; printf "%s" "it'"'"'s out" >result; exit 37'
is $? 37 "the exit status of the command"
is "$(cat "$tmp/stdout")" 'a "quoted" $input' "its stdout, and a file in"
is "$(cat "$tmp/stderr")" inner "its stderr, and a folder in"
is "$(cat "$tmp/out/result" 2>&1)" "it's out" "a file out"
grep -q 'Linux version' "$tmp/log"; ok $? "the console log is kept"

vm --timeout 120 'echo "WARNING: made up" >/dev/kmsg; echo fine'
is $? 125 "a report in the console fails a command that succeeded"
grep -q '^| .*WARNING: made up' "$tmp/stderr"; ok $? "and the console is shown"

vm --timeout 120 'echo c >/proc/sysrq-trigger; sleep 60'
is $? 125 "a kernel that dies fails the run"

vm --timeout 8 'sleep 600'
is $? 124 "a command without end is ended"
echo "1..$n"
