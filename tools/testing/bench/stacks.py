#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""stacks.py OURS THEIRS: whole user callchains on the kernel that runs here, and their price.

Sixteen processes of Debian's programs keep the machine busy. Each way of recording callchains takes -a for
SECONDS_EACH seconds. Printed are the share of these programs' chains that end where the program began (ends.py),
frames and bytes a sample, bytes beside frame pointers' for as many frames, the recorder's share of a
core, and lost records. A copy of a stack is walked afterwards by the perf that took it.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile

from record import count, run

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, '..', 'vm-tables')
SECONDS = os.environ.get('SECONDS_EACH', '4')
BUSY = ('/usr/bin/python3 %s/work.py 1000000' % TABLES, 'perl %s/work.pl 1000000' % TABLES,
        'exec -a bash bash -c \'while :; do s=; for i in {1..50}; do s="${s#?}x$i"; done; done\'',
        'while :; do seq 200000 | sort -n >/dev/null; done')
COMMS = 'python3,perl,bash,sort'


def ends(perf, path, copies):
    """Samples, complete chains in percent, frames a chain. perf walks the copies."""
    unwound = []
    if copies:
        with open(path + '.txt', 'w') as f:
            subprocess.run([perf, 'script', '--ns', '--no-inline', '-F', 'tid,time,ip,dso', '-i', path],
                           stdout=f, stderr=subprocess.DEVNULL, check=True)
        unwound = ['--unwound', path + '.txt']
    out = subprocess.run([TABLES + '/ends.py'] + unwound + ['', path, COMMS], stdout=subprocess.PIPE, text=True,
                         check=True).stdout
    m = re.match(r'samples \d+ chains (\d+) complete (\d+) .* frames (\d+)\n', out)
    chains, complete, frames = map(int, m.groups())
    if not chains:
        sys.exit('bench-record: no callchains of %s in %s' % (COMMS, path))
    return 100.0 * complete / chains, frames / chains


def main():
    ours, theirs = sys.argv[1:3]
    ways = (('ours, fp', ours, ['fp'], False), ('ours, bpf', ours, ['bpf'], False), ('ours, live', ours, ['live'], False),
            ('ours, dwarf', ours, ['dwarf,65528'], True),
            ('Debian 6.1, fp', theirs, ['fp'], False), ('Debian 6.1, dwarf', theirs, ['dwarf,65528'], True))
    load = subprocess.Popen(['bash', '-c', '\n'.join('(%s) &' % b for b in BUSY * 4) + '\nwait'],
                            start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print('%-22s %9s %8s %13s %16s %14s %8s' % ('-a, 16 busy', 'complete', 'frames', 'bytes/sample',
          '/ fp, as deep', 'recorder, core', 'lost'))
    try:
        for rate in ('99', '999', '4000'):
            fp = None
            for name, perf, mode, copies in ways:
                with tempfile.TemporaryDirectory() as tmp:
                    path = os.path.join(tmp, 'data')
                    cpu, wall = run(perf, path, ['-a', '-e', 'cpu-clock', '-F', rate, '--call-graph'] + mode + ['sleep', SECONDS])
                    samples, lost, size = count(path)
                    size /= samples
                    # perf 6.1 takes minutes for the copies of 4,000 samples a second
                    walk = not copies or rate != '4000'
                    complete, frames = ends(perf, path, copies) if walk else (0, 0)
                    fp = fp or (size, frames)
                    print('%-22s %9s %8s %13.0f %16s %12.2f %% %8d' % (
                          '%s, %s Hz' % (name, rate), '%.1f %%' % complete if walk else '-',
                          '%.1f' % frames if walk else '-', size,
                          '%.2f' % (size / (fp[0] + 8 * (frames - fp[1]))) if walk else '-',
                          100 * cpu / wall, lost), flush=True)
    finally:
        os.killpg(load.pid, signal.SIGKILL)
        load.wait()


main()
