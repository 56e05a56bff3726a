#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What mainline's perf 7.2 prints by default and the golden recordings do not have: inlined
functions of frame pointer callchains, names that a thread gave up, long names, samples whose
stack could not be copied.

Recordings are made up, of a program built here; what is expected is what perf 7.2.13 prints of
them. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

def perf(*args):
    _, out, err = run(PERF, *args)
    return [l.rstrip() for l in out.splitlines()], err


def report(*args):
    """The lines below the columns' names, and those."""
    lines, err = perf('report', '--stdio', *args)
    at = [i for i, l in enumerate(lines) if re.match(r'# \.+  ', l)]
    return [l for l in lines[at[0] + 1:] if l and l[0] != '#'], lines[at[0] - 1:at[0] + 1], err


# Columns, and the first row below, of a recording of shared use: what perf 7.2.13 prints of it, but
# for [k] of callers in the kernel, and the sample whose deferred half came first: all reach _start.
for args, head, first in (
        ('-s overhead,sym', 'Self  Symbol', '53.06%  [k] rep_stos_alternative'),
        ('-s sym,overhead', 'Self  Symbol', '0.00%  [k] __alloc_frozen_pages_noprof'),
        ('-s overhead_children,sym', 'Children  Symbol', '100.00%  [.] _start'),
        ('-s sym,overhead_children', 'Children  Symbol', '4.08%  [k] __alloc_frozen_pages_noprof'),
        ('-s overhead,overhead_children,sym', 'Children  Self  Symbol', '57.14%  53.06%  [k] rep_stos_alternative'),
        ('-s overhead_us,overhead,sym', 'Self  usr  Symbol', '22.45%  22.45%  [.] spin'),
        ('-s sym,overhead_sys,overhead', 'Self  Symbol  sys', '0.00%  [k] __alloc_frozen_pages_noprof  0.00%'),
        ('-s overhead_sys,sym --no-children', 'sys  Symbol', '53.06%  [k] rep_stos_alternative'),
        ('-s period,sym', 'Children  Self  Period  Symbol', '100.00%  0.00%  0  [.] _start'),
        ('-s overhead,sym -n', 'Self  Samples  Symbol', '53.06%  26  [k] rep_stos_alternative'),
        ('-s overhead,sym --showcpuutilization', 'Self  sys  usr  Symbol', '53.06%  53.06%  0.00%  [k] rep_stos_alternative'),
        ('-s sym -F overhead_children,overhead,sym', 'Children  Overhead  Symbol', '4.08%  0.00%  [k] __alloc_frozen_pages_noprof'),
        ('-p vfs -s sym', 'Children  Self  Symbol  Parent symbol', '65.31%  2.04%  [k] vfs_read  vfs_read'),
        ('-p vfs -s dso --no-children -n', 'Overhead  Samples  Shared Object  Parent symbol', '65.31%  32  [kernel.kallsyms]  vfs_read'),
        ('-p vfs -s dso -x --no-children', 'Overhead  Shared Object  Parent symbol', '65.31%  [kernel.kallsyms]  vfs_read'),
        ('-p vfs -F sym,overhead', 'Symbol  Overhead  Parent symbol', '[k] __alloc_frozen_pages_noprof  0.00%  vfs_read'),
        ('-s p_stage_cyc', 'Children  Self  Retire Latency', '100.00%  100.00%  0'),
        ('-s local_retire_lat', 'Children  Self  Local Pipeline Stage Cycle', '100.00%  100.00%  0')):
    rows, heads, _ = report('-i', GOLDEN + '/deepsys.defer.data', '--symfs', GOLDEN + '/symfs',
                            '--kallsyms', GOLDEN + '/kallsyms', '-g', 'none', *args.split())
    words = [re.sub('   *', '  ', l.strip(' #')) for l in (heads[0], rows[0])]
    ok(words == [head, first], 'perf report ' + args, words, [head, first])

