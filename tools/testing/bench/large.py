#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
large.py PERF BUILD: large recordings of SIZES megabytes (environment; "100" or "100 1000"), read by
this perf, Debian's perf 6.1 and the command PEER, another perf (environment; may be missing). Rows:
processor seconds and memory of each, and for this perf the time in which as many bytes are read
and written in memory. A peer that fails, or takes more than LIMIT seconds or GB of memory, has no figure.
"""
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time

from peer import ENV, THEIRS

LIMIT = int(os.environ.get("LIMIT", "600"))
GB = int(os.environ.get("GB", "8"))
LIBRARY = "/usr/lib/x86_64-linux-gnu/libc.so.6"


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (GB << 30, GB << 30))


def run(argv, out):
    """Processor seconds, elapsed seconds and peak MB; None: it failed."""
    with open(out, "w") as f, open(os.devnull, "w") as null:
        start = time.monotonic()
        p = subprocess.Popen(argv, stdout=f, stderr=null, env=ENV, preexec_fn=limits)
        _, status, ru = os.wait4(p.pid, 0)
        elapsed = time.monotonic() - start
    return None if status else (ru.ru_utime + ru.ru_stime, elapsed, ru.ru_maxrss / 1024)


def memory_speed():
    """Seconds for a megabyte that is read and written."""
    a, b = bytearray(64 << 20), bytearray(64 << 20)
    b[:] = a
    start = time.process_time()
    for _ in range(8):
        b[:] = a
    return (time.process_time() - start) / 8 / 64


def make(build, perf, kind, size, path):
    """A recording of some @size megabytes."""
    if kind == "one process":
        subprocess.check_call([build + "/test/tool-processes", "1", str(size * 4800), LIBRARY, path])
    elif kind == "short processes":
        subprocess.check_call([build + "/test/tool-processes", str(size * 216), "20", LIBRARY, path])
    else:
        # 8 kB of the stack in each sample
        subprocess.check_call([perf, "record", "-q", "-N", "-o", path, "-e", "page-faults,cpu-clock", "-F",
                               "1000", "--call-graph", "dwarf,8192", "--", build + "/test/large-app",
                               str(size * 120)], env=ENV, stdout=subprocess.DEVNULL)


ROWS = [
    ("one process", "script", ["script", "--no-inline"], None),
    ("one process", "report", ["report", "--stdio", "--no-inline"], None),
    ("one process", "inject", ["inject", "-o", "OUT"], None),
    ("one process", "convert to JSON", ["data", "convert", "--to-json", "OUT", "--force"], None),
    ("one process", "convert, folded", ["data", "convert", "--to-folded", "OUT", "--no-inline"], ()),
    ("short processes", "script", ["script", "--no-inline"], None),
    ("short processes", "report", ["report", "--stdio", "--no-inline"], None),
    ("short processes", "convert, folded", ["data", "convert", "--to-folded", "OUT", "--no-inline"], ()),
    ("C++, dwarf", "report, inlines", ["report", "--stdio"], None),
    ("C++, dwarf", "script, inlines", ["script"], None),
]


def main():
    perf, build = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    peers = [("6.1", [THEIRS])]
    if os.environ.get("PEER"):
        argv = shlex.split(os.environ["PEER"])
        version = subprocess.run(argv + ["--version"], capture_output=True, text=True, check=True).stdout.split()
        peers.append((".".join(version[-1].split(".")[:2]), argv))
    per_mb = memory_speed()
    print("memory: %.1f GB/s read and written; processor seconds, MB" % (1 / per_mb / 1024))
    print("%-16s %-16s %6s %8s %7s %7s" % ("recording", "command", "MB", "ours", "memory", "/limit") +
          "".join(" %8s %8s %7s" % (n, "ours/", "memory") for n, _ in peers))
    for size in os.environ.get("SIZES", "100").split():
        made = None
        with tempfile.TemporaryDirectory(prefix="large-", dir=os.environ.get("DIR")) as work:
            data, out = work + "/data", work + "/out"
            for kind, name, argv, only in ROWS:
                if kind != made:
                    make(build, perf, kind, int(size), data)
                    made = kind
                argv = [out + "-file" if a == "OUT" else a for a in argv] + ["-i", data]
                ours = run([perf, *argv], out)
                if not ours:
                    sys.exit("bench: %s failed" % " ".join([perf, *argv]))
                written = sum(os.path.getsize(f) for f in (out, out + "-file") if os.path.exists(f))
                mb = os.path.getsize(data) / 1e6
                line = "%-16s %-16s %6.0f %8.2f %7.0f %7.0f" % (
                    kind, name, mb, ours[0], ours[2], ours[0] / ((mb + written / 1e6) * per_mb))
                for _, peer in peers:
                    theirs = run([*peer, *argv], out) if only is None else None
                    if theirs:
                        line += " %8.2f %8.3f %7.0f" % (theirs[0], ours[0] / theirs[0], theirs[2])
                    else:
                        line += " %8s %8s %7s" % ("-", "-", "-")
                print(line, flush=True)
                if os.path.exists(out + "-file"):
                    os.unlink(out + "-file")


main()
