#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where symbols, source lines and inlined functions come from: debuginfod, compressed modules,
vmlinux, split and shared DWARF, perf-PID.map, --symfs; Rust's names; guests.

Recordings are made up, of programs built here: what each sample must be called is known.
TAP."""
import contextlib
import ctypes
import http.server
import mmap as memory
import pty
import sys
import threading
sys.path.insert(0, sys.path[0] + '/../../lib')
from programs import *  # noqa: E402

# A program with a function that only .symtab knows.
put('prog.c', '''
static int __attribute__((noinline)) hidden(int x) { return x * 3 + 1; }
int main(int argc, char **argv) { return hidden(argc); }
''')
sh('gcc -g -O1 -Wl,--build-id=sha1 -o prog prog.c')
sh('cp prog whole; objcopy --only-keep-debug prog prog.debug; strip prog')
ADDR = nm(path('whole'))
ID = build_id(path('whole'))
DATA = of_program('prog.data', path('prog'), [ADDR['hidden'], ADDR['main']], id=ID)


# debuginfod: the requests, and what the answers lead to
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, files, slow=False, broken=False):
        super().__init__(('127.0.0.1', 0), Handler)
        self.files, self.slow, self.broken, self.asked = files, slow, broken, []
        self.env = {'DEBUGINFOD_URLS': 'http://127.0.0.1:%d' % self.server_address[1],
                    'DEBUGINFOD_CACHE_PATH': tempfile.mkdtemp(dir=TMP)}

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        s = self.server
        s.asked.append(self.path)
        file = s.files.get(self.path)
        if not file and not s.broken:
            self.send_error(404)
            return
        body = b'<html>login please</html>' if s.broken else open(file, 'rb').read()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            for i in range(0, len(body), 1024):
                self.wfile.write(body[i:i + 1024])
                self.wfile.flush()
                if s.slow:
                    time.sleep(0.3)

    def log_message(self, *_):
        pass


DEBUG_URL, EXEC_URL = ('/buildid/%s/%s' % (ID, w) for w in ('debuginfo', 'executable'))
with Server({DEBUG_URL: path('prog.debug')}) as s:
    status, names, err = symbols(DATA)
    ok(status == 0 and 'hidden' not in names and not s.asked, 'debuginfod: no request without DEBUGINFOD_URLS',
       names, err, s.asked)
    status, names, err = symbols(DATA, env=s.env)
    ok(status == 0 and names == ['hidden', 'main'] and s.asked == [DEBUG_URL] and not err,
       'debuginfod: a debug file by its build-id', status, names, err, s.asked)
    status, names, err = symbols(DATA, env=s.env)
    ok(names == ['hidden', 'main'] and s.asked == [DEBUG_URL], 'debuginfod: one request, then its cache',
       names, err, s.asked)
    env = s.env
status, names, err = symbols(DATA, env=env)
ok(names == ['hidden', 'main'], 'debuginfod: the cache without the server', names, err)
env['DEBUGINFOD_CACHE_PATH'] = tempfile.mkdtemp(dir=TMP)
status, names, err = symbols(DATA, env=env)
ok(status == 0 and 'hidden' not in names and len(names) == 2 and not err, 'debuginfod: no server there', status, names, err)
gone = of_program('gone.data', path('whole'), [ADDR['hidden']], mapped_as='/nowhere/prog', id=ID)
with Server({EXEC_URL: path('whole')}) as s:
    status, names, err = symbols(gone, env=s.env)
    ok(names == ['hidden'] and s.asked == [EXEC_URL], 'debuginfod: a program that is not here', names, err, s.asked)
with Server({}) as s:
    status, names, err = symbols(gone, env=s.env)
    ok(status == 0 and names == ['[unknown]'] and set(s.asked) == {EXEC_URL, DEBUG_URL},
       'debuginfod: it has none of both', status, names, err, s.asked)
with Server({}, broken=True) as s:
    status, names, err = symbols(DATA, env=s.env)
    ok(status == 0 and 'hidden' not in names, 'debuginfod: an answer that is no ELF file', status, names, err)
    status, names, err = symbols(gone, env=s.env)
    ok(status == 0 and names == ['[unknown]'], 'debuginfod: a program that is no ELF file', status, names, err)


def on_terminal(args, env, until=None, then=None):
    """stderr is a terminal; when it says @until, @then(pid). (status, stdout, what it said)"""
    master, slave = pty.openpty()
    out = tempfile.TemporaryFile()
    p = subprocess.Popen((PERF,) + args, env=dict(os.environ, **env), stdin=subprocess.DEVNULL,
                         stdout=out, stderr=slave, start_new_session=True)
    os.close(slave)
    said = b''
    with contextlib.suppress(OSError):     # EIO: it ended
        while True:
            b = os.read(master, 4096)
            if not b:
                break
            said += b
            if until and re.search(until, said):
                then(p.pid)
                until = None
    p.wait(timeout=60)
    out.seek(0)
    os.close(master)
    return p.returncode, names_in(out.read().decode()), said.decode()


# Slow: four seconds' worth, so that progress is shown; ^C ends the fetching, not the command
sh('cp prog.debug slow.debug; head -c 12000 /dev/zero >> slow.debug')
ARGS = ('script', '-G', '-F', 'ip,sym', '-i', DATA)
if terminals():
    with Server({DEBUG_URL: path('slow.debug')}, slow=True) as s:
        status, names, said = on_terminal(ARGS, s.env)
        ok(status == 0 and names == ['hidden', 'main'] and re.search(r'debuginfod: prog \d+/\d+ kB', said),
           'debuginfod: progress on a terminal', status, names, repr(said))
        s.env['DEBUGINFOD_CACHE_PATH'] = tempfile.mkdtemp(dir=TMP)
        both = recording('both.data', *[
            r for i, f in enumerate(('prog', 'prog2')) for r in (
                mmap(path(f), BASE + (i << 20), 0x10000, 0,
                     id=ID[:-2] + '%02x' % (int(ID[-2:], 16) ^ i)),
                sample(BASE + (i << 20) + ADDR['hidden']))])
        del s.asked[:]
        status, names, said = on_terminal(('script', '-G', '-F', 'ip,sym', '-i', both), s.env, until=rb'kB',
                                          then=lambda pid: os.kill(pid, signal.SIGINT))
        ok(len(names) == 2 and 'hidden' not in names and 'interrupted: nothing more is fetched' in said and
           len(s.asked) == 1, 'debuginfod: ^C ends the fetching', status, names, repr(said), s.asked)
else:
    skip('debuginfod: progress on a terminal', 'no pseudo-terminal can be opened')

# --symfs, the build-id cache, /usr/lib/debug below --symfs
os.makedirs(path('root', TMP[1:]))
sh('cp whole root%s/prog' % TMP)
status, names, err = symbols(DATA, '--symfs', path('root'))
ok(names == ['hidden', 'main'], '--symfs: the program below it', names, err)
os.remove(path('root', TMP[1:], 'prog'))
status, names, err = symbols(DATA, '--symfs', path('root'))
ok('hidden' not in names, '--symfs: nothing from outside of it', names, err)
put('root/usr/lib/debug/.build-id/%s/%s.debug' % (ID[:2], ID[2:]), open(path('prog.debug'), 'rb').read())
status, names, err = symbols(DATA, '--symfs', path('root'))
ok(names == ['hidden', 'main'], '--symfs: /usr/lib/debug below it', names, err)
put('.debug/.build-id/%s/%s/debug' % (ID[:2], ID[2:]), open(path('prog.debug'), 'rb').read())
status, names, err = symbols(DATA)
ok(names == ['hidden', 'main'], '~/.debug: a debug file in the build-id cache', names, err)
shutil.rmtree(path('.debug'))
put('.debug/.build-id/%s/%s/elf' % (ID[:2], ID[2:]), open(path('whole'), 'rb').read())
status, names, err = symbols(DATA)
ok(names == ['hidden', 'main'], '~/.debug: the program as it was before it was stripped', names, err)
shutil.rmtree(path('.debug'))

# The bytes of a build-id are shown in hexadecimal, so that none leads out of the cache: the program
# with such an id lies where the bytes would lead if they were text, and then where they do lead.
for text in '../../outside', '/outside', '..', '%s%n/../outside':
    raw = text.encode()
    sh('gcc -g -O1 -Wl,--build-id=0x%s -o astray prog.c' % raw.hex())
    there = nm(path('astray'))
    data = of_program('astray.data', path('astray'), [there['hidden'], there['main']], mapped_as='/gone/prog', id=raw.hex())
    found = []
    cache = '.debug/.build-id/'
    as_text = os.path.normpath(cache + text[:2] + '/' + text[2:])
    for folders in (as_text, 'outside', '.debug', cache), (cache + raw.hex()[:2] + '/' + raw.hex()[2:],):
        for folder in folders:
            for name in 'elf', 'debug':
                put(os.path.join(folder, name), open(path('astray'), 'rb').read())
        found.append(symbols(data))
        shutil.rmtree(path('.debug'))
        shutil.rmtree(path('outside'), ignore_errors=True)
    ok(found[0][0] == 0 and len(found[0][1]) == 2 and not set(found[0][1]) & {'hidden', 'main'} and
       found[1][1] == ['hidden', 'main'], 'a build-id with the bytes of %r stays in the cache' % text, found)

# What stands in the cache and is no regular file is not opened: a FIFO would never end it.
for kind in 'a FIFO', 'a link to a device', 'a folder', 'a link to itself':
    entry = path('.debug/.build-id', ID[:2], ID[2:])
    os.makedirs(entry)
    for name in 'debug', 'elf':
        at = os.path.join(entry, name)
        {'a FIFO': os.mkfifo, 'a link to a device': lambda p: os.symlink('/dev/zero', p), 'a folder': os.mkdir,
         'a link to itself': lambda p: os.symlink(p, p)}[kind](at)
    status, names, err = symbols(DATA)
    ok(status == 0 and len(names) == 2 and 'main' not in err, 'the cache has %s: passed over' % kind, status, names, err)
    shutil.rmtree(path('.debug'))

# Unpacked records and streams are kept in files without names.
os.mkdir(path('temporary'))
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(os.O_NONBLOCK)
libc.inotify_add_watch(watch, path('temporary').encode(), 0x100)        # IN_CREATE
with open(GOLDEN + '/multi.defer.data', 'rb') as f:
    p = subprocess.run([PERF, 'report', '--stdio', '-i', '-'], stdin=f, env=dict(os.environ, TMPDIR=path('temporary')),
                       cwd=TMP, capture_output=True, check=False)
try:
    names = os.read(watch, 4096)
except BlockingIOError:
    names = b''
ok(p.returncode == 0 and p.stdout and not os.listdir(path('temporary')), 'a stream leaves no file behind', p.stderr)
try:
    os.close(os.open(path('temporary'), os.O_TMPFILE | os.O_RDWR))
    ok(not names, 'and its file never has a name', names)
except OSError:
    skip('its file never has a name', 'no O_TMPFILE here')

# A file without a build-id that was replaced or changed since the recording: names of the new one would be wrong.
HOST, HOUR = os.uname().nodename, 3600 * 10**9
NOW = time.time_ns()


def times(file, ns):
    os.utime(file, ns=(ns, ns))


def changed(*args, inode=0, age=2, **how):
    """Of a program that is @age hours old, recorded an hour ago with its inode number + @inode. (names, lines)"""
    ino = os.stat(path('unknown')).st_ino
    times(path('unknown'), NOW - age * HOUR)
    data = of_program('changed.data', path('unknown'), [ADDR['hidden'], ADDR['main']], ino=ino + inode, **{'host': HOST, **how})
    times(data, NOW - HOUR)
    status, names, err = symbols(data, *args)
    return status, names, err.splitlines()


sh('gcc -g -O1 -Wl,--build-id=none -o unknown prog.c')
ADDR, WHOLE = nm(path('unknown')), ADDR
BOTH, NONE = ['hidden', 'main'], ['[unknown]'] * 2
got = changed()
ok(got == (0, BOTH, []), 'the recorded file, by its inode', got)
got = changed(inode=1)
ok(got[:2] == (0, NONE) and len(got[2]) == 1 and 'unknown: its file was replaced since the recording (another inode' in got[2][0],
   'another inode: no names, and a line says why', got)
got = changed(age=0)
ok(got[:2] == (0, NONE) and len(got[2]) == 1 and 'was changed since the recording' in got[2][0],
   'the same inode, written to since: no names, and a line says why', got)
got = changed('-f', inode=1), changed('-f', age=0)
ok(got == ((0, BOTH, []),) * 2, '-f takes it all the same', got)
got = changed(inode=1, host='elsewhere'), changed(inode=1, age=0, host='elsewhere')
ok(got == ((0, BOTH, []),) * 2, 'on another machine inodes and times say nothing', got)
os.makedirs(path('copied', TMP[1:]))
sh('cp unknown copied%s/unknown' % TMP)
got = changed('--symfs', path('copied'), inode=1, age=0)
ok(got == (0, BOTH, []), 'nor below --symfs', got)
got = changed(mapped_as=path('unknown') + ' (deleted)')
ok(got == (0, BOTH, []), 'a file that was removed and is back, by its inode', got)
got = changed(mapped_as=path('unknown') + ' (deleted)', inode=1)
ok(got == (0, NONE, []), 'another one has the path of a removed file', got)
sh('cp unknown "a (deleted)"')
got = of_program('changed.data', path('a (deleted)'), [ADDR['hidden'], ADDR['main']])
ok(symbols(got) == (0, BOTH, ''), 'a file that is called so', got)
# With a build-id in the recording: one without is another file.
got = changed(id=ID)
ok(got[:2] == (0, NONE) and len(got[2]) == 1 and 'another build id' in got[2][0], 'a file without a build-id in the place of one', got)
got = of_program('changed.data', path('whole'), [WHOLE['hidden']], id=ID[:-2] + '%02x' % (int(ID[-2:], 16) ^ 1), host=HOST)
got = symbols(got)
ok(got[1] == NONE[1:] and len(got[2].splitlines()) == 1 and 'another build id' in got[2], 'another build-id: a line says so', got)
status, out, err = perf('report', '--stdio', '-i', path('changed.data'))
ok(status == 0 and err.count('another build id') == 1 and ' hidden' not in out, 'perf report: the same line', out, err)
# The new file names its own debug file, which must not serve the recorded one.
sh('gcc -g -O1 -Wl,--build-id=0x%s -o linked prog.c && objcopy --only-keep-debug linked linked.debug && '
   'strip linked && objcopy --add-gnu-debuglink=linked.debug linked' % ID[::-1])
with open(path('linked'), 'rb') as f, memory.mmap(f.fileno(), 0, memory.MAP_PRIVATE, memory.PROT_READ | memory.PROT_EXEC):
    me = ii(os.getpid(), os.getpid())
    data = of_program('changed.data', path('linked'), [ADDR['hidden'], ADDR['main']], id=ID, host=HOST)
    made = open(data, 'rb').read()
    put(data, made.replace(ii(10, 10), me))
    got = symbols(data)
    ok(got[0] == 0 and 'hidden' not in got[1] and 'another build id' in got[2], 'another build-id and a debug link', got)
    with Server({DEBUG_URL: path('prog.debug')}) as s:
        got = symbols(data, env=s.env)
        ok(got[:2] == (0, BOTH) and s.asked[-1] == DEBUG_URL, "and the recorded file's debug file from debuginfod", got, s.asked)
# After an upgrade many files are others.
data = []
for i in range(20):
    sh('cp whole many%d' % i)
    data += [mmap(path('many%d' % i), BASE + (i << 20), 0x10000, 0, id='%040x' % (i + (1 << 150))), sample(BASE + (i << 20) + 0x1000)]
status, names, err = symbols(recording('changed.data', *data, host=HOST))
ok(status == 0 and names == ['[unknown]'] * 20 and len(err.splitlines()) == 5, 'many such files: a few lines', status, names, err)
ADDR = WHOLE

# Kernel modules as distributions compress them
put('mod.c', '''
int mod_first(int x) { return x + 1; }
int mod_second(int x) { return x * mod_first(x); }
''')
sh('gcc -O1 -fno-inline -c -o mod.ko mod.c')
MOD = nm(path('mod.ko'))
for ending, how in (('', 'cp mod.ko'), ('.gz', 'gzip -c mod.ko >'), ('.xz', 'xz -c mod.ko >'),
                    ('.zst', 'zstd -qc mod.ko >')):
    file = 'lib/modules/6.12/kernel/mod.ko' + ending
    os.makedirs(path('lib/modules/6.12/kernel'), exist_ok=True)
    sh('%s %s' % (how, file))
    data = recording('mod.data', mmap(path(file), 0xffffffffc0400000, 0x1000, 0, KERNEL, -1),
                     *(sample(0xffffffffc0400000 + MOD[f], KERNEL) for f in ('mod_first', 'mod_second')))
    status, names, err = symbols(data)
    ok(names == ['mod_first', 'mod_second'], 'module: mod.ko' + ending, names, err)
    status, out, err = perf('script', '-G', '-F', 'ip,dso', '-i', data)
    ok(names_in(out) == ['([mod])'] * 2,
       'module: named [mod]: mod.ko' + ending, out)
put('lib/modules/6.12/kernel/mod.ko.xz', open(path('mod.ko'), 'rb').read()[:300])
status, names, err = symbols(recording('mod.data', mmap(path('lib/modules/6.12/kernel/mod.ko.xz'),
                                                        0xffffffffc0400000, 0x1000, 0, KERNEL, -1),
                                       sample(0xffffffffc0400000, KERNEL)))
ok(status == 0 and names == ['[unknown]'] and 'cannot be decompressed' in err, 'module: damaged', names, err)

# vmlinux, loaded elsewhere than it was linked
put('vmlinux.s', '.globl _text, _stext, do_work, do_more\n.text\n_text:\n_stext:\n.skip 64, 0x90\n' +
    ''.join('.type %s, @function\n%s: .skip 48, 0x90\nret\n.size %s, .-%s\n' % (f, f, f, f)
            for f in ('do_work', 'do_more')))
sh('gcc -c -o vmlinux.o vmlinux.s && ld -Ttext=0xffffffff81000000 -e _text -o vmlinux vmlinux.o')
VM = nm(path('vmlinux'))
for slide in (0, 0x1e000000):
    data = recording('kernel.data', record(1, ii(-1, 0) + q(0xffffffff81000000 + slide, 0x1000,
                                                           0xffffffff81000000 + slide) +
                                           string('[kernel.kallsyms]_text') + SID, KERNEL),
                     *(sample(VM[f] + slide, KERNEL) for f in ('do_work', 'do_more')))
    status, names, err = symbols(data, '-k', path('vmlinux'))
    ok(names == ['do_work', 'do_more'], '-k vmlinux, moved by %#x' % slide, names, err)
status, names, err = symbols(data, '-k', path('nowhere'))
ok('nowhere' in err and len(err.splitlines()) == 1, '-k: not there', status, names, err)

# A module that has no path, by modules.dep; the index is read once.
def in_memory(data, *args, limit=400 << 20):
    """The same as perf(), of script, in this much memory and 20 s."""
    try:
        return perf('script', '-G', '-F', 'ip,sym', '-i', data, *args, timeout=20,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    except subprocess.TimeoutExpired:
        return None, '', 'waits'


MODULES = 50000
put('fs/lib/modules/6.12/modules.dep', ''.join('kernel/x/m%d.ko.xz: kernel/x/other.ko.xz\n' % i for i in range(MODULES)) +
    'kernel/two-words.ko: \nkernel/x/two_words.ko.xz: \n')
shutil.copy(path('mod.ko'), path('two-words.ko'))
os.makedirs(path('fs/lib/modules/6.12/kernel'))
os.rename(path('two-words.ko'), path('fs/lib/modules/6.12/kernel/two-words.ko'))


def of_modules(name, names):
    at = range(0xffffffffc0400000, 0xffffffffff000000, 0x1000)
    return put(name, perf_file([attr(IP | TID | TIME | CALLCHAIN, flags=('sample_id_all', 'mmap', 'mmap2', 'comm'))],
                               record(3, ii(10, 10) + string('prog') + SID) +
                               b''.join(mmap(n, a, 0x1000, 0, KERNEL, -1) + sample(a + MOD['mod_second'], KERNEL)
                                        for n, a in zip(names, at)), {4: feature_string('6.12')}))


status, out, err = in_memory(of_modules('mods.data', ['[two_words]'] + ['[m%d]' % i for i in range(MODULES)]),
                             '--symfs', path('fs'))
names = names_in(out)
ok(status == 0 and names == ['mod_second'] + ['[unknown]'] * MODULES and not err,
   '50,000 modules by modules.dep', status, names[:3], names[-3:], err)

# One module's name in many folders: each file has all of its symbols.
put('kallsyms', ''.join('ffffffff81%06x t kernel_%d\n' % (16 * i, i) for i in range(2000)) +
    ''.join('ffffffffc0%06x t mod_%d\t[mod]\n' % (16 * i, i) for i in range(20000)))
status, out, err = in_memory(of_modules('mods.data', ['/lib/modules/%d/mod.ko' % i for i in range(50)]),
                             '--kallsyms', path('kallsyms'))
names = names_in(out)
ok(status == 0 and names == ['mod_0'] * 50 and not err, '50 modules of one name', status, names, err)

# One file under many names
put('big.s', '.globl _start\n_start:\n' + ''.join('.type f%d, @function\nf%d: ret\n.size f%d, 1\n' % (i, i, i) for i in range(40000)))
sh('as big.s -o big.o && ld big.o -o big')
off, vaddr, size = text_segment(path('big'))
data = recording('big.data', *(r for i in range(100) for r in (
    mmap(TMP + '/' * (i % 50 + 1) + './' * (i // 50) + 'big', BASE + (i << 20), 0x10000, off), sample(BASE + (i << 20) + 1))))
status, out, err = in_memory(data)
names = names_in(out)
ok(status == 0 and names == ['f1'] * 100 and not err, 'one file under 100 names', status, names[:20], names.count('f1'), err)
status, out, err = in_memory(data, '--max-memory', '50M')
ok(status == 1 and err.count('\n') == 1 and '--max-memory' in err, 'one file under 100 names, in less memory', status, err)


def measured(*args, keep=True):
    """Of perf script: status, its output (if it is kept) and messages, peak kB."""
    with open(path('measured.out'), 'w') as f:
        p = subprocess.Popen((PERF, 'script') + args, stdout=f if keep else subprocess.DEVNULL, stderr=f)
    _, p.returncode, usage = os.wait4(p.pid, 0)
    with open(path('measured.out')) as f:
        return os.waitstatus_to_exitcode(p.returncode), f.read(), usage.ru_maxrss


def share_name(elf, kind, which):
    """The symbols of that table for which which(value) holds get the name that is 60,000 times a. Return: where it is."""
    name = elf.index(b'a' * 60000)
    headers = [struct.unpack_from('<IIQQQQIIQQ', elf, at) for at in
               range(struct.unpack_from('<Q', elf, 40)[0], len(elf) - 63, 64)]
    symbols = next(h for h in headers if h[1] == kind)
    for at in range(symbols[4] + 24, symbols[4] + symbols[5], 24):
        if which(struct.unpack_from('<Q', elf, at + 8)[0]):
            struct.pack_into('<I', elf, at, name - headers[symbols[6]][4])
    return name


# One name for many symbols: a copy for each of them, with control characters replaced, is 300 MB.
put('long.s', '.globl _start\n_start:\n' + ''.join('.type f%d, @function\nf%d: ret\n.size f%d, 1\n' % (i, i, i) for i in range(5000)) +
    '.type %s, @function\n%s: ret\n' % (('"' + 'a' * 60000 + '"',) * 2))
sh('as long.s -o long.o && ld long.o -o long')
elf = bytearray(open(path('long'), 'rb').read())
off, vaddr, size = text_segment(path('long'))
long_name = share_name(elf, 2, lambda value: True)
for what, char, more in ('plain', b'a', False), ('with control characters', b'\1', True):
    elf[long_name:long_name + 60000] = char * 60000
    put('long', bytes(elf))
    data = of_program('long.data', path('long'), range(vaddr, vaddr + 5000))
    status, err, rss = measured('-G', '-F', 'ip,sym', '--max-memory', '60M', '-i', data, keep=False)
    ok(status == more and err.count('\n') == more and err.count('--max-memory') == more and rss < 80 << 10,
       'a name of many symbols, ' + what, status, err, rss)

# The same of the stubs by which a library calls others, and which have names made of those
put('stubs.s', '.globl f\n.type f, @function\nf:\n' + ''.join('call f%d@plt\n' % i for i in range(10000)) +
    'call %s@plt\n.size f, .-f\n' % ('"' + 'a' * 60000 + '"'))
sh('as stubs.s -o stubs.o && ld -shared -z lazy stubs.o -o stubs')
elf = bytearray(open(path('stubs'), 'rb').read())
off, vaddr, size = text_segment(path('stubs'))
share_name(elf, 11, lambda value: not value)
put('stubs', bytes(elf))
data = of_program('stubs.data', path('stubs'), [vaddr + size - 8])
status, out, rss = measured('-G', '-F', 'ip,sym', '--max-memory', '60M', '-i', data)
ok(status == 1 and out.count('\n') == 1 and '--max-memory' in out and rss < 80 << 10, 'a name of many stubs', status, out[-200:], rss)

# Few bytes that unpack to many
put('zeroes.s', '.globl _start\n.type _start, @function\n_start: .quad 0\n.size _start, 8\n.section .debug_str, "", @progbits\n'
    '.fill 134217728, 1, 0\n')
sh('as -g zeroes.s -o zeroes.o && ld zeroes.o -o zeroes && objcopy --compress-debug-sections=zlib zeroes zeroes-zlib && '
   'objcopy --compress-debug-sections=zlib-gnu zeroes zeroes-gnu; '
   'objcopy --strip-all zeroes bare && xz -0k zeroes.o && objcopy --add-section .gnu_debugdata=zeroes.o.xz --remove-section=.debug_str '
   'bare zeroes-mini; cp zeroes.o.xz zeroes.ko.xz')


def not_unpacked(what, data, shown):
    """perf script shows this, and has 64 MB at most."""
    status, out, rss = measured('-F', 'ip,sym,srcline', '-i', data)
    ok(status == 0 and shown in out and rss < 64 << 10, 'a section of nothing but zeroes, ' + what, status, out, rss)


for what in 'zlib', 'gnu', 'mini':
    not_unpacked(what, of_program('zeroes.data', path('zeroes-' + what), [nm(path('zeroes'))['_start'] + 4]),
                 '[unknown]' if what == 'mini' else '_start')
status, out, err = in_memory(of_modules('mods.data', [path('zeroes.ko.xz')]), limit=100 << 20)
ok(status == 0 and 'zeroes.ko.xz: cannot be decompressed' in err, 'a module of nothing but zeroes', status, out, err)

# Source lines and inlined functions: whole, split (.dwo, .dwp), and shared between files (dwz)
SOURCE = '''#define IN static inline __attribute__((always_inline))
volatile int sink;
IN void innermost(int n)
{
	sink += n * 3;	/* line 5 */
}
IN void between(int n)
{
	innermost(n + 1);	/* line 9 */
}
void outer(int n)
{
	between(n);	/* line 13 */
	sink++;
}
int main(int argc, char **argv) { outer(argc); return sink; }
'''


def lines_of(data, *args):
    status, out, err = perf('script', '-F', 'ip,sym,srcline', '--inline', '-i', data, *args)
    return [l.strip() for l in out.splitlines() if l.strip()], err


LIBDW = subprocess.run(['pkg-config', '--modversion', 'libdw'], stdout=subprocess.PIPE, text=True,
                       check=True).stdout.strip()
WANT = ['innermost', 'lines.c:5', 'between', 'lines.c:9', 'outer', 'lines.c:13']
for kind, how in (
        ('DWARF 5', 'gcc -g -O2 -o lines lines.c'),
        ('DWARF 4', 'gcc -gdwarf-4 -O2 -o lines lines.c'),
        ('compressed sections', 'gcc -g -gz=zlib -O2 -o lines lines.c'),
        ('split, .dwo', 'gcc -g -gsplit-dwarf -O2 -c -o lines.o lines.c && gcc -gsplit-dwarf -o lines lines.o'),
        # dwp itself dies of DWARF 5.
        ('split, .dwp', 'gcc -gdwarf-4 -gsplit-dwarf -O2 -c -o lines.o lines.c && gcc -gsplit-dwarf -o lines lines.o '
                        '&& dwp -e lines -o lines.dwp && rm lines.dwo'),
        ('split, DWARF 4', 'gcc -gdwarf-4 -gsplit-dwarf -O2 -c -o lines.o lines.c && '
                           'gcc -gsplit-dwarf -o lines lines.o'),
        ('dwz', 'gcc -g -O2 -o lines lines.c && dwz lines'),
        ('dwz -m', 'gcc -g -O2 -o lines lines.c lib1.c && gcc -g -O2 -o twin lines.c lib1.c && '
                   'dwz -m common.debug lines twin && readelf -SW lines | grep -q gnu_debugaltlink'),
        ('dwz -m, compressed by zstd',
         'gcc -g -O2 -o lines lines.c lib1.c && gcc -g -O2 -o twin lines.c lib1.c && dwz -m common.debug lines twin && '
         'objcopy --compress-debug-sections=zstd lines && objcopy --compress-debug-sections=zstd common.debug')):
    # From Debian 13 on it is in binutils-gold, and deprecated.
    if '&& dwp' in how and not shutil.which('dwp'):
        skip('inlined functions: ' + kind, 'no dwp here')
        continue
    put('lines.c', SOURCE)
    # Enough that both programs have in common for dwz to take it out.
    put('lib1.c', ''.join('struct s%d { long a%d[%d]; struct s%d *next; };\nlong f%d(struct s%d *p) '
                          '{ return p->a%d[1] + (p->next != 0); }\n' % ((i,) * 2 + (i + 2,) + (i,) * 4)
                          for i in range(200)))
    sh('rm -f lines.o lines.dwo lines.dwp lines-lines.dwo twin common.debug; ' + how)
    # n * 3, which innermost() alone has
    dis = subprocess.run(['objdump', '-d', '--disassemble=outer', path('lines')], stdout=subprocess.PIPE,
                         text=True).stdout
    m = re.search(r'^ *(\w+):.*(?:lea|imul).*', dis, re.M)
    data = of_program('lines.data', path('lines'), [int(m[1], 16)])
    lines, err = lines_of(data)
    words = re.findall(r'innermost|between|outer|lines\.c:\d+', '\n'.join(lines))
    if 'lines.dwp' in how and tuple(map(int, LIBDW.split('.'))) < (0, 191):
        ok(words == ['outer', 'lines.c:5'] and len(err.splitlines()) == 1 and 'libdw reads .dwp' in err,
           'inlined functions: %s: libdw %s does not read it, and a line says so' % (kind, LIBDW),
           words, lines, err)
    else:
        ok(words == WANT and not err, 'inlined functions: ' + kind, words, lines, err)

# Every address of a program with all that one DIE is skipped by, beside addr2line
put('many.c', '''#define IN static inline __attribute__((always_inline))
typedef struct { double x, y; char name[40]; int (*f)(int); } thing;
enum { LARGE = 0x123456789 };
volatile int sink;
IN int least(int n) { sink += n; return n / 3; }
IN int twice(int n) { thing t = { n, n, "a name", 0 }; sink += (int)t.x + t.name[n & 7]; return least(n) + least(n + sink); }
int hot(int n)
{
	auto int __attribute__((noinline)) below(int);
	int below(int m) { return twice(m) + n; }	/* a function in a function */
	for (int i = 0; i < n; i++) {
		int k = twice(i);

		sink += k;
		if (__builtin_expect(k == 77, 0)) {
			void __attribute__((cold)) last(int);

			last(least(k));		/* in a section of its own */
		}
	}
	return below(n);
}
void __attribute__((cold, noinline)) last(int n) { sink = twice(n); }
''')
put('start.c', 'int hot(int);\nvolatile int here;\nstatic inline __attribute__((always_inline)) int one(int n) { return here += n; }\n'
    'int main(int argc, char **argv) { return hot(one(argc)); }\n')
for kind, flags, after in (
        ('DWARF 5', '-g', ''),
        ('DWARF 4', '-gdwarf-4', ''),
        ('DWARF 3', '-gdwarf-3 -gstrict-dwarf', ''),
        ('DWARF 2', '-gdwarf-2', ''),
        ('DWARF of 64 bits', '-gdwarf-5 -gdwarf64', ''),
        ('type units', '-gdwarf-5 -fdebug-types-section', ''),
        ('one unit without .debug_aranges', '-g', '-R .debug_aranges start.o'),
        ('i386', '-g -m32', '')):
    sh('for f in many start; do gcc %s -O2 -fno-pie -c -o $f.o $f.c || exit 1; done; %s gcc %s -no-pie -o many many.o start.o' %
       (flags, 'objcopy %s;' % after if after else '', flags))
    dis = subprocess.run(['objdump', '-d', path('many')], stdout=subprocess.PIPE, text=True, check=True).stdout
    ips = [int(a, 16) for block in re.findall(r'<(?:hot|last|main|below\.\d+|hot\.cold)>:\n((?: .*\n)*)', dis)
           for a in re.findall(r'^ *([0-9a-f]+):', block, re.M)]
    # The code is the same, and binutils 2.40 reads no lines of DWARF 5 of 64 bits.
    if kind == 'DWARF 5' or '-m32' in flags:
        theirs = subprocess.run(['addr2line', '-aife', path('many')], input='\n'.join(map(hex, ips)), stdout=subprocess.PIPE,
                                text=True, check=True).stdout
        theirs = [b.strip().split('\n')[::2] for b in re.split(r'^0x[0-9a-f]{8,}$', theirs, flags=re.M)[1:]]
    status, out, err = perf('script', '-F', 'time,ip,sym', '-i', of_program('many.data', path('many'), ips))
    ours = [re.findall(r'^[ \t]+[0-9a-f]+ (\S+)', b, re.M) for b in re.split(r'^ *\d+\.\d+: *$', out, flags=re.M)[1:]]
    wrong = [(hex(ip), a, b) for ip, a, b in zip(ips, ours, theirs) if a[:-1] != b[:-1]]
    ok(len(ips) > 100 and len(ours) == len(theirs) == len(ips) and sum(len(o) > 2 for o in ours) > 30 and not wrong and not err,
       'inlined functions of each address: ' + kind, len(ips), len(ours), len(theirs), wrong[:5], err)

for what, how in (('.dwo', ''), ('.dwp', ' && mv lines.dwo lines.dwp')):
    sh('rm -f lines.dwo lines.dwp; gcc -g -gsplit-dwarf -O2 -c -o lines.o lines.c && gcc -gsplit-dwarf -o lines lines.o && '
       'truncate -s 128M zeroes && objcopy --add-section .debug_macro.dwo=zeroes lines.dwo && '
       'objcopy --compress-debug-sections=zlib lines.dwo && rm zeroes' + how)
    not_unpacked(what, of_program('lines.data', path('lines'), [nm(path('lines'))['outer'] + 1]), 'outer')

# What else debug information names: a FIFO there is not opened.
def in_time(data):
    """Lines, and messages, of both commands that look for source lines."""
    out = err = ''
    for cmd in ('script', '-F', 'ip,sym,srcline'), ('annotate', '--stdio'):
        try:
            p = subprocess.run((PERF,) + cmd + ('-i', data), capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            return '', cmd[0] + ' waits'
        out, err = out + p.stdout, err + p.stderr
    return out, err


for kind, how, fifo, told in (
        ('.dwo', 'gcc -g -gsplit-dwarf -O2 -c -o lines.o lines.c && gcc -gsplit-dwarf -o lines lines.o', 'lines.dwo', True),
        ('.dwo, DWARF 4', 'gcc -gdwarf-4 -gsplit-dwarf -O2 -c -o lines.o lines.c && gcc -gsplit-dwarf -o lines lines.o',
         'lines.dwo', True),
        ('.dwp', 'gcc -g -gsplit-dwarf -O2 -c -o lines.o lines.c && gcc -gsplit-dwarf -o lines lines.o && rm lines.dwo',
         'lines.dwp', True),
        ('dwz', 'gcc -g -O2 -o lines lines.c lib1.c && gcc -g -O2 -o twin lines.c lib1.c && '
                'dwz -m common.debug lines twin', 'common.debug', False)):
    sh('rm -f lines.o lines.dwo lines.dwp lines-lines.dwo common.debug; ' + how + '; rm -f ' + fifo)
    os.mkfifo(path(fifo))
    out, err = in_time(of_program('lines.data', path('lines'), [nm(path('lines'))['outer']]))
    ok('outer' in out and len(err.splitlines()) == told and
       err.count("inlined functions are not shown") == told,
       'a FIFO in place of the file of ' + kind, out, err)
    os.remove(path(fifo))


# DIEs by hand: @n of this tag, with these attributes and values, in a program that is nothing else;
# within a function that is all of it if @within. k: which of them. @addrs: of the samples.
def dies(name, n, attributes, values, children=False, ranges=1, tag=0x2e, within=False, addrs=(20,)):
    put(name + '.s', """.text