# A raw event, as perf mem record's are, has the fields of a memory access that its samples have.
ACCESSED = ADDR | WEIGHT_STRUCT | DATA_SRC | PHYS_ADDR | DATA_PAGE_SIZE | CODE_PAGE_SIZE
ADDRESS = '7f0000001160 68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK N/A'
for bits, fields, want in (
        (ACCESSED, q(0x7f0000001160) + ii(33, 44 | 55 << 16) + q(0x68100142, 0x123456, 4096, 8192),
         ADDRESS + ' 33 44 55 10 [unknown] ([unknown]) 123456 4K 8K'),
        (ADDR | WEIGHT, q(0x7f0000001160, 33), '7f0000001160 33 10 [unknown] ([unknown])'),
        (0, b'', '10 [unknown] ([unknown])')):
    access = record(9, q(16) + ii(10, 10) + q(3) + fields, USER)
    put('raw.data', perf_file([attr(IP | TID | TIME | bits, type=4, config=0x1cd)], access))
    lines, err = perf('script', '-i', 'raw.data')
    ok([l.split('raw 0x1cd: ')[-1].split() for l in lines] == [want.split()],
       'script of a raw event: %d fields of an access' % len(fields), lines, err)

# An event of a PMU, in a recording without names of events
for kind, config, want in ((8, 0x30, 'PMU=8 config=0x30'), (200, 0, 'PMU=200 config=0')):
    put('pmu.data', perf_file([attr(IP | TID, type=kind, config=config)],
                              record(9, q(16) + ii(10, 10), USER)))
    lines, err = perf('script', '-i', 'pmu.data', '-F', 'event')
    ok(lines == ['unknown event %s:' % want], 'script -F event: ' + want, lines, err)

LONG = 'n' * 1100
put('prog.c', '''
volatile unsigned sink;
static inline __attribute__((always_inline)) void an_inlined_function(unsigned n) { sink = n / 7; }
__attribute__((noinline)) void outer(unsigned n) { an_inlined_function(n); sink++; }
__attribute__((noinline)) void %s(unsigned n) { outer(n); sink++; }
int main(int argc, char **argv) { %s(argc); return 0; }
''' % (LONG, LONG))
sh('gcc -g -O2 -no-pie -o prog prog.c')
PROG = path('prog')
ADDR = nm(PROG)
OFF, VADDR, SIZE = text_segment(PROG)
# The multiplication by which n / 7 is made.
INLINED = int(re.search(r'^ *(\w+):.*mul', run('objdump', '-d', '--disassemble=outer', PROG)[1], re.M)[1], 16)
TYPE = IP | TID | TIME | CALLCHAIN
SID = ii(10, 10) + q(1)


def comm(name, t, misc=0):
    return record(3, ii(10, 10) + string(name) + ii(10, 10) + q(t), misc)


MMAP = record(10, ii(10, 10) + q(VADDR & ~0xfff, (SIZE + 0x1fff) & ~0xfff, OFF & ~0xfff) + ii(8, 1) + q(1234, 0) +
              ii(5, 2) + string(PROG) + SID, USER)


def sample(t, *chain, tail=b''):
    return record(9, q(chain[0]) + ii(10, 10) + q(t) + q(len(chain) + 1, -512, *chain) + tail, USER)


CALL, MAIN = ADDR[LONG] + 1, ADDR['main'] + 1
FLAGS = ('sample_id_all', 'mmap', 'mmap2', 'comm', 'comm_exec')
put('inline.data', perf_file([attr(TYPE, flags=FLAGS)],
                             comm('prog', 2) + MMAP + sample(3, INLINED, CALL, MAIN)))

lines, err = perf('script', '-i', 'inline.data', '-F', 'ip,sym')
names = [l.split()[1:] for l in lines if l]
want = [['an_inlined_function', '(inlined)'], ['outer'], [LONG], ['main']]
ok(names == want and not err, 'script: inlined functions are frames', lines, err)
lines, err = perf('script', '-i', 'inline.data', '-F', 'ip,sym', '--no-inline')
ok([l.split()[1:] for l in lines if l] == want[1:] and not err, 'script --no-inline: they are not', lines, err)
# The call that is inlined is at the line below, and printed as a line of its own or not at all.
for args, want in (((), ['prog.c:3', 'prog.c:4']), (('-G',), ['prog.c:3']), (('--no-inline',), ['prog.c:3'])):
    lines, err = perf('script', '-i', 'inline.data', '-F', 'ip,sym,srcline', *args)
    got = [w for l in lines for w in l.split() if w.startswith('prog.c:')]
    ok(got[:len(want)] == want and not err, 'script -F srcline %s: the line of the sample' % ' '.join(args), lines, err)

