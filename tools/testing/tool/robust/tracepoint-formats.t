#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Formats of tracepoints that ask for more than a sample has: what lies outside of the raw data, divisions by 0,
arrays of what is none, text without end. The fields alone are printed in place of the text, in a second and in
little memory; formats as the kernel has them are printed as they say. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

FIELDS = [('__data_loc char[] what', 8, 4), ('u32 len', 12, 4), ('u64 addr', 16, 8), ('u32 zero', 24, 4), ('u16 arr[4]', 28, 8)]
WHAT = b'ABCDEFG\0'
ONLY_FIELDS = b'[FAILED TO PARSE]'


def run(fmt, *args, what=WHAT):
    raw = struct.pack('<HBBiHHIQI4H', 77, 0, 0, 11, 36, len(what), 3, 0x1122334455667788, 0, 10, 20, 30, 40) + what
    raw += bytes(-(len(raw) + 4) % 8)
    body = q(0x1000) + ii(10, 11) + q(5) + ii(len(raw)) + raw
    data = perf_file([attr(IP | TID | TIME | RAW, type=2, config=77)], record(9, body, 2),
                     {1: tracing_data(tracepoint_format('ev', 77, FIELDS, fmt))})
    with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryFile() as out:
        f.write(data)
        f.flush()
        try:
            p = subprocess.Popen((PERF,) + (args or ('script', '-F', 'trace')) + ('-i', f.name), stdout=out,
                                 stderr=subprocess.DEVNULL)
            status = p.wait(timeout=20)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
            return 'waits', b''
        out.seek(0)
        return status, out.read()


PRINTED = {
    'a string': ('"what=%s", __get_str(what)', b'what=ABCDEFG'),
    'bytes': ('"%s", __print_hex(__get_dynamic_array(what), 3)', b'41 42 43'),
    'bytes of a field': ('"%s", __print_hex(REC->arr, 4)', b'0a 00 14 00'),
    'all bytes': ('"%s", __print_hex_str(__get_dynamic_array(what), __get_dynamic_array_len(what))', b'4142434445464700'),
    'as many bytes as a field says': ('"%s", __print_hex(__get_dynamic_array(what), REC->len)', b'41 42 43'),
    'half of the bytes': ('"%s", __print_hex(__get_dynamic_array(what), __get_dynamic_array_len(what) / 2)', b'41 42 43 44'),
    'numbers': ('"%s", __print_array(__get_dynamic_array(what), 2, 2)', b'16961 17475', b'{0x4241,0x4443}'),     # libtraceevent of bookworm, and later ones
    'a number of an array': ('"%d", REC->arr[2]', b'30'),
    'a quotient': ('"%d %d", REC->arr[3] / 8, REC->len % 2', b'5 1'),
    'a quotient of fields': ('"%d", REC->addr / REC->len > 1', b'1'),
    'no division where it is 0': ('"%d", REC->zero ? REC->addr / REC->zero : 7', b'7'),
    'nor where it is compared': ('"%d", REC->zero != 0 ? REC->addr / REC->zero : 7', b'7'),
    'a part of a string': ('"%.*s", REC->len, __get_str(what)', b'ABC'),
    'widths': ('"%-8d|%08x", REC->len, REC->len', b'3       |00000003'),
    'names of numbers': ('"%s", __print_symbolic(REC->len, { 1, "one" }, { 3, "three" })', b'three'),
    'names of bits': ('"%s", __print_flags(REC->len, "|", { 1, "a" }, { 2, "b" })', b'a|b'),
}
for name, (fmt, *want) in PRINTED.items():
    status, out = run(fmt)
    ok(status == 0 and out.split(b'\n')[0].strip() in want, name, status, out, want)

