# SPDX-License-Identifier: GPL-2.0
"""Made-up recordings for tests: records, attributes and feature sections are
packed by hand, so that a test can say anything, damaged things too; where programs have their code.

Layouts are those of <linux/perf_event.h> and Documentation/perf-data.rst.
"""
import re
import struct
import subprocess

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW = (1 << i for i in range(11))
BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION = (
    1 << i for i in range(11, 18))
REGS_INTR, PHYS_ADDR, AUX, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT = (
    1 << i for i in range(18, 25))
KERNEL, USER, GUEST_KERNEL, GUEST_USER = 1, 2, 4, 5     # PERF_RECORD_MISC_...
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_DEFERRED = -128, -512, -640

FLAG = {n: 1 << i for i, n in enumerate(
    'disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap '
    'comm freq inherit_stat enable_on_exec task watermark precise1 precise2 mmap_data '
    'sample_id_all exclude_host exclude_guest exclude_callchain_kernel exclude_callchain_user '
    'mmap2 comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event '
    'aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap '
    'defer_callchain defer_output'.split())}


def attr(sample_type=IP | TID | TIME, flags=('sample_id_all', 'mmap', 'comm'), type=1, config=0,
         period=1, read_format=0, size=128, branch=0, regs_user=0, stack_user=0, regs_intr=0,
         tail=b''):
    bits = sum(FLAG[f] for f in flags)
    a = struct.pack('<IIQQQQQIIQQQQIiQIHHIIQQ', type, size, config, period, sample_type,
                    read_format, bits, 0, 0, 0, 0, branch, regs_user, stack_user, 0, regs_intr,
                    0, 0, 0, 0, 0, 0, 0)
    a = (a + tail).ljust(size, b'\0')
    return a[:size]


def record(type, body=b'', misc=0, size=None):
    """A record; size other than its own makes it lie."""
    return struct.pack('<IHH', type, misc, len(body) + 8 if size is None else size) + body


def as_bytes(s):
    return s if isinstance(s, bytes) else s.encode()


def string(s):
    """A string as records have it: NUL, padded to 8 bytes."""
    b = as_bytes(s) + b'\0'
    return b + b'\0' * (-len(b) % 8)


def q(*v):
    return struct.pack('<%dQ' % len(v), *(x & (1 << 64) - 1 for x in v))


def ii(*v):
    return struct.pack('<%dI' % len(v), *(x & 0xffffffff for x in v))


def feature_string(s, pad=64):
    b = as_bytes(s) + b'\0'
    n = (len(b) + pad - 1) // pad * pad
    return ii(n) + b.ljust(n, b'\0')


def perf_file(attrs, data, features=None, ids=None, data_size=None):
    """attrs: packed attributes; ids: list of lists of ids; features: {bit: bytes}."""
    features = features or {}
    entry = max(len(a) for a in attrs) + 16
    ids = ids or [[] for _ in attrs]
    pos = 104
    idblob, sections = b'', []
    for i in ids:
        sections.append((pos + len(idblob), 8 * len(i)))
        idblob += q(*i)
    attrs_at = pos + len(idblob)
    table = b''.join(a.ljust(entry - 16, b'\0') + q(*s) for a, s in zip(attrs, sections))
    data_at = attrs_at + len(table)
    bitmap = [0] * 4
    for bit in features:
        bitmap[bit // 64] |= 1 << bit % 64
    head = b'PERFILE2' + q(104, entry, attrs_at, len(table), data_at,
                           len(data) if data_size is None else data_size, 0, 0, *bitmap)
    out = head + idblob + table + data
    at = len(out) + 16 * len(features)
    index, blob = b'', b''
    for bit in sorted(features):
        index += q(at + len(blob), len(features[bit]))
        blob += features[bit]
    return out + index + blob


def tracing_data(*formats):
    """The TRACING_DATA feature with formats of one system, "sys"."""
    def sized(b):
        return q(len(b)) + b
    out = bytes([23, 8, 68]) + b'tracing0.6\0' + bytes([0, 8]) + ii(4096)
    out += b'header_page\0' + sized(b'') + b'header_event\0' + sized(b'')
    out += ii(0) + ii(1) + b'sys\0' + ii(len(formats)) + b''.join(sized(f.encode()) for f in formats)
    return out + ii(0) + ii(0)


def tracepoint_format(name, id, fields, print_fmt):
    """fields: (declaration, offset, size)"""
    common = [('unsigned short common_type', 0, 2), ('unsigned char common_flags', 2, 1),
              ('unsigned char common_preempt_count', 3, 1), ('int common_pid', 4, 4)]
    def line(d, o, s):
        return '\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:0;\n' % (d, o, s)
    return ('name: %s\nID: %d\nformat:\n' % (name, id) + ''.join(line(*f) for f in common) + '\n' +
            ''.join(line(*f) for f in fields) + '\nprint fmt: ' + print_fmt + '\n')


def _lines(*cmd):
    return subprocess.run(cmd, capture_output=True, text=True, check=True).stdout


def nm(file):
    """name -> address"""
    lines = [l.split() for l in _lines('nm', file).splitlines()]
    return {l[2]: int(l[0], 16) for l in lines if len(l) == 3}


def text_segment(file):
    """(file offset, address, size) of the executable segment"""
    found = re.search(r'LOAD +(\S+) (\S+) \S+ (\S+) \S+ R E', _lines('readelf', '-lW', file))
    return tuple(int(x, 16) for x in found.groups())