args = ('-i', 'inline.data', '-s', 'sym', '--symbol-filter=inlined')
rows, head, err = report(*args, '-g', 'none')
ok([r.split() for r in rows] == [['100.00%', '0.00%', '[.]', 'an_inlined_function', '(inlined)']],
   'report -g none: an inlined function is a row', rows, err)
ok(head[1].split()[-1] == '.' * len('[.] an_inlined_function'),
   'report: "(inlined)" does not count for the width of the column', head)
lines, err = perf('report', '--stdio', *args, '--no-inline')
ok(not any('(inlined)' in l for l in lines) and 'no sample passes' in err, 'report --no-inline: no such row', lines, err)

rows, head, err = report('-i', 'inline.data', '-s', 'comm', '--no-children', '-g', 'callee')
steps = [r.strip(' |-') for r in rows[1:]]
ok([s for s in steps if s] == ['an_inlined_function (inlined)', 'outer', LONG[:1023], 'main'],
   'report: a call graph has inlined functions, and 1023 characters of a name', rows, err)
rows, head, err = report('-i', 'inline.data', '-s', 'sym')
ok(any(r.endswith('[.] ' + LONG) for r in rows) and head[1].endswith('.' * len('[.] ' + LONG)),
   'report: a row has the whole name', rows[:9], head, err)

# -U: a sample in no known function is none, and neither is a caller.
put('unresolved.data', perf_file([attr(TYPE, flags=FLAGS)], comm('prog', 2) + MMAP +
                                 sample(3, ADDR['outer'], 0x10, MAIN) + sample(4, 0x20, MAIN)))
args = ('-i', 'unresolved.data', '--no-inline', '-U', '-s', 'sym')
rows, head, err = report(*args, '-g', 'none')
ok([r.split() for r in rows] == [['100.00%', '100.00%', '[.]', 'outer'], ['100.00%', '0.00%', '[.]', 'main']],
   'report -U: percentages are of what is shown', rows, err)
rows, head, err = report(*args, '--no-children', '-g', 'callee')
ok([r.strip(' |-') for r in rows if r.strip(' |')] == ['100.00%  [.] outer', 'main'],
   'report -U: callers without a name are left out', rows, err)
lines, err = perf('report', '--stdio', *args)
ok("# Samples: 1  of event 'cpu-clock'" in lines, 'report -U: the number of samples', lines[:9], err)

# One name in a filter makes its column a line of the title, but a row has one column at least.
for args, want in (('-s comm --comms prog', '100.00%  prog'), ('-s sym -S outer', '50.00%  [.] outer'),
                   ('-s comm,dso --comms prog --dsos prog', '50.00%  prog  prog'),
                   ('-s comm,sym --comms prog -S outer', '50.00%  prog  [.] outer'),
                   ('-s comm,sym -S outer', '50.00%  prog'), ('-s comm,dso --comms prog -S outer', '50.00%  prog')):
    rows, head, err = report('-i', 'unresolved.data', '--no-children', '-g', 'none', *args.split())
    ok([re.sub('   *', '  ', r.strip()) for r in rows[:1]] == [want], 'report ' + args, rows, err)

# An event without samples, beside tracepoints, has no say in which fields go together.
put('dummy.data', perf_file([attr(IP | TID | TIME | IDENTIFIER, flags=FLAGS, config=9),
                             attr(IP | TID | TIME | IDENTIFIER, flags=FLAGS, type=2, config=5)],
                            record(9, q(2, 16) + ii(10, 10) + q(3), USER), ids=[[1], [2]]))
