#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report of branch records: made-up recordings into a real program; the same rows with
# the same percentages as Debian's perf.
. "$(dirname "$0")/../../lib/peer.sh" report-branch

cat > work.c <<'C'
volatile unsigned long x;
#define N __attribute__((noinline))
N void leaf(int n) { for (int i = 0; i < n; i++) x += i; }
N void mid(int n) { leaf(n); x++; }
N void top(int n) { mid(n); leaf(n); x++; }
int main(void) { top(3); return 0; }
C
gcc -O1 -g -no-pie -fno-optimize-sibling-calls -o work work.c || exit 1
cat > kallsyms <<'K'
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 T k_leave
ffffffff81000200 T k_enter
ffffffff81000300 T k_other
ffffffff81800000 T _etext
K

# Prints how many entries lead into the program, the kernel and nowhere.
counts=$(python3 - "$PWD/work" <<'P'
import sys
from perfdata import *
binary = sys.argv[1]
syms, (off, va, size) = nm(binary), text_segment(binary)
HW_INDEX, CALL_STACK, ANY = 1 << 17, 1 << 11, 1 << 3

def mmap2(pid, start, length, pgoff, name, misc):
    return record(10, ii(pid, pid) + q(start, length, pgoff) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                  string(name) + ii(pid, pid) + q(0), misc)

def flags(mispred=0, predicted=0, in_tx=0, abort=0, cycles=0):
    return mispred | predicted << 1 | in_tx << 2 | abort << 3 | cycles << 4

def sample(st, branch, misc, ip, pid, time, period, entries, id=0, nr=None):
    b = (q(id) if st & IDENTIFIER else b'') + q(ip) + ii(pid, pid) + q(time, period)
    if st & CALLCHAIN:
        b += q(3, -512, ip, syms['main'])
    if st & BRANCH_STACK:
        b += q(len(entries) if nr is None else nr)
        if branch & HW_INDEX:
            b += q(5)
        for e in entries:
            b += q(*e)
    if st & STACK_USER:
        b += q(0)
    return record(9, b, misc)

L, M, T, S = (syms[n] for n in ('leaf', 'mid', 'top', 'main'))
K = 0xffffffff81000100
def entries(i):
    all = [(L + 8, L + 4, flags(predicted=1, cycles=3)), (L + 10, L + 4, flags(mispred=1, cycles=7)),
           (M + 5, L, flags(predicted=1, cycles=i)),
           (T + 3, M, flags(predicted=1, in_tx=i & 1, cycles=20)), (K, S + 5, flags(predicted=1)),
           (S + 9, 0x7f0000001234, flags(predicted=1)), (T + 9, L, flags(mispred=1, abort=1)),
           (0x10, 0x20, flags(predicted=1)), (S + 3, K + 0x100, flags(predicted=1, cycles=30000))]
    return all[:1 + i % 9]
samples = [(USER, L + 8, 1000 + i % 2, 1 + 1000 * i, entries(i)) for i in range(40)]
samples += [(KERNEL, K, 1000, 50, [(K, K + 0x220, flags(predicted=1, cycles=9)),
                                   (K + 0x120, S + 2, flags(predicted=1))])] * 5
samples += [(USER, M, 1000, 100, [])] * 3

def start():
    d = mmap2(-1, 0xffffffff81000000, 0x1000000, 0xffffffff81000000, '[kernel.kallsyms]_text', KERNEL)
    for pid, name in (1000, b'work'), (1001, b'other'):
        d += record(3, ii(pid, pid) + name.ljust(16, b'\0') + ii(pid, pid) + q(0))
        d += mmap2(pid, va & ~4095, (size + (va & 4095) + 4095) & ~4095, off & ~4095, binary, USER)
    return d

def write(name, st=BRANCH_STACK, branch=ANY, feature=True, what=samples, times=1, end=b''):
    st |= IP | TID | TIME | PERIOD
    a = attr(st, ('sample_id_all', 'mmap', 'comm', 'mmap2'), branch=branch,
             stack_user=8192 if st & STACK_USER else 0)
    d = start()
    for i in range(times):
        d += b''.join(sample(st, branch, *s[:3], 1000 + 1000 * (i * len(what) + n), *s[3:])
                      for n, s in enumerate(what))
    open(name, 'wb').write(perf_file([a], d + end, {15: b''} if feature else None))

write('plain.data')
write('hwidx.data', branch=ANY | HW_INDEX)
write('nofeat.data', feature=False)
write('chain.data', st=BRANCH_STACK | CALLCHAIN)
write('stack.data', st=BRANCH_STACK | CALLCHAIN | STACK_USER)
write('none.data', st=0, feature=False)
write('empty.data', what=[(USER, L, 1000, 1, [])] * 3)
write('many.data', times=300)
# 6.1 adds up what says neither with what says one of both: by itself it is right.
write('neither.data', what=[(USER, L, 1000, 1, [(S + 9, M, flags())])] * 3)
write('both.data', what=[(USER, L, 1000, 1, [(S + 9, M, flags(mispred=1, predicted=1))])] * 3)
base = IP | TID | TIME | PERIOD | BRANCH_STACK
for name, n in ('beyond', 4), ('huge', 1 << 61), ('wrap', (1 << 64) - 1):
    write(name + '.data', end=sample(base, ANY, USER, L, 1000, 10 ** 9, 1, entries(2), nr=n))

# Two events, one without branches.
types = [base | IDENTIFIER, base & ~BRANCH_STACK | IDENTIFIER]
attrs = [attr(t, ('sample_id_all', 'mmap', 'comm', 'mmap2'), config=c, branch=ANY * (not c))
         for c, t in enumerate(types)]
d = record(3, ii(1000, 1000) + b'work'.ljust(16, b'\0') + ii(1000, 1000) + q(0, 11))
d += record(10, ii(1000, 1000) + q(va & ~4095, (size + (va & 4095) + 4095) & ~4095, off & ~4095) +
            ii(0, 0) + q(0, 0) + ii(5, 2) + string(binary) + ii(1000, 1000) + q(0, 11), USER)
for n in range(20):
    d += sample(types[n & 1], ANY, USER, L + 4, 1000, 1000 + n, 1, entries(n)[:4], 11 + (n & 1))
open('two.data', 'wb').write(perf_file(attrs, d, {15: b''}, [[11], [12]]))

to = [e[1] for s in samples for e in s[4]]
print(sum(va <= t < va + size for t in to), sum(t >= K for t in to), sum(t in (0x20, 0x7f0000001234) for t in to))
P
) || exit 1

