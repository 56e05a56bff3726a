#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files and terminals that somebody else has made, as root's perf meets them: programs with holes,
set-user-ID programs, an earlier recording that is another user's, a FIFO of settings, the size of a
terminal. TAP."""
import fcntl
import pty
import select
import stat
import sys
import termios
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

CACHE = TMP + '/.debug'
NOBODY = 65534
os.environ['TERM'] = 'xterm'
RECORD = ('record', '-e', 'cpu-clock:u', '-F', '999', '-o', TMP + '/data', '--')


def perf(*args, env=None, limit=120):
    try:
        return run(PERF, *args, env=env, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, '', 'it did not end'


def kept(name):
    """The copy of a program in the cache; None: there is none."""
    for folder, _, names in os.walk(CACHE + TMP + '/' + name):
        if 'elf' in names:
            return os.path.join(folder, 'elf')
    return None


put(TMP + '/spin.c', 'int main(void) { for (volatile long i = 0; i < 100000000; i++) ; }\n')
subprocess.run(['gcc', '-O1', '-Wl,--build-id', '-o', TMP + '/spin', TMP + '/spin.c'], check=True)
for name, size in ('sparse', 1 << 20), ('hollow', 500 << 20):
    shutil.rmtree(CACHE, ignore_errors=True)
    shutil.copy(TMP + '/spin', TMP + '/' + name)
    os.truncate(TMP + '/' + name, size)
    status, out, err = perf(*RECORD, './' + name)
    copy = kept(name)
    if name == 'sparse':
        same = copy and not subprocess.run(['cmp', copy, TMP + '/' + name], check=False).returncode
        blocks = os.stat(copy).st_blocks if copy else -1
        ok(same and blocks <= os.stat(TMP + '/' + name).st_blocks + 8,
           'holes are not copied as zeroes', err, blocks)
    else:
        ok(status == 0 and not copy, 'a program of nothing but holes is not copied', err, copy)

if os.geteuid():
    skip('files of another user', 'only root can make them')
else:
    shutil.rmtree(CACHE, ignore_errors=True)
    program = '/usr/bin/perf-test-setuid-%d' % os.getpid()
    try:
        shutil.copy(TMP + '/spin', program)
        os.chmod(program, 0o4755)
        status, out, err = perf(*RECORD, program)
        modes = [stat.S_IMODE(os.stat(d + '/elf').st_mode) for d, _, names in os.walk(CACHE)
                 if 'elf' in names and 'perf-test-setuid' in d]
        ok(status == 0 and modes == [0o600], 'a set-user-ID program is copied, without the bit', err, modes)
    finally:
        os.unlink(program)

    os.mkdir(TMP + '/all')
    os.chmod(TMP + '/all', 0o1777)
    old = TMP + '/all/data.old'
    os.mkdir(old)
    for n in 'data', 'data.0':
        put(old + '/' + n, 'precious')
    os.chown(old, NOBODY, NOBODY)
    for _ in range(2):
        status, out, err = perf('record', '-N', '-e', 'cpu-clock:u', '-o', TMP + '/all/data', 'true')
    stays = os.path.isdir(old) and sorted(os.listdir(old)) == ['data', 'data.0']
    ok(status == 0 and stays and os.path.exists(old + '.1'),
       "another user's folder PATH.old stays, and the earlier recording has another name", err)
    link = TMP + '/all/data.old'
    subprocess.run(['rm', '-rf', old], check=True)
    os.mkdir(TMP + '/victim')
    put(TMP + '/victim/data', 'precious')
    os.symlink(TMP + '/victim', link)
    status, out, err = perf('record', '-N', '-e', 'cpu-clock:u', '-o', TMP + '/all/data', 'true')
    ok(status == 0 and os.path.exists(TMP + '/victim/data') and not os.path.islink(link),
       'a link PATH.old is replaced', err)

os.mkfifo(TMP + '/fifo')
for command in ('config', '-l'), ('buildid-cache', '-l'), ('report', '--stdio', '-i', TMP + '/data'):
    status, out, err = perf(*command, env={'PERF_CONFIG': TMP + '/fifo'}, limit=30)
    ok(status == 0 and err.count('\n') == 1 and 'no regular file' in err,
       'settings that are a FIFO: perf ' + command[0], status, err)

# A table of Go that names one function again and again: so many are looked into as programs have
if os.uname().machine == 'x86_64':
    for tries, found in (7, True), (8, False):
        subprocess.run(['gcc', '-nostdlib', '-static', '-s', '-o', TMP + '/go', LIB + '/elf/gopclntab-many.s',
                        '-Wa,--defsym,SIZE=4,--defsym,TRIES=%d' % tries], check=True)
        status, out, err = perf('unwind', '-D', TMP + '/go')
        ok(status == 0 and ('outermost' in out) == found, 'a stack switch behind %d others' % tries, out, err)

# The size of a terminal
perf(*RECORD, './spin')
for rows, columns in (65535, 65535), (30000, 30000), (65535, 80), (24, 65535):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    p = subprocess.Popen(['prlimit', '--as=4000000000', PERF, 'report', '--tui', '-i', TMP + '/data'],
                         stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    text = b''
    while b'q: quit' not in text and p.poll() is None and select.select([master], [], [], 60)[0]:
        text += os.read(master, 65536)
    os.write(master, b'q')
    while p.poll() is None and select.select([master], [], [], 20)[0]:
        os.read(master, 65536)
    ok(b'q: quit' in text and p.wait(20) == 0, 'a terminal of %d rows of %d' % (rows, columns), text[-300:])
    os.close(master)
    os.close(slave)
done()