lines, err = perf('script', '-i', 'dummy.data', '-F', '-sym')
ok(len(lines) == 1 and 'symoff' not in err, 'script -F -sym of a tracepoint beside a dummy', lines, err)
put('clock.data', perf_file([attr(IP | TID | TIME, flags=FLAGS)], record(9, q(16) + ii(10, 10) + q(3), USER)))
lines, err = perf('script', '-i', 'clock.data', '-F', '-sym')
ok(not lines and 'symoff' in err.replace('offsets', 'symoff'), 'script -F -sym of samples with offsets', lines, err)
rows, head, err = report('-i', 'unresolved.data', '--no-children', '-g', 'none', '-s', 'time,comm', '--ns')
ok(head[1].split()[2] == '.' * 16, 'report -s time --ns: the width of the column', head, err)

# perf-exec is what the child is called before it executes the program
put('names.data', perf_file([attr(IP | TID | TIME, flags=FLAGS)],
                            comm('perf-exec', 1) + record(9, q(16) + ii(10, 10) + q(2), USER) +
                            comm('prog', 3, 1 << 13) + MMAP +
                            b''.join(record(9, q(ADDR['outer']) + ii(10, 10) + q(t), USER) for t in (4, 5, 6))))
rows, head, err = report('-i', 'names.data', '-s', 'comm,sym')
ok([r.split()[:2] for r in rows] == [['75.00%', 'prog'], ['25.00%', 'perf-ex']] and
   rows[0].startswith('    75.00%  prog     [.] outer') and '  .......  ' in head[1],
   'report: the column of names is as wide as the last ones, earlier ones are cut', rows, head, err)
rows, head, err = report('-i', 'names.data', '-s', 'comm')
ok([r.split() for r in rows] == [['75.00%', 'prog'], ['25.00%', 'perf-ex']], 'report -s comm: likewise', rows, err)
lines, err = perf('report', '--stdio', '-i', 'names.data', '-s', 'comm', '-t', ';')
ok(any('perf-exec' in l for l in lines), 'report -t: whole names', lines, err)

# A kernel that could not read the stack writes a size of 0.
REGS = 1 << 8 | 1 << 7			# ip, sp
regs = q(2, 0x7ffc00000000, ADDR['outer'])
put('stack.data', perf_file([attr(TYPE | REGS_USER | STACK_USER, flags=FLAGS, regs_user=REGS, stack_user=64)],
                            comm('prog', 2) + MMAP +
                            record(9, q(ADDR['outer']) + ii(10, 10) + q(3) + q(2, -128, 0xffffffff81000000) +
                                   regs + q(0), 1) +
                            record(9, q(ADDR['outer']) + ii(10, 10) + q(4) + q(2, -128, 0xffffffff81000000) +
                                   regs + q(64) + bytes(64) + q(64), 1)))
lines, err = perf('script', '-i', 'stack.data', '-F', 'ip,sym')
ok(sum(l.endswith(' outer') for l in lines) == 1, 'dwarf: no user frame where no byte of the stack was copied', lines, err)

# Registers have the names of the machine that recorded them.
for arch, names in ('x86_64', {6: 'BP', 16: 'R8', 24: 'unknown', 32: 'XMM0', 33: 'XMM0', 63: 'XMM15'}), \
                   ('aarch64', {0: 'x0', 29: 'x29', 30: 'lr', 31: 'sp', 32: 'pc', 33: 'unknown', 46: 'vg'}), \
                   ('mips', {0: 'unknown', 8: 'unknown'}):
    put('regs.data', perf_file([attr(IP | TID | REGS_USER, flags=FLAGS, regs_user=sum(1 << n for n in names))],
                               record(9, q(0x1000) + ii(10, 10) + q(2) + q(*range(1, len(names) + 1)), USER),
                               {6: feature_string(arch)}))
    lines, err = perf('script', '-i', 'regs.data', '-F', 'uregs')
    ok(re.findall(r'(\w+):(0x\w+)', ' '.join(lines)) == [(n, hex(i + 1)) for i, n in enumerate(names.values())],
       'script -F uregs: names of ' + arch, lines, err)
    lines, err = perf('report', '-D', '-i', 'regs.data')
    ok([l.split()[1] for l in lines if re.match(r'\.\.\.\. \w+ +0x', l)] == list(names.values()),
       'report -D: names of ' + arch, lines, err)

# Addresses of a file without symbols, mapped at two places, and one that nothing maps
sh('cp prog bare && strip bare')


