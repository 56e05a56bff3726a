#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Callchains in made-up recordings: bad ones are dropped and counted, addresses without symbol
fall together by their place in the file, files are named as perf 7.2 names them. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

PATH = path('data')
KIP, UIP = 0xffffffff81000010, 0x400010


def perf(*args, pipe=False):
    with open(PATH, 'rb') as f:
        return run(PERF, *args, '-i', '-' if pipe else PATH, stdin=f)


def sid(pid, t):
    return ii(pid, pid) + q(t)


def comm(pid, name):
    return record(3, ii(pid, pid) + string(name) + sid(pid, 0))


def mmap(pid, start, size, off, name):
    return record(10, ii(pid, pid) + q(start, size, off) + ii(0, 0) + q(0, 0) + ii(5, 2) + string(name) +
                  sid(pid, 0), USER)


def sample(pid, t, mode, ip, *chain):
    return record(9, q(ip) + ii(pid, pid) + q(t, len(chain), *chain), mode)


def deferred(pid, t, cookie, *ips):
    return record(22, q(cookie, len(ips), *ips) + sid(pid, t), USER)


def write(*data, flags=()):
    a = attr(IP | TID | TIME | CALLCHAIN, ('sample_id_all', 'mmap', 'comm', 'mmap2') + flags)
    put(PATH, perf_file([a], b''.join(data)))


def frames(out):
    return [[line.split()[0] for line in s.split('\n')[1:]] for s in out.strip('\n').split('\n\n')]


def hexes(*v):
    return ['%x' % (x & 2 ** 64 - 1) for x in v]


# Bad callchains: -9 is no context, nor is -4095; -4096 is an address.
write(comm(10, 'task'),
      sample(10, 1, KERNEL, KIP, CONTEXT_KERNEL, KIP, CONTEXT_USER, UIP, UIP + 4),
      sample(10, 2, KERNEL, KIP, CONTEXT_KERNEL, KIP, -9, UIP),
      sample(10, 3, USER, UIP, CONTEXT_USER, UIP, UIP + 4, -4095),
      sample(10, 4, USER, UIP, CONTEXT_USER, UIP, -4096))
status, out, err = perf('script', '-F', 'tid,time,ip')
got = frames(out)
ok(status == 0 and [len(g) for g in got] == [3, 0, 0, 2] and got[0] == hexes(KIP, UIP, UIP + 4) and
   got[3] == hexes(UIP, -4096), 'script: bad callchains are dropped', out)
ok(len(err.splitlines()) == 1 and '2 bad callchains' in err, 'script: counted in one line', err)
status, out, err = perf('report', '--stdio', '-g', 'none', '-s', 'sym')
rows = [line.split() for line in out.split('\n') if line and line[0] != '#']
ok(status == 0 and not any('fffff7' in r[-1] for r in rows) and '2 bad callchains' in err and
   [r[0] for r in rows if r[-1].endswith('400014')] == ['25.00%'], 'report: likewise', out, err)
ok('[.] 0x0000000000400014' in out and '[k] 0x00000000004' not in out,
   'report: a user address in no file has [.], also in a sample of the kernel', out)
write(comm(10, 'task'), sample(10, 1, USER, UIP, CONTEXT_USER, UIP, UIP + 4))
status, out, err = perf('report', '--stdio', '-s', 'sym')
ok('[.] 0x0000000000400014' in out and '[k]' not in out, 'report: [.] in user mode', out)
write(comm(10, 'task'), sample(10, 1, USER, UIP, CONTEXT_USER, UIP, UIP + 4, -9))
status, out, err = perf('report', '-D')
ok(status == 0 and 'fffffffffffffff7' in out, '-D shows them as they are', err)

# The user half that comes later
write(comm(10, 'task'),
      sample(10, 1, KERNEL, KIP, CONTEXT_KERNEL, KIP, CONTEXT_DEFERRED, 0x10),
      deferred(10, 2, 0x10, UIP, -9),
      sample(10, 3, KERNEL, KIP, CONTEXT_KERNEL, KIP, CONTEXT_DEFERRED, 0x20),
      deferred(10, 4, 0x20, UIP),
      flags=('defer_callchain', 'defer_output'))
status, out, err = perf('script', '-F', 'tid,time,ip')
ok(status == 0 and frames(out) == [[], hexes(KIP, UIP)] and '1 bad callchain is' in err,
   'a bad deferred half takes the whole callchain with it', out, err)

# One library at two places: samples' own addresses are those of the file, callers' are not.
write(comm(10, 'task'), mmap(10, 0x7f0000000000, 0x4000, 0x2000, '/nowhere/lib.so'),
      comm(11, 'task'), mmap(11, 0x7e0000000000, 0x4000, 0x2000, '/nowhere/lib.so'),
      sample(10, 1, USER, 0x7f0000000123, CONTEXT_USER, 0x7f0000000123, 0x7f0000000456),
      sample(11, 2, USER, 0x7e0000000123, CONTEXT_USER, 0x7e0000000123, 0x7e0000000456),
      sample(10, 3, USER, 0x7f0000001789, CONTEXT_USER, 0x7f0000001789))
