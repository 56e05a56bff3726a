#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
tui.py PERF BUILD: the browser of perf report against that of Debian's perf 6.1, in turn, in a
pseudo-terminal, on a recording made here and now: time to the first thing on the screen, to the first
rows, for each of some keys until it is answered, and bytes that a key writes. Prints ratios, and
milliseconds of ours; judges nothing.
"""
import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

from peer import ENV, THEIRS, TURNS

SAMPLES = int(os.environ.get("SAMPLES", 1000000))
# Of an xterm. Keys in turn, so that each changes the screen, and how many times.
KEYS = (("down", (b"\033OB",), 20), ("page down, page up", (b"\033[6~", b"\033[5~"), 5),
        ("end, home", (b"\033OF", b"\033OH"), 5))
QUIET = .05     # nothing more comes: the key is answered


class Run:
    def __init__(self, perf, data):
        self.start = time.monotonic()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
            os.execve(perf, [perf, "report", "--tui", "-i", data, "--no-inline"], dict(ENV, TERM="xterm"))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.fd, 1 << 16)
        except OSError:
            return b""

    def until(self, what):
        """Seconds until something that matches is written."""
        seen = b""
        while not re.search(what, seen):
            data = self.read(60)
            if not data:
                sys.exit("bench-tui: no %r came" % what)
            seen += data
        return time.monotonic() - self.start

    def quiet(self):
        while self.read(.5):
            pass

    def key(self, key):
        """Seconds until the last of its bytes has come, and how many."""
        begin = last = time.monotonic()
        nr = 0
        os.write(self.fd, key)
        while True:
            data = self.read(QUIET if nr else .5)
            if not data:
                return last - begin, nr
            nr += len(data)
            last = time.monotonic()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def measure(perf, data):
    run = Run(perf, data)
    out = {"first thing on the screen": run.until(rb"\033\["), "first rows": run.until(rb"\d%")}
    run.quiet()
    for name, keys, nr in KEYS:
        answers = [run.key(key) for _ in range(nr) for key in keys]
        out[name] = statistics.median(a[0] for a in answers)
        out[name + ", bytes"] = statistics.median(a[1] for a in answers)
    run.end()
    return out


def main():
    perf, build = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="bench-") as work:
        data = work + "/data"
        subprocess.check_call([perf, "record", "-q", "-o", data, "-e", "page-faults", "-c", "1", "-g", "--",
                               build + "/test/report-walk", str(SAMPLES), "12"], env=ENV,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print("perf report --tui, %d MB, Debian's perf 6.1 = 1 (best of %d in turn)" %
              (os.path.getsize(data) >> 20, TURNS))
        runs = [(measure(perf, data), measure(THEIRS, data)) for _ in range(TURNS)]
        for what in runs[0][0]:
            ours, theirs = (min(r[i][what] for r in runs) for i in (0, 1))
            unit = "%8d bytes" % ours if "bytes" in what else "%8.1f ms" % (1000 * ours)
            print("%-28s %9.3fx %s" % (what, ours / theirs if theirs else 0, unit), flush=True)


main()
