#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Callchains through code without call frame information and frame pointers: its instructions at the
# return address tell its frame, in memory (live, bpf), in a jit-PID.dump or of CPython's trampoline
# (dwarf). Where they do not, the callchain ends: no caller is left out or made up.
. "$(dirname "$0")/../../lib/record.sh"

gcc -O2 -fomit-frame-pointer -o "$T/plain-frames" "$here/plain-frames.c" || exit 1
cleanup_hooks+=('rm -f $(sed "s,.*,/tmp/perf-&.map," "$T/pids")')

# shown: the callchains of each shape in the recording, as far as main(), in $T/chains
shown() {
	"$PERF" script -i "$T/data" -F ip,sym | awk -v RS= '/ leaf\n/ {
		c = ""
		for (i = 2; i <= NF && c !~ / main/; i += 2)
			c = c " " $i
		n[c]++
	} END { for (c in n) print c }' | sort > "$T/chains"
}
# chains MODE [ARG]: record and show them
chains() {
	rec -q -N -F 499 -e cpu-clock:u --call-graph "$1" -- "${as[@]}" "$T/plain-frames" ${2:-}
	"$PERF" script -i "$T/data" -F pid | sort -u >> "$T/pids"
	shown
}
as=()
# goes SHAPE, ends SHAPE: all callchains of a shape
goes() {
	grep " $1 " "$T/chains" > "$T/these" || { cat "$T/chains"; return 1; }
	! grep -vx " leaf $1 caller main" "$T/these"
}
ends() {
	grep " $1\$" "$T/chains" > "$T/these" || { cat "$T/chains"; return 1; }
	! grep -vx " leaf $1" "$T/these" && ! grep " $1 " "$T/chains"
}
all_go() {
	local s
	for s in py::trampoline pops_only large twice; do goes $s || return; done
}
modes=(live)
[ "$(id -u)" != 0 ] || modes+=(bpf)
for m in "${modes[@]}"; do
	chains "$m"
	ok "$m: as its instructions say"		all_go
	ok "$m: not where they do not say it"		ends branch
	ok "$m: an unknown instruction"			ends pops
done
if [ "$(id -u)" = 0 ]; then
	# Its pages may be served by a process of that user, for which root would wait.
	chmod a+rx "$T"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	chains live
	# Nor are names of that user's perf-PID.map used.
	ok 'live: root does not read the memory of another user'	test "$(cat "$T/chains")" = ' leaf [unknown]'
	as=()
else
	skip 'live: the memory of another user' 'not root'
fi
chains dwarf
ok "dwarf: CPython's trampoline by its name"		goes py::trampoline
ok 'dwarf: other code is not known'			ends large
chains dwarf "$T"
ok 'dwarf: the code of a jit-PID.dump'			all_go
ok 'dwarf: not where it does not say it'		ends branch
"$PERF" inject --jit -i "$T/data" -o "$T/data2" 2> "$T/err" && mv "$T/data2" "$T/data"
shown
ok 'dwarf: the same by the files of inject --jit'	all_go
finish
