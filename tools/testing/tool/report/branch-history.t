#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --branch-history: stacks of the branches before each sample, from made-up recordings
# into a real program. The graphs and columns are those of perf 7.2.13, without its column IPC, which says
# "-" of each row; where ours differ it is said.
. "$(dirname "$0")/../../lib/peer.sh" branch-history

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
cat > inlined.c <<'C'
volatile unsigned long x;
static inline __attribute__((always_inline)) void inner(int n) { x += n; }
__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) inner(i); }
int main(void) { leaf(3); return 0; }
C
gcc -O1 -g -no-pie -o inlined inlined.c || exit 1
cp work bare && strip -g bare || exit 1
cat > kallsyms <<'K'
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 T k_leave
ffffffff81000200 T k_enter
ffffffff81800000 T _etext
K

python3 - "$PWD" <<'P' || exit 1
import subprocess, sys
from perfdata import *
syms, TO_USER = nm('work'), CONTEXT_USER
L, M, T, S = (syms[n] for n in ('leaf', 'mid', 'top', 'main'))
K = 0xffffffff81000100

def mmap2(start, length, pgoff, name, misc):
    return record(10, ii(1000, 1000) + q(start, length, pgoff) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                  string(name) + ii(1000, 1000) + q(0), misc)

def branch(frm, to, cycles=0, mispredicted=False, abort=False):
    return q(frm, to, (1 if mispredicted else 2) | abort << 3 | cycles << 4)

# what: ip, period, branches, callchain
def write(name, binary, what, chains=False, times=1):
    off, va, size = text_segment(binary)
    st = IP | TID | TIME | PERIOD | BRANCH_STACK | (CALLCHAIN if chains else 0)
    d = mmap2(0xffffffff81000000, 0x1000000, 0xffffffff81000000, '[kernel.kallsyms]_text', KERNEL)
    d += record(3, ii(1000, 1000) + b'work'.ljust(16, b'\0') + ii(1000, 1000) + q(0))
    d += mmap2(va & ~4095, (size + (va & 4095) + 4095) & ~4095, off & ~4095,
               sys.argv[1] + '/' + binary, USER)
    samples = []
    for n, (ip, period, branches, chain) in enumerate(what * times):
        b = q(ip) + ii(1000, 1000) + q(1000 + n, period)
        if chains:
            b += q(len(chain), *chain)
        samples.append(record(9, b + q(len(branches)) + b''.join(branches), KERNEL if ip >= K else USER))
    d += b''.join(samples)
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
# What is said of steps: predicted or not, aborts, cycles, averages of several samples.
write('marks.data', 'work', [
    (L + 8, 1, [branch(T + 3, M, 5)], []), (L + 8, 1, [branch(T + 3, M, 0, True)], []),
    (L + 8, 1, [branch(T + 3, M, 3, abort=True)], []), (M + 2, 2, [branch(M + 2, L, 65535, True, True)], []),
    (T + 4, 1, [branch(S + 5, T, 1), branch(S + 3, T, 0)], []), (T + 4, 1, [branch(S + 5, T, 0)], [])])
# 7.2.13 shows aborts from 0.1 % on; under that it prints a bracket alone, which we do not.
write('abort.data', 'work', [(L + 8, 1, [branch(T + 3, M, 2, abort=n == 0)], []) for n in range(1000)])
write('fewer.data', 'work', [(L + 8, 1, [branch(T + 3, M, 2, abort=n == 0)], []) for n in range(1001)])
# Sequences of branches, a letter each, the newest first; they took 1, 2, 3... cycles.
def letters(word):
    return [branch(L + 1 + ord(c) - 65, T + ord(c) - 65, n + 1) for n, c in enumerate(word)]
for name, *words in (('fold1', 'AAAAAAAAB'), ('fold2', 'ABABABABC'), ('fold3', 'DABCABCABCE'), ('fold4', 'ABAAC'),
                     ('fold5', 'ABACBACD'), ('fold6', 'ABCAB'), ('iter2', 'AAB', 'AAB'), ('iter3', 'AAB', 'AAB', 'AAB'),
                     ('iter4', 'AAB', 'AB', 'AB'), ('iter5', 'AABC', 'AABD', 'AABD'), ('iter6', *['ABABCC'] * 2)):
    write(name + '.data', 'bare', [(S + 4, 1, letters(w), []) for w in words])
