#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""ELF files as linkers and distributions make them: with holes, with sections compressed by zlib and zstd, stripped.
Each must be read as the same file without that. TAP."""
import ctypes
import sys
import zlib
sys.path.insert(0, sys.path[0] + '/../../lib')
from programs import *  # noqa: E402

put('deep.c', '''
volatile unsigned long sink;
static inline __attribute__((always_inline)) void inner(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void leaf_c(unsigned long n) { inner(n); }
__attribute__((noinline)) void mid_b(unsigned long n) { leaf_c(n); sink++; }
__attribute__((noinline)) void top_a(unsigned long n) { mid_b(n); sink++; }
int main() { top_a(60000000); return 0; }
''')


def is_sparse(file):
    st = os.stat(file)
    return st.st_blocks * 512 * 64 < st.st_size


def lines_of(file, data):
    """What script and annotate say of a recording, and whether there is an unwind table."""
    script = perf('script', '-F', 'ip,sym,srcline', '-i', data)
    annotate = perf('annotate', '--stdio', '-i', data, 'leaf_c')
    unwind = perf('unwind', file)
    return script, annotate, unwind[0]


# Segments aligned to huge pages
CHAIN = ['leaf_c', 'mid_b', 'top_a', 'main', '__libc_start_call_main']
sh('gcc -O2 -g -fomit-frame-pointer -Wl,-z,max-page-size=0x200000 -o deep deep.c')
if is_sparse(path('deep')):
    addr = nm(path('deep'))
    data = of_program('deep.data', path('deep'), [addr['leaf_c'] + 16, addr['mid_b'] + 4])
    recorded = not perf('record', '-q', '-N', '-F', '500', '-e', 'cpu-clock:u', '--call-graph', 'dwarf,4096', '-o',
                        'dwarf.data', path('deep'))[0]
    chains = perf('script', '--no-inline', '-F', 'ip,sym', '-i', 'dwarf.data')
    holes = lines_of(path('deep'), data)
    sh('cat deep > full; chmod +x full; mv full deep')
    full = lines_of(path('deep'), data)
    ok('deep.c:3 (inlined)' in holes[0][1] and holes[0] == full[0], 'holes: symbols, lines and inlined functions', holes[0], full[0])
    ok('mov' in holes[1][1] and holes[1] == full[1], 'holes: annotate', holes[1], full[1])
    ok(holes[2] == 0 == full[2], 'holes: perf unwind', holes[2], full[2])
    if recorded:
        leaf = [c for c in (names_in(b) for b in chains[1].split('\n\n')) if c[:1] == ['leaf_c']]
        ok(len(leaf) > 5 and all(c[:5] == CHAIN for c in leaf), 'holes: chains by DWARF', chains)
    else:
        skip('holes: chains by DWARF', 'perf record is not allowed here')
else:
    skip('a program aligned to huge pages', 'no holes on this file system')


def headers(elf):
    """[name, offset of the section's header, its fields] of a file of 64 bits"""
    shoff, = struct.unpack_from('<Q', elf, 40)
    num, strings = struct.unpack_from('<HH', elf, 60)
    found = [(shoff + 64 * i, list(struct.unpack_from('<IIQQQQIIQQ', elf, shoff + 64 * i))) for i in range(num)]
    names = found[strings][1][4]
    return [(elf[names + h[0]:elf.index(b'\0', names + h[0])].decode(), at, h) for at, h in found]


def section_of(elf, name):
    return next((at, h) for n, at, h in headers(elf) if n == name)


# Sections, tables of sections and notes of terabytes, of which nothing is stored
sh('gcc -O2 -g -o small deep.c')
addr = nm(path('small'))
HUGE = 1 << 40
plain = open(path('small'), 'rb').read()
for what in ('.symtab', '.strtab', '.debug_info', '.debug_line', '.eh_frame', '.note.gnu.build-id', '.dynsym', '.text', 'headers'):
    elf = bytearray(plain)
    end = len(elf) + 4095 & ~4095
    if what == 'headers':
        elf[end - 4096:] = elf[end - 4096:].ljust(4096, b'\0') + struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, HUGE // 64, 0, 0, 0, 0)
        struct.pack_into('<Q', elf, 40, end)
        struct.pack_into('<HH', elf, 60, 0, 0)
    else:
        at, h = section_of(elf, what)
        struct.pack_into('<QQ', elf, at + 24, end, HUGE)
    put('hostile', bytes(elf))
    try:
        os.truncate(path('hostile'), end + HUGE)
    except OSError:
        skip('a hole of a terabyte: ' + what, 'the file system has no such files')
        continue
    data = of_program('hostile.data', path('small'), [addr['leaf_c'] + 16], path('hostile')) if what != 'headers' else \
        recording('hostile.data', mmap(path('hostile'), BASE, 0x10000, 0), sample(BASE + 0x1004))
    took = ''
    for cmd in ('script', '-F', 'ip,sym,srcline'), ('annotate', '--stdio'), ('report', '--stdio'), ('unwind', path('hostile')):
        try:
            status, out, err = perf(*cmd, *([] if cmd[0] == 'unwind' else ['-i', data]), timeout=20)
            if status not in (0, 1):
                took += '%s: %d %s' % (cmd[0], status, err)
        except subprocess.TimeoutExpired:
            took += cmd[0] + ' does not end; '
    ok(not took, 'a hole of a terabyte: ' + what, took)
    os.remove(path('hostile'))


# Compressed sections
try:
    zstd = ctypes.CDLL('libzstd.so.1')
    zstd.ZSTD_compress.restype = zstd.ZSTD_compressBound.restype = ctypes.c_size_t
except OSError:
    zstd = None


def packed(kind, data):
    if kind == 1:
        return zlib.compress(data)
    size = zstd.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    to = ctypes.create_string_buffer(size)
    size = zstd.ZSTD_compress(to, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)), 3)
    return to.raw[:size]