# Not compared: as in report/as-debian.t, and the order of rows with the same percentage. 6.1
# adds the modifier :HG to the name of an event that says nothing of guests, and counts each
# branch as a sample, where 7.2 and ours count the sample.
rows() {
	sed -E "/^# \(Tip/d; s/^(# Samples: )[0-9]+[KM]? /\1N /; /^#? *$/d; s/\[[.kH]\]/[x]/g; s/:HG'/'/; s/[ ]+/ /g; s/ $//
		s/^# [. ]+$/# .../" | sort
}
# 6.1 compares mispredict, in_tx and abort for being unequal, not for order, so one row may
# come out as several: rows of the same text are added up.
sums() {
	sed -nE "s/\[[.kH]\]/[x]/g; /^ /{ s/ +/ /g; s/ $//; p }" |
		awk '{ n = $1; $1 = ""; sum[$0] += n } END { for (i in sum) print sum[i] i }' | sort
}

# ARGS with symbol_from are given to 6.1 in capitals: it crashes when -s has "symbol" in
# small letters in it.
compare() {
	local how=$1 f=$2 a capitals=()
	shift 2
	for a; do
		capitals+=("${a//symbol/SYMBOL}")
	done
	"$peer" report --stdio --kallsyms kallsyms -i "$f" "${capitals[@]}" 2> /dev/null | $how > theirs
	"$perf" report --stdio --kallsyms kallsyms -i "$f" "$@" 2> err | $how > ours
	[ -s theirs ] && diff theirs ours > diff
	ok $? "$f $*: $(wc -l < theirs) lines" diff
}

for f in plain.data hwidx.data; do
	compare rows $f
	for key in dso_from dso_to symbol_from symbol_to srcline_from srcline_to cycles; do
		compare rows $f -s $key
	done
	compare rows $f -b -s dso_from,symbol_from,dso_to,symbol_to -n --show-total-period
	for key in mispredict in_tx abort comm,mispredict,symbol_to in_tx,abort,dso_from; do
		compare sums $f -F sample,$key
	done
	compare rows $f --no-branch-stack
