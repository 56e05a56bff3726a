#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""seeds.py DIR: what make fuzz begins with, in DIR/TARGET: the small golden recordings, cut down;
made-up recordings with every field and every type of record, in both byte orders; small programs,
tables, lists of symbols. The first byte of each chooses a command line of the target."""
import os
import struct
import subprocess
import sys
import zlib
import lzma

HERE = os.path.dirname(os.path.realpath(__file__))
LIB = os.path.join(HERE, '../lib')
CRASH = os.path.join(HERE, '../tool/robust/crash')
GOLDEN = os.path.join(HERE, '../golden/c')
sys.path.insert(0, LIB)
from perfdata import *                                           # noqa: E402

OUT = sys.argv[1]
VARIANTS = {'read': 1, 'pipe': 7, 'script': 16, 'report': 28, 'flame': 5, 'dump': 5, 'header': 3,
            'inject': 5, 'data': 7, 'annotate': 4, 'zstd': 4}
RECORD_LIMIT = 9000


def put(target, name, variant, data):
    os.makedirs(os.path.join(OUT, target), exist_ok=True)
    with open(os.path.join(OUT, target, '%s-%d' % (name, variant)), 'wb') as f:
        f.write(bytes([variant]) + data)


def cut(data, limit=RECORD_LIMIT):
    """The recording with its first records alone, so many bytes of them."""
    if struct.unpack_from('<Q', data, 8)[0] == 16:
        return data[:limit]
    start, size = struct.unpack_from('<QQ', data, 40)
    at = start
    while at < start + size and at - start < limit:
        at += struct.unpack_from('<H', data, at + 6)[0]
    gone = start + size - at
    out = bytearray(data[:at] + data[start + size:])
    struct.pack_into('<Q', out, 48, at - start)
    bits = sum(bin(b).count('1') for b in data[72:104])
    for i in range(bits):
        offset = struct.unpack_from('<Q', out, at + 16 * i)[0]
        struct.pack_into('<Q', out, at + 16 * i, offset - gone)
    return bytes(out)


# Every field that a sample can have, in the order of the records' layout
def rich_sample(pid, t, ip, kinds, ips=(), stack=b'', regs=()):
    b = b''
    if kinds & IDENTIFIER:
        b += q(5)
    if kinds & IP:
        b += q(ip)
    if kinds & TID:
        b += ii(pid, pid + 1)
    if kinds & TIME:
        b += q(t)
    if kinds & ADDR:
        b += q(0x5000)
    if kinds & ID:
        b += q(5)
    if kinds & STREAM_ID:
        b += q(5)
    if kinds & CPU:
        b += ii(1, 0)
    if kinds & PERIOD:
        b += q(1000)
    if kinds & READ:
        b += q(1, 100, 50, 77, 5, 0)        # group, both times, lost
    if kinds & CALLCHAIN:
        b += q(len(ips), *ips)
    if kinds & RAW:
        b += ii(12) + b'0123456789ab'
    if kinds & BRANCH_STACK:
        b += q(2, 0x401000, 0x401010, 0x21, 0x401020, 0x401030, 0x1f)
    if kinds & REGS_USER:
        b += q(2, *regs)
    if kinds & STACK_USER:
        b += q(len(stack)) + stack + (q(len(stack)) if stack else b'')
    if kinds & WEIGHT or kinds & WEIGHT_STRUCT:
        b += ii(7) + struct.pack('<HH', 3, 4)
    if kinds & DATA_SRC:
        b += q(0x68100142)
    if kinds & TRANSACTION:
        b += q(3 | 5 << 32)
    if kinds & REGS_INTR:
        b += q(2, *regs)
    if kinds & PHYS_ADDR:
        b += q(0x123456)
    if kinds & CGROUP:
        b += q(99)
    if kinds & DATA_PAGE_SIZE:
        b += q(4096)
    if kinds & CODE_PAGE_SIZE:
        b += q(2 << 20)
    if kinds & AUX:
        b += q(16) + bytes(16)
    return record(9, b, 2)


def sid(kinds, t, pid=10):
    b = ii(pid, pid + 1) if kinds & TID else b''
    b += q(t) if kinds & TIME else b''
    b += q(5) if kinds & ID else b''
    b += q(5) if kinds & STREAM_ID else b''
    b += ii(1, 0) if kinds & CPU else b''
    return b + (q(5) if kinds & IDENTIFIER else b'')


def all_records(kinds):
    def s(t):
        return sid(kinds, t)
    mmap = ii(10, 11) + q(0x400000, 0x10000, 0)
    out = record(3, ii(10, 11) + string('seed') + s(1), 1 << 13)
    out += record(1, mmap + string('/g/deepsys') + s(2))
    out += record(10, mmap + ii(8, 1) + q(7, 1) + ii(5, 2) + string('/g/deepsys') + s(3), 2)
    out += record(10, ii(10, 11) + q(0x500000, 0x1000, 0) + bytes([20, 0, 0, 0]) + bytes(range(20)) +
                  ii(5, 2) + string('//anon') + s(4), 2 | 1 << 14)
    out += record(7, ii(12, 10, 13, 11) + q(5) + s(5)) + record(4, ii(12, 10, 13, 11) + q(6) + s(6))
    out += record(2, q(5, 3) + s(7)) + record(13, q(2) + s(8)) + record(5, q(9, 5, 5) + s(9))
    out += record(14, s(10), 1 << 13) + record(15, ii(10, 11) + s(11))
    out += record(16, ii(10, 11) + q(2, 3, 4, 5, 6) + s(12))
    out += record(17, q(0xffffffffa0000000) + ii(64) + struct.pack('<HH', 1, 0) + string('bpf_prog') + s(13))
    out += record(18, struct.pack('<HHI', 1, 0, 7) + bytes(8) + s(14))
    out += record(19, q(99) + string('/a/cgroup') + s(15))
    out += record(20, q(0xffffffff81000000) + struct.pack('<HH', 2, 2) + b'\x90\x90\xcc\xcc' + s(16))
    out += record(11, q(0, 64, 1) + s(17)) + record(12, ii(10, 11) + s(18))
    out += record(21, q(7) + s(19))
    out += record(22, q(77, 2, 0xfffffffffffffe00, 0x401234) + s(20), 2)
    out += record(68) + record(73, ii(1, 0) + q(5, 1, 10, 11)) + record(79, q(1, 2, 3, 4, 5, 6))
    out += record(74, struct.pack('<HH', 0, 2) + struct.pack('<HH', 0, 1)) + record(82) + record(67, bytes(8) + string('x'))
    return out


COMMON = IP | TID | TIME | ADDR | ID | CPU | PERIOD | STREAM_ID | IDENTIFIER
KINDS = {
    'all': COMMON | CALLCHAIN | RAW | BRANCH_STACK | REGS_USER | STACK_USER | WEIGHT | DATA_SRC |
           TRANSACTION | REGS_INTR | PHYS_ADDR | CGROUP | DATA_PAGE_SIZE | CODE_PAGE_SIZE,
    'chain': COMMON | CALLCHAIN | CGROUP,
    'read': COMMON | CALLCHAIN | READ,
    'memory': COMMON | ADDR | WEIGHT_STRUCT | DATA_SRC | PHYS_ADDR | DATA_PAGE_SIZE,
    'branch': COMMON | BRANCH_STACK,
    'aux': COMMON | CALLCHAIN | RAW | BRANCH_STACK | REGS_USER | STACK_USER | WEIGHT | DATA_SRC | REGS_INTR | CODE_PAGE_SIZE | AUX,
}
FLAGS = ('sample_id_all', 'mmap', 'mmap2', 'comm', 'task', 'context_switch', 'namespaces', 'ksymbol',
         'bpf_event', 'cgroup', 'text_poke', 'defer_callchain', 'defer_output')


def features():
    def s(text):
        return feature_string(text)
    return {
        2: struct.pack('<IHH', 0, 2, 100) + ii(10) + bytes(range(20)) + bytes(4) + b'[kernel.kallsyms]'.ljust(64, b'\0'),
        3: s('host'), 4: s('6.12.0'), 5: s('7'), 6: s('x86_64'), 7: ii(2, 2), 8: s('Some CPU'), 9: s('Vendor,6,1'),
        10: q(1 << 20), 11: ii(3) + s('perf') + s('record') + s('-a'),
        12: ii(1, 128) + attr() + ii(1) + s('event') + q(5),
        13: ii(1) + s('0-1') + ii(2) + s('0') + s('1') + ii(0, 0, 0, 1),
        14: ii(1, 0) + q(1000, 500) + s('0-1'), 16: ii(1, 1) + s('cpu'), 17: ii(1) + s('g') + ii(0, 1),
        20: ii(1, 1) + ii(1, 64, 8, 64) + s('Data') + s('32K') + s('0'), 21: q(1, 100),
        22: q(0, 1 << 27, 1) + q(0, 3), 23: ii(1, 4, 1000), 24: q(1), 25: ii(1, 3) + q(0) * 0,
        27: ii(1, 1, 3, 2, 1 << 20), 28: ii(1) + s('cpu') + ii(1) + s('caps') + s('1'), 29: q(1),
        30: ii(1) + s('cpu') + s('0-1'), 31: ii(1, 1) + s('branches') + s('32') + s('cpu'),
    }


def recordings():
    for name in ('extras', 'multi', 'uret', 'threads', 'useronly', 'userchains', 'zstd', 'deepsys', 'forker', 'sleepers'):
        data = open('%s/%s.defer.data' % (GOLDEN, name), 'rb').read()
        yield name, cut(data, 60000 if name == 'zstd' else 6000)
    for name in ('deepsys.dwarf', 'group.fp', 'nocallchain', 'kernchains.fp'):
        yield name, cut(open('%s/%s.data' % (GOLDEN, name), 'rb').read(), 5000)
    for name in ('event-list-find', 'misaligned-record'):
        yield name, open('%s/%s.data' % (CRASH, name), 'rb').read()
    for name, kinds in KINDS.items():
        ips = (0xffffffffffffff80, 0xffffffff81000010, 0xfffffffffffffe00, 0x401100, 0x401200)
        deferred = (0xfffffffffffffd80, 77) if name == 'chain' else ()
        data = all_records(kinds)
        for i in range(4):
            data += rich_sample(10, 21 + i, 0x401100 + 16 * i, kinds, ips + deferred, bytes(64), (0x401100, 0x7000))
        data += record(68)
        a = attr(kinds, FLAGS, read_format=31 if name == 'read' else 0, branch=8, regs_user=0x180,
                 stack_user=64, regs_intr=0x180, type=2 if name == 'all' else 1, config=77)
        fs = features()
        if name == 'all':
            fs[1] = tracing_data(tracepoint_format('ev', 77, [('__data_loc char[] what', 8, 4)],
                                                   '"what=%s", __get_str(what)'))
        yield 'made-' + name, perf_file([a], data, fs, ids=[[5]])
    # Times off the CPU come from the switches and the next sample of a thread
    a = attr(KINDS['chain'], FLAGS, type=2, config=77)
    fs = features()
    fs[12] = ii(1, 128) + a + ii(1) + feature_string('offcpu-time') + q(5)
    data = all_records(KINDS['chain'])
    for i in range(4):
        data += rich_sample(10, 21 + 4 * i, 0x401100, KINDS['chain'], (0xfffffffffffffe00, 0x401100 + 16 * i))
        data += record(14, sid(KINDS['chain'], 23 + 4 * i), i % 2 << 13)
    yield 'made-offcpu', perf_file([a], data, fs, ids=[[5]])
    # Mappings in each other, more than are looked through one by one
    data = b''
    for i in range(70):
        start, size = 0x400000 + 0x1000 * (i * 37 % 64), 0x1000 * (1 + i * 11 % 40)
        data += record(1, ii(10, 11) + q(start, size, 0) + string('/g/m%d' % i) + sid(KINDS['chain'], 1 + i))
        if i % 5 == 0:
            data += rich_sample(10, 1 + i // 2, start + 16, KINDS['chain'], (0xfffffffffffffe00, start + 16, 0x401100))
    yield 'made-maps', perf_file([attr(KINDS['chain'], FLAGS)], data, ids=[[5]])


def pipes():
    yield 'golden', cut(open('%s/pipe.defer.data' % GOLDEN, 'rb').read(), 7000)
    yield 'late', open(CRASH + '/late-event.data', 'rb').read()
    for name, kinds in KINDS.items():
        a = attr(kinds, FLAGS, read_format=31 if name == 'read' else 0, branch=8, regs_user=0x180,
                 stack_user=64, regs_intr=0x180)
        body = record(64, a + q(5)) + all_records(kinds)
        for nr, section in features().items():
            body += record(80, q(nr) + section)
        for i in range(3):
            body += rich_sample(10, 21 + i, 0x401100, kinds, (0xfffffffffffffe00, 0x401100), bytes(64), (1, 2))
            body += record(68)
        t = tracing_data()
        body += record(66, ii(len(t))) + t + b'\0' * (-len(t) % 8)
        yield 'made-' + name, b'PERFILE2' + q(16) + body


def programs():
    source = os.path.join(OUT, 'p.c')
    with open(source, 'w') as f:
        f.write('static inline int in(int a) { return a * 3; }\n'
                'int __attribute__((noinline)) f(int a) { volatile int b = in(a); return b + 1; }\n'
                'void _start(void) { f(2); for (;;) ; }\n')
    out = os.path.join(OUT, 'p')
    for name, args in (('plain', ['-O2']), ('debug', ['-O2', '-g']), ('dwarf4', ['-O2', '-gdwarf-4']),
                       ('compressed', ['-O2', '-g', '-Wl,--compress-debug-sections=zlib']),
                       ('frame', ['-O0', '-g', '-fno-asynchronous-unwind-tables']), ('shared', ['-O1', '-shared', '-fPIC'])):
        subprocess.run(['gcc', '-nostdlib', '-static', '-w', '-Wl,-z,noseparate-code', '-Wl,--build-id=none', *args,
                        '-o', out, source], check=True)
        yield name, open(out, 'rb').read()
    # Symbols as compilers of other languages name them, old and new, sound and not
    def rust(*parts):
        return '_ZN' + ''.join('%d%s' % (len(p), p) for p in parts) + '17h0123456789abcdefE'
    names = ('_ZN3foo3barILi3EEEvv', '_ZNSt6vectorIiSaIiEE9push_backERKi', rust('core', 'fmt', 'write'),
             rust('_$LT$impl$u20$Foo$GT$..x', 'bar'), rust('_$SP$$BP$$RF$$LP$$RP$$C$$u7e$$ue9$$u2026$$u1f600$', 'm'),
             rust('$u4$$u$$bad$a..b', '$', '.', '$ud800$', '$u1234567$'), '_RNvC6_123foo3bar', '_RNvMs_NtCs1_5crate3modNtB4_4Type6method',
             '_RINvNtC3std3mem8align_ofdE', '_RNCNvC1a1b0B3_', '_ZN3foo', '_RNvC', '_D3std5stdio7writelnFZv')
    with open(source, 'w') as f:
        f.write(''.join('__attribute__((used)) int f%d(int a) __asm__("%s");\nint f%d(int a) { return a + %d; }\n' %
                        (i, name, i, i) for i, name in enumerate(names)) + 'void _start(void) { for (;;) ; }\n')
    subprocess.run(['gcc', '-nostdlib', '-static', '-w', '-O1', '-Wl,-z,noseparate-code', '-o', out, source], check=True)
    yield 'mangled', open(out, 'rb').read()
    # Of a machine whose odd addresses are a kind of code
    data = bytearray(open(out, 'rb').read())
    struct.pack_into('<H', data, 18, 40)
    yield 'arm', bytes(data)
    # Rules that are expressions of DWARF: the CFA, a register's place, a register's value
    with open(source, 'w') as f:
        f.write('void _start(void) { __asm__ volatile("push %rbp\\n mov %rsp,%rbp\\n"\n'
                '".cfi_escape 0x0f,0x06,0x77,0x10,0x23,0x08,0x1c,0x38\\n nop\\n"\n'
                '".cfi_escape 0x10,0x06,0x02,0x76,0x00\\n nop\\n .cfi_escape 0x16,0x03,0x03,0x77,0x08,0x06\\n nop\\n"\n'
                '".cfi_escape 0x0f,0x0b,0x77,0x08,0x80,0x00,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22\\n nop"); for (;;) ; }\n')
    subprocess.run(['gcc', '-nostdlib', '-static', '-w', '-O1', '-fno-omit-frame-pointer', '-Wl,-z,noseparate-code',
                    '-o', out, source], check=True)
    yield 'expressions', open(out, 'rb').read()
    for name in ('deepsys', 'sleepers'):
        yield name, open('%s/symfs/g/%s' % (GOLDEN, name), 'rb').read()
    for name in ('sframe-2', 'sframe-3'):
        yield name, open('%s/elf/%s.so' % (LIB, name), 'rb').read()
    os.remove(source)
    os.remove(out)


# Expressions of DWARF that all give rbp + 16: the CFA in the functions of g/deepsys, which have frame pointers
RBP_16 = bytes([0x76, 16])
EXPRESSIONS = {
    'breg': RBP_16,
    'bregx': bytes([0x92, 6, 16, 0x96]),
    # const1u 8, dup, drop, lit1, mul, plus
    'arith': bytes([0x76, 8, 8, 8, 0x12, 0x13, 0x31, 0x1e, 0x22]),
    # binary operations one after another: shl, shr, shra, and, or, xor, div, mod, minus, each with lit2
    'binary': bytes([8, 100, *(b for op in (0x24, 0x25, 0x26, 0x1a, 0x21, 0x27, 0x1b, 0x1d, 0x1c) for b in (0x32, op)), 0x13]) + RBP_16,
    # over, pick 1, swap, neg, abs, not, plus_uconst 2
    'stack': RBP_16 + bytes([0x33, 0x34, 0x14, 0x15, 1, 0x16, 0x1f, 0x19, 0x20, 0x23, 2, 0x13, 0x13, 0x13, 0x13]),
    # eq to ne, each dropped; bra over a lit0; skip over a lit0
    'jump': RBP_16 + bytes([b for op in range(0x29, 0x2f) for b in (0x31, 0x32, op, 0x13)]) +
            bytes([0x31, 0x28, 1, 0, 0x30, 0x2f, 1, 0, 0x30]),
    # addr, const of each size and sign, constu, consts
    'const': bytes([3, *range(8), 0x13, 9, 255, 0x13, 10, 1, 2, 0x13, 11, 1, 2, 0x13, 12, 1, 2, 3, 4, 0x13, 13, 1, 2, 3, 4, 0x13,
                    14, *range(8), 0x13, 15, *range(8), 0x13, 16, 0x81, 1, 0x13, 17, 0x7f, 0x13]) + RBP_16,
    # the saved rbp by deref and by deref_size 8 and 1
    'deref': bytes([0x76, 0, 6, 0x13, 0x76, 0, 0x94, 8, 0x13, 0x76, 0, 0x94, 1, 0x13]) + RBP_16,
}


def escape(*data):
    return '.cfi_escape %s\n' % ', '.join(map(str, data))


INLINES = r'''
namespace n {
struct S {
    int v;
    template <int N> inline __attribute__((always_inline)) int m(int a)
    { volatile int x = a; x += N; x *= v; x -= a; x ^= N; return x; }
};
static inline __attribute__((always_inline)) int deep(S &s, int a)
{ int k = s.m<3>(a); { if (k > 4) { volatile int z = k; z *= 2; return s.m<1>(z); } } return k; }
__attribute__((noinline)) int caller(int a)
{ S s = { a }; if (__builtin_expect(a == 77, 0)) { deep(s, a * 2); __builtin_trap(); } return deep(s, a) + deep(s, a + 1); }
}
extern "C" void _start() { n::caller(2); for (;;) ; }
'''


def built(source, text, *args, compiler='gcc'):
    """The file that a compiler makes of the text."""
    out = os.path.join(OUT, 'p')
    with open(source, 'w') as f:
        f.write(text)
    done = subprocess.run([compiler, '-nostdlib', '-static', '-w', '-fno-pic', '-Wl,-z,noseparate-code', *args, '-o', out, source],
                          stderr=subprocess.PIPE, text=True)
    # Of an .eh_frame with what is seldom the linker says so: that is meant.
    if done.returncode or '.eh_frame_hdr' not in done.stderr:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    data = open(out, 'rb').read()
    os.remove(source)
    os.remove(out)
    return data


def inlined():
    """Functions inlined into each other, of several names and places, as compilers describe them."""
    source = os.path.join(OUT, 'p.cc')
    for name, compiler, args in (
            ('dwarf5', 'g++', ['-g']), ('dwarf4', 'g++', ['-gdwarf-4', '-gstrict-dwarf']), ('clang', 'clang++', ['-g']),
            ('lto', 'g++', ['-g', '-flto']), ('split', 'g++', ['-g', '-gsplit-dwarf', '-dumpdir', OUT + '/']),
            ('types', 'g++', ['-g', '-fdebug-types-section']), ('32', 'g++', ['-g', '-m32']),
            ('zdebug', 'g++', ['-g', '-Wl,--compress-debug-sections=zlib-gnu'])):
        yield 'inlined-' + name, built(source, INLINES, '-O2', '-Wl,--build-id=none', *args, compiler=compiler)
    for left in os.listdir(OUT):
        if left.endswith('.dwo'):
            os.remove(os.path.join(OUT, left))


def mini():
    """A program without symbols whose local ones are packed in a section, without a sum that each change would break."""
    source, a, section = (os.path.join(OUT, n) for n in ('p.cc', 'a', 'section'))
    data = built(source, INLINES, '-O2', '-Wl,--build-id=none', compiler='g++')
    with open(a, 'wb') as f:
        f.write(data)
    subprocess.run(['strip', a], check=True)
    with open(section, 'wb') as f:
        f.write(lzma.compress(data, check=lzma.CHECK_NONE))
    subprocess.run(['objcopy', '--add-section', '.gnu_debugdata=' + section, a], check=True)
    with open(a, 'rb') as f:
        data = f.read()
    for name in (a, section):
        os.remove(name)
    return data


def pairs():
    """A program and the file with its debug information, or with what several programs have in common: the length
    of the first stands in front."""
    source, a, b, second = (os.path.join(OUT, n) for n in ('p.cc', 'a', 'b', 'second'))
    data = built(source, INLINES, '-O2', '-g', '-Wl,--build-id', compiler='g++')
    for name in (a, b):
        open(name, 'wb').write(data)
    subprocess.run(['dwz', '-m', second, '-M', 'second', a, b], check=True)
    yield 'alt', open(a, 'rb').read(), open(second, 'rb').read()
    open(a, 'wb').write(data)
    subprocess.run(['objcopy', '--only-keep-debug', a, second], check=True)
    subprocess.run(['strip', a], check=True)
    subprocess.run(['objcopy', '--add-gnu-debuglink=' + second, a], check=True)
    yield 'link', open(a, 'rb').read(), open(second, 'rb').read()
    # Without a build-id the sum of the file decides.
    for what in (['objcopy', '--remove-section=.note.gnu.build-id', a], ['objcopy', '--remove-section=.note.gnu.build-id', second],
                 ['objcopy', '--remove-section=.gnu_debuglink', a], ['objcopy', '--add-gnu-debuglink=' + second, a]):
        subprocess.run(what, check=True)
    yield 'sum', open(a, 'rb').read(), open(second, 'rb').read()
    for name in (a, b, second):
        os.remove(name)


def eh_frame(encoding, address, version=1, augmentation=None, wide=False, zero=0, head=b''):
    """A CIE and a FDE by hand, the addresses by one encoding (DWARF 5, 6.4.1; LSB, 10.6)."""
    def entry(body):
        body += bytes(-(len(body) + 4) % 8)
        return (b'\xff' * 4 + q(len(body)) if wide else ii(len(body))) + body
    text = augmentation if augmentation is not None else b'zR'
    cie = entry((q if wide else ii)(zero) + bytes([version]) + text + b'\0' + head + bytes([1, 0x78, 16]) +
                (bytes([1, encoding]) if text == b'zR' else b'') + bytes([12, 7, 8, 0x90, 1]))
    to = 0 if zero else len(cie) + (12 if wide else 4)
    return cie + entry((q if wide else ii)(to) + address + (b'\0' if text[:1] == b'z' else b'') + bytes([0x44, 14, 16, 0x86, 2]))


def unwound():
    """Unwind information of forms that compilers seldom make."""
    source = os.path.join(OUT, 'p.s')
    rules = {
        # offset_extended_sf, val_offset, val_offset_sf, def_cfa_sf, def_cfa_offset_sf, same, undefined, restore, args_size
        'signed': escape(0x11, 6, 0x7e) + 'nop\n' + escape(0x14, 7, 1) + escape(0x15, 7, 0x7f) + 'nop\n' + escape(0x12, 7, 0x7e) +
                  escape(0x13, 0x7d) + 'nop\n' + escape(0x06, 6) + escape(0x08, 6) + 'nop\n' + escape(0x07, 16) + escape(0x2e, 8),
        'register': escape(0x09, 6, 3) + 'nop\n' + escape(0x09, 16, 2) + 'nop\n' + escape(0x09, 7, 6),
        'states': '.cfi_remember_state\nnop\n.cfi_adjust_cfa_offset 8\nnop\n.cfi_restore_state\nnop\n' + escape(0x0b),
        'steps': escape(2, 1) + escape(14, 16) + escape(3, 2, 0) + escape(14, 24) + escape(4, 1, 0, 0, 0) + escape(14, 32) +
                 escape(0x1d, 1, 0, 0, 0, 0, 0, 0, 0) + escape(14, 40),
        'fp': '.cfi_def_cfa 6, 16\nnop\n.cfi_offset 6, -16\nnop\n.cfi_offset 16, -24\nnop\n.cfi_def_cfa 10, 0\nnop\n' +
              escape(0x10, 6, 2, 0x76, 0) + escape(0xf, 3, 0x76, 0x78, 6),
        # The frame of a signal: rsp + 160 holds the interrupted rsp
        'signal': '.cfi_signal_frame\n' + escape(0xf, 4, 0x77, 0xa0, 1, 6) + escape(0x10, 6, 3, 0x77, 0xf8, 0) +
                  escape(0x10, 7, 3, 0x77, 0xa0, 1) + escape(0x10, 16, 3, 0x77, 0xa8, 1),
        'far': '.cfi_signal_frame\n' + escape(0xf, 7, 0x77, 0xa0, 0x80, 0x80, 0x80, 1, 6) +
               escape(0x10, 6, 6, 0x77, 0xf8, 0xff, 0xff, 0xff, 0) + escape(0x10, 16, 6, 0x77, 0xa8, 0x80, 0x80, 0x80, 1),
        'lsda': '.cfi_personality 0x1b, _start\n.cfi_lsda 0x1b, _start\n',
        'huge': escape(14, 0xff, 0xff, 0xff, 0xff, 7) + 'nop\n' + escape(0xc, 0x80, 1, 8) + 'nop\n' + escape(12, 6, 0xff, 0xff, 3),
    }
    # rsp + 8 and a constant of each form
    for op, *data in ((9, 8), (0xa, 8, 0), (0xb, 0xf8, 0xff), (0xc, 8, 0, 0, 0), (0xd, 0xf8, 0xff, 0xff, 0xff), (0xe, 8, *bytes(7)),
                      (0xf, 8, *bytes(7)), (0x10, 8), (0x11, 0x78), (0x08, 8), (0x31,)):
        e = [0x77, 8, op, *data, 0x22]
        rules['const-%x' % op] = escape(0xf, len(e), *e) + 'nop\n' + escape(0x16, 7, len(e), *e)
    rules['minus'] = escape(0xf, 6, 0x77, 16, 8, 8, 0x1c, 6) + 'nop\n' + escape(0xf, 5, 8, 8, 0x77, 8, 0x22) + 'nop\n' + \
        escape(0xf, 5, 0x77, 8, 0x77, 8, 0x1c) + 'nop\n' + escape(0xf, 3, 0x92, 7, 8) + 'nop\n' + escape(0xf, 3, 0x92, 40, 8)
    for name, text in rules.items():
        for where in ('.eh_frame', '.debug_frame'):
            yield name + where, built(source, '.cfi_sections %s\n.globl _start\n_start:\n.cfi_startproc\nnop\n%s.fill 16,1,0x90\n.cfi_endproc\n' %
                                      (where, text), '-Wl,--build-id=none')

    yield 'zdebug', built(os.path.join(OUT, 'p.c'), 'int f(int a) { volatile int b[90]; b[a] = a; return b[1]; }\n'
                          'void _start(void) { f(2); }\n', '-g', '-fno-asynchronous-unwind-tables', '-Wl,--build-id=none',
                          '-Wl,--compress-debug-sections=zlib-gnu')
    # With a table to find functions by, and a build-id
    for name, args in (('header', []), ('pie', ['-static-pie', '-fPIE'])):
        yield name, built(os.path.join(OUT, 'p.cc'), INLINES, '-O2', '-Wl,--eh-frame-hdr', '-Wl,--build-id', '-Wl,-z,separate-code', *args,
                          compiler='g++')

    def section(name, data):
        return built(source, '.globl _start\n_start: .fill 64,1,0x90\n.section %s,"%s"\n.byte %s\n' %
                     (name, 'a' if name == '.eh_frame' else '', ','.join(map(str, data))), '-Wl,--build-id=none', '-Wl,--no-eh-frame-hdr')
    at = 0x400000
    forms = {
        0: q(at, 0x1000), 1: b'\x80\x80\x80\x02\x80\x10', 9: b'\x80\x80\x80\x02\x80\x10', 2: struct.pack('<HH', 0, 0x1000),
        0xa: struct.pack('<HH', 0, 0x1000), 3: ii(at, 0x1000), 0xb: ii(at, 0x1000), 4: q(at, 0x1000), 0xc: q(at, 0x1000),
        0x50: bytes(8) + q(at, 0x1000), 0x1a: struct.pack('<hH', -64, 0x1000), 0x33: ii(at, 0x1000), 0x43: ii(at, 0x1000),
        0x9b: ii(at, 0x1000), 0xff: b'', 7: b'',
    }
    for encoding, address in forms.items():
        yield 'encoding-%x' % encoding, section('.eh_frame', eh_frame(encoding, address) + bytes(4))
    yield 'augmented', section('.eh_frame', eh_frame(0, q(at, 0x1000), augmentation=b'zPLRSB', head=b'') + bytes(4))
    yield 'eh', section('.eh_frame', eh_frame(0, q(at, 0x1000), augmentation=b'eh', head=bytes(8)) + bytes(4))
    yield 'wide', section('.eh_frame', eh_frame(0, q(at, 0x1000), wide=True) + bytes(4))
    for wide in (False, True):
        zero = -1 if wide else 0xffffffff
        for version in (1, 3, 4):
            yield 'debug-%d-%d' % (version, wide), section('.debug_frame', eh_frame(
                0, q(at, 0x1000), version, b'', wide, zero & (2 ** 64 - 1), bytes([8, 0]) if version == 4 else b''))


def walked():
    """Files in place of g/deepsys: the rules of its code are expressions. A build-id would be another than the recording's"""
    source, out = os.path.join(OUT, 'p.s'), os.path.join(OUT, 'p')
    saved = escape(0x10, 6, 2, 0x76, 0) + escape(0x10, 16, 2, 0x76, 8)
    rules = {name: escape(0xf, len(e), *e) + saved for name, e in EXPRESSIONS.items()}
    # The caller's registers as values, and at places that count from the CFA
    rules['value'] = escape(0xf, 2, *RBP_16) + escape(0x16, 7, 2, *RBP_16) + escape(0x10, 6, 3, 9, 0xf0, 0x22) + \
        escape(0x10, 16, 3, 9, 0xf8, 0x22)
    for name, text in rules.items():
        with open(source, 'w') as f:
            f.write('.globl _start\n_start:\n.cfi_startproc\n%s.fill 0x20f, 1, 0x90\n.cfi_endproc\n' % text)
        subprocess.run(['gcc', '-nostdlib', '-static', '-s', '-Wl,-z,separate-code', '-Wl,--build-id=none', '-o', out, source], check=True)
        yield 'expr-' + name, open(out, 'rb').read()
    os.remove(source)
    # Lines of a source file that is there
    source = os.path.join(OUT, 'p.c')
    with open(source, 'w') as f:
        f.write('# 1 "/etc/os-release"\nvoid _start(void) {\n' + '__asm__ volatile(".fill 60,1,0x90");\n' * 10 +
                'for (;;) ; }\n')
    subprocess.run(['gcc', '-nostdlib', '-static', '-O1', '-g', '-Wl,-z,separate-code', '-Wl,--build-id=none',
                    '-o', out, source], check=True)
    yield 'source', open(out, 'rb').read()
    os.remove(source)
    os.remove(out)


