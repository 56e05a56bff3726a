#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The kernel copies a stack up to the highest address of its task. A 32-bit one whose stack is near
# that, as all are without address randomization, and some with it, has copies of an odd number of
# half words, and so records whose sizes and places are no multiples of 8.
. "$(dirname "$0")/../../lib/record.sh"

cat > p.c <<'C'
volatile unsigned long sink;
__attribute__((noinline)) void work(void) { for (int i = 0; i < 1000000; i++) sink++; }
int main(void)
{
	for (int i = 0; i < 1000; i++)
		work();
	return 0;
}
C
if ! gcc -m32 -O1 -w -o p p.c 2> err || ! setarch -R true 2>> err; then
	skip 'a 32-bit program without address randomization' "$(head -n 1 err)"
	finish
	exit
fi
# There are chains of work(), and all are whole; nothing is said.
odd() {
	"$PERF" script -i data -F ip,sym > stacks 2> script.err
	[ ! -s script.err ] || cat script.err
	awk -v RS= '$2 == "work" { n++; ok += / work\n.* main\n.* _start$/ }
		END { print n, ok; exit n < 100 || ok < n }' stacks && [ ! -s script.err ]
}
# (with buffers so small that they wrap, where that is no loss)
for how in 'live' 'live -m 1M' 'dwarf,65528' 'dwarf,65528 -m 1M' 'dwarf,65528 -z' 'dwarf,32768' bpf; do
	if [ "$how" = bpf ] && [ "$(id -u)" != 0 ]; then
		skip 'bpf' 'only root may load programs'
		continue
	fi
	rec -N -e cpu-clock:u -c 1000000 --call-graph $how -- setarch -R ./p
	ok "$how" odd
done
"$PERF" record -N -o - -e cpu-clock:u -c 1000000 --call-graph dwarf setarch -R ./p 2> err > data
ok 'pipe' odd
"$PERF" inject --convert-callchain -i data -o converted 2>> err && mv converted data
ok 'pipe, converted' odd
finish
