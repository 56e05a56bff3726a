#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""record.py OURS THEIRS WORKLOADS: perf record against another perf, in turn.

Under the same load each records ROUNDS times, one after the other; medians and
their ratio are shown. CPU time is what the kernel accounts to the recorder (its
idle command with it), not wall time.
"""
import os
import resource
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get('ROUNDS', '5'))
aborted = []
SECONDS = os.environ.get('SECONDS_EACH', '4')


def run(perf, path, args):
    """Returns CPU seconds, wall seconds."""
    while True:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        done = subprocess.run([perf, 'record', '-q', '-N', '-o', path] + args,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall = time.monotonic() - start
        # perf 6.1 of Debian 12 aborts now and then; that run does not count.
        if done.returncode == -signal.SIGABRT and perf == '/usr/bin/perf' and len(aborted) < 10:
            aborted.append(args)
            continue
        done.check_returncode()
        break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def count(path):
    """Returns samples, records lost, bytes of samples' file."""
    d = open(path, 'rb').read()
    pos, size = struct.unpack_from('<QQ', d, 40)
    end = pos + size
    samples = lost = sample_bytes = 0
    while pos < end:
        kind, _, n = struct.unpack_from('<IHH', d, pos)
        if kind == 9:
            samples += 1
            sample_bytes += n
        elif kind == 2:
            lost += struct.unpack_from('<Q', d, pos + 16)[0]
        pos += n
    return samples, lost, sample_bytes


def compare(name, perfs, args, rows):
    """Record in turn; add rows of figures."""
    got = {p: [] for p in perfs}
    with tempfile.TemporaryDirectory() as tmp:
        for i in range(ROUNDS):
            for p in perfs if i % 2 else perfs[::-1]:
                path = os.path.join(tmp, 'data')
                cpu, wall = run(p, path, args)
                samples, lost, size = count(path)
                got[p].append((cpu * 1e9 / max(samples, 1), lost, size / max(samples, 1),
                               wall, samples, cpu))
                os.unlink(path)
    rows[name] = {p: [statistics.median(r[i] for r in got[p]) for i in range(6)] for p in perfs}
    rows[name]['worst lost'] = [max(r[1] for r in got[p]) for p in perfs]


def stop(group):
    os.killpg(group.pid, signal.SIGKILL)
    group.wait()


def main():
    ours, theirs, workloads = sys.argv[1:4]
    perfs = (ours, theirs)
    rows = {}
    load = subprocess.Popen(['sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do '
                             '%s/burn 100000000 & done; wait' % workloads], start_new_session=True)
    try:
        common = ['-a', '-e', 'cpu-clock', '-F', '20000']
        compare('plain', perfs, common + ['sleep', SECONDS], rows)
        compare('bare', perfs, common + ['-B', 'sleep', SECONDS], rows)
        compare('callchains', perfs, common + ['--call-graph', 'fp', 'sleep', SECONDS], rows)
    finally:
        stop(load)
    load = subprocess.Popen([workloads + '/sleepers', '2000', '600'], start_new_session=True)
    time.sleep(2)
    try:
        compare('start', perfs, ['-a', '-e', 'cpu-clock', '-F', '100', 'true'], rows)
    finally:
        stop(load)

    fmt = '%-46s %12s %12s %8s'
    print(fmt % ('', 'ours', 'theirs', 'ratio'))

    def line(text, a, b, digits=0):
        ratio = '%.2f' % (a / b) if b else '-'
        print(fmt % (text, '%.*f' % (digits, a), '%.*f' % (digits, b), ratio))
    # -B: without what the other one reads its file again for at the end
    for name, text in (('plain', '-F 20000 -a, 16 busy'), ('bare', '-F 20000 -a -B, 16 busy'), ('callchains', '-F 20000 -a, fp, 16 busy')):
        a, b = rows[name][ours], rows[name][theirs]
        line(text + ': samples', a[4], b[4])
        line(text + ': recorder ns/sample', a[0], b[0])
        line(text + ': lost (worst run)', *rows[name]['worst lost'])
        line(text + ': bytes/sample', a[2], b[2], 1)
    a, b = rows['start'][ours], rows['start'][theirs]
    line('2,000 sleeping: record -a true, wall ms', a[3] * 1e3, b[3] * 1e3)
    line('2,000 sleeping: record -a true, CPU ms', a[5] * 1e3, b[5] * 1e3)

    if aborted:
        print('%d runs of /usr/bin/perf ended in SIGABRT and were repeated' % len(aborted))


if __name__ == '__main__':
    main()