def kallsyms():
    lines = open(GOLDEN + '/kallsyms').read().splitlines(True)
    text = ''.join(lines[:40]) + 'ffffffffc0000000 t init\t[mod]\nffffffffc0000010 D data\t[mod]\nbad\n'
    return text.encode()


for name, data in recordings():
    for target, nr in VARIANTS.items():
        if target == 'pipe' or (target == 'zstd' and name == 'zstd'):
            continue
        for v in range(nr):
            put(target, name, v, data)
for name, data in pipes():
    for v in range(VARIANTS['pipe']):
        put('pipe', name, v, data)
    for v in range(3):
        put('zstd', 'pipe-' + name, 3 + 4 * v, data)
    put('header', 'pipe-' + name, 2, data)
swapped = os.path.join(OUT, 'swapped')
for name, data in (*[(n, open('%s/%s.defer.data' % (GOLDEN, n), 'rb').read()) for n in ('extras', 'multi', 'pipe', 'threads')],
                   *[r for r in recordings() if r[0].startswith('made-')], *[('pipe-' + n, d) for n, d in pipes() if n != 'late']):
    open(swapped + '.in', 'wb').write(data)
    subprocess.run([LIB + '/swap-perfdata', swapped + '.in', swapped], check=True)
    data = open(swapped, 'rb').read()
    os.remove(swapped + '.in')
    os.remove(swapped)
    for target in ('pipe',) if name.startswith('pipe') else ('read', 'script', 'report', 'dump', 'inject', 'header'):
        put(target, 'swapped-' + name, 1, data)
