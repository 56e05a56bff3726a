#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""--cgroups: samples by the control group of their task. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402
from terminal import Terminal  # noqa: E402

GROUPS = {1: '/', 2: '/system.slice/nginx.service', 3: '/system.slice/dev\\x2dlog.service',
          4: '/docker/3f1c5', 5: '/docker/3f1c5/init'}


def recording(path, groups, more=0):
    """A sample for each group by its id, and one of a task in none."""
    records = b''
    for i, name in groups.items():
        records += record(19, q(i) + string(name.encode()) + ii(0, 0) + q(0))
    for i in [*groups, 0, 77]:
        records += record(9, q(0x1000 + i) + ii(100 + i, 100 + i) + q(i + 1) + (q(i) if more else b''), 2)
    put(path, perf_file([attr(IP | TID | TIME | more)], records))


def rows(*args):
    """The groups of the rows that are left."""
    out = perf('report', '--stdio', '-s', 'cgroup', *args)[1]
    return sorted(line.split(None, 1)[1].strip() for line in out.splitlines() if line and line[0] != '#')


recording('perf.data', GROUPS, CGROUP)
every = sorted([*GROUPS.values(), 'N/A', 'unknown'])
ok(rows() == every, 'each group has its row', rows())
for arg, want in (('nginx.service', [2]), ('/system.slice/nginx.service', [2]), ('system.slice', [3, 2]), ('/', [1]),
                  ('3f1c5', [4, 5]), ('/docker/3f1c5', [4]), ('/docker/*', [4, 5]), ('3f*', [4, 5]), ('dev\\\\x2dlog.service', [3]),
                  ('nginx.service,3f1c5', [4, 5, 2])):
    got = rows('--cgroups', arg)
    ok(got == [GROUPS[i] for i in want], '--cgroups %s' % arg, got)
ok(rows('--cgroups', 'unknown,N/A') == ['N/A', 'unknown'], 'the two groups without a path', rows('--cgroups', 'unknown,N/A'))
status, out, err = perf('script', '-F', 'pid', '--cgroups', 'docker')
ok(status == 0 and out.split() == ['104', '105'], 'perf script', out, err)
status, out, err = perf('report', '--stdio', '--cgroups', 'nginx')
ok(status == 1 and 'no sample passes the filters: --cgroups nginx (of 7 samples)' in err, 'no such group', err)
recording('without', {1: '/'})
status, out, err = perf('report', '--stdio', '-i', 'without', '--cgroups', 'x')
ok(status == 1 and 'record with perf record --all-cgroups' in err, 'a recording without them', err)
need_terminals()
t = Terminal('report', '-s', 'cgroup,pid', '--cgroups', '/docker/*', columns=120)
t.until(lambda t: 'row 1 of 2' in t.bar())
t.keys('G')
row = [line for line in t.lines() if '/docker' in line and '%' in line]
ok('cgroup: /docker/3f1c5' in t.lines()[0] and len(row) == 1, 'G: zoom into the group', t.lines())
t.keys('c')
ok("--cgroups /docker/3f1c5" in '\n'.join(t.lines()), 'c: the command', t.lines())
t.keys('qG', then='row 1 of 2')
ok(t.end('q') == 0, 'G: and out', t.lines())
done()
