#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""tables.py PERF FOLDER FILE...: what unwind tables cost.

Makes the tables of FILEs, and prints what tables-guest.sh left in FOLDER: how long "record -a"
took to start with frame pointers and with tables, and what the kernel held. The guest's clock
counts instructions.
"""
import os
import resource
import statistics
import subprocess
import sys

ROUNDS = 5
# "record -a" with tables in the cache may take that much of what it takes with frame pointers.
WARM_BAR = 1.10


def fail(text):
    print('bench-tables: ' + text, file=sys.stderr)
    sys.exit(1)


def processor_time():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def making(perf, files):
    """How fast tables are made, and how large they are."""
    best = None
    for _ in range(ROUNDS):
        before = processor_time()
        done = subprocess.run([perf, 'unwind'] + files, capture_output=True, text=True)
        if done.returncode:
            fail('perf unwind: ' + done.stderr.strip())
        took = processor_time() - before
        best = min(best or took, took)
    print('%9s %6s %9s %9s  %s' % ('rows', 'rules', 'bytes', 'bytes/row', 'file'))
    rows = size = 0
    for line in done.stdout.splitlines():
        f = line.split()
        # Not the heading, the sum and what was not expressible
        if len(f) == 8 and f[0].isdigit() and f[7] != 'all':
            print('%9s %6s %9s %9s  %s' % (f[0], f[1], f[2], f[3], os.path.basename(f[7])))
            rows += int(f[0])
            size += int(f[2])
    if not rows:
        fail('perf unwind printed no rows')
    print('%9d %6s %9d %9.2f  all: %.1f million rows a second of one core' %
          (rows, '', size, size / rows, rows / best / 1e6))


def starting(folder):
    """Medians of the rounds, and their ratios to frame pointers."""
    took = {}
    for line in open(os.path.join(folder, 'starts')):
        how, began, ended = line.split()
        took.setdefault(how, []).append((int(began), int(ended)))
    if set(took) != {'fp', 'cold', 'warm'}:
        fail('fp, cold and warm starts are wanted; there are: ' + ' '.join(sorted(took)))
    print('%-30s %10s %6s %10s %6s' % ('record -a, million instr.', 'to begin', '/ fp', 'to end', '/ fp'))
    fp = [statistics.median(t[i] for t in took['fp']) for i in (0, 1)]
    for how, name in (('fp', '--call-graph fp'), ('warm', '-g, tables in the cache'),
                      ('cold', '-g, no cache')):
        a = [statistics.median(t[i] for t in took[how]) for i in (0, 1)]
        over = '  > %.2f!' % WARM_BAR if how == 'warm' and a[1] / fp[1] > WARM_BAR else ''
        print('%-30s %10.1f %6.2f %10.1f %6.2f%s' %
              (name, a[0] / 1e3, a[0] / fp[0], a[1] / 1e3, a[1] / fp[1], over))


def holding(folder):
    with open(os.path.join(folder, 'stats')) as f:
        stats = dict(line.split() for line in f)
    tables, size = int(stats.get('tables', 0)), int(stats.get('table_bytes', 0))
    if not tables or not size:
        fail('the kernel held no table')
    limit = int(open(os.path.join(folder, 'limit')).read())
    print('kernel memory: %d tables, %d bytes (kernel.unwind_table_max_kb: %d)' %
          (tables, size, limit))


def main():
    perf, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    making(perf, files)
    print()
    try:
        starting(folder)
        holding(folder)
    except (OSError, ValueError) as e:
        fail('%s: %s' % (folder, e))


main()
