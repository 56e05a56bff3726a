#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The harness itself: what vm/run must bring back, and what it must not let
# pass. KERNEL and INITRD come from the environment.
. "$(dirname "$0")/../../lib/tap.sh"
here=$(dirname "$(readlink -f "$0")")
vm=$here/../../vm
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
is() { # GOT EXPECTED NAME
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# got: %s\n# expected: %s\n' "$1" "$2"
}
vm() { "$vm/run" --kernel "$KERNEL" --initrd "$INITRD" --log "$tmp/log" "$@" >"$tmp/stdout" 2>"$tmp/stderr"; }

# Report lines are found, ordinary ones are not.
missed=$(while IFS= read -r line; do
	grep -qE -f "$vm/reports" <<<"$line" || echo "$line"
done <"$here/complaints.txt")
is "$missed" "" "every known kind of complaint is recognised"
is "$(grep -E -f "$vm/reports" "$here/harmless.txt")" "" "ordinary lines are no complaints"

# KCSAN's own lock in an NMI is no complaint; another lock is, and so is what follows.
lock() { # LOCK: lockdep's report of it
	printf '%s\n' "WARNING: inconsistent lock state" "6.12 #1" ---- "inconsistent {INITIAL USE} -> {IN-NMI} usage." \
		"ffff ($1){....}-{2:2}, at: f+0x1/0x2" "Call Trace:" " <TASK>" " f+0x1/0x2" " </TASK>"
}
complaints() { "$vm/harmless" | grep -cE -f "$vm/reports"; }
is "$(lock report_filterlist_lock | complaints)" 0 "lockdep on KCSAN's own lock is no complaint"
is "$(lock some_lock | complaints)" 2 "on another lock it is"
is "$({ lock report_filterlist_lock; echo 'BUG: KCSAN: data-race in f'; } | complaints)" 1 "nor does it hide what follows"

# Torture's own failing allocation of a kernel stack is no complaint; anybody else's is.
no_stack() { # COMM: vmalloc()'s report
	printf '%s\n' "[    1.000000] $1: vmalloc error: size 32768, vm_struct allocation failed, mode:0xdc0(GFP_KERNEL)" \
		"Call Trace:" " <TASK>" " dump_stack_lvl+0x51/0x66" " </TASK>" "Mem-Info:"
}
is "$(no_stack torture64 | complaints)" 0 "torture's failing allocation is no complaint"
is "$(no_stack bash | complaints)" 1 "another task's is"
is "$({ no_stack torture32; no_stack bash; } | complaints)" 1 "nor does it hide what follows"

# A race without a function of ours is counted and is no failure; any other one is.
printf 'any ours\ntop hooked\n' >"$tmp/ours"
judged() { "$vm/races" -v ours="$tmp/ours" "$@" 2>"$tmp/others" | grep -cE -f "$vm/reports"; }
is "$(judged "$here/races.txt")$(cat "$tmp/others")" 01 "a race of others is no complaint"
is "$(sed 's/  sysvec_apic_timer/  ours.isra.0+0x1\/0x2\n[    1.000000]&/' "$here/races.txt" | judged)" 1 \
	"a race below a function of ours is one"
interrupted='[    1.000000]  asm_sysvec_apic_timer_interrupt+0x1f\/0x30\n[    1.000000]  ours+0x1\/0x2'
is "$(sed "s/.*  sysvec_apic_timer.*/&\n$interrupted/" "$here/races.txt" | judged)$(cat "$tmp/others")" 01 \
	"a race in an interrupt of a function of ours is none"
is "$(sed '0,/  theirs+/s//  hooked+/' "$here/races.txt" | judged)" 1 \
	"a race by a function with a hook is one"
is "$(sed 's/  sysvec.*/& [unwind_test]/' "$here/races.txt" | judged)" 1 "a module's race is one"
is "$(sed '/^.\{15\}=/{1,3!d}' "$here/races.txt" | judged)" 1 "a report without an end is one"
is "$(sed '/+0x/d' "$here/races.txt" | judged)" 1 "a report without a stack is one"
is "$({ cat "$here/races.txt"; echo '[ 60.0] WARNING: CPU: 0'; } | judged)" 1 "other complaints are failures"
"$vm/races" -v ours=/nowhere "$here/races.txt" >/dev/null 2>&1
is $? 1 "no list of functions is an error"

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
plan
