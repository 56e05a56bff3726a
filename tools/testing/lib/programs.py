# SPDX-License-Identifier: GPL-2.0
"""Programs that tests build in their scratch folder, and recordings that are made up of them."""
from scratch import *  # noqa: F403


def build_id(file):
    return re.search(r'Build ID: (\w+)', run('readelf', '-nW', file)[1])[1]


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


CONTEXT = {KERNEL: CONTEXT_KERNEL, USER: CONTEXT_USER, GUEST_KERNEL: -2176, GUEST_USER: -2560}


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
