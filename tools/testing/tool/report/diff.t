#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""perf diff and perf report --diff: shares of recordings whose samples are known.
Head and rows are as perf 6.1 prints them, but for a function that the newer recording lacks: its
whole share is the difference. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

TEXT = 0xffffffff81000000
NAMES = ['_text', 'read', 'write', 'sync', '_etext']
put('kallsyms', ''.join('%x T %s\n' % (TEXT + 0x100 * i, name) for i, name in enumerate(NAMES)))


def write(path, config, comm='seven', **samples):
    """Samples of each function, called by the one behind "_in_"; at 10, 20, ... ns"""
    data = record(1, ii(-1, 0) + q(TEXT, 0x1000000, TEXT) + string('[kernel.kallsyms]_text') + ii(0, 0) + q(0), 1)
    data += record(3, ii(7, 7) + string(comm) + ii(7, 7) + q(0))
    time = 0
    for name, nr in samples.items():
        chain = [TEXT + 0x100 * NAMES.index(n) + 4 for n in name.split('_in_')]
        for _ in range(nr):
            time += 10
            data += record(9, q(chain[0]) + ii(7, 7) + q(time, len(chain) + 1, -128, *chain), 1)
    put(path, perf_file([attr(IP | TID | TIME | CALLCHAIN, config=config)], data))


def run(args, command='diff'):
    return perf(command, '--kallsyms', 'kallsyms', *args.split())


def rows(args, command='diff'):
    """The rows, with one blank between columns."""
    status, out, err = run(args, command)
    return [' '.join(l.split()) for l in out.splitlines() if l and l[0] != '#'] or [status, err]


def check(name, got, expected):
    ok(got == expected, name, got, expected)


write('perf.data.old', 0, read=50, write_in_read=30, sync=20)
write('perf.data', 0, read=80, write_in_sync=20, sync=300)
write('third', 0, read=10, write_in_read=90)
write('clock', 1, read=1)
K = '[kernel.kallsyms] [k] '
ROWS = ['20.00% +55.00% ' + K + 'sync', '50.00% -30.00% ' + K + 'read', '30.00% -25.00% ' + K + 'write']

status, out, err = run('')
check('the head', out.splitlines()[:5],
      ["# Event 'cpu-clock'", '#', '# Baseline  Delta Abs  Shared Object      Symbol   ',
       '# ........  .........  .................  .........', '#'])
check('rows by the size of the difference', rows(''), ROWS)
check('two recordings', rows('perf.data perf.data.old')[0], '75.00% -55.00% ' + K + 'sync')
check('one recording is compared with perf.data.old', rows('third')[0], '30.00% +60.00% ' + K + 'write')
check('perf report --diff', rows('-i perf.data --diff perf.data.old', 'report'), ROWS)
check('-c delta', rows('-c delta'), [ROWS[0], ROWS[2], ROWS[1]])
check('-c ratio', rows('-cratio')[0], '20.00% 3.750000 ' + K + 'sync')
check('three recordings', rows('perf.data.old perf.data third'),
      ['20.00% +55.00% -20.00% ' + K + 'sync', '50.00% -30.00% -40.00% ' + K + 'read',
       '30.00% -25.00% +60.00% ' + K + 'write'])
check('-o 2', rows('-o 2 perf.data.old perf.data third')[0], '30.00% -25.00% +60.00% ' + K + 'write')
ok('Delta Abs/2' in run('perf.data.old perf.data third')[1], 'their columns have numbers')
check('-p', rows('-p')[0], '20.00% +55.00% 20 300 ' + K + 'sync')
check('-t', run('-t ,')[1].splitlines()[2:5],
      ['# Baseline,Delta Abs,Shared Object,Symbol', '#', '20.00%,+55.00%,[kernel.kallsyms],[k] sync'])
check('keys and filters are those of report', rows('-S read,write -s sym --percentage relative'),
      ['62.50% +17.50% [k] read', '37.50% -17.50% [k] write'])
check('a filter with one name', rows('--comms seven -s comm,sym')[0], '20.00% +55.00% seven [k] sync')
check('callers', rows('--children -s sym')[:2], ['80.00% -60.00% [k] read', '20.00% +60.00% [k] sync'])
check('a function of one alone', rows('-s sym third perf.data'),
      ['90.00% -85.00% [k] write', '+75.00% [k] sync', '10.00% +10.00% [k] read'])
check('-b', rows('-b -s sym third perf.data'), ['90.00% -85.00% [k] write', '10.00% +10.00% [k] read'])
check('-g: call paths', rows('-g'),
      ['20.00% +55.00% seven;sync', '50.00% -30.00% seven;read', '30.00% -30.00% seven;read;write',
       '+5.00% seven;sync;write'])
check('--folded', sorted(run('--folded')[1].splitlines()),
      ['seven;read 50 80', 'seven;read;write 30 0', 'seven;sync 20 300', 'seven;sync;write 0 20'])
check('two times of one recording', rows('--before-time 0%-20% --time 20%-100% perf.data -s sym')[0],
      '100.00% -100.00% [k] read')

