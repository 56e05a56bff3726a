#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""programs.py PERF PEER FOLDER SYMFS: Debian's programs, recorded in each way.

Prints, for what programs-guest.sh left in FOLDER, how many user callchains are complete, bytes
a sample, and the recorder's processor time a sample, beside those of frame pointers. Stack
copies are unwound here, by the perf that recorded them.
"""
import os
import re
import subprocess
import sys

WAYS = (('fp', 'fp'), ('table', 'table'), ('bpf', 'bpf'), ('live', 'live'),
        ('dwarf,8192', 'dwarf 8k'), ('dwarf,32768', 'dwarf 32k'),
        ('peer', 'perf 6.1, dwarf 8k'))
TABLES = ('table', 'bpf')         # as the kernel can
ENDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'vm-tables', 'ends.py')


def fail(text):
    print('bench-programs: ' + text, file=sys.stderr)
    sys.exit(1)


def ran(command, **more):
    done = subprocess.run(command, text=True, stderr=subprocess.PIPE, **more)
    if done.returncode:
        fail('%s: %s' % (' '.join(command), done.stderr.strip()[-500:]))
    return done.stdout


def unwind(perf, symfs, data):
    """What ends.py reads of callchains that the recording does not have."""
    text = data + '.txt'
    with open(text, 'w') as f:
        ran([perf, 'script', '--symfs', symfs, '--ns', '--no-inline', '-F', 'tid,time,ip,dso',
             '-i', data], stdout=f)
    return ['--unwound', text]


def ends(symfs, data, unwound, program):
    out = ran([ENDS] + unwound + [symfs, data, program], stdout=subprocess.PIPE)
    m = re.match(r'samples (\d+) chains (\d+) complete (\d+) deferred \d+ bytes (\d+) ',
                 out.splitlines()[0])
    samples, chains, complete, size = map(int, m.groups())
    if not chains:
        fail(data + ' has no callchains')
    return 100.0 * complete / chains, size / samples, samples


def times(folder):
    """Milliseconds that the recorder took by itself, by program and way."""
    own = {}
    for line in open(os.path.join(folder, 'times')):
        f = line.split()
        if len(f) != 6:
            fail('not recorded: ' + line.strip())
        everything, command = float(f[2]) + float(f[3]), float(f[4]) + float(f[5])
        own[f[0], f[1]] = (everything - command) * 1e3
    return own


def main():
    perf, peer, folder, symfs = sys.argv[1:5]
    try:
        own = times(folder)
    except (OSError, ValueError) as e:
        fail('%s: %s' % (folder, e))
    print('%-9s %-19s %8s %9s %13s %6s %13s %6s' % ('program', 'callchains', 'samples', 'complete',
          'bytes/sample', '/ fp', 'recorder, us', '/ fp'))
    for program in dict.fromkeys(p for p, _ in own):
        base = None
        for way, name in WAYS:
            if way in TABLES and (program, way) not in own:
                continue
            data = os.path.join(folder, '%s.%s.data' % (program, way))
            if (program, way) not in own or not os.path.exists(data):
                fail('%s: %s was not recorded' % (program, name))
            unwound = []
            if 'dwarf' in name:
                unwound = unwind(peer if way == 'peer' else perf, symfs, data)
            complete, size, samples = ends(symfs, data, unwound, program)
            spent = own[program, way] * 1e3 / samples
            base = base or (size, spent)
            print('%-9s %-19s %8d %7.1f %% %13.0f %6.2f %13.0f %6.2f' % (program, name, samples,
                  complete, size, size / base[0], spent, spent / base[1]))


main()