status, out, err = perf('report', '--stdio', '-g', 'none', '--no-children', '-s', 'dso,sym')
rows = [line.split() for line in out.split('\n') if line and line[0] != '#']
ok([r[0] for r in rows] == ['66.67%', '33.33%'] and
   [r[-1] for r in rows] == ['0x0000000000002123', '0x0000000000003789'], 'own addresses by file', out, err)
status, out, err = perf('report', '--stdio', '-g', 'none', '-s', 'dso,sym')
rows = [line.split() for line in out.split('\n') if line and line[0] != '#']
ok(['66.67%', '66.67%', 'lib.so', '[.]', '0x0000000000002123'] in rows and
   ['33.33%', '0.00%', 'lib.so', '[.]', '0x00007f0000001789'] in rows, "a caller's row is another one", out)
for how in ('', 'caller', 'callee'):
    one = perf('report', '--stdio', '-g', how or 'graph', '-j', '1')
    many = perf('report', '--stdio', '-g', how or 'graph', '-j', '2')
    ok(one[1] == many[1] and '0x7f0000001789' in one[1], '-g %s: the same on two CPUs' % (how or 'graph'))

# A kernel module that the recording lists with a build-id is shown by its path, in script.
MODULE = '/lib/modules/6.12.0/kernel/net/some-thing.ko'
listed = record(0, ii(-1) + bytes([7] * 20) + bytes([20, 0, 0, 0]) + MODULE.encode().ljust(64, b'\0'), KERNEL | 0x8000)
data = comm(10, 'task') + record(1, ii(-1, 0) + q(KIP & ~0xfff, 0x1000, 0) + string(MODULE) + sid(-1, 0), KERNEL) + \
    sample(10, 1, KERNEL, KIP, CONTEXT_KERNEL, KIP)
for features, want in (({}, '[some_thing]'), ({2: listed}, MODULE)):
    put(PATH, perf_file([attr(IP | TID | TIME | CALLCHAIN, ('sample_id_all', 'mmap', 'comm'))], data, features))
    status, out, err = perf('script', '-F', 'ip,sym,dso')
    ok(status == 0 and '[unknown] (%s)' % want in out, 'script: %s' % want, out, err)
    status, out, err = perf('report', '--stdio', '-g', 'none', '-s', 'dso')
    ok(status == 0 and '  [some_thing]' in out, 'report: [some_thing]', out, err)

# --call-graph lbr: the user half is the sample's address and the sources of the branches. Each sample:
# mode, address, callchain, branches, and what is shown of it. perf 7.2.13 prints the same of the first
# five, but for the user address of samples in the kernel: it repeats that of the kernel.
put('calls.c', '''void leaf_c(void) {}
void mid_b(void) { leaf_c(); __asm__ volatile(""); }
void top_a(void) { mid_b(); __asm__ volatile(""); }
int main(void) { top_a(); return 0; }
''')
PROG = path('calls')
subprocess.run(['gcc', '-O0', '-no-pie', '-o', PROG, PROG + '.c'], check=True)
NAMES = ('leaf_c', 'mid_b', 'top_a', 'main')
LEAF, MID, TOP, MAIN = (nm(PROG)[n] for n in NAMES)
CALL_STACK, HW_INDEX, NO_USER_CHAIN = 1 << 11 | 1, 1 << 17, ('exclude_callchain_user',)
BRANCHES = ((MID + 5, LEAF), (TOP + 5, MID), (MAIN + 5, TOP))
CALLS = [x[0] for x in BRANCHES]
LBR = ((USER, LEAF + 1, (CONTEXT_USER, LEAF + 1), BRANCHES, [LEAF + 1] + CALLS),
       (USER, LEAF + 1, (CONTEXT_USER, LEAF + 1, TOP, MAIN), BRANCHES, [LEAF + 1] + CALLS),
       (KERNEL, KIP, (CONTEXT_KERNEL, KIP, KIP + 4, CONTEXT_USER, LEAF + 1), BRANCHES, [KIP, KIP + 4, LEAF + 1] + CALLS),
       (KERNEL, KIP, (CONTEXT_KERNEL, KIP), BRANCHES, [KIP]),
       (USER, LEAF + 1, (CONTEXT_USER, LEAF + 1), ((MID + 5, LEAF),) * 3, [LEAF + 1] + [MID + 5] * 3),
       (USER, LEAF + 1, (CONTEXT_USER, LEAF + 1, MID + 9), (), [LEAF + 1, MID + 9]))


def lbr_file(samples, branch, flags=(), features=None, sample_type=CALLCHAIN | BRANCH_STACK):
    data = comm(10, 'calls') + mmap(10, LEAF & ~0xfff, 0x1000, LEAF & 0xff000, PROG)
    for i, (mode, ip, chain, branches, _) in enumerate(samples):
        data += record(9, q(ip) + ii(10, 10) + q(i + 1) +
                       (q(len(chain), *chain) if sample_type & CALLCHAIN else b'') + q(len(branches)) +
                       (q(0) if branch & HW_INDEX else b'') + b''.join(q(*b, 0) for b in branches), mode)
    put(PATH, perf_file([attr(IP | TID | TIME | sample_type, ('sample_id_all', 'mmap', 'comm', 'mmap2') + flags,
                              branch=branch)], data, features))