REFUSED = {
    'bytes that are not there': '"%s", __print_hex(__get_dynamic_array(what), 100000000)',
    'the same of a field': '"%s", __print_hex_str(REC->arr, 100000000)',
    'as many bytes as a field says that says too many': '"%s", __print_hex(__get_dynamic_array(what), REC->addr)',
    'a negative number of bytes': '"%s", __print_hex(__get_dynamic_array(what), REC->zero - 1)',
    'numbers that are not there': '"%s", __print_array(__get_dynamic_array(what), 100000000, 8)',
    'numbers of any size': '"%s", __print_array(__get_dynamic_array(what), 8, REC->addr)',
    'bytes of a sum': '"%s", __print_hex(1 + 2, 3)',
    'bytes of a number that is no field': '"%s", __print_hex((u8)REC->addr, 3)',
    'numbers of a product': '"%s", __print_array(REC->len * 2, 3, 1)',
    'an index that is not there': '"%d", REC->arr[100000000]',
    'an index from a field': '"%d", REC->arr[REC->addr]',
    'an index in front': '"%d", REC->arr[REC->len - 4]',
    'an index by a cast': '"%d", REC->arr[(s8)(REC->arr[3] + 200)]',
    'an index of an array without size': '"%d", ((u64 *)__get_dynamic_array(what))[100000000]',
    'a remainder of 0': '"%d", REC->addr % 0',
    'a quotient by 0': '"%d", REC->addr / REC->zero',
    'a quotient by 0 within': '"%s", __print_symbolic(1 + REC->addr / REC->zero, { 1, "a" })',
    'a string of a number': '"%s", __get_str(addr)',
    'a width of a gigabyte': '"%1000000000d", REC->addr',
    'a precision of a gigabyte': '"%.1000000000d", REC->addr',
    'a width from the arguments': '"%*d", 1000000000, REC->addr',
    'strings without end': '"' + '%s' * 1000 + '", ' + ', '.join(['__get_str(what)'] * 1000),
    'a sum of sums': '"%d", ' + '1+' * 20000 + 'REC->addr',
    'choices of choices': '"%d", ' + 'REC->addr?1:' * 5000 + '0',
}
for name, fmt in REFUSED.items():
    status, out = run(fmt)
    ok(status == 0 and out.split(b'\n')[0].strip().startswith(ONLY_FIELDS), name, status, out[:200])

# Each operator in a number of bytes, by what C makes of it: REC->len is 3. Behind the 8 bytes that are there come
# zeroes; a million is refused.
for op, value in (('+ 1', 4), ('+ 1000000', None), ('- 1', 2), ('- 4', None), ('* 2', 6), ('* 1000000', None), ('/ 2', 1), ('% 2', 1),
                  ('<< 1', 6), ('<< 20', None), ('<< 64', None), ('>> 1', 1), ('& 2', 2), ('| 4', 7), ('| 1000000', None), ('&& 1', 1),
                  ('&& 0', 0), ('|| 0', 1), ('== 3', 1), ('== 2', 0), ('!= 2', 1), ('!= 3', 0), ('< 4', 1), ('< 3', 0), ('> 2', 1), ('> 3', 0),
                  ('<= 3', 1), ('<= 2', 0), ('>= 3', 1), ('>= 4', 0)):
    status, out = run('"<%%s>", __print_hex(__get_dynamic_array(what), REC->len %s)' % op)
    line = out.split(b'\n')[0].strip()
    ok(status == 0 and (line.startswith(ONLY_FIELDS) if value is None else line == b'<%s>' % b'ABCDEFG'[:value].hex(' ').encode()),
       'bytes: 3 ' + op, status, out[:200])

# Wherever the text is printed
for args in (('report', '--stdio', '-s', 'trace'), ('report', '--stdio', '-s', 'trace_fields'),
             ('data', 'convert', '--to-json', '-')):
    status, out = run(REFUSED['bytes that are not there'], *args)
    ok(status == 0 and b'ABCDEFG' in out, 'bytes that are not there: ' + ' '.join(args), status, out[-300:])

