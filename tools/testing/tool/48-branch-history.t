#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --branch-history: stacks of the branches before each sample, from made-up recordings
# into a real program. The graphs are those of perf 7.2.13, without what it says of each step's cycles and
# predictions; where ours differ it is said.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/peer.sh" branch-history

# A function is one line, so that compilers do not matter.
cat > work.c <<'C'
volatile unsigned long x;
#define N __attribute__((noinline))
N void leaf(int n) { for (int i = 0; i < n; i++) x += i; }
N void mid(int n) { leaf(n); x++; }
N void top(int n) { mid(n); leaf(n); x++; }
int main(void) { top(3); return 0; }
C
gcc -O1 -g -no-pie -fno-optimize-sibling-calls -o work work.c || exit 1
cp work bare && strip -g bare || exit 1
cat > kallsyms <<'K'
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 T k_leave
ffffffff81000200 T k_enter
ffffffff81800000 T _etext
K

python3 - "$here" "$PWD" <<'P' || exit 1
import subprocess, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
def lines(*cmd):
    return [l.split() for l in subprocess.run(cmd, capture_output=True, text=True, check=True).stdout.splitlines()]
syms = {w[2]: int(w[0], 16) for w in lines('nm', 'work') if len(w) == 3}
off, va, size = next((int(w[1], 16), int(w[2], 16), int(w[4], 16))
                     for w in lines('readelf', '-lW', 'work') if w[:1] == ['LOAD'] and 'E' in w[6:8])
KERNEL, USER, TO_USER = 1, 2, -512
L, M, T, S = (syms[n] for n in ('leaf', 'mid', 'top', 'main'))
K = 0xffffffff81000100

def mmap2(start, length, pgoff, name, misc):
    return record(10, ii(1000, 1000) + q(start, length, pgoff) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                  string(name) + ii(1000, 1000) + q(0), misc)

def branch(frm, to, cycles=0, mispredicted=False, abort=False):
    return q(frm, to, (1 if mispredicted else 2) | abort << 3 | cycles << 4)

# what: ip, period, branches, callchain
def write(name, binary, what, chains=False, times=1):
    st = IP | TID | TIME | PERIOD | BRANCH_STACK | (CALLCHAIN if chains else 0)
    d = mmap2(0xffffffff81000000, 0x1000000, 0xffffffff81000000, '[kernel.kallsyms]_text', KERNEL)
    d += record(3, ii(1000, 1000) + b'work'.ljust(16, b'\0') + ii(1000, 1000) + q(0))
    d += mmap2(va & ~4095, (size + (va & 4095) + 4095) & ~4095, off & ~4095, sys.argv[2] + '/' + binary, USER)
    for n, (ip, period, branches, chain) in enumerate(what * times):
        b = q(ip) + ii(1000, 1000) + q(1000 + n, period)
        if chains:
            b += q(len(chain), *chain)
        d += record(9, b + q(len(branches)) + b''.join(branches), KERNEL if ip >= K else USER)
    # perf 7.2 crashes without the machine, its kernel and its processor.
    features = {3: feature_string('box'), 4: feature_string('7.2.0'), 6: feature_string('x86_64'), 7: ii(4, 4),
                9: feature_string('GenuineIntel,6,85,7'), 15: b''}
    open(name, 'wb').write(perf_file([attr(st, ('sample_id_all', 'mmap', 'comm', 'mmap2'), branch=8)], d, features))

two = [(L + 8, 7, [branch(M + 4, L, 3), branch(T + 3, M, 7, True), branch(S + 5, T, 11)],
        [TO_USER, L + 8, M + 9, T + 8, S + 9]),
       (L + 8, 5, [branch(T + 8, L, 5), branch(M + 12, T + 8, 0, True), branch(S + 5, T, 9)],
        [TO_USER, L + 8, T + 12, S + 9])]
write('two.data', 'work', two)
write('bare.data', 'bare', two)
write('chains.data', 'work', two, chains=True)
write('many.data', 'work', two, times=15000)
write('kernel.data', 'work', [(L + 8, 3, [branch(K, S + 5), branch(S + 3, K + 0x100, 300),
                                          branch(S + 9, 0x7f0000001234), branch(0x10, 0x20)], [])])
write('none.data', 'work', [(L + 8, 1, [], [])])
P

