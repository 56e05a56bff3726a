#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
tui.py PERF BUILD: the browser of perf report against that of Debian's perf 6.1, in turn, in a
pseudo-terminal, on two recordings made here and now, one of SAMPLES callchains and one of ROWS rows:
time to the first thing on the screen, to the first rows, for each of some keys until it is answered,
and bytes that a key writes; memory. Prints ratios, and figures of ours; judges nothing. ALONE=1
leaves perf 6.1 out, which takes 7 kB of memory for each sample.
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import perfdata as pd  # noqa: E402

SAMPLES = int(os.environ.get("SAMPLES", 1000000))
ROWS = int(os.environ.get("ROWS", 1000000))
ALONE = bool(os.environ.get("ALONE"))
# Of an xterm. Keys in turn, so that each changes the screen, and how many times.
KEYS = (("down", (b"\033OB",), 20), ("page down, page up", (b"\033[6~", b"\033[5~"), 5),
        ("end, home", (b"\033OF", b"\033OH"), 5),
        ("open, close", (b"\r", b"\r"), 5),
        # These go over all rows.
        ("zoom, back", (b"t", b"t"), 3), ("limit", (b"L1\r", b"L0\r"), 3),
        ("search", (b"/f423[f]0\r", b"/10000[0]00\r"), 3))
QUIET = .05     # nothing more comes: the key is answered


class Run:
    def __init__(self, perf, data):
        self.start, self.perf = time.monotonic(), perf
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
            if b"Press any key" in seen:
                # Their warning that the made recording has no kernel symbols
                os.write(self.fd, b" ")
                seen = b""
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
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    sys.exit("bench-tui: %s has ended after %r" % (self.perf, key))
                return last - begin, nr
            nr += len(data)
            last = time.monotonic()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def memory(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) / 1024


def measure(perf, data):
    run = Run(perf, data)
    out = {"first thing on the screen": run.until(rb"\033\["), "first rows": run.until(rb"\d\.\d\d%")}
    run.quiet()
    for name, keys, nr in KEYS:
        answers = [run.key(key) for _ in range(nr) for key in keys]
        out[name] = statistics.median(a[0] for a in answers)
        out[name + ", slowest"] = max(a[0] for a in answers)
        out[name + ", bytes"] = statistics.median(a[1] for a in answers)
    out["memory"] = memory(run.pid)
    run.end()
    return out


def write_rows(path):
    """A recording of as many addresses as there are to be rows, each with a caller."""
    def samples():
        for i in range(ROWS):
            ip = 0x10000000 + 16 * i
            yield pd.record(9, pd.q(ip) + pd.ii(77, 77) + pd.q(i + 2, 3, -512, ip, 0x1000 + i % 256), 2)
    with open(path, "wb") as f:
        f.write(pd.perf_file([pd.attr(pd.IP | pd.TID | pd.TIME | pd.CALLCHAIN)],
                             pd.record(3, pd.ii(77, 77) + pd.string("made") + pd.ii(77, 77) + pd.q(1)) +
                             b"".join(samples())))


def compare(perf, data, what):
    print("perf report --tui, %s in %d MB%s (best of %d in turn)" %
          (what, os.path.getsize(data) >> 20, "" if ALONE else ", Debian's perf 6.1 = 1", TURNS))
    runs = [(measure(perf, data), {} if ALONE else measure(THEIRS, data)) for _ in range(TURNS)]
    for what in runs[0][0]:
        ours = min(r[0][what] for r in runs)
        theirs = 0 if ALONE else min(r[1][what] for r in runs)
        value, unit = (ours, "bytes") if "bytes" in what else (ours, "MB") if what == "memory" else (1000 * ours, "ms")
        print("%-30s %9s %8.*f %s" % (what, "%.3fx" % (ours / theirs) if theirs else "", unit == "ms", value, unit),
              flush=True)


def main():
    perf, build = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="bench-") as work:
        data = work + "/data"
        subprocess.check_call([perf, "record", "-q", "-o", data, "-e", "page-faults", "-c", "1", "--call-graph", "fp", "--",
                               build + "/test/report-walk", str(SAMPLES), "12"], env=ENV,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        compare(perf, data, "%d callchains" % SAMPLES)
        write_rows(data)
        compare(perf, data, "%d rows" % ROWS)


main()