for name, data in programs():
    put('unwind', name, 1, data)
    put('walk', name, 0, data)
    for v in (0, 1):
        put('elf', name, v, data)
        put('code', name, v, data)
    if name == 'plain':
        put('elf', 'gz', 2, zlib.compress(data, wbits=31))
        put('elf', 'xz', 3, lzma.compress(data))
        put('kallsyms', 'vmlinux', 2, data)
for name, data in inlined():
    for v in (0, 1, 64):
        put('elf', name, v, data)
    put('code', name, 0, data)
def leb(*v):
    out = b''
    for x in v:
        while x >= 128:
            out += bytes([x & 127 | 128])
            x >>= 7
        out += bytes([x])
    return out


# Strings; a file with a segment, symbols within each other, lines and inlined functions
names = (leb(5) + b'/bin/x\0_ZN3BoxIiE4spinEl\0/src/x.cc\0step\0\0' + leb(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0x10000, 0x1000, 0x10000, 1) +
         leb(3, 0x2000, 0x80, 1, 1, 0x10, 0x20, 0, 3, 0x40, 8, 0x10, 4) + leb(2, 0x2000, 3, 7, 0, 0x10, 3, 9, 2, 3, 3, 10, 1, 0))
for v in range(5):
    put('names', 'made', v, names)