BRANCH_FEATURE = {15: b''}
for branch, features in ((CALL_STACK, {}), (CALL_STACK | HW_INDEX, {}), (CALL_STACK, BRANCH_FEATURE)):
    lbr_file(LBR, branch, features=features)
    status, out, err = perf('script', '-F', 'tid,time,ip')
    ok(status == 0 and frames(out) == [hexes(*x[4]) for x in LBR], 'lbr: script, %#x %s' % (branch, features), out, err)
status, out, err = perf('script', '-F', 'tid,time,ip', pipe=True)
ok(frames(out) == [hexes(*x[4]) for x in LBR], 'lbr: script reads a pipe', out, err)
status, out, err = perf('report', '-D')
ok('''... LBR call chain: nr:8
.....  0: ffffffffffffff80
.....  1: %016x
.....  2: %016x
.....  3: fffffffffffffe00
.....  4: %016x
.....  5: %016x
.....  6: %016x
.....  7: %016x
... FP chain: nr:5
''' % (KIP, KIP + 4, LEAF, *CALLS) in out and out.count('LBR call chain') == 4, 'lbr: report -D', out, err)
SPLIT = perf('script', '-F', 'tid,time,ip')[1]
status, _, err = run(PERF, 'inject', '--convert-callchain', '-i', PATH, '-o', PATH + '.plain')
plain = run(PERF, 'report', '-D', '-i', PATH + '.plain')[1]
ok(status == 0 and '''... FP chain: nr:8
.....  0: ffffffffffffff80 (PERF_CONTEXT_KERNEL)
.....  1: %016x
.....  2: %016x
.....  3: fffffffffffffe00 (PERF_CONTEXT_USER)
.....  4: %016x
''' % (KIP, KIP + 4, LEAF + 1) in plain, 'lbr: inject --convert-callchain', plain, err)
lbr_file(LBR[:1], CALL_STACK, features=BRANCH_FEATURE)
for how, want in (('-g caller', 'main top_a mid_b leaf_c'), ('--no-children', 'mid_b top_a main'),
                  ('-g callee', 'mid_b top_a main')):
    status, out, err = perf('report', '--stdio', '-s', 'dso,sym', *how.split())
    row = out.split('[.] leaf_c')[1].split('%')[0]
    ok(' '.join(w for w in row.replace('-', ' ').split() if w in NAMES) in (want, 'leaf_c ' + want), 'lbr: report ' + how, out, err)
status, out, err = perf('report', '--folded')
ok(out == 'calls;main;top_a;mid_b;leaf_c 1\n', 'lbr: folded stacks', out, err)
status, out, err = perf('report', '--stdio', '-b', '-s', 'symbol_from,symbol_to')
ok([line.split()[2] for line in out.splitlines() if '%' in line] == ['mid_b', 'top_a', 'main'], 'lbr: report -b', out, err)
# Recorded without user callchains, as this perf did before: the first branch's target takes the address's place.
lbr_file([(KERNEL, KIP, (CONTEXT_KERNEL, KIP), BRANCHES, None)], CALL_STACK, NO_USER_CHAIN)
status, out, err = perf('script', '-F', 'tid,time,ip')
ok(frames(out) == [hexes(KIP, LEAF, *CALLS)], 'lbr: without user callchains', out, err)
# perf record -j stack, which asks for no callchains
lbr_file(LBR[:1], CALL_STACK, features=BRANCH_FEATURE, sample_type=BRANCH_STACK)
status, out, err = perf('report', '--stdio', '-s', 'symbol_to')
ok([line.split()[2] for line in out.splitlines() if '%' in line] == ['leaf_c', 'mid_b', 'top_a'], 'lbr: branches without callchains', out, err)
# Without a user callchain in the sample mainline shows none; the section BRANCH_STACK would have it show branches.
attrs = ''.join(run(PERF, 'record', '--dry-run', '-vv', '--call-graph', 'lbr', 'true')[1:])
ok('BRANCH_STACK' in attrs and 'exclude_callchain_user' not in attrs, 'lbr: record keeps user callchains', attrs)
# As many branches as the processor keeps: 32, or what the recording says.
CAPS = {28: ii(2) + feature_string('branches') + feature_string('16') + feature_string('max_precise') + feature_string('3')}
for nr, features, cut in ((31, {}, False), (32, {}, True), (15, CAPS, False), (16, CAPS, True)):
    lbr_file([(USER, LEAF + 1, (CONTEXT_USER, LEAF + 1), ((MID + 5, LEAF),) * nr, None)] * 10, CALL_STACK, features=features)
    status, out, err = perf('report', '--stdio')
    ok(('10 of 10 user callchains (100 %) are cut: 10 after as many calls as the processor keeps (lbr)' in out) == cut,
       'lbr: %d branches' % nr, out, err)
done()