def compress(file, kind, *names):
    """Compress sections of a file of 64 bits, wherever nothing is mapped."""
    elf = bytearray(open(file, 'rb').read())
    for name, at, h in headers(elf):
        if name in names or (name.startswith('.debug_') and '.debug_*' in names):
            elf += bytes(-len(elf) % 8)
            new = struct.pack('<IIQQ', kind, 0, h[5], h[8]) + packed(kind, bytes(elf[h[4]:h[4] + h[5]]))
            struct.pack_into('<QQQ', elf, at + 8, h[2] | 0x800, h[3], len(elf))
            struct.pack_into('<Q', elf, at + 32, len(new))
            struct.pack_into('<Q', elf, at + 48, 8)
            elf += new
    put(file, bytes(elf))


# A function whose unwinding only .debug_frame describes
put('frame.s', '''
	.cfi_sections .debug_frame
	.globl framed
	.type framed, @function
framed:	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	call leaf_c
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size framed, .-framed
	.section .note.GNU-stack, "", @progbits
''')
sh('gcc -O2 -g -o base deep.c frame.s')
addr = nm(path('base'))
sh('cp base file')
data = of_program('file.data', path('file'), [addr['leaf_c'] + 16, addr['mid_b'] + 4, addr['framed'] + 1])
plain = lines_of(path('file'), data) + (perf('unwind', '--check', path('file')),)
ok('inlined' in plain[0][1] and 'framed' in plain[0][1] and plain[3][0] == 0, 'sections that are not compressed', plain)
DEBUG = ['.debug_*'], ['.symtab'], ['.strtab'], ['.symtab', '.strtab', '.debug_*']
for kind, name in (1, 'zlib'), (2, 'zstd'):
    if kind == 2 and not zstd:
        skip('sections compressed by zstd', 'no libzstd.so.1 here')
        continue
    for names in DEBUG:
        sh('cp base file')
        compress(path('file'), kind, *names)
        now = lines_of(path('file'), data) + (perf('unwind', '--check', path('file')),)
        # objdump does not read compressed symbols: it prints the same code without names.
        same = now == plain if names == ['.debug_*'] else (now[0], now[2], now[3]) == (plain[0], plain[2], plain[3])
        ok(same, '%s compressed by %s' % (' '.join(names), name), now, plain)