packed = mini()
for v in (0, 1, 64):
    put('elf', 'mini', v, packed)
for name, first, second in pairs():
    put('elf', name, 5, struct.pack('<H', len(first)) + first + second)
for name, data in unwound():
    put('unwind', name, 1, data)
    put('walk', name, 0, data)
arm64 = open(os.path.join(HERE, '../golden/arm64/calls'), 'rb').read()
put('unwind', 'arm64', 1, arm64)
put('walk', 'arm64', 1, arm64)
arm64 = open(os.path.join(HERE, '../golden/arm64/calls.data'), 'rb').read()
for target in ('read', 'inject'):
    put(target, 'arm64', 1, cut(arm64))
for name, data in walked():
    put('walk', name, 0, data)
    put('code', name, 0, data)
    put('unwind', name, 1, data)
for v in range(3):
    put('kallsyms', 'golden', v, kallsyms())
put('jitmap', 'golden', 0, b'1000 10 a\n1010 10 b c\n0x1000 5 x\nffffffffffffffff 1 z\nbad line\n12 q r\n')
for v, e in enumerate('<>'):
    def jit(id, body):
        return struct.pack(e + 'IIQ', id, 16 + len(body), 1) + body

    def load(addr, size, name, code=True):
        return jit(0, struct.pack(e + 'IIQQQQ', 10, 10, addr, addr, size, 1) + name + b'\0' + b'\x90' * (size if code else 0))

    def lines(addr, *entries):
        return jit(2, struct.pack(e + 'QQ', addr, len(entries)) + b''.join(
            struct.pack(e + 'QII', at, line, 1) + name + b'\0' for at, line, name in entries))
    frames = bytes([1, 0x1b, 3, 0x3b]) + bytes(16) + struct.pack(e + 'II', 20, 0) + bytes(16)
    for target in ('jitdump', 'jitcode'):
        put(target, 'lines', v, struct.pack(e + 'IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, 10, 1, 0) +
            lines(0x10000, (0x10040, 1, b'a.js'), (0x10050, 2, b'\xff'), (0x10048, 3, b'/d/b.js')) +
            load(0x10000, 0x100, b'one') + lines(0x10080, (0x100c0, 4, b'c.js')) + load(0x10080, 0x40, b'two') +
            lines(0x10200, (0x10240, 5, b'c.js')) + load(0x10201, 8, b'x') +
            jit(4, struct.pack(e + 'QQQ', len(frames), 20, 0) + frames) + lines(0x10300, (0x10340, 6, b'd.js')) +
            load(0x10300, 0x40, b'moved') +
            jit(1, struct.pack(e + 'IIQQQQQ', 10, 10, 0x10400, 0x10300, 0x10400, 0x40, 1)))
    put('jitdump', 'made', v, struct.pack(e + 'IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, 10, 1, 0) + jit(4, bytes(40)) +
        load(0x10000, 0x100, b'old') + load(0x10080, 0x40, b'within') + jit(2, bytes(64)) + load(0x10200, 0x40, b'_ZN3jit5thirdEv') +
        jit(1, struct.pack(e + 'IIQQQQQ', 10, 10, 0x10400, 0x10200, 0x10400, 0x40, 1)) + load(0x10500, 0x40, b'none', False) +
        jit(99, b'12345678') + jit(3, bytes(16)) + load(0x10900, 0x40, b'cut')[:50])
# A table of two pages and three rules (linux/unwind_table.h)
HEAD = struct.calcsize('<IHHQQIIIHBB24x')
rules = struct.pack('<BBBBiii', 0, 0, 0, 0, 0, 0, 0) + struct.pack('<BBBBiii', 2, 7, 0, 0, 8, 0, 0) + \
    struct.pack('<BBBBiii', 2, 6, 1, 0, 16, -16, 0)
put('table', 'made', 0, struct.pack('<IHHQQIIIHBB24x', 0x62547755, 1, 62, HEAD + len(rules) + 12 + 16, 0x1000, 2, 4, 3,
                                    HEAD, 12, 0) + rules + ii(0, 2, 4) + struct.pack('<8H', 0, 0, 16, 1, 0, 2, 32, 1))
put('table', 'arm64', 0, struct.pack('<IHHQQIIIHBB24x', 0x62547755, 1, 183, HEAD + len(rules) + 12 + 16, 0x1000, 2, 4, 3,
                                     HEAD, 12, 0) +
    struct.pack('<BBBBiii', 0, 0, 0, 0, 0, 0, 0) + struct.pack('<BBBBiii', 2, 31, 0, 1, 0, 0, 30) +
    struct.pack('<BBBBiii', 2, 29, 1, 0, 32, -32, -24) + ii(0, 2, 4) + struct.pack('<8H', 0, 0, 16, 1, 0, 2, 32, 1))
FORMATS = (
    '"what=%s", __get_str(what)', '"%pS %d", (void *)REC->addr, REC->addr', '"%s", __print_symbolic(REC->addr, { 1, "a" }, { 2, "b" })',
    '"%s", __print_flags(REC->addr, "|", { 1, "a" })', '"%s", __print_hex(__get_dynamic_array(what), 3)',
    '"%s", __print_hex_str(__get_dynamic_array(what), __get_dynamic_array_len(what) / 2)',
    '"%s", __print_array(__get_dynamic_array(what), REC->addr & 7, 2)', '"%d", REC->arr[REC->addr % 3] * 2',
    '"%s", __get_bitmask(what)', '"%*ph", 3, __get_dynamic_array(what)', '"%.*s", REC->addr, __get_str(what)',
    '"%d", REC->addr ? REC->arr[1] / (u8)REC->addr : !REC->addr', '"%pI4 %pM %pU", REC->arr, REC->arr, __get_dynamic_array(what)',
    '"%08llx %-5s|%c", REC->addr, __get_str(what), REC->arr[0]')
for i, print_fmt in enumerate(FORMATS):
    fmt = tracepoint_format('ev', 77, [('__data_loc char[] what', 8, 4), ('u64 addr', 16, 8), ('u16 arr[4]', 24, 8)], print_fmt)
    symbols = b'1000 t here\nffffffff81000000 T there\t[mod]\nbad\n12 t\n'
    strings = b'0x1000 : "text"\n0x2000 : "a\\n"\nbad\n'
    tail = ii(len(symbols)) + symbols + ii(len(strings)) + strings
    for v in range(7) if i < 4 else (0,):
        put('tracing', 'made-%d' % i, v, bytes([38]) + struct.pack('<HBBiI', 77, 0, 0, 11, 32 | 6 << 16) + bytes(4) + q(1) +
            struct.pack('<4H', 1, 2, 3, 4) + b'honest' + tracing_data(fmt)[:-8] + tail)
print('seeds: %d files' % sum(len(f) for _, _, f in os.walk(OUT)))
