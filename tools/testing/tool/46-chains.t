#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Callchains in made-up recordings: bad ones are dropped and counted, addresses without symbol
fall together by their place in the file, files are named as perf 7.2 names them. TAP."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
from perfdata import *  # noqa: E402
from tap import ok, done  # noqa: E402

PERF = os.path.abspath(os.environ.get('PERF', 'build/perf'))
ENV = dict(os.environ, DEBUGINFOD_URLS='', PERF_CONFIG='/dev/null', PERF_PAGER='cat', LC_ALL='C')
TMP = tempfile.TemporaryDirectory()
PATH = os.path.join(TMP.name, 'data')
KERNEL, USER = 1, 2
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_DEFERRED = -128, -512, -640
KIP, UIP = 0xffffffff81000010, 0x400010


def perf(*args, pipe=False):
    with open(PATH, 'rb') as f:
        p = subprocess.run((PERF,) + args + ('-i', '-' if pipe else PATH), env=ENV, cwd=TMP.name,
                           stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout, p.stderr


def sid(pid, t):
    return ii(pid, pid) + q(t)


def comm(pid, name):
    return record(3, ii(pid, pid) + string(name) + sid(pid, 0))


def mmap(pid, start, size, off, name):
    return record(10, ii(pid, pid) + q(start, size, off) + ii(0, 0) + q(0, 0) + ii(5, 2) + string(name) +
                  sid(pid, 0), USER)


def sample(pid, t, mode, ip, *chain):
    return record(9, q(ip) + ii(pid, pid) + q(t, len(chain), *chain), mode)


def deferred(pid, t, cookie, *ips):
    return record(22, q(cookie, len(ips), *ips) + sid(pid, t), USER)


def write(*data, flags=()):
    a = attr(IP | TID | TIME | CALLCHAIN, ('sample_id_all', 'mmap', 'comm', 'mmap2') + flags)
    with open(PATH, 'wb') as f:
        f.write(perf_file([a], b''.join(data)))


def frames(out):
    return [[line.split()[0] for line in s.split('\n')[1:]] for s in out.strip('\n').split('\n\n')]


def hexes(*v):
    return ['%x' % (x & 2 ** 64 - 1) for x in v]


# Bad callchains: -9 is no context, nor is -4095; -4096 is an address.
write(comm(10, 'task'),
      sample(10, 1, KERNEL, KIP, CONTEXT_KERNEL, KIP, CONTEXT_USER, UIP, UIP + 4),
      sample(10, 2, KERNEL, KIP, CONTEXT_KERNEL, KIP, -9, UIP),
      sample(10, 3, USER, UIP, CONTEXT_USER, UIP, UIP + 4, -4095),
      sample(10, 4, USER, UIP, CONTEXT_USER, UIP, -4096))
status, out, err = perf('script', '-F', 'tid,time,ip')
got = frames(out)
ok(status == 0 and [len(g) for g in got] == [3, 0, 0, 2] and got[0] == hexes(KIP, UIP, UIP + 4) and
   got[3] == hexes(UIP, -4096), 'script: bad callchains are dropped', out)
ok(len(err.splitlines()) == 1 and '2 bad callchains' in err, 'script: counted in one line', err)
status, out, err = perf('report', '--stdio', '-g', 'none', '-s', 'sym')
rows = [line.split() for line in out.split('\n') if line and line[0] != '#']
ok(status == 0 and not any('fffff7' in r[-1] for r in rows) and '2 bad callchains' in err and
   [r[0] for r in rows if r[-1].endswith('400014')] == ['25.00%'], 'report: likewise', out, err)
ok('[k] 0x0000000000400014' in out, "report: an address in no file has the level of the row's first sample", out)
write(comm(10, 'task'), sample(10, 1, USER, UIP, CONTEXT_USER, UIP, UIP + 4))
status, out, err = perf('report', '--stdio', '-s', 'sym')
ok('[.] 0x0000000000400014' in out and '[k]' not in out, 'report: [.] in user mode', out)
write(comm(10, 'task'), sample(10, 1, USER, UIP, CONTEXT_USER, UIP, UIP + 4, -9))
status, out, err = perf('report', '-D')
ok(status == 0 and 'fffffffffffffff7' in out, '-D shows them as they are', err)

# The user half that comes later
write(comm(10, 'task'),
      sample(10, 1, KERNEL, KIP, CONTEXT_KERNEL, KIP, CONTEXT_DEFERRED, 0x10),
      deferred(10, 2, 0x10, UIP, -9),
      sample(10, 3, KERNEL, KIP, CONTEXT_KERNEL, KIP, CONTEXT_DEFERRED, 0x20),
      deferred(10, 4, 0x20, UIP),
      flags=('defer_callchain', 'defer_output'))
status, out, err = perf('script', '-F', 'tid,time,ip')
ok(status == 0 and frames(out) == [[], hexes(KIP, UIP)] and '1 bad callchain is' in err,
   'a bad deferred half takes the whole callchain with it', out, err)

# One library at two places: samples' own addresses are those of the file, callers' are not.
write(comm(10, 'task'), mmap(10, 0x7f0000000000, 0x4000, 0x2000, '/nowhere/lib.so'),
      comm(11, 'task'), mmap(11, 0x7e0000000000, 0x4000, 0x2000, '/nowhere/lib.so'),
      sample(10, 1, USER, 0x7f0000000123, CONTEXT_USER, 0x7f0000000123, 0x7f0000000456),
      sample(11, 2, USER, 0x7e0000000123, CONTEXT_USER, 0x7e0000000123, 0x7e0000000456),
      sample(10, 3, USER, 0x7f0000001789, CONTEXT_USER, 0x7f0000001789))
status, out, err = perf('report', '--stdio', '-g', 'none', '--no-children', '-s', 'dso,sym')
rows = [line.split() for line in out.split('\n') if line and line[0] != '#']
ok([r[0] for r in rows] == ['66.67%', '33.33%'] and
   [r[-1] for r in rows] == ['0x0000000000002123', '0x0000000000003789'], 'own addresses by file', out, err)
status, out, err = perf('report', '--stdio', '-g', 'none', '-s', 'dso,sym')
rows = [line.split() for line in out.split('\n') if line and line[0] != '#']
ok(['66.67%', '66.67%', 'lib.so', '[.]', '0x0000000000002123'] in rows and
   ['33.33%', '0.00%', 'lib.so', '[.]', '0x00007f0000001789'] in rows, "a caller's row is another one", out)
for how in ('', 'caller', 'callee'):
    one = perf('report', '--stdio', '-g', how or 'graph', '-j', '1')
    many = perf('report', '--stdio', '-g', how or 'graph', '-j', '2')
    ok(one[1] == many[1] and '0x7f0000001789' in one[1], '-g %s: the same on two CPUs' % (how or 'graph'))

# A kernel module that the recording lists with a build-id is shown by its path, in script.
MODULE = '/lib/modules/6.12.0/kernel/net/some-thing.ko'
listed = record(0, ii(-1) + bytes([7] * 20) + bytes([20, 0, 0, 0]) + MODULE.encode().ljust(64, b'\0'), KERNEL | 0x8000)
data = comm(10, 'task') + record(1, ii(-1, 0) + q(KIP & ~0xfff, 0x1000, 0) + string(MODULE) + sid(-1, 0), KERNEL) + \
    sample(10, 1, KERNEL, KIP, CONTEXT_KERNEL, KIP)
for features, want in (({}, '[some_thing]'), ({2: listed}, MODULE)):
    with open(PATH, 'wb') as f:
        f.write(perf_file([attr(IP | TID | TIME | CALLCHAIN, ('sample_id_all', 'mmap', 'comm'))], data, features))
    status, out, err = perf('script', '-F', 'ip,sym,dso')
    ok(status == 0 and '[unknown] (%s)' % want in out, 'script: %s' % want, out, err)
    status, out, err = perf('report', '--stdio', '-g', 'none', '-s', 'dso')
    ok(status == 0 and '  [some_thing]' in out, 'report: [some_thing]', out, err)
done()