# A symbol without a size ends where the next function begins that .eh_frame knows, be it exported or not.
put('sizeless.s', '''
	.text
	.globl untyped, typed, last
	.type typed, @function
untyped: nop
	nop
one:	.cfi_startproc
	nop
	ret
	.cfi_endproc
typed:	nop
	ret
two:	.cfi_startproc
	nop
	ret
	.cfi_endproc
last:	.cfi_startproc
	nop
	ret
	.cfi_endproc
three:	.cfi_startproc
	nop
	ret
	.cfi_endproc
	.section .note.GNU-stack, "", @progbits
''')
sh('gcc -shared -nostdlib -o sizeless.so sizeless.s')
addr = nm(path('sizeless.so'))
order = ['untyped', 'one', 'typed', 'two', 'last', 'three']
data = of_program('sizeless.data', path('sizeless.so'), [addr[n] + 1 for n in order])
names = symbols(data)[1]
ok(names == order, 'symbols without a size', names)
sh('strip sizeless.so')
names = symbols(data)[1]
ok(names == ['untyped', '[unknown]', 'typed', '[unknown]', 'last', '[unknown]'], 'and stripped', names)
names = symbols(data, '--function-starts')[1]
ok([n.split('+')[0] for n in names] == ['untyped', 'sizeless.so', 'typed', 'sizeless.so', 'last', 'sizeless.so'],
   'and functions named by where they begin', names)

# Build-ids longer than the 20 bytes that a recording has: the debug file has the name of the whole.
for size in 8, 32, 64:
    whole = bytes(range(1, size + 1)).hex()
    sh('gcc -O2 -g -Wl,--build-id=0x%s -o long deep.c' % whole)
    addr = nm(path('long'))
    debug = path('root/usr/lib/debug/.build-id/01', whole[2:] + '.debug')
    os.makedirs(os.path.dirname(debug), exist_ok=True)
    sh('objcopy --only-keep-debug long %s; strip long' % debug)
    os.makedirs(path('root', TMP[1:]), exist_ok=True)
    sh('cp long root%s/long' % TMP)
    data = of_program('long.data', path('long'), [addr['leaf_c'] + 16], id=whole[:40])
    got = perf('script', '-G', '-F', 'ip,sym,srcline', '--symfs', path('root'), '-i', data)
    ok('leaf_c' in got[1] and 'deep.c:3' in got[1], 'a build-id of %d bytes: the debug file' % size, got)
    data = of_program('long.data', path('long'), [addr['leaf_c'] + 16], id='02' + whole[2:40])
    got = perf('script', '-G', '-F', 'ip,sym', '--symfs', path('root'), '-i', data)
    ok('[unknown]' in got[1], 'a build-id of %d bytes: another one' % size, got)

