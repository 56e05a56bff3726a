#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""dump-records.py KIND FILE: a made-up recording with records that are hard to get from a
real machine, for read/dump-as-debian.t."""
import sys
from perfdata import *  # noqa: F403
import struct

KIND, OUT = sys.argv[1], sys.argv[2]


def kernel(tools):
    st = IP | TID | TIME | CPU | IDENTIFIER | PERIOD
    out, now = [], [1000]

    def k(type, body, misc=0):
        now[0] += 10
        out.append(record(type, body + ii(10, 11) + q(now[0]) + ii(1, 0) + q(7), misc))

    def t(type, body=b''):
        out.append(record(type, body))

    if tools:
        t(72, ii(1, 2, 1, 10, 11, 0) + q(0x1234, 99) + b'some error'.ljust(64, b'\0'))
        t(73, q(2) + q(10) + b'a'.ljust(16, b'\0') + q(11) + b'b'.ljust(16, b'\0'))
        t(74, struct.pack('<HHHH', 0, 2, 1, 3).ljust(16, b'\0'))
        t(74, struct.pack('<HHHI', 1, 1, 4, 0xf5).ljust(16, b'\0'))
        t(75, q(3, 0, 1, 1, 1000, 2, 0))
        t(76, q(7) + ii(1, 2) + q(100, 200, 300))
        t(77, q(0, 12345))
        t(77, q(1, 12345))
        t(78, q(0, 7) + string('msec'))
        t(78, q(1, 7) + struct.pack('<d', 1.5))
        t(78, q(3, 7) + struct.pack('<HHHH', 0, 2, 0, 1))
        t(79, q(1, 2, 3))
        t(79, q(1, 2, 3, 4, 5) + bytes([1, 1, 0, 0, 0, 0, 0, 0]))
        t(82)
        t(69, q(1) + q(7, 0, 1, -1))
    k(1, ii(10, 11) + q(0x400000, 0x1000, 0x2000) + string('/bin/mm1'), 2)
    k(1, ii(10, 11) + q(0x500000, 0x1000, 0x2000) + string('/bin/mmdata'), 2 | 1 << 13)
    k(10, ii(10, 11) + q(0x600000, 0x1000, 0x2000) + ii(8, 1) + q(1234, 5678) + ii(5, 1) +
      string('/bin/mm2 x'), 2)
    k(10, ii(10, 11) + q(0x800000, 0x1000, 0x2000) + bytes([8, 0, 0, 0]) + bytes(range(20)) +
      ii(3, 2) + string('/bin/mm2 id'), 2 | 1 << 14)
    k(3, ii(10, 11) + string('name'))
    k(3, ii(10, 11) + string('ename'), 1 << 13)
    k(7, ii(12, 10, 13, 10) + q(5))
    k(2, q(7, 33))
    k(5, q(1111, 7, 8))
    k(6, q(1112, 7, 8))
    k(8, ii(10, 11) + q(55))
    k(11, q(0x100, 0x200, 1))
    k(11, q(0x100, 0x200, 0xb))
    k(12, ii(10, 11))
    k(13, q(42))
    for misc in (0, 1 << 13, 3 << 13):
        k(14, b'', misc)
        k(15, ii(20, 21), misc)
    k(16, ii(10, 11) + q(2) + q(4, 100, 5, 200))
    k(17, q(0xffffffffc0000000) + ii(64) + struct.pack('<HH', 1, 0) + string('bpf_prog_1'))
    k(17, q(0xffffffffc0000000) + ii(64) + struct.pack('<HH', 1, 1) + string('bpf_prog_1'))
    k(17, q(0xffffffffc0001000) + ii(64) + struct.pack('<HH', 2, 0) + string('ool'))
    k(18, struct.pack('<HHI', 1, 0, 17) + bytes(range(8)))
    k(18, struct.pack('<HHI', 2, 0, 17) + bytes(range(8)))
    k(19, q(77) + string('/cg/one'))
    k(20, q(0xffffffff81000000) + struct.pack('<HH', 3, 5) + bytes(range(1, 9)) + b'\0' * 4)
    k(21, q(0xabcd))
    return perf_file([attr(st, size=128)], b''.join(out), {3: feature_string('h')}, ids=[[7]])


def sample(kind):
    st, body, kw, misc = IP | TID | TIME, q(0x400123) + ii(10, 11) + q(1000), {}, 2
    flags, sid = ['mmap', 'comm', 'sample_id_all'], ii(10, 11) + q(1)
    if kind in ('sample-all', 'no-sample-id'):
        st |= ADDR | ID | STREAM_ID | CPU | PERIOD | IDENTIFIER
        body = q(7, 0x400123) + ii(10, 11) + q(1000, 0xdead, 7, 70) + ii(1, 0) + q(33)
        sid = ii(10, 11) + q(1, 7, 70) + ii(1, 0) + q(7)
        if kind == 'no-sample-id':
            flags.remove('sample_id_all')
            sid = b''
    elif kind == 'sample-read':
        st |= READ
        kw = dict(read_format=31 & ~8)
        body += q(100, 200, 300, 7, 1)
    elif kind == 'sample-group':
        st |= READ
        kw = dict(read_format=31)
        body += q(1, 200, 300, 100, 7, 1)
    elif kind == 'sample-raw':
        st |= RAW
        body += ii(12) + b'abcdefghijkl'
    elif kind in ('sample-branch', 'sample-callstack'):
        st |= BRANCH_STACK | CALLCHAIN
        body += q(3, 0xffffffffffffff80, 0xffffffff81000001, 0x44)
        kw = dict(branch=8 | 1 << 17 if kind == 'sample-branch' else 8 | 1 << 11)
        body += q(3) + (q(5) if kind == 'sample-branch' else b'')
        body += q(0x100, 0x200, 1 | 7 << 4 | 1 << 20, 0x300, 0x400, 2 | 2 << 20,
                  0x500, 0x600, 1 | 4 | 8 | 3 << 20)
    elif kind == 'sample-regs':
        st |= REGS_USER | REGS_INTR | STACK_USER
        kw = dict(regs_user=0xff0fff, regs_intr=0x1ff, stack_user=16)
        body += q(1, *range(20)) + q(16, 1, 2, 8) + q(2, *range(9))
    elif kind == 'sample-misc':
        st |= WEIGHT | DATA_SRC | TRANSACTION | PHYS_ADDR | CGROUP | DATA_PAGE_SIZE | CODE_PAGE_SIZE
        body += q(55, 0x1e05080021, 3, 0x1234000, 77, 4096, 0x200000)
    elif kind == 'sample-weight':
        st |= WEIGHT_STRUCT
        body += ii(5) + struct.pack('<HH', 6, 7)
    elif kind == 'sample-aux':
        st |= AUX
        body += q(16) + b'abcdefghijklmnop'
    elif kind == 'sample-contexts':
        st |= CALLCHAIN
        body += q(12, -32, 1, -2048, 2, -2176, 3, -2560, 4, -512, 5, -128, 6)
    elif kind == 'sample-unknown':
        body = q(0x900123) + ii(10, 11) + q(1000)
    elif kind == 'sample-hypervisor':
        misc = 3
    out = record(3, ii(10, 11) + string('prog') + sid)
    out += record(1, ii(10, 10) + q(0x400000, 0x1000, 0) + string('/bin/prog') + sid, 2)
    out += record(7, ii(12, 10, 13, 10) + q(5) + sid)
    out += record(9, body, misc)
    return perf_file([attr(st, flags, size=128, **kw)], out, {3: feature_string('h')}, ids=[[7]])


with open(OUT, 'wb') as f:
    f.write(kernel(KIND == 'tools') if KIND in ('kernel', 'tools') else sample(KIND))