def at(pid, start):
    ids = ii(pid, pid)
    return (record(3, ids + string('prog') + ids + q(1)) +
            record(10, ids + q(start, 0x2000, OFF & ~0xfff) + ii(8, 1) + q(1234, 0) + ii(5, 2) +
                   string(path('bare')) + ids + q(1), USER) +
            record(9, q(start + 0x40) + ids + q(2), USER))


put('bare.data', perf_file([attr(IP | TID | TIME, flags=FLAGS)],
                           at(10, 0x10000000) + at(11, 0x20000000) + record(9, q(0x30000000) + ii(10, 10) + q(3), USER)))
rows, head, err = report('-i', 'bare.data', '-s', 'srcline', '--no-function-starts')
ok([r.split() for r in rows] == [['66.67%', 'bare[%x]' % ((VADDR & ~0xfff) + 0x40)], ['33.33%', '??:0']],
   'report -s srcline: addresses without symbols are those in the file, what is not mapped is ??:0', rows, err)

# Two events side by side: outer() and its neighbour are equal in the first one; in the second one
# the neighbour has more samples with callees, and outer() more of its own.
def of_event(id, t, *chain):
    return record(9, q(id, chain[0]) + ii(10, 10) + q(t, len(chain) + 1, -512, *chain), USER)


OUTER, TAIL = ADDR['outer'] + 1, ii(10, 10) + q(1, 1)
named = record(3, ii(10, 10) + string('prog') + TAIL)
mapped = record(10, MMAP[8:-len(SID)] + TAIL, USER)
samples = [of_event(1, 3, OUTER, MAIN), of_event(1, 4, CALL, MAIN)]
samples += [of_event(2, 5 + i, OUTER, MAIN) for i in range(2)] + [of_event(2, 8 + i, MAIN, CALL) for i in range(3)]
put('group.data', perf_file([attr(TYPE | IDENTIFIER, flags=FLAGS, config=c) for c in (0, 1)], named + mapped + b''.join(samples),
                            ids=[[1], [2]]))
rows, head, err = report('-i', 'group.data', '-s', 'sym', '-g', 'none', '--group')
ok([r.split()[5][:5] for r in rows[:3]] == ['main', 'outer', 'nnnnn'],
   'report --group: sums of children are compared in the first event only', [r[:80] for r in rows], err)


# Three events, one or two of them without samples: grouped in the recording, or for the report.
def of_events(name, ids, grouped):
    attrs = [attr(TYPE | IDENTIFIER, flags=FLAGS, config=c) for c in (0, 2, 3)]
    samples = b''.join(of_event(i, 3 + n, OUTER, MAIN) for n, i in enumerate(ids))
    group = {17: ii(1) + feature_string('{anon_group}') + ii(0, 3)} if grouped else None
    put(name, perf_file(attrs, named + mapped + samples, group, ids=[[1], [2], [3]]))


def title(*args):
    lines, err = perf('report', '--stdio', '-s', 'sym', '-g', 'none', '--no-children', *args)
    return [re.sub('.*Samples: ', '', l) for l in lines if '# Samples: ' in l] + \
        [l.split()[:-2] for l in lines if '%' in l and l[0] == ' '], err


NAMES = 'cpu-clock, page-faults, context-switches'
of_events('first.data', (1, 1), True)
of_events('last.data', (3,), True)
of_events('apart.data', (1, 3), False)
for args, want in ((['first.data'], ["2  of events 'anon group { cpu-clock }'", ['100.00%']]),
                   (['first.data', '--no-skip-empty'], ["2  of events 'anon group { %s }'" % NAMES, ['100.00%', '0.00%', '0.00%']]),
                   (['last.data'], ["1  of events 'anon group { context-switches }'", ['100.00%']]),
                   (['apart.data', '--group'], ["2  of events 'cpu-clock, context-switches'", ['100.00%', '100.00%']]),
                   (['apart.data', '--no-skip-empty'], ["1  of event 'cpu-clock'", "0  of event 'page-faults'",
                                                        "1  of event 'context-switches'", ['100.00%'], ['100.00%']])):
    got, err = title('-i', *args)
    ok(got == want, 'report %s: columns of the events that have samples' % ' '.join(args), got, err)