done
f=plain.data
compare rows $f -s +dso_to
compare rows $f -s dso,symbol
compare rows $f -s pid,symbol_from,dso
compare rows $f -s dso_from,symbol_to --hierarchy
compare rows $f -s dso_from,dso_to --show-cpu-utilization
compare rows $f -s symbol_from,symbol_to -U
compare rows $f -F symbol_from,sample,overhead
compare rows $f --percent-limit 5
compare rows nofeat.data -s comm,dso,symbol
compare rows nofeat.data -b
compare rows chain.data
compare rows chain.data -g caller -s symbol_to
compare rows chain.data --children -s symbol_to
compare rows chain.data --no-branch-stack -g none
compare rows stack.data -g none
compare rows stack.data -b
compare rows two.data
compare rows neither.data -s mispredict,dso_to
compare rows both.data -s mispredict,dso_to
compare rows many.data

# Addresses in the order of addresses, as perf 7.2.13 printed them, but for its [.] and [k], which
# are the sample's.
addresses() {
	"$perf" report --stdio --kallsyms kallsyms -i plain.data -s addr_from,addr_to 2> err |
		sed -n '/Overhead/{s/ *$//;p};/%/p'
}


# Blocks of code by cycles. perf 7.2.13 prints the same but for two rows, whose functions no branch leads
# into (top, k_leave), and for Avg Cycles%, which it divides by as many sums as its table has rows. 6.1 crashes.
cycles() {
	"$perf" report --stdio --total-cycles --kallsyms kallsyms -i plain.data 2> err |
		sed -n '/^ .*%/{s/^ *//; s/  */ /g; p}'
}
got=$("$perf" report --stdio -q --total-cycles --percent-limit 0.3 --kallsyms kallsyms -i plain.data 2> err | grep -c '^ .*%')
[ "$got" = 3 ]; ok $? '--total-cycles --percent-limit' err
"$perf" report --stdio --total-cycles -i empty.data > out 2> err
[ $? = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -q 'no cycles of branches' err
ok $? '--total-cycles without: one line' err

"$perf" report --stdio -i many.data --kallsyms kallsyms -j 1 > one 2>&1
"$perf" report --stdio -i many.data --kallsyms kallsyms -j 4 > four 2>&1
grep -q k_leave one && cmp -s one four
ok $? 'many.data: four workers print what one prints'

# Filters of 6.1 take the place of the sample, or of another entry, for the branch's; here a
# branch is where it went, and the three parts are the whole.
got=$(for dso in work '[kernel.kallsyms]' '[unknown]'; do
	"$perf" report --stdio -q -i plain.data -d "$dso" -s dso_to -F sample,dso_to | awk '{ n += $1 } END { print n + 0 }'
done | xargs)
echo "wanted $counts, got $got" > diff
[ "$got" = "$counts" ] && [ "$got" = "$(echo "$got" | grep -E '^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*$')" ]
ok $? "-d: $got entries" diff

# STATUS PATTERN ARGS...: exit status, and one line on stderr that matches
refuse() {
	local want=$1 pattern=$2 status
	shift 2
	timeout 20 "$perf" report --stdio "$@" > out 2> err < /dev/null
	status=$?
	[ $status = "$want" ] && [ "$(wc -l < err)" = 1 ] && grep -qE -- "$pattern" err
	ok $? "$*: status $status, $(head -c 120 err)" err
}
refuse 1 'none.data has no branch records for -b: record with perf record -b' -i none.data -b
for key in dso_from dso_to symbol_from symbol_to srcline_from srcline_to mispredict cycles in_tx abort; do
	refuse 1 "-s $key: the recording has no branch records: record with" -i none.data -s comm,$key
done
refuse 1 '-F cycles: the recording has no branch' -i none.data -F cycles
refuse 1 '-s cycles: is of branches: say -b' -i plain.data --no-branch-stack -s cycles
refuse 1 '-s cycles: is of branches: say -b' -i nofeat.data -s cycles
refuse 1 'empty.data: no sample with branches' -i empty.data
refuse 1 'no sample with branches' -i plain.data --time 5000,
refuse 1 '-b: branches have no stacks' -i plain.data -b --folded
# A count of branches beyond the record: what stands before it is shown.
"$perf" report --stdio -i plain.data 2> /dev/null | grep '^[^#].*%' > whole
for f in beyond huge wrap; do
	refuse 1 "$f.data.*(offset|at) " -i $f.data
	grep '^[^#].*%' out | cmp -s - whole
	ok $? "$f.data: the rest is shown" out
done
"$perf" report --stdio -i plain.data --kallsyms kallsyms > out 2> err
grep -q '^# Samples: 45  of event' out && grep -q '^# Event count (approx.): 200$' out
ok $? '45 samples with 200 branches' out
# What script and -D say of a branch, as perf 7.2.13 printed it.
python3 - <<'P'
from perfdata import *
flags = [1 | 3 << 4 | 1 << 20, 2 | 2 << 20 | 2 << 24, 2 | 15 << 20 | 1 << 26, 12 | 1 << 33, 2 | 1 << 33 | 3 << 24,
         2 | 15 << 20 | 9 << 26 | 5 << 34]
b = b''.join(q(0x1000 + i, 0x2000, f) for i, f in enumerate(flags))
st = IP | TID | TIME | BRANCH_STACK
open('types.data', 'wb').write(perf_file([attr(st, ('sample_id_all',), branch=8)], record(
    9, q(0x10) + ii(10, 10) + q(1, len(flags)) + b, 2)))
P
brstack() { "$perf" script -i types.data -F brstack 2> err | tr -s ' ' '\n' | sed '/^$/d'; }
[ "$("$perf" script -i types.data -F tid,brstacksym 2> err | cut -c1-40)" = '     10 [unknown]/[unknown]/M/-/-/3/COND' ]
ok $? 'script -F brstacksym' err
[ "$("$perf" script -i types.data -F tid,brstack,dso 2> err | cut -c1-48)" = \
	'     10  0x1000 ([unknown])/0x2000 ([unknown])/M' ]
ok $? 'script -F brstack,dso' err
dump() { "$perf" report -D -i types.data 2> err | sed -n 's/^\(\.\.\.\.\..*\)$/\1./p'; }
# How many branches are of each kind, as perf 7.2.13 printed it with -s addr_from,addr_to, but for
# FAULT_DATA: there its part of the others, with no kind but such ones no statistics, and with other
# keys all branches of a row are of the kind of its first one.
python3 - <<'P'
from perfdata import *
A = 0x10000000
st = IP | TID | TIME | PERIOD | BRANCH_STACK
def write(name, branches, times=1):
    b = b''.join(q(f, t, 2 | kind << 20 | more << 26) for f, t, kind, more in branches)
    d = b''.join(record(9, q(A) + ii(10, 10) + q(1 + n, 5, len(branches)) + b, 2) for n in range(times))
    open(name, 'wb').write(perf_file([attr(st, ('sample_id_all',), branch=8 | 1 << 16)],
                                     record(3, ii(10, 10) + b'work'.ljust(16, b'\0') + ii(10, 10) + q(0)) + d, {15: b''}))
far = [(A + f, A + t, kind, 0) for f, t, kind in (
    (0, 0, 1), (0, 1, 1), (4095, 4096, 1), (0, 0x200000, 1), (0x1fffff, 0x200000, 1), (0x200000, 0, 1), (5, 4, 1),
    (9, 4, 9), (4, 9, 9), (10, 4, 10), (4, 10, 10), (77, 0x2000, 0), (88, 0x2000, 2))]
write('far.data', far + [(0, A, 3, 0)])
write('far-many.data', far + [(0, A, 3, 0)], 30000)
write('kinds.data', [(A + k, A + 64, k, 1) for k in range(16)])
write('fault.data', [(A + k, A + 64, 15, k) for k in range(16)])
write('unknown.data', [(A, A + 64, 0, 0)])
P
# FILE ARGS: what stands under "# Branch Statistics:"
statistics() {
	local f=$1
	shift
	"$perf" report --stdio -i "$f" "$@" 2> err > out
	tail -c 1 out | od -An -c | grep -q '\\n' || echo 'no newline at the end'
	sed '1,/^# Branch Statistics:$/d' out
}
each_case "$here/branch-stack.txt"
for args in 'unknown.data' 'plain.data' 'far.data --no-branch-stack'; do
	# shellcheck disable=SC2086
	"$perf" report --stdio -i $args > out 2> err
	grep -q '%' out && ! grep -q 'Branch Statistics' out
	ok $? "no Branch Statistics: $args" out
done
# What callchains are made of is not lost for flame graphs.
"$perf" report --folded -i chain.data 2> err | grep -q 'work;main;leaf'
ok $? 'chain.data --folded: stacks of samples' err
plan
