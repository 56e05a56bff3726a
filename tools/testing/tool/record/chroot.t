#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs in a chroot: the kernel records the path that they see, which leads to nothing here, or
# to another file.
. "$(dirname "$0")/../../lib/record.sh"
[ "$(id -u)" = 0 ] || {
	skip 'programs in a chroot' 'needs root'
	finish
	exit
}
# jail FOLDER PATH FUNCTION LOOPS [OPTION...]: a program there, whose function main() calls
jail() {
	printf '%s\n' 'volatile unsigned long sink;' \
		"__attribute__((noinline)) void $3(void) { for (long i = 0; i < $4; i++) sink++; }" \
		"int main(void) { $3(); $3(); return 0; }" > p.c
	mkdir -p "$1/${2%/*}" && gcc -O1 -static "${@:5}" -o "$1/$2" p.c || exit 1
}
# whole FUNCTION: are nearly all callchains with it whole?
whole() {
	"$PERF" script -i data -F comm,ip,sym > stacks 2> err-script
	awk -v f="$1" -v RS= '$0 ~ " " f "\n" { n++; ok += / main\n.*_start$/ }
		END { print n, ok; exit n < 20 || 100 * ok < 95 * n }' stacks
}
jail box bin/only-here in_the_jail 600000000
jail box bin/cat in_the_jail 600000001
for program in only-here cat; do
	for mode in live bpf; do
		rec -F 997 -e cpu-clock:u --call-graph $mode chroot box /bin/$program
		ok "$program, $mode: callchains"	whole in_the_jail
		ok "$program, $mode: no message"	test "$(grep -c 'cut\|not here' err)" = 0
	done
done
# Two that start one after the other, while all CPUs are recorded.
jail other opt/later later_one 600000000 -Wl,--build-id=none
rec -a -F 997 -e cpu-clock:u --call-graph live \
	sh -c 'chroot box /bin/only-here; sleep 1.2; chroot other /opt/later'
ok 'all CPUs: the first one'	whole in_the_jail
ok 'all CPUs: the second one'	whole later_one
finish
