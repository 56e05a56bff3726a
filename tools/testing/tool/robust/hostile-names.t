#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Names that somebody else wrote. No control character of a task, a file, a symbol, an event or
a header string is printed, whatever prints it, and ordinary names (UTF-8, too) are as they were;
a /tmp/perf-PID.map counts only if it is root's, ours or the task's user's, or with -f.
TAP."""
import atexit
import ctypes
import fcntl
import gzip
import json
import socket
import stat
import sys
import xml.etree.ElementTree
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

NOBODY = 65534
PATH = path('data')


def run(*args, timeout=None):
    status, out, err = perf(*args, '-i', PATH, timeout=timeout, text=False)
    return status, out, err.decode('utf8', 'replace')


class Map:
    """A JIT's map of a process."""
    def __init__(self, pid, text, uid=None):
        self.path = '/tmp/perf-%d.map' % pid
        put(self.path, text)
        if uid is not None:
            os.chown(self.path, uid, uid)
        atexit.register(lambda: os.path.exists(self.path) and os.unlink(self.path))


def sample_id(pid, t):
    return ii(pid, pid) + q(t, 7)


def write(pid, evil, host='host', release='1.0'):
    """One sample in a file and in a JIT's code, with every name that there is."""
    evil = as_bytes(evil)

    def name(s):
        return string(s.encode() + evil)
    sid = sample_id(pid, 5)
    fmt = tracepoint_format('ev', 77, [('__data_loc char[] what', 8, 4)], '"what=%s", __get_str(what)')
    text = b'field' + evil
    raw = struct.pack('<HBBiI', 77, 0, 0, 11, 12 | len(text) << 16) + text
    raw += b'\0' * (-(len(raw) + 4) % 8)
    data = record(3, ii(pid, pid) + name('comm') + sid)
    data += record(10, ii(pid, pid) + q(0x400000, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                   name('/nowhere/file') + sid, 2)
    data += record(10, ii(pid, pid) + q(0x800000, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                   string('//anon') + sid, 2)
    data += record(17, q(0x7fff00000000) + ii(64) + struct.pack('<HH', 1, 0) + name('ksym') + sid)
    data += record(19, q(1) + name('/cgroup') + sid)
    data += record(78, q(2, 7) + name('event'))
    data += record(78, q(0, 7) + name('unit'))
    for ips in ([0x800010, 0x400010], [0x400010]):
        data += record(9, q(7, ips[0]) + ii(pid, pid) + q(9, len(ips) + 1, -512, *ips) + ii(len(raw)) + raw, 2)
    with open(PATH, 'wb') as f:
        f.write(perf_file([attr(IP | TID | TIME | CALLCHAIN | RAW | IDENTIFIER, type=2, config=77)], data,
                          {1: tracing_data(fmt), 3: feature_string(host.encode() + evil), 4: feature_string(release.encode() + evil),
                           11: ii(2) + feature_string('perf') + feature_string(b'arg' + evil),
                           12: ii(1, 128) + attr(IP) + ii(1) + feature_string(b'event' + evil) + q(7)}, ids=[[7]]))


def controls(text):
    return sorted(set(c for c in text if c < 32 and c not in b'\n\t' or c == 127))


COMMANDS = [c.split() for c in (
    'script', 'script --show-mmap-events --show-task-events -F +trace', 'script --header-only -I', 'script -D',
    'report --stdio', 'report --stdio -v -s comm,dso,sym,cgroup,trace', 'report --stdio -g caller --no-children',
    'report --stdio -s what', 'report -D', 'report --header-only -I', 'report --tasks --mmaps', 'report --stats',
    'report --folded', 'report --hierarchy --stdio', 'report --flamegraph=-')]
pid = 4194000           # above every pid: of no process
Map(pid, b'800000 100 jit\033[31m\007\x7f \xc2\x9b name\n')
write(pid, '\033[31m\a\x7f')
for args in COMMANDS:
    status, out, err = run(*args)
    ok(status == 0 and out and not controls(out + err.encode()) and b'\xc2\x9b' not in out,
       'no control character: ' + ' '.join(args), status, controls(out), err, out[:0])
seen = b''.join(run(*args)[1] for args in COMMANDS)
for what in ('comm?[31m??', '/nowhere/file?[31m??', 'jit?[31m??', 'event?[31m??', 'host?[31m??', 'arg?[31m??',
             'field?[31m??', 'unit?[31m??', '/cgroup?[31m??', 'ksym?[31m??'):
    ok(what.encode() in seen, 'shown as ' + what)

# Every byte that a name can have, and every control character of UTF-8: what stands alone there
# is one to terminals of 8 bits. Each format has to be one, too.
EVERY = bytes(range(1, 256)) + b''.join(b'\xc2%c' % c for c in range(0x80, 0xa0)) + b'\xe6\x97\xa5\xe6\x97'


def raw_controls(text):
    """Characters, and bytes that belong to none, by which a terminal does something."""
    return sorted({hex(ord(c)) for c in text.decode('utf8', 'surrogateescape')
                   if (c < ' ' and c not in '\n\t') or '\x7f' <= c <= '\x9f' or '\udc80' <= c <= '\udc9f'})


Map(pid, b'800000 100 jit' + EVERY.replace(b'\n', b'') + b'\n')
write(pid, EVERY)
for args in COMMANDS:
    status, out, err = run(*args)
    ok(status == 0 and out and not raw_controls(out) and not raw_controls(err.encode()),
       'every byte: ' + ' '.join(args), status, raw_controls(out), raw_controls(err.encode()), err)
for form, parse in (('folded', bytes.decode), ('json', json.loads), ('speedscope', json.loads), ('firefox', json.loads),
                    ('jsonl', lambda text: [json.loads(line) for line in text.splitlines()])):
    status, out, err = run('data', 'convert', '--to-' + form, '-')
    try:
        why = not parse(out) and 'nothing'
    except ValueError as e:
        why = e
    ok(status == 0 and not why and not raw_controls(out), 'every byte: data convert --to-' + form,
       status, why, raw_controls(out), err)


def texts(profile):
    """The strings of a profile of pprof, a line each: field 6 of its protobuf."""
    def number(i):
        v = shift = 0
        while True:
            v |= (profile[i] & 127) << shift
            shift += 7
            i += 1
            if profile[i - 1] < 128:
                return v, i
    i, lines = 0, []
    while i < len(profile):
        tag, i = number(i)
        v, i = number(i)
        if tag & 7 == 2:
            i += v
            if tag >> 3 == 6:
                lines.append(profile[i - v:i])
    return lines


status, out, err = run('data', 'convert', '--to-pprof', '-')
strings = texts(gzip.decompress(out))
for what in b'comm', b'/nowhere/file', b'jit', b'event', b'host', b'1.0':
    of = [s for s in strings if s.startswith(what) and b'??' in s]
    ok(of and all(s.decode(errors='ignore').encode() == s and not raw_controls(s) for s in of),
       'every byte: data convert --to-pprof: ' + what.decode(), of, strings, err)
status, out, err = run('report', '--flamegraph=-')
try:
    why = xml.etree.ElementTree.fromstring(out).tag.endswith('svg') and ''
except xml.etree.ElementTree.ParseError as e:
    why = e
ok(why == '', 'every byte: the flame graph is XML', why)

write(pid, '\n#')
status, out, err = run('script', '--show-task-events', '-F', 'comm,pid,time,event,ip,sym,dso')
ok(status == 0 and b'comm?#' in out and not any(line.startswith(b'#') for line in out.split(b'\n')),
   'a name begins no line', out)
with open(PATH, 'wb') as f:
    f.write(perf_file([attr(IP | TID | TIME)], record(10, ii(pid, pid) + q(0x900000, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(1, 2) +
                      string('/nowhere\n\tperf: forged/jit-%d.dump' % pid) + ii(pid, pid) + q(5), 2)))
status, out, err = run('inject', '--jit', '-o', '/dev/null')
ok(status > 0 and [line for line in err.splitlines() if 'forged' in line] ==
   ['perf: /nowhere??perf: forged/jit-%d.dump: No such file or directory' % pid], 'a name begins no line of stderr', status, err)
write(pid, ' \u00e9\u65e5')
Map(pid, '800000 100 \u00e9\u65e5 f(int&, char [3])\n'.encode())
status, out, err = run('script', '--show-mmap-events')
ok(status == 0 and 'comm \u00e9\u65e5'.encode() in out and '/nowhere/file \u00e9\u65e5'.encode() in out and
   '\u00e9\u65e5 f(int&, char [3])'.encode() in out and b'?' not in out, 'UTF-8 is as it was', out)

# Names of other languages, and code that was compiled over other code: the last line that covers an address
# holds, also where it begins below.
OTHERS = (('camlStdlib__List__map_570', 'Stdlib.List.map_570'), ('camlStdlib__List.map_570', 'Stdlib.List.map_570'),
          ('camlFoo__$2b_7', 'Foo.+_7'), ('Ljava/lang/Object;<init>()V', 'java.lang.Object<init>()'),
          ('Lcom/example/Foo;bar(ILjava/lang/String;[J)V', 'com.example.Foo.bar(int, java.lang.String, long[])'))
OLD = (('f_old', 0x801000, 0x100), ('g_old', 0x801100, 0x100), ('around', 0x802000, 0x100), ('tail', 0x803080, 0x100),
       ('big_new', 0x800f80, 0x400), ('within', 0x802040, 0x10), ('over', 0x803000, 0x100))
Map(pid, b''.join(b'%x %x %s\n' % (at, size, name.encode()) for name, at, size in
                  [(raw, 0x800000 + 16 * i, 16) for i, (raw, _) in enumerate(OTHERS)] + list(OLD)))
NEW = {0x800f90: 'big_new', 0x801010: 'big_new', 0x801110: 'big_new', 0x801300: 'big_new', 0x802000: 'around', 0x802040: 'within',
       0x802050: 'around', 0x803090: 'over', 0x803100: 'tail', 0x803180: '[unknown]'}
data = record(3, ii(pid, pid) + string('x') + sample_id(pid, 1))
data += record(10, ii(pid, pid) + q(0x800000, 0x10000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) + string('//anon') + sample_id(pid, 2), 2)
for ip in [0x800008 + 16 * i for i in range(len(OTHERS))] + list(NEW):
    data += record(9, q(7, ip) + ii(pid, pid) + q(9), 2)
put(PATH, perf_file([attr(IP | TID | TIME | IDENTIFIER)], data, ids=[[7]]))
for nr, args in ((1, ()), (0, ('--no-demangle',))):
    status, out, err = run('script', '-F', 'ip,sym', *args)
    names = [line.strip().split(' ', 1)[1] for line in out.decode().splitlines()]
    ok(names == [x[nr] for x in OTHERS] + list(NEW.values()), ' '.join(('names of a map, and which holds',) + args), names, err)

# What is no file is not even opened, whatever a mapping is named: to open a device may do
# something, to open a FIFO lets its writer go on. Each open() in the folder is seen by inotify.
libc = ctypes.CDLL(None, use_errno=True)
there = path('mapped')
os.mkdir(there)
os.mkfifo(os.path.join(there, 'fifo'))
os.mkdir(os.path.join(there, 'folder'))
shutil.copy(PERF, os.path.join(there, 'program'))
os.symlink('fifo', os.path.join(there, 'link'))
with socket.socket(socket.AF_UNIX) as s:
    s.bind(os.path.join(there, 'socket'))
NO_FILES = ['fifo', 'folder', 'link', 'socket']
if not os.geteuid():
    os.mknod(os.path.join(there, 'device'), 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    NO_FILES.append('device')
watch = libc.inotify_init1(os.O_NONBLOCK)
libc.inotify_add_watch(watch, there.encode(), 0x20)     # IN_OPEN


def opened():
    try:
        data, at, names = os.read(watch, 1 << 16), 0, set()
    except BlockingIOError:
        return set()
    while at < len(data):
        size = struct.unpack_from('<I', data, at + 12)[0]
        names.add(data[at + 16:at + 16 + size].rstrip(b'\0').decode())
        at += 16 + size
    return names


data = record(3, ii(10, 10) + string('x') + sample_id(10, 1))
for i, name in enumerate(NO_FILES + ['program']):
    data += record(10, ii(10, 10) + q(0x400000 + 0x10000 * i, 0x10000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) +
                   string(os.path.join(there, name)) + sample_id(10, 2), 2)
    data += record(9, q(7, 0x401000 + 0x10000 * i) + ii(10, 10) + q(9, 2, -512, 0x401000 + 0x10000 * i) + ii(4) + bytes(4), 2)
with open(PATH, 'wb') as f:
    f.write(perf_file([attr(IP | TID | TIME | CALLCHAIN | RAW | IDENTIFIER)], data, {3: feature_string(os.uname().nodename), 4: feature_string(os.uname().release)}, ids=[[7]]))
for args in ('script', '-F', 'ip,sym,srcline', '--inline'), ('report', '--stdio', '-s', 'dso,sym,srcline'), ('inject', '-b', '-o', 'out'):
    status, out, err = run(*args)
    names = opened()
    ok(status == 0 and names == {'program'}, 'files alone are opened: ' + ' '.join(args), status, names, err)

# A process that has a lease of its file may let whoever opens it wait for 45 s
write(pid, '')
Map(pid, b'800000 100 leased\n')
signal.signal(signal.SIGIO, signal.SIG_IGN)
leased = os.open('/tmp/perf-%d.map' % pid, os.O_RDWR)
try:
    fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_WRLCK)
except OSError as e:
    skip('a lease', 'no leases here: %s' % e)
else:
    try:
        status, out, err = run('script', timeout=30)
        held = fcntl.fcntl(leased, fcntl.F_GETLEASE)
    except subprocess.TimeoutExpired:
        status = held = None
    ok(status == 0 and out, 'a file with a lease is not waited for', status, held, err)
os.close(leased)

# Whose map it is
MAP = b'800000 100 jitted\n'
write(pid, '')
Map(pid, MAP)
status, out, err = run('script')
ok(status == 0 and b'jitted' in out and not err, 'a map of our own', err)
if os.geteuid():
    skip('a map of another user', 'not root')
else:
    Map(pid, MAP, NOBODY)
    status, out, err = run('script')
    ok(status == 0 and b'jitted' not in out and len(err.splitlines()) == 1 and 'another user' in err and
       '/tmp/perf-%d.map' % pid in err and '-f' in err, "another user's map: not used, one line", status, err, out)
    status, out, err = run('report', '--stdio')
    ok(status == 0 and b'jitted' not in out, "another user's map: report", err)
    status, out, err = run('script', '-f')
    ok(status == 0 and b'jitted' in out and not err, "another user's map: -f", err)
    sleeper = subprocess.Popen(['sleep', '1000'], user=NOBODY, group=NOBODY, extra_groups=[])
    Map(sleeper.pid, MAP, NOBODY)
    u = os.uname()
    write(sleeper.pid, '', u.nodename, u.release)
    status, out, err = run('script')
    ok(status == 0 and b'jitted' in out and not err, "the task's user's map, while the task is here", err, out)
    write(sleeper.pid, '', 'elsewhere', u.release)
    status, out, err = run('script')
    ok(status == 0 and b'jitted' not in out, "a recording of another machine: its tasks are not ours", err, out)
    sleeper.kill()
    sleeper.wait()
    write(sleeper.pid, '', u.nodename, u.release)
    status, out, err = run('script')
    ok(status == 0 and b'jitted' not in out and 'another user' in err, 'and when the task is gone', err, out)
done()