# The text of trace_printk() has a format of its own, by address, in the same file.
fmt = tracepoint_format('bprint', 77, [('unsigned long ip', 8, 8), ('const char * fmt', 16, 8), ('u32 buf[]', 24, 0)],
                        '"%ps: %s", (void *)REC->ip, REC->fmt')
strings = b'0x1000 : "%1000000000d"\n'
tracing = tracing_data(fmt).replace(b'sys\0', b'ftrace\0')[:-4] + ii(len(strings)) + strings
raw = struct.pack('<HBBiQQQI', 77, 0, 0, 11, 0x2000, 0x1000, 5, 6)
with tempfile.NamedTemporaryFile() as f:
    f.write(perf_file([attr(IP | TID | TIME | RAW, type=2, config=77)], record(
        9, q(0x1000) + ii(10, 11) + q(5) + ii(len(raw)) + raw, 2), {1: tracing}))
    f.flush()
    try:
        p = subprocess.run((PERF, 'script', '-F', 'trace', '-i', f.name), stdout=subprocess.PIPE, timeout=20)
        ok(p.returncode == 0 and p.stdout.strip().startswith(ONLY_FIELDS), 'a format of trace_printk()', p.returncode, p.stdout[:200])
    except subprocess.TimeoutExpired:
        ok(False, 'a format of trace_printk()', 'waits')

# A place in the data that has not four bytes says nothing.
for size in 1, 2, 8, 16:
    for args in ('script', '-F', 'trace'), ('report', '--stdio', '-s', 'trace_fields'), ('data', 'convert', '--to-json', '-'):
        FIELDS[0] = ('__data_loc u8[] what', 8, size)
        status, out = run('"%s", __print_hex(__get_dynamic_array(what), 3)', *args)
        ok(status == 0 and len(out) < 1000 and b'41 42' not in out, 'a place of %d bytes: %s' % (size, ' '.join(args)), status, out[:500])
FIELDS[0] = ('__data_loc char[] what', 8, 4)

# Fields in front of the data, and of less than no bytes
for name, field in (('in front', ('u8 what[16]', (1 << 32) - 8, 16)), ('far in front', ('u64 what', 1 << 31, 8)), ('of -1 byte', ('u8 what[4]', 8, (1 << 32) - 1)),
                    ('in front, somewhere', ('__data_loc u8[] what', (1 << 32) - 4, 4)), ('behind', ('u64 what', 64000, 8))):
    for args in (('script', '-F', 'trace'), ('report', '--stdio', '-s', 'trace_fields'), ('report', '--stdio', '--raw-trace', '-s', 'trace'),
                 ('data', 'convert', '--to-json', '-'), ('data', 'convert', '--to-jsonl', '-')):
        FIELDS[0] = field
        status, out = run('"%d", REC->what', *args)
        ok(status == 0 and len(out) < 1500 and b'what=' not in out and b'"what":' not in out,
           'a field %s: %s' % (name, ' '.join(args)), status, out[:500])
FIELDS[0] = ('__data_loc char[] what', 8, 4)

# A text is cut where the kernel would long have cut it.
status, out = run('"' + '%s' * 250 + '", ' + ', '.join(['__get_str(what)'] * 250), what=b'A' * 50000 + b'\0')
ok(status == 0 and out.split(b'\n')[0].strip() == b'A' * (64 << 10), 'a long text', status, len(out))
# A format that makes 60 kB of each of 3,000 samples
fmt = tracepoint_format('ev', 77, FIELDS, '"' + '%s' * 250 + '", ' + ', '.join(['__get_str(what)'] * 250))
data = b''
for i in range(3000):
    raw = struct.pack('<HBBiHHIQI4H', 77, 0, 0, 11, 36, 241, 3, i, 0, 10, 20, 30, 40) + (b'%x' % i).ljust(240, b'x') + b'\0' * 8
    data += record(9, q(0x1000) + ii(10, 11) + q(5) + ii(len(raw)) + raw, 2)
