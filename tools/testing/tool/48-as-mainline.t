#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What mainline's perf 7.2 prints by default and the golden recordings do not have: inlined
functions of frame pointer callchains, names that a thread gave up, long names, samples whose
stack could not be copied.

Recordings are made up, of a program built here; what is expected is what perf 7.2.13 prints of
them. TAP."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from perfdata import *  # noqa: E402
from tap import ok, done  # noqa: E402

PERF = os.path.abspath(os.environ.get('PERF', 'build/perf'))
TMP = os.path.realpath(tempfile.mkdtemp(prefix='as-mainline-'))
ENV = dict(os.environ, DEBUGINFOD_URLS='', PERF_CONFIG='/dev/null', PERF_PAGER='cat', LC_ALL='C', HOME=TMP)
os.chdir(TMP)
USER = 2


def run(*cmd):
    return subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=True).stdout


def put(name, data):
    with open(name, 'wb' if isinstance(data, bytes) else 'w') as f:
        f.write(data)


def perf(*args):
    p = subprocess.run((PERF,) + args, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       stdin=subprocess.DEVNULL, text=True, timeout=120)
    return [l.rstrip() for l in p.stdout.splitlines()], p.stderr


def report(*args):
    """The lines below the columns' names, and those."""
    lines, err = perf('report', '--stdio', *args)
    at = [i for i, l in enumerate(lines) if re.match(r'# \.+  ', l)]
    return [l for l in lines[at[0] + 1:] if l and l[0] != '#'], lines[at[0] - 1:at[0] + 1], err


LONG = 'n' * 1100
put('prog.c', '''
volatile unsigned sink;
static inline __attribute__((always_inline)) void an_inlined_function(unsigned n) { sink = n / 7; }
__attribute__((noinline)) void outer(unsigned n) { an_inlined_function(n); sink++; }
__attribute__((noinline)) void %s(unsigned n) { outer(n); sink++; }
int main(int argc, char **argv) { %s(argc); return 0; }
''' % (LONG, LONG))
run('gcc', '-g', '-O2', '-no-pie', '-o', 'prog', 'prog.c')
PROG = os.path.join(TMP, 'prog')
ADDR = {w[2]: int(w[0], 16) for w in map(str.split, run('nm', PROG).splitlines()) if len(w) == 3}
OFF, VADDR, SIZE = (int(x, 16) for x in
                    re.search(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E', run('readelf', '-lW', PROG)).groups())
# The multiplication by which n / 7 is made.
INLINED = int(re.search(r'^ *(\w+):.*mul', run('objdump', '-d', '--disassemble=outer', PROG), re.M)[1], 16)
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

# Addresses of a file without symbols, mapped at two places, and one that nothing maps
run('cp', 'prog', 'bare')
run('strip', 'bare')


def at(pid, start):
    ids = ii(pid, pid)
    return (record(3, ids + string('prog') + ids + q(1)) +
            record(10, ids + q(start, 0x2000, OFF & ~0xfff) + ii(8, 1) + q(1234, 0) + ii(5, 2) +
                   string(os.path.join(TMP, 'bare')) + ids + q(1), USER) +
            record(9, q(start + 0x40) + ids + q(2), USER))


put('bare.data', perf_file([attr(IP | TID | TIME, flags=FLAGS)],
                           at(10, 0x10000000) + at(11, 0x20000000) + record(9, q(0x30000000) + ii(10, 10) + q(3), USER)))
rows, head, err = report('-i', 'bare.data', '-s', 'srcline')
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

shutil.rmtree(TMP)
done()