lines, err = perf('report', '--stdio', '-i', 'group.data', '-c', 'prog', '-d', 'prog', '-S', 'outer', '-g', 'none')
at = lines.index('# comm: prog')
ok(lines[at - 1:at + 5] == ['#', '# comm: prog', '# dso: prog', '# symbol: outer', '#', '# Total Lost Samples: 0'],
   'report: columns that a filter makes needless are lines of the title', lines[:12], err)


# BPF programs in the header: one of one part, one of two, one without the array of tags, cut ones.
KSYMS, LENS, TAGS = 1 << 3, 1 << 4, 1 << 8


def bpf(id, name, syms, lens, arrays=KSYMS | LENS | TAGS):
    tags = bytes(range(8 * len(syms)))
    data = q(*syms) + ii(*lens) + tags
    info = ii(15, id) + tags[:8] + ii(100, 100) + q(0, 0, 0) + ii(0, 0) + q(0) + name.ljust(16, b'\0')
    info += ii(0, 1) + q(0, 0) + ii(len(syms), len(lens)) + q(0, 8 * len(syms)) + ii(0, 0) + q(0) + ii(0, 0)
    info += q(0, 0) + ii(0, 0, 0, len(syms)) + q(12 * len(syms)) + bytes(40)
    return ii(len(info), len(data)) + q(arrays) + info + data


ONE, TWO = bpf(7, b'one\n\x1b', [0xffffffffc0001000], [77]), bpf(8, b'two', [0x2000, 0x3000], [5, 6])
ODD = bpf(9, b'odd', [1], [2], KSYMS | LENS)
TEXT = ['# bpf_prog_info 7: bpf_prog_0001020304050607_one?? addr 0xffffffffc0001000 size 77',
        '# bpf_prog_info 8:', '# \tsub_prog 0: bpf_prog_0001020304050607_F addr 0x2000 size 5',
        '# \tsub_prog 1: bpf_prog_08090a0b0c0d0e0f_F addr 0x3000 size 6', '# bpf_prog_info of id 9']
whole = ONE + TWO + ODD
for cut, want in ((0, 5), (1, 4), (len(ODD), 4), (len(ODD) + 1, 1), (len(whole) - 1, 0)):
    put('bpf.data', perf_file([attr()], comm('prog', 1), {25: ii(3) + whole[:len(whole) - cut]}))
    lines, err = perf('report', '--header-only', '-i', 'bpf.data')
    got = [l for l in lines if 'bpf' in l]
    ok(got == TEXT[:want], 'report --header-only: BPF programs, without the last %d bytes' % cut, got, err)
# Arrays that are not where the description says.
for at, what in ((184, 'tags'), (112, 'addresses'), (120, 'sizes')):
    for value in (17, 1 << 63, (1 << 64) - 1):
        lie = bytearray(ONE)
        lie[16 + at:16 + at + 8] = q(value)
        put('bpf.data', perf_file([attr()], comm('prog', 1), {25: ii(1) + bytes(lie)}))
        lines, err = perf('report', '--header-only', '-i', 'bpf.data')
        got = [l for l in lines if 'bpf' in l]
        ok(got == ['# bpf_prog_info of id 7'], 'report --header-only: %s at %#x' % (what, value), got, err)

# A directory: its file "data" is what a header and a dump name and date.
os.mkdir('directory')
put('directory/data', perf_file([attr()], comm('prog', 1), {24: q(1)}))
put('directory/data.0', record(9, q(16) + ii(10, 10) + q(2), USER))
os.utime('directory/data', (86400 * 365, 86400 * 365))
lines, err = perf('report', '-D', '-i', 'directory')
at = re.findall(r'^0?x?\w*@(\S+) \[0x\w+\]: event:', '\n'.join(lines), re.M)
ok(len(at) == 2 and set(at) == {'directory/data'}, 'report -D of a directory', at, err)
lines, err = perf('report', '--header-only', '-i', 'directory')
ok(any('captured on' in l and l.endswith('1971') for l in lines), 'report --header-only of a directory', lines, err)