with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryFile() as out:
    f.write(perf_file([attr(IP | TID | TIME | RAW, type=2, config=77)], data, {1: tracing_data(fmt)}))
    f.flush()
    p = subprocess.Popen((PERF, 'report', '--stdio', '-j', '1', '-s', 'trace', '-i', f.name), stdout=out)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
    out.seek(0)
    text = out.read()
ok(status == 0 and b'xxx1xxx' in text and b'[left out]' in text and usage.ru_maxrss < 160 << 10, 'texts of 3,000 samples', status,
   len(text), usage.ru_maxrss)
# Functions of the recorded kernel: addresses of %ps and its kin, by --kallsyms
KERNEL = 0xffffffff81000000


def symbols(fmt, addr, kallsyms):
    raw = struct.pack('<HBBiHHIQI4H', 77, 0, 0, 11, 36, len(WHAT), 3, addr, 0, 10, 20, 30, 40) + WHAT
    raw += bytes(-(len(raw) + 4) % 8)
    data = record(1, ii(0xffffffff, 0) + q(KERNEL, 0x10000, KERNEL) + string('[kernel.kallsyms]_text') +
                  ii(0, 0) + q(0), 1)
    data += record(9, q(0x1000) + ii(10, 11) + q(5) + ii(len(raw)) + raw, 2)
    whole = perf_file([attr(IP | TID | TIME | RAW, type=2, config=77, flags=('sample_id_all',))], data,
                      {1: tracing_data(tracepoint_format('ev', 77, FIELDS, fmt))})
    with tempfile.NamedTemporaryFile() as f, tempfile.NamedTemporaryFile() as k:
        f.write(whole)
        f.flush()
        k.write(b''.join(b'%x T %s\n' % (KERNEL + i * 0x1000, name) for i, name in enumerate(kallsyms)))
        k.flush()
        p = subprocess.run((PERF, 'script', '-F', 'trace', '--kallsyms', k.name, '-i', f.name),
                           capture_output=True)
    return p.stdout.strip()


NAMES = b'_text', b'first', b'second', b'_etext'
for what, want in (('%ps', b'first'), ('%pS', b'first+0x34'), ('%pf', b'first'), ('%pF', b'first+0x34'), ('%pB', b'first+0x34'),
                   ('%pSR', b'first+0x34'), ('%pSb', b'first+0x34'), ('%pBb', b'first+0x34')):
    got = symbols('"at=%s len=%%d", (void *)REC->addr, REC->len' % what, KERNEL + 0x1034, NAMES)
    ok(got == b'at=' + want + b' len=3', 'a kernel function by ' + what, got)
got = symbols('"at=%pS", (void *)REC->addr', 0x1034, NAMES)
ok(got == b'at=0x1034', 'an address that is in no function', got)
# 2000 events of a format with 500 fields: a million keys, more than a stack has room for.
fields = [('int f%d' % i, 8 + 4 * i, 4) for i in range(500)]
raw = struct.pack('<HBBi', 77, 0, 0, 11) + bytes(4 * len(fields) + 4)
with tempfile.NamedTemporaryFile() as f:
    f.write(perf_file([attr(IDENTIFIER | IP | TID | TIME | RAW, type=2, config=77)] * 2000,
                      record(9, q(0, 0x1000) + ii(10, 11) + q(5) + ii(len(raw)) + raw, 2),
                      {1: tracing_data(tracepoint_format('ev', 77, fields, '"%d", REC->f0'))},
                      ids=[[i] for i in range(2000)]))
    f.flush()
    p = subprocess.run(('timeout', '-s', 'KILL', '20', PERF, 'report', '--stdio', '-s', 'trace_fields',
                        '-i', f.name), capture_output=True)
ok(p.returncode == 0 and b'100.00%' in p.stdout, 'a million fields', p.returncode, p.stderr)
done()
