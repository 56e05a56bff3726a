#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""ends.py [--unwound TEXT] SYMFS FILE [COMM]: do user callchains end where their programs begin?

Reads the records of a perf.data by itself, and asks readelf where a file says that there is no
caller: it knows nothing of unwind tables. Prints "samples S chains N complete C deferred D bytes B frames F",
of the processes of which COMM, a list with commas, has the name, and, for what is not complete, where the chains end. Samples without user callchain (of
kernel threads, in an exit, never back in user mode) are no chains. Those of --call-graph dwarf
are not in the file: TEXT is what "perf script --ns --no-inline -F tid,time,ip,dso" printed.
"""
import re
import struct
import subprocess
import sys
from collections import Counter

MMAP2, FORK, COMM, SAMPLE, DEFERRED = 10, 7, 3, 9, 22
USER, KERNEL_LIKE = 2**64 - 512, 2**64 - 4095
USER_DEFERRED = 2**64 - 640
IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD, READ, CHAIN = (
    1 << 16, 1, 2, 4, 8, 64, 512, 128, 256, 16, 32)


def records(d):
    pos, size = struct.unpack_from('<QQ', d, 40)
    while size > 0:
        kind, misc, n = struct.unpack_from('<IHH', d, pos)
        yield kind, misc, d[pos:pos + n]
        pos, size = pos + n, size - n


def sample_types(d):
    """By id; None: of the first event."""
    off, size = struct.unpack_from('<QQ', d, 24)
    entry = struct.unpack_from('<Q', d, 16)[0]
    types = {}
    for at in range(off, off + size, entry):
        st = struct.unpack_from('<Q', d, at + 24)[0]
        types.setdefault(None, st)
        ids_off, ids_size = struct.unpack_from('<QQ', d, at + entry - 16)
        for i in struct.unpack_from('<%dQ' % (ids_size // 8), d, ids_off):
            types[i] = st
    return types


class File:
    """Where a file has no callers, by offset in it."""

    def __init__(self, path):
        self.roots, self.described = [], []
        out = subprocess.run(['readelf', '-hlW', '--debug-dump=frames', path], capture_output=True,
                             text=True, errors='replace').stdout
        loads = [[int(x, 16) for x in m.groups()] for m in re.finditer(
            r'^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)', out, re.M)]
        undefined = {}
        for block in re.split(r'\n(?=[0-9a-f]{8,} )', out):
            m = re.match(r'([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE cie=([0-9a-f]+) '
                         r'pc=([0-9a-f]+)\.\.([0-9a-f]+))', block)
            if not m:
                continue
            has = re.search(r'undefined: r(16|30)\b', block) is not None
            if m.group(2) == 'CIE':
                undefined[int(m.group(1), 16)] = has
                continue
            self.described.append((int(m.group(4), 16), int(m.group(5), 16)))
            if has or undefined.get(int(m.group(3), 16)):
                self.add_root(loads, *self.described[-1])
        # The loader begins in code that nothing describes.
        m = re.search(r'Entry point address: +0x(\w+)', out)
        entry = int(m.group(1), 16) if m else 0
        behind = [a for a, b in self.described if a > entry]
        if entry and behind and not any(a <= entry < b for a, b in self.described):
            self.add_root(loads, entry, min(behind))

    def add_root(self, loads, begin, end):
        for off, vaddr, size in loads:
            if vaddr <= begin < vaddr + size:
                self.roots.append((begin - vaddr + off, end - vaddr + off))

    def is_root(self, off):
        return any(a <= off < b for a, b in self.roots)


class Maps:
    """Of one process, as they come in time."""

    def __init__(self, parent=None):
        self.v = list(parent.v) if parent else []

    def find(self, ip):
        for start, end, pgoff, name in reversed(self.v):
            if start <= ip < end:
                return name, ip - start + pgoff
        return None, 0


def user_part(ips):
    """The user half of a sample's chain, and the cookie that stands for it."""
    if USER_DEFERRED in ips:
        at = ips.index(USER_DEFERRED)
        return None, ips[at + 1]
    if USER not in ips:
        return None, 0
    at = ips.index(USER)
    return [ip for ip in ips[at + 1:] if ip < KERNEL_LIKE], 0


def unwound_chains(text):
    """User callchains that perf script printed, by thread and time."""
    chains = {}
    for block in open(text).read().split('\n\n'):
        m = re.match(r'\s*(\d+)\s+(\d+)\.(\d{9}):', block)
        if m:
            frames = re.findall(r'^\s+([0-9a-f]+) .*\((.*)\)$', block[m.end():], re.M)
            chains[int(m.group(1)), int(m.group(2) + m.group(3))] = [
                (int(ip, 16), dso) for ip, dso in frames if int(ip, 16) < 1 << 63]
    return chains


