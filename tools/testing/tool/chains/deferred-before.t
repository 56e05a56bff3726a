#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Deferred samples whose record came before them (mainline writes none after an entry's first
one) or after their task's EXIT, and records of another task with the same TID: all readers, from
files, streams in windows and directories, join the same. TAP."""
import json
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

KIP, UIP = 0xffffffff81000010, 0x400010
ROUND = record(68)
ATTR = attr(IP | TID | TIME | CALLCHAIN, ('sample_id_all', 'mmap', 'comm', 'mmap2', 'task', 'defer_callchain',
                                          'defer_output'))


def perf(*args, stdin=None):
    p = subprocess.run((PERF,) + args, input=stdin, capture_output=True)
    return p.returncode, p.stdout, p.stderr.decode()


def sid(tid, t):
    return ii(tid, tid) + q(t)


def comm(tid, t, name):
    return record(3, ii(tid, tid) + string(name) + sid(tid, t))


def task(type, tid, t):
    return record(type, ii(tid, 1, tid, 1) + q(t) + sid(tid, t))


def fork(tid, t):
    return task(7, tid, t)


def gone(tid, t):
    return task(4, tid, t)


def sample(tid, t, cookie):
    chain = CONTEXT_KERNEL, KIP, CONTEXT_DEFERRED, cookie
    return record(9, q(KIP) + ii(tid, tid) + q(t, len(chain), *chain), 1)


def deferred(tid, t, cookie, *ips):
    return record(22, q(cookie, len(ips), *ips) + sid(tid, t), 2)


# time: (record, user half that is right; None for other records, () if there is none)
DATA = {}


def at(t, what, tid, *args, want=None):
    assert t not in DATA
    DATA[t] = (what(tid, t, *args), want)


A, B, C = (UIP, UIP + 0x10), (UIP + 0x20,), (UIP + 0x30,)
for tid in range(10, 17):
    at(tid - 9, comm, tid, 'task')
# The record came first, also of two samples; a later record of another entry
at(100, deferred, 10, 0x1, *A)
at(110, sample, 10, 0x1, want=A)
at(120, sample, 10, 0x1, want=A)
at(130, deferred, 10, 0x2, *B)
at(140, sample, 10, 0x2, want=B)
# Never: another entry's, another task's
at(150, deferred, 11, 0x3, *A)
at(160, sample, 11, 0x1, want=())
at(170, sample, 11, 0x4, want=())
# Behind EXIT
at(200, sample, 12, 0x5, want=C)
at(210, gone, 12)
at(220, deferred, 12, 0x5, *C)
at(230, sample, 12, 0x5, want=C)
# The TID has another task: with and without a FORK record
at(300, deferred, 13, 0x6, *A)
at(310, sample, 13, 0x7, want=())
at(320, gone, 13)
at(330, fork, 13)
at(340, comm, 13, 'other')
at(350, sample, 13, 0x6, want=())
at(360, deferred, 13, 0x7, *B)
at(400, deferred, 14, 0x6, *A)
at(410, gone, 14)
at(420, comm, 14, 'other')
at(430, sample, 14, 0x6, want=())
# The next record is preferred; of those before, the last one
at(500, deferred, 15, 0x8, *A)
at(510, sample, 15, 0x8, want=B)
at(520, deferred, 15, 0x8, *B)
at(530, deferred, 15, 0x8, *C)
at(540, sample, 15, 0x8, want=C)
# No stack was readable: found, but empty
at(600, deferred, 16, 0x9)
at(610, sample, 16, 0x9, want=(None,))

WANT = {t: want for t, (_, want) in DATA.items() if want is not None}
LOST = sum(not w for w in WANT.values())
ACCOUNT = {'samples': len(WANT), 'joined': len(WANT) - LOST - 1, 'unreadable': 1, 'lost': 0,
           'never': LOST, 'records': 11, 'unused': 5}


def write(name, rounds, order=sorted(DATA)):
    """A file and a stream, with a round after every so many records."""
    data = b''.join(DATA[t][0] + (ROUND if rounds and n % rounds == 0 else b'')
                    for n, t in enumerate(order, 1))
    put(path(name), perf_file([ATTR], data))
    put(path(name + '.stream'), b'PERFILE2' + q(16) + record(64, ATTR) + data)


def read(name):
    with open(path(name), 'rb') as f:
        return f.read()


def halves(out):
    """time: user half, of perf script"""
    got = {}
    for s in out.decode().strip('\n').split('\n\n'):
        head, *frames = s.split('\n')
        ips = [int(f.split()[0], 16) for f in frames if '(cookie)' not in f and int(f.split()[0], 16) < KIP]
        got[round(float(head.split(':')[0]) * 1e9)] = tuple(ips) if ips or '(cookie)' in s else (None,)
    return got


def plain(out):
    """likewise, of what perf inject wrote: a missing half and an empty one are the same"""
    return {t: () if w == (None,) else w for t, w in halves(out).items()}


def account(err):
    words = err.split('deferred callchains: ')[1].replace(',', '').replace(':', '').split()
    return dict(zip(ACCOUNT, (int(w) for w in words if w.isdigit())))


FIELDS = ('-F', 'time,ip,sym', '--ns')
PLAIN = {t: () if w == (None,) else w for t, w in WANT.items()}
# Records of two CPUs, which are read one after the other: times fall at the start of a round.
MIXED = [t for n in range(0, len(DATA), 8) for half in (0, 1)
         for t in sorted(DATA)[n:n + 8][half::2]]
for name, rounds, order in (('one', 0, sorted(DATA)), ('each', 1, sorted(DATA)),
                            ('three', 3, sorted(DATA)), ('mixed', 8, MIXED)):
    write(name, rounds, order)
    status, out, err = perf('script', '-v', *FIELDS, '-i', name)
    ok(status == 0 and halves(out) == WANT, name + ': script', halves(out), err)
    ok(account(err) == ACCOUNT, name + ': counts', err)
    status, out, err = perf('script', '-v', *FIELDS, '-i', '-', stdin=read(name + '.stream'))
    ok(status == 0 and halves(out) == WANT, name + ': script of a pipe', halves(out), err)
    ok(account(err) == ACCOUNT, name + ': counts of a pipe', err)
    status, out, err = perf('inject', '-i', name, '-o', 'plain')
    ok(status == 0 and ', %d joined, ' % ACCOUNT['joined'] in err and
       '(%d never returned, 0 lost' % LOST in err, name + ': inject', err)
    status, out, err = perf('script', *FIELDS, '-i', 'plain')
    ok(status == 0 and plain(out) == PLAIN, name + ': what inject writes', plain(out), err)
    status, out, err = perf('inject', stdin=read(name + '.stream'))
    status, out, err = perf('script', *FIELDS, '-i', '-', stdin=out)
    ok(status == 0 and plain(out) == PLAIN, name + ': inject from a pipe to a pipe', plain(out), err)
    for i, what in ((name, 'a file'), ('-', 'a pipe')):
        status, out, err = perf('report', '--stdio', '-s', 'comm', '-g', 'folded,count', '--no-children', '-i', i,
                                stdin=read(name + '.stream') if i == '-' else None)
        chains = {}
        for line in out.decode().splitlines():
            if line[:1].isdigit():
                count, chain = line.split(' ', 1)
                ends = [c for c in chain.split(';') if '4000' in c]
                chains[len(ends)] = chains.get(len(ends), 0) + int(count)
        short = sum(w in (B, C) for w in WANT.values())
        ok(status == 0 and chains.get(2) == 2 and chains.get(1) == short and
           '%d joined, %d never' % (ACCOUNT['joined'], LOST) in out.decode(),
           name + ': report of ' + what, chains, out.decode(), err)
    status, out, err = perf('data', 'convert', '--to-json', '-', '-i', name)
    samples = json.loads(out)['samples']
    got = {s['timestamp']: tuple(ip for ip in (int(f['ip'], 16) for f in s['callchain']) if ip < KIP)
           for s in samples}
    ok(status == 0 and got == PLAIN, name + ': data convert', got, err)

# A directory: one file a CPU
os.mkdir(path('dir'))
put(path('dir/data'), perf_file([ATTR], comm(99, 1, 'first'), {24: q(1)}))
for cpu in (0, 1):
    put(path('dir/data.%d' % cpu), b''.join(DATA[t][0] for t in sorted(DATA)[cpu::2]))
status, out, err = perf('script', '-v', *FIELDS, '-i', 'dir')
ok(status == 0 and halves(out) == WANT and account(err) == ACCOUNT, 'directory', halves(out), err)
status, out, err = perf('inject', '-i', 'dir', '-o', 'plain')
status, out, err = perf('script', *FIELDS, '-i', 'plain')
ok(status == 0 and plain(out) == PLAIN, 'directory: what inject writes', plain(out), err)

# The records of many tasks are kept, window after window, those of ended ones are not: 12,000 times
# 8 kB would be 96 MB.
with open(path('long'), 'wb') as f:
    f.write(b'PERFILE2' + q(16) + record(64, ATTR))
    for n in range(12000):
        tid, t = 100 + n, 1000 + 10 * n
        f.write(deferred(tid, t, 1 + n, *range(UIP, UIP + 1000)))
        f.write(gone(tid, t + 5) if n % 100 else b'')
        if n % 500 == 499:
            f.write(ROUND)
    f.write(b''.join(sample(100 + n, 10 ** 6, 1 + n) for n in range(0, 12000, 100)) + ROUND)
with open(path('long'), 'rb') as f:
    p = subprocess.Popen((PERF, 'script', '-v', '-F', 'time', '-i', '-'), stdin=f,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    err = p.stderr.read()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
ok(status == 0 and account(err)['joined'] == 120 and account(err)['unused'] == 11880,
   'pipe: records of 120 living tasks', err)
ok(usage.ru_maxrss < 64 << 10, 'pipe: memory', usage.ru_maxrss)
done()
