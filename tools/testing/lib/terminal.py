# SPDX-License-Identifier: GPL-2.0
"""A program driven in a pseudo-terminal as a person would, its screen read by a terminal emulator (pyte)."""
import fcntl
import glob
import os
import pty
import random
import re
import select
import signal
import struct
import tempfile
import termios
import time

import pyte

from tap import ok, skip, task_state

PERF = os.path.realpath(os.environ.get('PERF', 'build/perf'))
UP, DOWN, RIGHT, END, HOME, PGDN = '\033[A', '\033[B', '\033[C', '\033[4~', '\033[1~', '\033[6~'
WAIT = 30       # seconds after which a program does not answer at all


def environment(**more):
    env = {k: v for k, v in os.environ.items()
           if k not in ('PERF_PAGER', 'PAGER', 'COLUMNS', 'LINES', 'NO_COLOR')}
    # TERM=linux: pyte emulates that; its keys are those above.
    env.update(TERM='linux', DEBUGINFOD_URLS='', PERF_CONFIG='/dev/null', LC_ALL='C.UTF-8')
    env.update(more)
    return {k: v for k, v in env.items() if v is not None}


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, *args, rows=24, columns=80, perf=PERF, cwd='.', **env):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b''
        self.status = None
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.pid = os.fork()
        if not self.pid:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(self.slave, fd)
            os.closerange(3, 64)
            os.chdir(cwd)
            os.execve(perf, [perf, *args], environment(**env))

    def read(self, seconds):
        """What comes within that time; False: nothing did."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def until(self, what):
        """Read until the screen is so, or the program has ended."""
        end = time.monotonic() + WAIT
        while not what(self) and time.monotonic() < end and not self.ended():
            self.read(0.05)
        return what(self)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def bar(self):
        return self.lines()[-1]

    def busy(self):
        """Whether it has keys to read, or a thread that runs or waits for a disk or a processor."""
        if struct.unpack('i', fcntl.ioctl(self.slave, termios.FIONREAD, bytes(4)))[0]:
            return True
        try:
            tasks = os.listdir('/proc/%d/task' % self.pid)
        except OSError:         # it has ended
            return False
        return any(task_state('%d/task/%s' % (self.pid, task)) in ('R', 'D') for task in tasks)

    def keys(self, text, then=None):
        """Type, then wait for a text in the bar, or until it waits for keys; and until nothing more comes."""
        os.write(self.master, text.encode())
        if then is not None:
            if not self.until(lambda t: re.search(then, t.bar())):
                print('# no %r in the bar after %r: %r' % (then, text, self.bar()))
        end = time.monotonic() + WAIT
        while (self.read(0.15) or (then is None and self.busy())) and time.monotonic() < end:
            pass
        return self.lines()

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        return self.keys('')

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def end(self, text='', wait=WAIT):
        """Type; return the exit status, negative: the signal."""
        if text:
            os.write(self.master, text.encode())
        good = time.monotonic() + wait
        while not self.ended() and time.monotonic() < good:
            self.read(0.05)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
            print('# it did not end')
        while self.read(0.05):
            pass
        left = termios.tcgetattr(self.slave) == self.before
        os.close(self.master)
        os.close(self.slave)
        self.restored = left and self.raw.rfind(b'\033[?25h') > self.raw.rfind(b'\033[?25l')
        return os.waitstatus_to_exitcode(self.status)


KEYS = [UP, DOWN, RIGHT, '\033[D', END, HOME, PGDN, '\r', '\033', '\b', ' ']


# Random keys in perf top: q, which ends it, is not among them.
TOP_KEYS = ['v', 'v', '/P\r', 'D0.1\r', 'L1\r'] + list('e+-ECHdtGnNFVhzKUTaBsimw?')


def start_top(folder):
    """For random_keys(): perf top in the folder."""
    def start(perf, dice, **env):
        t = Terminal('top', '-e', 'cpu-clock', '-F', '999', '-d', '0.1', '--max-memory', '16M', '-s',
                     dice.choice(('dso,symbol', 'cgroup,comm,symbol')),
                     columns=100, cwd=folder, HOME=folder, perf=perf, **env)
        t.until(lambda t: 'h: help' in t.bar())
        return t
    return start


def random_keys(start, keys, programs, each=None):
    """Any keys at all, for FUZZ_SECONDS, in the programs built with sanitizers. start(perf, dice, **environment): a Terminal;
    each: keys a program gets before it is ended, None: as many as there is time for."""
    seed = int(os.environ.get('SEED') or random.randrange(1 << 32))
    dice, pool, nr = random.Random(seed), KEYS + keys, 0
    for name in programs:
        perf = os.path.join(os.path.realpath(os.environ.get('O', 'build')), 'test', name)
        if not os.path.exists(perf):
            skip('keys at random', 'no %s: make test-tool and test-races build them' % perf)
            continue
        until, bad = time.monotonic() + float(os.environ.get('FUZZ_SECONDS') or 6), None
        while time.monotonic() < until and not bad:
            report = tempfile.mktemp(prefix='sanitizer-')
            t = start(perf, dice, ASAN_OPTIONS='detect_leaks=0:log_path=' + report, TSAN_OPTIONS='ignore_noninstrumented_modules=1')
            t.stream.feed = lambda data: None   # the screen is not looked at, and its emulation takes longer than perf
            typed = 0
            while time.monotonic() < until and not t.ended() and (each is None or typed < each):
                if not dice.randrange(12):
                    t.resize(dice.randrange(1, 40), dice.randrange(1, 120))
                os.write(t.master, ''.join(dice.choice(pool) for _ in range(4)).encode())
                t.read(0.05)
                typed += 4
            nr += typed
            # ^C ends what is being counted, and objdump; the next one the browser.
            end = time.monotonic() + 10 * WAIT
            while not t.ended() and time.monotonic() < end:
                os.write(t.master, b'\003')
                t.read(0.1)
            t.end(wait=0)
            # (the screen takes most of a report)
            reports = glob.glob(report + '.*')
            if reports or b'Sanitizer' in t.raw or b'runtime error' in t.raw or os.WIFSIGNALED(t.status):
                bad = t.raw[-6000:].decode(errors='replace')
                for r in reports:
                    with open(r, encoding='utf-8', errors='replace') as f:
                        bad = f.read(6000)
                    os.unlink(r)
        ok(not bad, 'keys at random, %s, seed %d' % (name, seed), bad)
    print('# %d keys' % nr)