# What perf record -s has counted, by what the event reads; of a group the words that follow the number.
READ = ('time enabled : 50', 'time running : 51', 'id           : 52', 'lost         : 53')
for form, want in ((0, ()), (3, READ[:2]), (7, READ[:3]), (23, READ), (4, ('id           : 50',)), (31, READ)):
    put('read.data', perf_file([attr(IP | TID | TIME, read_format=form)],
                               comm('prog', 1) + record(8, ii(10, 10) + q(100, *range(50, 54)) + ii(10, 10) + q(5))))
    lines, err = perf('report', '-D', '-i', 'read.data')
    at = [i for i, l in enumerate(lines) if l.endswith(': PERF_RECORD_READ: 10 10 cpu-clock 100')]
    got = lines[at[0] + 1:at[0] + 2 + len(want)] if at else lines
    ok(got[:len(want)] == ['... ' + w for w in want] and not any(l.startswith('... ') for l in got[len(want):]),
       'report -D: values of a READ record, format %#x' % form, got, err)

# Memory without a file: what is executed in it is a JIT's, what is not has the name that the kernel gave it.
NAMES = ('[heap]', '[stack]', '[stack:7]', '/SYSV00000000 (deleted)', '/dev/zero (deleted)', '/anon_hugepage (deleted)',
         '//anon', '[vvar]', '[uprobes]', '/memfd:x (deleted)')
MEMORY = NAMES[:7]


def mapped(prot, version=2):
    data, misc = b'', USER if prot & 4 else USER | 1 << 13
    for i, name in enumerate(NAMES):
        body = ii(10, 10) + q(0x10000 * i + 0x10000, 0x2000, 0x3000)
        if version == 2:
            body += ii(8, 1) + q(1234 + i, 0) + ii(prot, 2)
        data += record(10 if version == 2 else 1, body + string(name) + ii(10, 10) + q(2), misc)
        data += record(9, q(0x10000 * i + 0x10123) + ii(10, 10) + q(3), USER)
    return perf_file([attr(IP | TID | TIME, flags=FLAGS + ('mmap_data',) * (not prot & 4))], comm('prog', 1) + data)


for prot in (5, 3):
    for version in (1, 2):
        put('memory.data', mapped(prot, version))
        shown = ['/tmp/perf-10.map' if prot & 4 and n in MEMORY else n for n in NAMES]
        at = [0x10000 * i + 0x10123 if n in MEMORY else 0x3123 for i, n in enumerate(NAMES)]
        what = 'MMAP%s, %s' % ('' if version == 1 else '2', 'executed' if prot & 4 else 'data')
        lines, err = perf('script', '-i', 'memory.data', '-F', 'ip,sym,dso,dsoff')
        got = [l.split(None, 2)[2] for l in lines if l]
        ok(got == ['(%s+0x%x)' % x for x in zip(shown, at)], 'script of memory without a file: ' + what, got, err)
        lines, err = perf('report', '-D', '-i', 'memory.data')
        got = [l.split(': ', 1)[1] for l in lines if l.startswith(' ...... dso: ')]
        ok(got == shown, 'report -D of it: ' + what, got, err)
        rows, _, err = report('-i', 'memory.data', '-s', 'sym,dso')
        got = sorted(tuple(r.split(None, 3)[2:]) for r in rows)
        short = ['[JIT] tid 10' if '.map' in n else n.split('/')[-1] for n in shown]
        ok(got == sorted(('0x%016x' % a, n) for a, n in zip(at, short)), 'report of it: ' + what, got, err)
        lines, err = perf('report', '--mmaps', '-i', 'memory.data')
        got = [l.strip() for l in lines if l[:20].isspace()]
        if version == 1:
            want = ['%x-%x --%sp 00003000  %s' % (a, a + 0x2000, '-x'[prot >> 2], n)
                    for a, n in zip(range(0x10000, 0xb0000, 0x10000), shown)]
        else:
            want = ['%x-%x r%sp 00003000 %d %s' % (a, a + 0x2000, ('w-', '-x')[prot >> 2], 1234 + i, n)
                    for i, (a, n) in enumerate(zip(range(0x10000, 0xb0000, 0x10000), shown))]
        ok(got == want, 'report --mmaps of it: ' + what, got, want, err)

done()
