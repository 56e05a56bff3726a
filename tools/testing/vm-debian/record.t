#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Root's perf record -g on Debian's own kernel (of Debian 12: Linux 6.1): it takes the BPF program,
# which walks the stacks and reads the functions of Python. The verifiers of kernels differ, and
# those before 6.7 leave code out that they take for unreachable. Needs KERNEL and INITRD.
. "$(dirname "$0")/../lib/guest.sh"
boot_guest vm-debian guest.sh --mem 1024 --timeout 600 --in "$here/../tool/python/shapes.py"
HOME=$dir/home-of && mkdir -p "$HOME" && mv "$dir/home" "$HOME/.debug"

by_bpf() { # NAME: so were at least 100 callchains walked
	status_is "$1" 0 &&
		[ "$(sed -n 's/^\([0-9]*\) user callchains were walked by BPF.*/\1/p' "$dir/$1.err")" -ge 100 ] ||
		{ cat "$dir/$1.err"; return 1; }
}
ok 'record -a -g: the kernel takes the BPF program'	by_bpf python
"$PERF" script -f -i "$dir/python.data" --comm python3 -F comm,tid,ip,sym,dso,srcline > stacks 2> "$T/err"
ok 'Python functions are the true callers'	python3 "$here/../tool/python/check.py" "$dir/truth" 25 < stacks
grep '^# samples' ok.out
ok 'record --off-cpu: its programs are taken, too'	status_is waits 0
"$PERF" script -f -i "$dir/waits.data" --comm python3 -F event,ip,sym > stacks 2> "$T/err"
waiting() { awk -v RS= '/^ *offcpu-time/ && /nanosleep/ && / waits / { n++ } END { print n; exit n < 50 }' stacks; }
ok 'off-CPU: the function that waits'	waiting
finish
