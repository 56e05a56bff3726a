#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Small made-up inputs that once took gigabytes or minutes: each within a limit of memory, and of
processor time that is ten times what it takes. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

SAMPLE = record(9, q(0x1000) + ii(1, 1) + q(1000), 2)
PIPE = b'PERFILE2' + q(16)

def cheap(name, *args, pipe=None, seconds=6, megabytes=128, want=0):
    """perf ends with status @want well within the limits; @pipe: pieces of its input. Return: what it prints."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(
            (PERF,) + args, stdout=out, stderr=err, stdin=subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
        try:
            for piece in pipe or ():
                p.stdin.write(piece)
            p.stdin.close()
        except BrokenPipeError:
            pass
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text = out.read()
        took = usage.ru_utime + usage.ru_stime
        ok(p.returncode == want and took < seconds and usage.ru_maxrss < megabytes << 10, name,
           'status %d, %.2f s, %d MB' % (p.returncode, took, usage.ru_maxrss >> 10), err.read())
        print('# %.2f s, %d MB' % (took, usage.ru_maxrss >> 10))
    return text


# Records of perf's own and of unknown types end a window of a pipe, as others do.
HEAD = PIPE + record(64, attr()) + SAMPLE
for kind in 60, 72, 100:
    big = record(kind, bytes(65520)) * 16
    cheap('records of type %d in a pipe' % kind, 'script', '-i', '-', pipe=[HEAD] + [big] * 256)

# A round of a pipe sorts what it added, not what was there.
rounds = (record(2, q(0, 1) + ii(1, 1) + q(1000 + i)) + record(68) for i in range(60000))
cheap('60,000 rounds that lost a record', 'script', '-i', '-', pipe=[HEAD + b''.join(rounds)])

# An event of a pipe is bound to its format when it comes, not the others once more.
formats = tracing_data(*(
    tracepoint_format('ev%d' % i, 100000 + i, [('int a', 8, 4)], '"%d", REC->a') for i in range(50)))
formats += bytes(-len(formats) % 8)
events = b''.join(record(64, attr(type=2, config=7 + i, size=64)) for i in range(30000))
cheap('30,000 events of a pipe', 'script', '-i', '-',
      pipe=[PIPE + record(66, ii(len(formats)), size=12) + formats + events + SAMPLE])

# Formats are parsed by halves if one crashes libtraceevent: not each in a process of its own.
deep = tracepoint_format('deep', 7, [('int a', 8, 4)], '"a=%d", ' + '(' * 120000 + 'REC->a')
good = tracepoint_format('good', 8, [('int a', 8, 4)], '"a=%d", REC->a')
raw = ii(20) + struct.pack('<HBBii', 8, 0, 0, 1, 42) + bytes(8)
traced = record(9, q(0x1000) + ii(1, 1) + q(1000) + raw, 2)
path = put('formats', perf_file(
    [attr(IP | TID | TIME | RAW, type=2, config=8)], traced,
    features={1: tracing_data(*(['name: x\n'] * 40000), deep, good)}))
text = cheap('40,000 formats and one that crashes', 'script', '-F', 'trace', '-i', path, want=1)
ok(text.strip() == b'a=42', 'the format behind it is used', text)

# Lines of a function of a jitdump count, also those that lie outside of where it was moved to.
def jit(kind, body):
    return struct.pack('<IIQ', kind, 16 + len(body), 0) + body


CODE, PID, LINES = 1 << 32, 4000000, 60000
dump = struct.pack('<IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, PID, 0, 0)
dump += jit(2, q(CODE, LINES) + b''.join(q(2 * CODE + i) + ii(1, 0) + (b'\xff\0' if i else b'f\0')
                                         for i in range(LINES)))
dump += jit(0, ii(PID, PID) + q(CODE, CODE, 16, 0) + b'fn\0')
dump += b''.join(jit(1, ii(PID, PID) + q(0, CODE, CODE + 32 * i, 16, 0))
                 for i in range(1, 150000))
path = put('jit-%d.dump' % PID, dump)
maps = b''.join(record(1, ii(PID, PID) + q(addr, size, 0) + string(name) + ii(PID, PID) + q(5), 2)
                for addr, size, name in ((CODE, 1 << 28, '//anon'), (1 << 40, 4096, path)))
sample = record(9, q(CODE + 5) + ii(PID, PID) + q(2000), 2)
path = put('jit.data', perf_file([attr()], maps + sample))
cheap('lines of a function that was moved often', 'report', '--stdio', '-s', 'srcline', '-i', path)

# Forks of forks, each with a mapping of its own
data = [record(1, ii(1, 1) + q(0x10000, 0x1000, 0) + string('/x') + ii(1, 1) + q(1), 2)]
for i in range(1, 60001):
    task = ii(i + 1, i + 1)
    data.append(record(7, ii(i + 1, i, i + 1, i) + q(i) + task + q(i)))
    data.append(record(1, task + q(0x70000, 0x1000, 0) + string('/y') + task + q(i), 2))
    data.append(record(9, q(0x10000 + i % 4096) + task + q(i), 2))
text = cheap('60,000 forks of forks', 'script', '-F', 'pid,ip,dso', '-i',
             put('forks', perf_file([attr()], b''.join(data))))
ok(text.count(b'(/x)') >= 1000, 'mappings are inherited through 1,000 forks', text.count(b'(/x)'))

# Groups of events do not overlap.
group = ii(1) + b'\0' + ii(0, 60000)
cheap('150,000 groups of the same 60,000 events', 'script', '-i', put('groups', perf_file(
    [attr(size=64)] * 60000, SAMPLE, features={17: ii(150000) + group * 150000})))

# Files of which a recording has mappings
def elf(path, text, sections):
    """A library, code at 0x1000, with @sections: (name, type, data, link, size of an entry)."""
    names = b''.join(b'\0' + s[0] for s in sections) + b'\0.text\0.shstrtab\0'
    out, table = bytes(4096) + text, bytes(64)
    rows = [(b'.text', 1, None, 0, 0)] + sections + [(b'.shstrtab', 3, names, 0, 0)]
    for name, kind, data, link, entry in rows:
        at, size = (4096, len(text)) if data is None else (len(out), len(data))
        out += data or b''
        code = data is None
        table += ii(names.index(b'\0' + name + b'\0') + 1, kind)
        table += q(6 * code, 4096 * code, at, size) + ii(link, 0) + q(1, entry)
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHI', 3, 62, 1) + q(4096, 64, len(out))
    head += struct.pack('<IHHHHHH', 0, 64, 56, 1, 64, len(rows) + 1, len(rows))
    head += struct.pack('<IIQQQQQQ', 1, 5, 4096, 4096, 4096, len(text), len(text), 4096)
    return put(path, head + out[len(head):] + table)


def mapped(path, size, ips, sample_type=IP | TID | TIME):
    """A recording of samples in a library of that path; with CALLCHAIN, of calls of itself."""
    data = [record(1, ii(1, 1) + q(1 << 22, size, 4096) + string(path) + ii(1, 1) + q(1), 2)]
    for ip in ips:
        ip += 1 << 22
        chain = q(3, -512, ip, ip + 4) if sample_type & CALLCHAIN else b''
        data.append(record(9, q(ip) + ii(1, 1) + q(2) + chain, 2))
    return put(path + '.data', perf_file([attr(sample_type)], b''.join(data)))


# Names of symbols that are ends of one string
SYMBOLS, LENGTH = 20000, 16 << 20
symbols = bytes(24) + b''.join(ii(1 + i * (LENGTH // SYMBOLS), 0x10012) + q(4096, 16)
                               for i in range(SYMBOLS))
path = elf('names', bytes(4096), [(b'.symtab', 2, symbols, 3, 24),
                                  (b'.strtab', 3, b'\0' + b'a' * LENGTH + b'\0', 0, 0)])
text = cheap('20,000 names that overlap', 'report', '--stdio', '-s', 'symbol', '-i',
             mapped(path, 4096, [0]))
ok(b' aaaaaaa' in text and len(text) < 1 << 18, 'a name of at most 64 kB', len(text), text[-100:])

# DWARF units of 26 bytes, whose only abbreviation has a high code
UNITS = 2000
code = b'\xff\xff\3'
info = b''.join(struct.pack('<IHIB', 22, 4, 0, 8) + code + q(4096 + 16 * i) + ii(16)
                for i in range(UNITS))
abbreviations = code + bytes((17, 0, 17, 1, 18, 6, 0, 0, 0))
path = elf('units', bytes(16 * UNITS), [(b'.debug_abbrev', 1, abbreviations, 0, 0),
                                        (b'.debug_info', 1, info, 0, 0)])
cheap('abbreviations with a high code', 'report', '--stdio', '-g', '-i', mapped(
    path, 16 * UNITS, range(0, 16 * UNITS, 16), IP | TID | TIME | CALLCHAIN))

# A large file that is no archive of libraries, with many mappings
with open('large', 'wb') as f:
    f.truncate(300 << 20)
data = []
for i in range(1 << 27, (1 << 27) + (400 << 12), 1 << 12):
    place = q(i, 4096, i) + string(TMP + '/large')
    data.append(record(1, ii(1, 1) + place + ii(1, 1) + q(1), 2))
    data.append(record(9, q(i) + ii(1, 1) + q(2), 2))
cheap('400 mappings of a file of 300 MB', 'report', '--stdio', '-i',
      put('large.data', perf_file([attr()], b''.join(data))), seconds=20, megabytes=400)

done()
