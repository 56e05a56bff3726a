#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""check.py [--attrs] FILE: do the halves of deferred callchains fit together?

Reads the records of a perf.data by itself, so that it is a second opinion
beside our own reader: every cookie of a sample has a later record of its thread,
unless the thread had no chance to return (it still slept, it was killed), or
records were lost. Prints "deferred D joined S sleeping N threads T never V lost L counted C
records R orphans O": N samples of T threads that still slept, V that should have had a record, L
lost by records LOST and LOST_SAMPLES, C by the latter alone.
"""
import struct
import subprocess
import sys

SAMPLE, LOST, EXIT, DEFERRED, LOST_SAMPLES = 9, 2, 4, 22, 13
COMPRESSED, COMPRESSED2 = 81, 83
USER_DEFERRED = 2**64 - 640
IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD, READ, CHAIN = (
    1 << 16, 1, 2, 4, 8, 64, 512, 128, 256, 16, 32)


def main(path, show_attrs=False):
    d = open(path, 'rb').read()
    assert d[:8] == b'PERFILE2', 'no perf.data'
    attrs = []
    if struct.unpack_from('<Q', d, 8)[0] == 16:
        pos, end = 16, len(d)
    else:
        aoff, asize, pos, size = struct.unpack_from('<4Q', d, 24)
        entry = struct.unpack_from('<Q', d, 16)[0]
        for at in range(aoff, aoff + asize, entry):
            ids_off, ids_size = struct.unpack_from('<QQ', d, at + entry - 16)
            ids = struct.unpack_from('<%dQ' % (ids_size // 8), d, ids_off)
            attrs.append((d[at:at + entry - 16], ids))
        end = pos + size
    records = []

    def walk(buf, pos, end):
        stream = b''
        while pos < end:
            kind, misc, size = struct.unpack_from('<IHH', buf, pos)
            assert size >= 8 and pos + size <= end, 'record at %#x is cut' % pos
            if kind == COMPRESSED:
                stream += buf[pos + 8:pos + size]
            elif kind == COMPRESSED2:
                n = struct.unpack_from('<Q', buf, pos + 8)[0]
                stream += buf[pos + 16:pos + 16 + n]
            elif kind == 64:
                asize = struct.unpack_from('<I', buf, pos + 12)[0]
                n = (size - 8 - asize) // 8
                attrs.append((buf[pos + 8:pos + 8 + asize],
                              struct.unpack_from('<%dQ' % n, buf, pos + 8 + asize)))
            elif kind == 66:
                records.append((kind, buf[pos:pos + size]))
                pos += struct.unpack_from('<I', buf, pos + 8)[0]
            else:
                records.append((kind, buf[pos:pos + size]))
            pos += size
        if stream:
            plain = subprocess.run(['zstd', '-dc'], input=stream, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL).stdout
            walk(plain, 0, len(plain))
    walk(d, pos, end)

    if show_attrs:
        for attr, ids in attrs:
            flags = struct.unpack_from('<Q', attr, 40)[0]
            print('type %d config %d defer_callchain %d defer_output %d ids %d' %
                  (struct.unpack_from('<I', attr, 0)[0], struct.unpack_from('<Q', attr, 8)[0],
                   flags >> 38 & 1, flags >> 39 & 1, len(ids)))
        return
    types = {}
    for attr, ids in attrs:
        st, rf = struct.unpack_from('<QQ', attr, 24)
        for i in ids:
            types[i] = (st, rf)
    first = struct.unpack_from('<QQ', attrs[0][0], 24)

    def layout(rec):
        if first[0] & IDENTIFIER:
            return types[struct.unpack_from('<Q', rec, 8)[0]]
        return first

    waiting, joined, deferred, lost, counted, nrecords, exits = {}, 0, 0, 0, 0, 0, {}
    used = set()
    chains = []
    for kind, rec in records:
        if kind == SAMPLE:
            st, rf = layout(rec)
            at = 8
            for bit in (IDENTIFIER, IP):
                at += 8 * bool(st & bit)
            pid, tid = struct.unpack_from('<II', rec, at)
            at += 8
            time = struct.unpack_from('<Q', rec, at)[0]
            for bit in (TIME, ADDR, ID, STREAM, CPU, PERIOD):
                at += 8 * bool(st & bit)
            if st & READ or not st & CHAIN:
                continue
            nr = struct.unpack_from('<Q', rec, at)[0]
            ips = struct.unpack_from('<%dQ' % nr, rec, at + 8)
            if USER_DEFERRED in ips:
                assert ips[-2] == USER_DEFERRED and ips[-1] != 0, 'marker is not at the end'
                deferred += 1
                chains.append((time, tid, ips[-1]))
        elif kind == DEFERRED:
            cookie, nr = struct.unpack_from('<QQ', rec, 8)
            # the sample_id behind it: TID and TIME come first
            pid, tid, time = struct.unpack_from('<IIQ', rec, 24 + 8 * nr)
            nrecords += 1
            chains.append((time, tid, -cookie))
        elif kind == LOST:
            lost += struct.unpack_from('<Q', rec, 16)[0]
        elif kind == LOST_SAMPLES:
            counted += struct.unpack_from('<Q', rec, 8)[0]
        elif kind == EXIT:
            pid, ppid, tid, ptid, time = struct.unpack_from('<IIIIQ', rec, 8)
            exits[tid] = time
    chains.sort(key=lambda c: (c[0], c[2] < 0))
    orphans = 0
    for time, tid, cookie in chains:
        if cookie > 0:
            waiting.setdefault((tid, cookie), []).append(time)
        else:
            n = waiting.pop((tid, -cookie), [])
            joined += len(n)
            if not n and (tid, -cookie) not in used:
                orphans += 1
            used.add((tid, -cookie))
    # a waiting thread is in its last entry: the newest cookie of the thread
    last = {}
    for time, tid, cookie in chains:
        last[tid] = abs(cookie)
    asleep = {tid: len(n) for (tid, c), n in waiting.items() if last[tid] == c}
    sleeping = sum(asleep.values())
    never = deferred - joined - sleeping
    print('deferred %d joined %d sleeping %d threads %d never %d lost %d counted %d records %d orphans %d' %
          (deferred, joined, sleeping, len(asleep), never, lost + counted, counted, nrecords, orphans))


main(sys.argv[-1], sys.argv[1] == '--attrs')
