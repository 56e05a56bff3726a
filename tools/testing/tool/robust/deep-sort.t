#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings made against the sort of callchains, and deep ones: report needs no deep stack. TAP."""
import os
import resource
import subprocess
import sys
import tempfile

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib')
sys.path.insert(0, LIB)
from perfdata import *  # noqa: E402
from tap import ok, done  # noqa: E402

PERF = os.path.abspath(os.environ.get('PERF', 'build/perf'))
ENV = dict(os.environ, PERF_CONFIG='/dev/null', PERF_PAGER='cat', LC_ALL='C')
NR = 6000
STACK = 256 << 10       # as of a thread on a small machine


def killer(nr):
    """Keys 0 to nr - 1 in an order in which the median of the first, the middle and the last one is the largest but one,
    and which a partition by it into three leaves like that."""
    order = list(range(nr % 2))
    while len(order) < nr:
        n = len(order) + 2
        order = [n - 1] + order[1:n // 2] + [n - 2] + order[n // 2:] + order[:1] if n > 2 else [1, 0]
    return order


def recording(path, keys):
    """A sample for each key: a callchain whose second step is the larger the larger the key."""
    def sample(event, *chain):
        return record(9, q(event, 0x100) + ii(1, 1) + q(len(chain) + 2, -512, 0x100, *chain), misc=2)

    # Steps are numbered as they are seen: in samples of another event, in the order of their keys.
    body = b''.join(sample(1, 0x1000 + 16 * k) for k in range(len(keys)))
    body += b''.join(sample(2, 0x1000 + 16 * k) for k in keys)
    event = attr(IDENTIFIER | IP | TID | CALLCHAIN)
    with open(path, 'wb') as f:
        f.write(perf_file([event, event], body, ids=[[1], [2]]))


def run(*args):
    p = subprocess.run([PERF, *args], env=ENV, capture_output=True, text=True, check=False,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK)))
    return p.returncode, p.stdout, p.stderr


def report(path):
    return run('report', '--stdio', '--no-children', '-g', 'graph,0,callee', '-i', path)


with tempfile.TemporaryDirectory() as tmp:
    data = tmp + '/data'
    recording(data, list(range(NR)))
    status, want, err = report(data)
    ok(status == 0 and want.count('\n') > NR, 'callchains in their order', status, err)
    recording(data, killer(NR))
    status, out, err = report(data)
    ok(status == 0 and out == want and not err, 'callchains of which each pivot is the largest but one', status, err)
    # Of 8000 steps; the second one is called by the last one of the first.
    with open(data, 'wb') as f:
        f.write(perf_file([attr(IP | TID | CALLCHAIN)], b''.join(
            record(9, q(0x1000) + ii(1, 1) + q(len(chain) + 1, -512, *chain), misc=2)
            for chain in (range(0x1000, 0x1000 + 8000), [0x1000 + 7999]))))
    line = ':1;' + ';'.join(['[unknown]'] * 8000)
    status, out, err = run('report', '--folded', '-i', data)
    ok(status == 0 and out == ':1;[unknown] 1\n' + line + ' 1\n',
       'a deep stack: --folded', status, err)
    status, out, err = run('report', '--flamegraph=-', '-i', data)
    ok(status == 0 and out.count('<title>[unknown] (') == 8000, '--flamegraph', status, err)
    status, out, err = run('diff', '--folded', data, data)
    ok(status == 0 and out == ':1;[unknown] 1 1\n' + line + ' 1 1\n',
       'perf diff --folded', status, err)
done()