.globl _start
_start: .fill 65536, 1, 0x90
.type _start, @function
.size _start, .-_start
.section .debug_abbrev, "", @progbits
.uleb128 1, 0x11
.byte 1
.uleb128 0x11, 1, 0x12, 7, 0, 0
.uleb128 2, %d
.byte %d
.uleb128 %s, 0, 0
.uleb128 3, 0x2e
.byte 1
.uleb128 0x11, 1, 0x12, 7, 0, 0
.byte 0
.section .debug_info, "", @progbits
.long 2f - 1f
1: .value 4
.long 0
.byte 8
.uleb128 1
.quad _start, 65536
%s
.set k, 0
.rept %d
.uleb128 2
%s
.set k, k + 1
.endr
.byte 0
2:
.section .debug_ranges, "", @progbits
.rept %d
.quad 16, 32
.endr
.quad 0, 0
""" % (tag, children, attributes, '.uleb128 3\n.quad _start, 65536' if within else '', n, values, ranges))
    sh('as %s.s -o %s.o && ld -Ttext=0x401000 %s.o -o %s' % ((name,) * 4))
    start = nm(path(name))['_start']
    return of_program(name + '.data', path(name), [start + a for a in addrs])


# DW_AT_ranges: a few hundred kB would stand for a hundred million ranges.
data = dies('ranges', 10000, '0x55, 0x17', '.long 0', ranges=10000)
status, out, err = perf('script', '-G', '-F', 'ip,sym', '-i', data,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2))
ok(status == 0 and '_start' in out and len(err.splitlines()) == 1 and 'too many ranges of code' in err,
   'functions that share a list of ranges', status, out, err)

# DW_AT_sibling: the next function is the first one.
out, err = in_time(dies('sibling', 3, '1, 0x13', '.long 28\n.byte 0', children=True))
ok('_start' in out and not err, 'functions that lead back to the first one', out, err)

# The same, and each function's sibling is its first child: two ways lead to every DIE.
out, err = in_time(dies('child', 300, '1, 0x13', '.long . - 1b + 8', children=True))
ok('_start' in out and not err, 'functions whose siblings lie in them', out, err)

# Many inlined calls in one function: behind each other, of the same addresses, and in each other. The
# name of each is a letter.
def inlined(name, n, where, addrs, children=False):
    out, err = in_time(dies(name, n, '3, 8, 0x11, 1, 0x12, 7', ".byte 'a' + k %% 26, 0\n.quad %s" % where, tag=0x1d,
                            children=children, within=True, addrs=addrs))
    return ''.join(re.findall(r'^\s*[0-9a-f]+ (.) \(inlined\)$', out, re.M)), err


names, err = inlined('beside', 32768, '_start + 2 * k, 2', range(65536))
ok(names == ''.join(chr(ord('a') + k // 2 % 26) for k in range(65536)) and not err, 'inlined calls beside each other', names[:60], err)
names, err = inlined('same', 32768, '_start + 8, 65000', range(0, 65536, 16))
ok(names == 'a' * 4062 and not err, 'inlined calls of the same addresses', names[:60], len(names), err)
names, err = inlined('within', 1000, '_start + k, 65536 - 2 * k', (0, 2, 4, 40000), children=True)
ok(names == 'a' + 'cba' + 'edcba' + ''.join(chr(ord('a') + k % 26) for k in range(127, -1, -1)) and not err,
   'inlined calls in each other', names, err)

# Units by hand, each of 16 bytes of the code: what each has behind its header, the abbreviations, the lines
def units(name, dies, abbrev, line=b''):
    put(name + '.info', b''.join(struct.pack('<IHIB', 7 + len(d), 4, 0, 8) + d for d in dies))
    put(name + '.abbrev', abbrev)
    put(name + '.line', line)
    put(name + '.s', '.globl _start\n.type _start, @function\n_start: .fill 65536, 1, 0x90\n.size _start, .-_start\n' + ''.join(
        '.section .debug_%s, "", @progbits\n.incbin "%s.%s"\n' % (what, name, what) for what in ('info', 'abbrev', 'line')))
    sh('as %s.s -o %s.o && ld -Ttext=0x401000 %s.o -o %s' % ((name,) * 4))
    return of_program(name + '.data', path(name), [0x401000 + 16 * i + 8 for i in range(len(dies))])


def leb(n):
    return bytes([n & 127 | 128, n >> 7 & 127 | 128, n >> 14])


# Units that share what describes their entries: libdw would keep a copy for each, 24 GB of these.
nr = 20000
data = units('abbrev', [leb(nr)] * nr, b''.join(leb(i) + bytes([0x11, 0, 0, 0]) for i in range(1, nr + 1)) + b'\0')
status, out, err = in_memory(data, '-F', 'ip,sym,srcline', limit=1 << 30)
ok(status == 0 and '_start' in out and len(err.splitlines()) == 1 and 'too many abbreviations' in err,
   'units that share abbreviations', status, out[:200], err)

# A program of lines whose end holds the next one, and so on: each unit would have the lines of all behind it.
nr = 300
head = struct.pack('<HI', 4, 27) + bytes([1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]) + b'a.c\0\0\0\0\0'
start = bytes([0, 9, 2]) + struct.pack('<Q', 0x401000)
step = 7 + len(head) + len(start)
rows = b' ' * 300000 + bytes([0, 1, 1])
line = b''
for i in range(nr):
    # The extended operation 0x80, which is none, holds the next program's head.
    line += bytes([0, len(head) + 4 + 1, 0x80]) + struct.pack('<I', (nr - i - 1) * step + len(start) + len(head) + len(rows)) + head + start
line += rows
data = units('nested', [leb(1) + struct.pack('<QII', 0x401000 + 16 * i, 16, i * step + 3) for i in range(nr)],
             leb(1) + bytes([0x11, 0, 0x11, 1, 0x12, 6, 0x10, 0x17, 0, 0, 0]), line)
status, out, err = in_memory(data, '-F', 'ip,sym,srcline', limit=1 << 30)
ok(status == 0 and 'a.c:' in out and len(err.splitlines()) == 1 and 'too many lines' in err, 'programs of lines in each other',
   status, out[:200], err)

# Copies of stacks, walked by a program with an entry of CFI without end, and by one whose sections unpack to 128 MB
os.makedirs(path('sym/g'), exist_ok=True)
DWARF = os.path.join(GOLDEN, 'deepsys.dwarf.data')
for what, text, shrink in (
        ('an entry of CFI that remembers a million states', '.rept 1000000\n.cfi_escape 0x0a\n.endr\n', 'true'),
        ('copies of stacks and a section of nothing but zeroes', '.section .debug_str, "", @progbits\n.fill 134217728, 1, 0\n.text\n',
         'objcopy --compress-debug-sections=zlib sym/g/deepsys')):
    put('walked.s', '.cfi_sections %s\n.globl _start\n.type _start, @function\n_start:\n.cfi_startproc\n%s.fill 0x20f, 1, 0x90\n'
        '.cfi_endproc\n.size _start, .-_start\n' % ('.debug_frame' if shrink != 'true' else '.eh_frame', text))
    sh('as -g walked.s -o walked.o && ld --build-id=none -Ttext=0x401000 walked.o -o sym/g/deepsys && ' + shrink)
    status, out, rss = measured('--no-inline', '--symfs', path('sym'), '-F', 'ip,sym', '-i', DWARF)
    ok(status == 0 and '_start' in out and rss < 64 << 10, what, status, out[-300:], rss)

# A JIT's symbols, of a process that was
pid = 3999999
jit = '/tmp/perf-%d.map' % pid
put(jit, '%x 40 LazyCompile:~first file.js:1\n%x 40 second\n' % (BASE, BASE + 0x40))
data = recording('jit.data', record(10, ii(pid, pid) + q(BASE, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(7, 2) +
                                    string('//anon') + SID, USER),
                 *(record(9, q(BASE + o) + ii(pid, pid) + q(10, 0), USER) for o in (0, 0x3f, 0x40, 0x80)))
status, out, err = perf('script', '-G', '-F', 'ip,sym,dso', '-i', data)
os.remove(jit)
lines = names_in(out)
ok([l.rsplit(' (', 1)[0] for l in lines] == ['LazyCompile:~first file.js:1'] * 2 + ['second', '[unknown]'] and
   '(%s)' % jit in lines[0], 'perf-PID.map', lines, err)

# Files with holes can be of any size, and lines of any length.
jits = ['/tmp/perf-%d.map' % p for p in range(pid, pid + 3)]
for jit in jits:
    with open(jit, 'w') as f:
        f.write('%x 40 first\n%x 40 %s\n%x 40 third\n' % (BASE, BASE + 0x40, 'x' * 200000, BASE + 0x80))
        f.truncate(500 << 20)
data = recording('jits.data', *(r for p in range(pid, pid + 3) for r in
                                [record(10, ii(p, p) + q(BASE, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(7, 2) + string('//anon') + SID, USER)] +
                                [record(9, q(BASE + o) + ii(p, p) + q(10, 0), USER) for o in (0, 0x40, 0x80)]))
status, out, err = in_memory(data, limit=200 << 20)
names = names_in(out)
ok(status == 0 and [n[:5] for n in names] == ['first', 'xxxxx', 'third'] * 3 and not err, 'perf-PID.map with a hole of 500 MB',
   status, [n[:5] for n in names], err)
for jit in jits:
    os.remove(jit)

# Rust's two ways of mangling, and C++'s
RUST = [('_RNvCs1234_7mycrate3foo', 'mycrate::foo'),
        ('_RINvNtCs1234_7mycrate3bar3bazmE', 'mycrate::bar::baz::<u32>'),
        ('_ZN7mycrate3bar3baz17h0123456789abcdefE', 'mycrate::bar::baz'),
        ('_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE',
         '<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop'),
        ('_ZN2ns4funcIiEEvT_', 'void ns::func<int>(int)')]
put('rust.s', '.section .note.GNU-stack, "", @progbits\n.text\n.globl main\nmain: ret\n' + ''.join(
    '.globl "%s"\n.type "%s", @function\n"%s": nop\nret\n.size "%s", .-"%s"\n' % ((n,) * 5) for n, _ in RUST))
sh('gcc -o rust rust.s')
addr = nm(path('rust'))
data = of_program('rust.data', path('rust'), [addr[n] for n, _ in RUST])
status, out, err = perf('script', '-G', '-F', 'ip,sym', '-i', data)
ok(names_in(out) == [w for _, w in RUST], 'names of Rust and C++', out, err)
status, out, err = perf('script', '-G', '-F', 'ip,sym', '--no-demangle', '-i', data)
ok(names_in(out) == [n for n, _ in RUST], '--no-demangle', out, err)

# A guest: its kernel and its programs are not this machine's
data = recording('guest.data',
                 record(1, ii(-1, 0) + q(0xffffffff81000000, 0x1000, 0xffffffff81000000) +
                        string('[guest.kernel.kallsyms]_text') + SID, GUEST_KERNEL),
                 record(1, ii(-1, 0) + q(0xffffffff81000000, 0x1000, 0xffffffff81000000) +
                        string('[kernel.kallsyms]_text') + SID, KERNEL),
                 sample(VM['do_work'], GUEST_KERNEL), sample(0x401000, GUEST_USER), sample(VM['do_work'], KERNEL))
status, out, err = perf('script', '-G', '-F', 'ip,sym,misc', '-k', path('vmlinux'), '-i', data)
lines = [l.split() for l in out.splitlines()]
ok(status == 0 and [l[0] for l in lines] == ['G', 'g', 'K'] and [l[-1] for l in lines] ==
   ['[unknown]', '[unknown]', 'do_work'], 'guest: host\'s names are not its own', out, err)

done()