def main(symfs, path, comm=None, unwound=None):
    d = open(path, 'rb').read()
    types = sample_types(d)
    events = []     # (time, order, what)
    total = 0
    for n, (kind, misc, r) in enumerate(records(d)):
        if kind == SAMPLE:
            st = types[struct.unpack_from('<Q', r, 8)[0] if types[None] & IDENTIFIER else None]
            at = 8 + 8 * bool(st & IDENTIFIER) + 8 * bool(st & IP)
            pid, tid, time = struct.unpack_from('<IIQ', r, at)
            at += 8
            for bit in (TIME, ADDR, ID, STREAM, CPU, PERIOD):
                at += 8 * bool(st & bit)
            total += 1
            if not st & CHAIN:
                continue
            nr = struct.unpack_from('<Q', r, at)[0]
            ips = struct.unpack_from('<%dQ' % nr, r, at + 8)
            events.append((time, n, ('sample', pid, tid, ips)))
        elif kind == DEFERRED:
            cookie, nr = struct.unpack_from('<QQ', r, 8)
            ips = [ip for ip in struct.unpack_from('<%dQ' % nr, r, 24) if ip < KERNEL_LIKE]
            pid, tid, time = struct.unpack_from('<IIQ', r, 24 + 8 * nr)
            events.append((time, n, ('user', pid, tid, cookie, ips)))
        elif kind == MMAP2:
            pid, tid, start, length, pgoff = struct.unpack_from('<IIQQQ', r, 8)
            name = r[72:r.index(b'\0', 72)].decode()
            end = 72 + (len(name) + 8) // 8 * 8
            time = struct.unpack_from('<IIQ', r, end)[2] if len(r) >= end + 16 else 0
            events.append((time, n, ('map', pid, (start, start + length, pgoff, name))))
        elif kind == FORK:
            pid, ppid, tid, ptid, time = struct.unpack_from('<IIIIQ', r, 8)
            if pid != ppid:
                events.append((time, n, ('fork', pid, ppid)))
        elif kind == COMM:
            pid, tid = struct.unpack_from('<II', r, 8)
            name = r[16:r.index(b'\0', 16)].decode()
            end = 16 + (len(name) + 8) // 8 * 8
            time = struct.unpack_from('<IIQ', r, end)[2] if len(r) >= end + 16 else 0
            events.append((time, n, ('comm', pid, tid, name, misc)))
    events.sort()
    maps, comms, waiting, files = {}, {}, {}, {}
    chains = complete = deferred = depth = 0
    ends = Counter()

    def where(pid, ip):
        if isinstance(ip, tuple):
            at, off = maps.get(pid, Maps()).find(ip[0])
            # perf 6.1 prints offsets in files
            return (at, off) if at else (ip[1] if ip[1][0] == '/' else None, ip[0])
        return maps.get(pid, Maps()).find(ip)

    def ended(pid, name, ips):
        nonlocal chains, complete, depth
        chains += 1
        depth += len(ips)
        if not ips:
            ends['not readable'] += 1
            return
        at, off = where(pid, ips[-1])
        if at and at not in files:
            files[at] = File(symfs + at)
        # a call may be the last instruction of its function
        if at and files[at].is_root(off - (len(ips) > 1)):
            complete += 1
        elif len(ips) >= 120:
            ends['too deep'] += 1
        else:
            ends['%s: %s+%#x after %d' % (name, at, off, len(ips))] += 1

    for time, n, e in events:
        if e[0] == 'map':
            maps.setdefault(e[1], Maps()).v.append(e[2])
        elif e[0] == 'fork':
            maps[e[1]] = Maps(maps.get(e[2]))
            comms[e[1]] = comms.get(e[2])
        elif e[0] == 'comm':
            comms[e[1]] = e[3]
        elif e[0] == 'sample':
            pid, tid, ips = e[1:]
            if comm and comms.get(pid) not in comm.split(','):
                continue
            user, cookie = user_part(ips)
            if unwound is not None:
                user, cookie = unwound.get((tid, time)), 0
            if cookie:
                deferred += 1
                waiting.setdefault((tid, cookie), []).append(comms.get(pid))
            elif user is not None:
                ended(pid, comms.get(pid), user)
        else:
            pid, tid, cookie, ips = e[1:]
            for name in waiting.pop((tid, cookie), []):
                ended(pid, name, ips)
    print('samples %d chains %d complete %d deferred %d bytes %d frames %d' %
          (total, chains, complete, deferred, struct.unpack_from('<Q', d, 48)[0], depth))
    for what, n in ends.most_common(6):
        print('%d %s' % (n, what))


if __name__ == '__main__':
    args = sys.argv[1:]
    text = unwound_chains(args[1]) if args[0] == '--unwound' else None
    main(*(args if text is None else args[2:]), unwound=text)
