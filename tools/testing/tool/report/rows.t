#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Rows of perf report: their mode, their names, their order, the widths of columns; and the
mappings of --mmaps. What is expected is what perf 7.2.13 printed, but where a comment says so.
TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

TEXT = 0xffffffff81000000
AT = 0x7f0000001000


def report(*args):
    return perf('report', '--stdio', '--kallsyms', 'kallsyms', *args)[1:]


def table(options):
    """The lines of a table, its names of columns included."""
    out, err = report(*options.split())
    comment = re.compile(r'# (\(|[A-Z].*[:.])')
    return [l for l in out.splitlines() if l.strip(' #') and not comment.match(l)] or err


def rows(options):
    """The rows, with one blank between columns."""
    return [' '.join(l.split()) for l in table(options) if l[0] != '#']


def check(name, got, expected):
    ok(got == expected, name, got, expected)


def sid(pid, tid=None):
    return ii(pid, pid if tid is None else tid) + q(0)


def comm(pid, name, tid=None):
    return record(3, ii(pid, pid if tid is None else tid) + string(name) + sid(pid, tid))


def mmap(pid, start, size, off, name):
    return record(1, ii(pid, pid) + q(start, size, off) + string(name) + sid(pid), USER)


def sample(pid, ip, chain=(), tid=None):
    who = ii(pid, pid if tid is None else tid)
    return record(9, q(ip) + who + q(1, len(chain), *chain), KERNEL if ip >> 63 else USER)


def write(path, *records):
    kernel = record(1, ii(-1, 0) + q(TEXT, 0x1000000, TEXT) + string('[kernel.kallsyms]_text') +
                    sid(-1, 0), KERNEL)
    put(path, perf_file([attr(IP | TID | TIME | CALLCHAIN)], kernel + b''.join(records)))


with open('kallsyms', 'w') as f:
    for offset, name in (0, '_text'), (0x100, 'kernel_read'), (0x200, 'twin'), (0x400, '_etext'):
        f.write('%x T %s\n' % (TEXT + offset, name))
put('twins.c', '__attribute__((aligned(64))) int twin(int a) { return a * 3 + 1; }\n'
               '__attribute__((aligned(64))) int main(int c, char **v) { return twin(c); }\n')
subprocess.run(['gcc', '-O0', '-o', 'twins', 'twins.c'], check=True)
TWIN, MAIN = (AT + nm('twins')[n] - 0x1000 for n in ('twin', 'main'))
PROGRAM = mmap(7, AT, 0x1000, 0x1000, os.path.realpath('twins'))

# The row of --ignore-callees is the program's, although the kernel was sampled.
STRAY = 0x7e0000001000
write('modes', comm(7, 'seven'), PROGRAM,
      sample(7, TEXT + 0x104,
             [CONTEXT_KERNEL, TEXT + 0x104, CONTEXT_USER, TWIN + 4, MAIN + 9, STRAY]))
check('the mode of --ignore-callees', rows('-i modes -g none --ignore-callees=twin -s sym')[0],
      '100.00% 100.00% [.] twin')
# 7.2.13 says [k], the mode of the sample.
for option in '-g none', '-g caller':
    got = rows('-i modes -s sym ' + option)
    ok('100.00%% 0.00%% [.] 0x%016x' % STRAY in got, 'a user address in no file ' + option, got)

# Functions that call the sampled one: the kernel's are [k] although a program's code is in the chain,
# the program's are [.] although the kernel was sampled.
write('callers', comm(7, 'seven'), PROGRAM,
      sample(7, TEXT + 0x104, [CONTEXT_KERNEL, TEXT + 0x104, TEXT + 0x208, CONTEXT_USER, MAIN + 9]),
      sample(7, TWIN + 4, [CONTEXT_USER, TWIN + 4, MAIN + 9]))
for option in '-g none', '-g caller', '-g callee':
    check('[k] and [.] of callers ' + option,
          {r for r in rows('-i callers --children -s sym ' + option) if r[0].isdigit() and '[' in r},
          {'100.00% 0.00% [.] main', '50.00% 50.00% [k] kernel_read', '50.00% 50.00% [.] twin',
           '50.00% 0.00% [k] twin'})

# The parent is the first match in the order of the call graph.
for option, parent in ('-g caller', 'main'), ('-g callee', 'twin'), ('-g none --children', 'main'):
    got = rows('-i modes -p twin|main -s parent ' + option)
    ok(got and got[0].split()[-1] == parent, '-p twin|main ' + option, got)

# A process is called as its first thread is, at last; without a record of that: by its number.
write('tgid', comm(7, 'first'), comm(7, 'worker', 8), comm(70, 'orphan', 71),
      sample(7, 0x1000, tid=8), sample(7, 0x1000, tid=8), sample(7, 0x1000),
      sample(70, 0x1000, tid=71), comm(7, 'renamed'))
check('-s tgid', rows('-i tgid --no-children -g none -s tgid'), ['75.00% 7:renamed', '25.00% 70::70'])

# symoff is sym with an offset: a function of each file, an address as sym has it.
write('places', comm(7, 'seven'), comm(8, 'eight'), PROGRAM,
      mmap(8, 0x600000, 0x1000, 0x2000, '/nowhere/file'), sample(7, TWIN + 4), sample(7, TWIN + 8),
      sample(7, TEXT + 0x204), sample(8, 0x600123), sample(7, MAIN + 1))