# A stripped library: in annotate, jumps and data have the names that the debug file knows.
put('lib.c', '''
static volatile unsigned long counter;
volatile unsigned long exported;
__attribute__((noinline)) static void hidden(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		counter += i;
		if (counter == 3)
			exported++;
	}
}
void first(unsigned long n) { counter += n; }
void top(unsigned long n) { hidden(n); if (n == 25) first(n); }
''')
for kind, flags in ('64 bits', ''), ('32 bits', '-m32 -fno-asynchronous-unwind-tables'):
    if flags and subprocess.run('gcc -m32 -shared -fPIC -nostdlib -o lib.so lib.c', shell=True, check=False).returncode:
        skip('annotate of a stripped library: ' + kind, 'no compiler for it')
        continue
    sh('gcc %s -O1 -g -fPIC -shared -nostdlib -Wl,--build-id=none -o lib.so lib.c; cp lib.so whole.so' % flags)
    addr = nm(path('lib.so'))
    data = of_program('lib.data', path('lib.so'), [addr['hidden'] + 4, addr['top'], addr['first']])
    want = perf('annotate', '--stdio', '-i', data)
    sh('objcopy --only-keep-debug lib.so lib.so.debug; strip lib.so; objcopy --add-gnu-debuglink=lib.so.debug lib.so')
    got = perf('annotate', '--stdio', '-i', data)
    ok('<hidden+0x' in want[1] and ('<counter>' in want[1] or flags) and got == want, 'annotate of a stripped library: ' + kind, got, want)
    got = perf('annotate', '--stdio', '-i', data, '--no-demangle', 'hidden')
    ok('<hidden+0x' in got[1] and got[1].count('Percent') == 1, 'annotate of one function: ' + kind, got)
# Of .gnu_debugdata's symbols and the exported ones
sh('gcc -O1 -g -fPIC -shared -nostdlib -o lib.so lib.c; objcopy --only-keep-debug lib.so dbg; echo hidden > names; '
   'objcopy -S --remove-section .comment --keep-symbols=names dbg mini; xz -f mini; strip lib.so; '
   'objcopy --add-section .gnu_debugdata=mini.xz lib.so')
addr = nm(path('dbg'))
got = perf('annotate', '--stdio', '-i', of_program('lib.data', path('lib.so'), [addr['hidden'] + 4, addr['top'] + 4]))
ok('<hidden+0x' in got[1] and 'first@plt' in got[1], 'annotate by .gnu_debugdata', got)


def ppc64(order, opd_type=2):
    """A library of PowerPC's first 64-bit ABI: symbols of functions are those of their descriptors."""
    text, code = 0x1000, {'first': 0x1000, 'second': 0x1040}
    descriptors = b''.join(struct.pack(order + '3Q', at, 0x8000, 0) for at in code.values())
    strings, names = b'\0first\0second\0', b'\0.text\0.opd\0.symtab\0.strtab\0'
    table = bytes(24) + b''.join(struct.pack(order + 'IBBHQQ', strings.index(n.encode()), 16 | opd_type, 0, 2, 0x2000 + 24 * i, 0x40)
                                 for i, n in enumerate(code))
    parts = [(1, 1, 6, 0x1000, bytes(0x80), 0, 0, 0), (7, 1, 3, 0x2000, descriptors, 0, 0, 0),
             (12, 2, 0, 0, table, 4, 1, 24), (20, 3, 0, 0, strings + names, 0, 0, 0)]
    at, body, heads = text, b'', bytes(64)
    for name, kind, flags, addr, data, link, info, entry in parts:
        heads += struct.pack(order + 'IIQQQQIIQQ', len(strings) + name, kind, flags, addr, at, len(data), link, info, 8, entry)
        data += bytes(-len(data) % 0x1000 if addr else 0)
        body, at = body + data, at + len(data)
    segment = struct.pack(order + 'IIQQQQQQ', 1, 5, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000)
    head = b'\x7fELF\x02' + (b'\x02' if order == '>' else b'\x01') + b'\x01' + bytes(9)
    head += struct.pack(order + 'HHIQQQIHHHHHH', 3, 21, 1, 0, 64, at, 1, 64, 56, 1, 64, 5, 4)
    return (head + segment).ljust(text, b'\0') + body + heads


for order, what in ('>', 'big'), ('<', 'little'):
    put('ppc.so', ppc64(order))
    data = recording('ppc.data', mmap(path('ppc.so'), 0x10000, 0x1000, 0x1000), sample(0x10004), sample(0x10044), sample(0x10084))
    got = symbols(data)
    ok(got == (0, ['first', 'second', '[unknown]'], ''), 'function descriptors of ppc64, %s-endian' % what, got)

done()