# FILE ARGS: the graphs
graphs() {
	local f=$1
	shift
	"$perf" report --stdio -q --branch-history --kallsyms kallsyms -i "$f" "$@" 2> err | sed 's/ *$//; /^$/d'
}
# LABEL FILE ARGS, expected text on stdin
same() {
	local label=$1
	shift
	cat > want
	graphs "$@" > got
	diff want got > diff
	ok $? "$label" diff
}

same 'from the oldest branch on' two.data <<'T'
   100.00%  work.c:3     [.] leaf  work
            |
            ---top work.c:5
               main work.c:6
               |
               |--58.33%--mid work.c:4
               |          top work.c:5
               |          leaf work.c:3
               |          mid work.c:4
               |
                --41.67%--top work.c:5
                          mid work.c:4
                          leaf work.c:3
                          top work.c:5
T
same '--no-children: from the newest branch on' two.data --no-children <<'T'
   100.00%  work.c:3     [.] leaf  work
            |
            ---leaf work.c:3
               |
               |--58.33%--mid work.c:4
               |          mid work.c:4
               |          top work.c:5
               |          top work.c:5
               |          main work.c:6
               |
                --41.67%--top work.c:5
                          top work.c:5
                          mid work.c:4
                          top work.c:5
                          main work.c:6
T
cp got callee
graphs two.data -g callee > got
diff callee got > diff
ok $? '-g callee: the same' diff
same 'without lines of source: addresses' bare.data <<'T'
   100.00%  leaf+8       [.] leaf  bare
            |
            ---top +0
               main +5
               |
               |--58.33%--mid +0
               |          top +3
               |          leaf +0
               |          mid +4
               |
                --41.67%--top +8
                          mid +12
                          leaf +0
                          top +8
T
same 'the kernel, and what is in no file' kernel.data <<'T'
   100.00%  work.c:3     [.] leaf  work
            |
            ---0x20
               0x10
               0x7f0000001234
               main work.c:6
               k_enter +0
               main work.c:6
               main work.c:6
               k_leave +0
T
# Not as 7.2.13, which left out the first callers, in this recording as many as there are branches: we keep all.
same 'callchains follow the branches' chains.data --no-children <<'T'
   100.00%  work.c:3     [.] leaf  work
            |
            ---leaf work.c:3
               |
               |--58.33%--mid work.c:4
               |          mid work.c:4
               |          top work.c:5
               |          top work.c:5
               |          main work.c:6
               |          leaf work.c:3 (calltrace)
               |          mid work.c:4 (calltrace)
               |          top work.c:5 (calltrace)
               |          main work.c:6 (calltrace)
               |
                --41.67%--top work.c:5
                          top work.c:5
                          mid work.c:4
                          top work.c:5
                          main work.c:6
                          leaf work.c:3 (calltrace)
                          top work.c:5 (calltrace)
                          main work.c:6 (calltrace)
T
graphs chains.data | sed -nE 's/^ +([0-9.]+%) +([0-9.]+%) +work.c:[0-9] +\[.\] ([a-z]+) .*/\3 \1 \2/p' | sort > got
[ "$(grep -c ' 100.00% ' got)" -ge 3 ] && ! grep -E ' [1-9][0-9]{2,}\.[0-9]+% ' got | grep -v ' 100.00% ' > diff
ok $? 'children: a sample counts once' got
graphs two.data -g none > got
printf '   100.00%%  work.c:3     [.] leaf  work\n' | diff - got > diff
ok $? '-g none' diff
graphs kernel.data --user > got
grep -q '0x7f0000001234' got && ! grep -q 'k_' got
ok $? '--user: no branch ends in the kernel' got
graphs many.data -j 1 > one
graphs many.data -j 4 > four
graphs two.data > got
cmp -s four one && cmp -s got one
ok $? '30,000 samples: four workers print what one prints' four
graphs none.data > got
printf '   100.00%%  work.c:3     [.] leaf  work\n' | diff - got > diff
ok $? 'a sample without branches' diff
for args in --folded --hierarchy; do
	"$perf" report --stdio --branch-history -i two.data $args > out 2> err
	[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q -- '--branch-history' err
	ok $? "refused with $args" err
done
echo "1..$nr"
[ $failed = 0 ]