check('-s symoff', rows('-i places -g none --no-children -s symoff'),
      ['20.00% [.] main+0x1', '20.00% [.] twin+0x8', '20.00% [.] twin+0x4', '20.00% [k] twin+0x4',
       '20.00% [.] 0x000002123'])
check('and -s sym', rows('-i places -g none --no-children -s sym')[-1],
      '20.00% [.] 0x0000000000002123')

# Addresses are ordered as signed numbers: the kernel's first.
check('-s addr', [r.split()[1] for r in rows('-i places -g none --no-children -s addr')],
      ['0x%x' % a for a in (TEXT + 0x204, 0x600123, TWIN + 4, TWIN + 8, MAIN + 1)])

# Ends of branches with equal sums: functions by address, files from the last name to the first.
# 7.2.13 has [H] in front of an address that is in no file.
kernel = record(1, ii(-1, 0) + q(TEXT, 0x1000000, TEXT) + string('[kernel.kallsyms]_text') +
                sid(-1, 0), KERNEL)
stack = [x for a in (0x10, MAIN + 1, TEXT + 0x204, TWIN + 1) for x in (a, TWIN, 1)]
put('branches', perf_file([attr(IP | TID | TIME | BRANCH_STACK, branch=1 | 8)],
                          kernel + comm(7, 'seven') + PROGRAM +
                          record(9, q(TWIN) + ii(7, 7) + q(1, 4, *stack), USER)))
check('-s symbol_from', rows('-i branches -b -s symbol_from'),
      ['25.00% [k] twin', '25.00% [.] twin', '25.00% [.] main', '25.00% [.] 0x0000000000000010'])
check('-s dso_from', rows('-i branches -b -s dso_from'),
      ['50.00% twins', '25.00% [unknown]', '25.00% [kernel.kallsyms]'])


def group(path, periods):
    """A group of events; of each process, one sample of each event, with these periods."""
    n = len(periods[0])
    attrs = [attr(IP | TID | TIME | ID | PERIOD, config=i) for i in range(n)]
    data = b''
    for p, each in enumerate(periods, 1):
        data += record(3, ii(p, p) + string('abcd'[p - 1]) + sid(p) + q(1))
        for i, period in enumerate(each):
            data += record(9, q(0x1000) + ii(p, p) + q(1, i + 1, period), USER)
    names = ii(n, 128)
    for i, a in enumerate(attrs):
        names += a + ii(1) + feature_string('event%d' % i) + q(i + 1)
    leader = ii(1) + feature_string('{all}') + ii(0, n)
    put(path, perf_file(attrs, data, {12: names, 17: leader}, [[i + 1] for i in range(n)]))


def order(options):
    """The names of processes, in the order of the rows, also below --hierarchy."""
    return ''.join(re.findall(r'% ([a-d])$', '\n'.join(rows('-i group --group ' + options)), re.M))


# Ties of the first member are broken by the others, flat and nested.
group('group', [(10, 5, 9), (10, 7, 1), (10, 5, 10), (10, 7, 2)])
for options, expected in ('-s comm', 'dbca'), ('-s comm --group-sort-idx 2', 'cadb'):
    check('the order of a group, ' + options, order(options), expected)
    check('and nested', order(options.replace('comm', 'comm,sym') + ' --hierarchy'), expected)
# Of equal numbers of the chosen member the others but the leader decide.
group('group', [(10, 5, 9), (11, 5, 1), (10, 5, 10), (12, 5, 2)])
for options in '-s comm', '-s comm,sym --hierarchy':
    check('equal numbers of --group-sort-idx 1, ' + options,
          order(options + ' --group-sort-idx 1'), 'cadb')

# -w: names are cut, the last one, too; numbers and their columns' names are not.
got = table('-i places -g none --no-children -s dso,sym -w 4,6,6')
check('-w cuts the names of columns', got[:2],
      ['# Overhead  Shared  Symbol', '# ........  ......  ......'])
ok('    20.00%  twins   [.] ma' in got, '-w cuts names', got)
# 7.2.13 cuts the name of the column "Address" there, and prints the numbers beside it.
got = table('-i places -g none --no-children -s addr,comm -w 4,4,3')
check('-w does not cut the names of columns of numbers', got[0],
      '# Overhead  Address             Com')
ok('    20.00%%  0x%x      sev' % (MAIN + 1) in got, '-w does not cut numbers', got)
# A width is that of each member. 7.2.13 makes the column's name as wide as one.
got = table('-i group --group -s comm -w 14,6')
check('-w in a group', got[0], '#' + ' ' * 35 + 'Overhead  Comman')
ok('          23.26%        25.00%        45.45%  c     ' in got, 'and each number', got)

# A process that perf itself found (FORK with PERF_RECORD_MISC_FORK_EXEC) has its own maps alone.
for misc, maps in (0, 2), (1 << 13, 1):
    write('forks', comm(7, 'seven'), PROGRAM, record(7, ii(8, 7, 8, 7) + q(0) + sid(8), misc),
          sample(8, TEXT))
    got, _ = report('--mmaps', '-i', 'forks')
    check('--mmaps, FORK with misc %#x' % misc, got.count('twins'), maps)

done()
