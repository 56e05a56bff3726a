#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Threads that were sampled once and never came back hold nothing up for good: the same
200,000 samples beside 0 and 10,000 of them are all printed. Says how much user time the
one takes of the other."""
import os
import resource
import subprocess
import sys
import tempfile

PERF, O = os.environ['PERF'], os.environ['O']
ENV = dict(os.environ, PERF_CONFIG='/dev/null', PERF_PAGER='cat', DEBUGINFOD_URLS='')


def run(data):
    """User seconds, and samples whose user callchain was found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = subprocess.run([PERF, 'script', '-F', 'tid,time,ip', '-i', data], env=ENV, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return used, out.count(b'\n\n')


def main():
    with tempfile.TemporaryDirectory() as tmp:
        files = {}
        for n in (0, 10000):
            files[n] = tmp + '/%d.data' % n
            subprocess.check_call([O + '/test/tool-sessions', '200000', str(n), files[n]])
        best, samples = {}, {}
        for _ in range(3):
            for n, f in files.items():
                used, samples[n] = run(f)
                best[n] = min(best.get(n, used), used)
        ratio = best[10000] / best[0]
        print('1..1')
        ok = samples[0] == 200000 and samples[10000] >= 200000
        print('%sok 1 - every sample is there (%d and %d)' %
              ('' if ok else 'not ', samples[0], samples[10000]))
        # A figure to look at: time is no ground for a failure.
        print('# 10,000 sleeping threads: %.2f of the user time without' % ratio)
        return not ok


sys.exit(main())