# Of two addresses the second repeats. perf 7.2.13 finds addresses by a hash of 127 values: where both have
# the same (with 0x7f0000001065 in place of ...66) it leaves out nothing.
write('same.data', 'bare', [(S + 4, 1, [branch(f, T) for f in (0x7f0000000010, 0x7f0000001065, 0x7f0000001065, S)], [])])
write('other.data', 'bare', [(S + 4, 1, [branch(f, T) for f in (0x7f0000000010, 0x7f0000001066, 0x7f0000001066, S)], [])])
# An address of inner() in leaf()
syms = nm('inlined')
leaf, main = syms['leaf'], syms['main']
def inlined(a):
    return len(subprocess.run(["addr2line", "-ie", "inlined", hex(a)], stdout=subprocess.PIPE).stdout.split()) == 2
inner = next(a for a in range(leaf, main) if inlined(a))
inlines = [(leaf, 1, [branch(inner, leaf, 3), branch(leaf, inner, 2, True), branch(main + 5, leaf, 4)], [])]
write('inlined.data', 'inlined', inlines)
write('stack.data', 'inlined', [(inner, 1, [], [TO_USER, inner, main + 5])], chains=True)
write('long.data', 'work', [(L + 8, 1, [branch(0x10 * n, 0x10 * n + 4) for n in range(1, 131)], [])])
write('none.data', 'work', [(L + 8, 1, [], [])])
P

# FILE ARGS: the graphs
graphs() {
	local f=$1
	shift
	"$perf" report --stdio -q --branch-history --kallsyms kallsyms -i "$f" "$@" 2> err | sed 's/ *$//; /^$/d'
}

# FILE ARGS: of letters(): the row's cycles, and each branch with its cycles
words() {
	graphs "$@" | awk '
		NR == 1 && sub(/^ *100.00% +main\+4 +\[.\] +main +bare +50.0% +0 +/, "") {
			$0 = $0 ":"
		}
		!/[a-z:]/ { next } { sub(/^[ |-]+/, "") }
		$1 == "top" { at = $2 + 0; next }
		$1 == "leaf" && $2 == at + 1 {
			sub(/.*\(cycles:/, sprintf("%c", 65 + at))
			sub(/\)$/, "")
		}
		{ printf NR == 1 ? "%s" : " %s", $0; at = -2 }
		END { print at == -2 ? "" : " top" }'
}

columns() {
	"$perf" report --stdio --branch-history -i marks.data -g none 2> err | sed 's/ *$//; /^$/d; /^# [^O.]/d; /^#$/d'
}
callers() {
	"$perf" report --stdio -q --no-branch-stack --no-children -g caller,address -i stack.data \
		2> err | sed 's/ *$//; /^$/d'
}
each_case "$here/branch-history.txt"
graphs chains.data | sed -nE 's/^ +([0-9.]+%) +([0-9.]+%) +work.c:[0-9] +\[.\] ([a-z]+) .*/\3 \1 \2/p' | sort > got
[ "$(grep -c ' 100.00% ' got)" -ge 3 ] && ! grep -E ' [1-9][0-9]{2,}\.[0-9]+% ' got | grep -v ' 100.00% ' > diff
ok $? 'children: a sample counts once' got
graphs other.data --no-children | sed 's/1066/1065/' > want
graphs same.data --no-children > got
diff want got > diff
ok $? 'so it is with other addresses' diff
"$perf" report --stdio -q --branch-history -i marks.data -g none -t , > got 2> err
grep -q '^42.86%,work.c:3,\[\.\] leaf,work,33.3%,1,1$' got
ok $? '-t: columns of branches' got
"$perf" report --stdio -b -i marks.data -s callchain_branch_abort > got 2> err
[ $? = 1 ] && grep -q -- 'say --branch-history' err
ok $? 'columns of stacks of branches without stacks' err
graphs kernel.data --user > got
grep -q '0x7f0000001234' got && ! grep -q 'k_' got
ok $? '--user: no branch ends in the kernel' got
graphs many.data -j 1 > one
graphs many.data -j 4 > four
graphs two.data > got
cmp -s four one && cmp -s got one
ok $? '30,000 samples: four workers print what one prints' four
# Not as 7.2.13, which shows none from 128 on.
graphs long.data > got
[ "$(grep -c '  0x' got)" = 259 ]
ok $? '130 branches of one sample' got
for args in --folded --hierarchy; do
	"$perf" report --stdio --branch-history -i two.data $args > out 2> err
	[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q -- '--branch-history' err
	ok $? "refused with $args" err
done
plan