# 300 of 400 and 20 of 100 differ; 2 of 4 and 3 of 4 may be one program.
ok('# 0 of 3 differences may be chance: 100 and 400 samples (at 95 %)' in out, 'many samples', out)
write('few', 0, read=2, write_in_read=2)
write('few.2', 0, read=3, write_in_read=1)
out = run('few few.2')[1]
ok('# 2 of 2 differences may be chance: 4 and 4 samples (at 95 %)' in out, 'few samples', out)
ok('25.00%\x1b[m~ ' in run('few few.2 --stdio-color')[1], 'marks on a terminal')

# Two long names that are shown alike: two rows also on a terminal, in full behind a pipe.
LONG = ['std::map<%s,%s>::insert(int)' % (40 * c, 40 * c) for c in 'ab']
with open('kallsyms', 'a') as f:
    for i, name in enumerate(LONG):
        f.write('%x T %s\n' % (TEXT + 0x100 * (5 + i), name))
NAMES += LONG
write('long', 0, **{LONG[0]: 10, LONG[1] + '_in_' + LONG[0]: 30})
write('long.2', 0, **{LONG[0]: 30, LONG[1] + '_in_' + LONG[0]: 10})


def on_terminal(args):
    master, slave = os.openpty()
    subprocess.run([PERF, '--no-pager', 'diff', '--kallsyms', 'kallsyms', *args.split()], stdout=slave)
    os.close(slave)
    text = os.read(master, 65536).decode()
    os.close(master)
    return [' '.join(re.sub(r'\x1b\[\d*m', '', l).split()) for l in text.splitlines() if l[0] != '#']


SHORT = 'std::map<...>::insert(...)'
check('a terminal: short names, a row each', on_terminal('long long.2 -s sym'),
      ['25.00% +50.00% [k] ' + SHORT, '75.00% -50.00% [k] ' + SHORT])
check('a terminal: short call paths', on_terminal('-g long long.2')[1], '75.00% -50.00% seven;' + SHORT + ';' + SHORT)
check('--full-names', on_terminal('--full-names -g long long.2')[1], '75.00% -50.00% seven;' + ';'.join(LONG))
write('bracket', 0, '[x]', read=4)
check('a terminal: a thread whose name is that of no function', on_terminal('bracket bracket -s comm'),
      ['100.00% +0.00%~ [x]'])
check('a pipe: full names', rows('long long.2 -s sym')[0], '25.00% +50.00% [k] ' + LONG[0])

ok(run('--flamegraph=f.svg')[0] == 0 and b'sync' in open('f.svg', 'rb').read(), '--flamegraph')
out = run('perf.data clock')[1]
ok("# Event 'task-clock'" in out, 'one event each: compared although their names differ', out)

for nr in 1, 40:
    fields = [('int f%d' % i, 8 + 4 * i, 4) for i in range(nr)]
    raw = struct.pack('<HBBi', 5, 0, 0, 7) + b'A' * 4 * nr + b'\0' * 4 * (nr % 2 == 0)
    put('fields.%d' % nr, perf_file([attr(IP | TID | TIME | RAW, type=2, config=5)],
                                    record(9, q(TEXT) + ii(7, 7) + q(1) + ii(len(raw)) + raw, 1),
                                    {1: tracing_data(tracepoint_format('ev', 5, fields, '"%d", REC->f0'))}))
check('-s trace_fields', rows('-s trace_fields fields.1 fields.1'), ['100.00% +0.00% 1094795585'])

# The last record is said to be longer than what is left of the file.
with open('perf.data', 'rb') as f, open('cut', 'wb') as cut:
    cut.write(f.read()[:-20])
for args, command in (('cut perf.data', 'diff'), ('perf.data cut', 'diff'), ('third third cut', 'diff'),
                      ('third cut third', 'diff'), ('-g cut third', 'diff'),
                      ('--flamegraph=f.svg -i perf.data --diff cut', 'report')):
    status, out, err = run(args, command)
    ok(status == 1 and 'cut: ' in err, 'a damaged recording: ' + args, status, err)

for name, args, expected in (
        ('fewer columns', '-s trace_fields fields.1 fields.40', 'perf: --diff: fields.1 has other columns than fields.40'),
        ('more columns', '-s trace_fields fields.40 fields.1', 'perf: --diff: fields.40 has other columns than fields.1'),
        ('a third with more', '-s trace_fields fields.1 fields.1 fields.40', 'perf: --diff: fields.40 has other columns'),
        ('a recording that is not there', 'third missing', 'perf: missing: cannot be opened'),
        ('a third that is not there', 'third perf.data missing', 'perf: missing: cannot be opened'),
        ('the third of four', 'third perf.data missing clock', 'perf: missing: cannot be opened'),
        ('a wrong order', '-c wdiff', "perf: --compute: 'wdiff' is not delta-abs, delta or ratio"),
        ('a wrong number', '-o 2', 'perf: --order: 2 is not a recording from 1 to 1'),
        ('a picture of three', '--flamegraph third third third', 'perf: --flamegraph: a picture is of two recordings'),
        ('-i', '-i perf.data', 'perf: perf diff takes recordings as operands'),
        ('--stats', '--stats', 'perf: --diff: a difference is a table')):
    status, out, err = run(args)
    ok(status > 0 and err.startswith(expected) and err.count('\n') == 1, name, status, err)
done()
