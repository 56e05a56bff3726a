#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings made against the sort of callchains, and deep ones: report needs no deep stack. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

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
    put(path, perf_file([event, event], body, ids=[[1], [2]]))


def run(*args):
    return perf(*args, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK)))


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
    put(data, perf_file([attr(IP | TID | CALLCHAIN)], b''.join(
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
