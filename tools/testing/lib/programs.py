# SPDX-License-Identifier: GPL-2.0
"""Programs that tests build in a folder of their own, TMP, and recordings that are made up of them."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from perfdata import *  # noqa: E402

PERF = os.path.abspath(os.environ.get('PERF', 'build/perf'))
TMP = os.path.realpath(tempfile.mkdtemp(prefix='perf-test-'))
ENV = dict(os.environ, DEBUGINFOD_URLS='', DEBUGINFOD_CACHE_PATH=TMP + '/cache', PERF_CONFIG='/dev/null',
           PERF_PAGER='cat', LC_ALL='C', HOME=TMP)
KERNEL, USER, GUEST_KERNEL, GUEST_USER = 1, 2, 4, 5


def path(*p):
    return os.path.join(TMP, *p)


def put(name, data):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), 'wb' if isinstance(data, bytes) else 'w') as f:
        f.write(data)
    return path(name)


def sh(cmd):
    subprocess.run(cmd, shell=True, check=True, cwd=TMP)


def perf(*args, env=None, timeout=120, **kw):
    """(status, stdout, stderr)"""
    p = subprocess.run((PERF,) + args, env=dict(ENV, **(env or {})), cwd=TMP, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=timeout, **kw)
    return p.returncode, p.stdout, p.stderr


def nm(file):
    """name -> address"""
    out = subprocess.run(['nm', file], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {l.split()[2]: int(l.split()[0], 16) for l in out.splitlines() if len(l.split()) == 3}


def text_segment(file):
    """(file offset, address, size) of the executable segment"""
    out = subprocess.run(['readelf', '-lW', file], stdout=subprocess.PIPE, text=True, check=True).stdout
    m = re.search(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E', out)
    return tuple(int(x, 16) for x in m.groups())


def build_id(file):
    out = subprocess.run(['readelf', '-nW', file], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r'Build ID: (\w+)', out)[1]


SID = ii(10, 10) + q(1)


def mmap(file, start, size, pgoff, mode=USER, pid=10, id=None, ino=1234):
    where = ii(8, 1) + q(ino, 0)
    if id:
        raw = bytes.fromhex(id)
        where = bytes([len(raw), 0, 0, 0]) + raw.ljust(20, b'\0')
    return record(10, ii(pid, pid) + q(start, size, pgoff) + where + ii(5, 2) + string(file) + SID,
                  mode | (1 << 14 if id else 0))


def sample(ip, mode=USER, t=10):
    return record(9, q(ip) + ii(10, 10) + q(t, 2, CONTEXT[mode], ip), mode)


CONTEXT = {KERNEL: -128, USER: -512, GUEST_KERNEL: -2176, GUEST_USER: -2560}


def recording(name, *records, host='elsewhere'):
    return put(name, perf_file([attr(IP | TID | TIME | CALLCHAIN, flags=('sample_id_all', 'mmap', 'mmap2', 'comm'))],
                               record(3, ii(10, 10) + string('prog') + SID) + b''.join(records),
                               {3: feature_string(host)}))


BASE = 0x7f0000000000


def of_program(name, file, addrs, mapped_as=None, id=None, **how):
    """A recording with samples at these addresses of a program's text."""
    off, vaddr, size = text_segment(file)
    size = (size + 0xfff) & ~0xfff
    page = off & ~0xfff
    return recording(name, mmap(mapped_as or file, BASE, size, page, id=id, ino=how.pop('ino', 1234)),
                     *(sample(BASE + a - vaddr + off - page) for a in addrs), **how)


def symbols(data, *args, **kw):
    status, out, err = perf('script', '-G', '-F', 'ip,sym', '-i', data, *args, **kw)
    return status, names_in(out), err


def names_in(out):
    """What stands behind the address in each line."""
    return [l.split(None, 1)[1] for l in out.splitlines() if l.strip()]
