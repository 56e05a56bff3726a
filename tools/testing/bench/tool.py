#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
tool.py PERF BUILD: perf script against Debian's perf 6.1, in turn, on a
recording made here and now and on generated deferred sessions. Prints ratios;
judges nothing. 6.1 stops at deferred callchains: it is given the same sessions
as fp records them, each sample with both halves.
"""
import os
import subprocess
import sys
import tempfile

from peer import ENV, THEIRS, TURNS, best, measure

SAMPLES = 250000


def in_turn(perf, data, plain):
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(measure([perf, "script", "-i", data]))
        theirs.append(measure([THEIRS, "script", "--no-inline", "-i", plain]))
    return best(ours), best(theirs)


def main():
    perf, build = os.path.abspath(sys.argv[1]), sys.argv[2]
    base = None
    with tempfile.TemporaryDirectory(prefix="bench-") as work:
        print("perf script, Debian's perf 6.1 = 1 (best of %d runs in turn)" % TURNS)
        print("%-34s %8s %10s %10s %10s" % ("recording", "MB", "processor", "elapsed", "memory"))
        jobs = [("page faults, callchains", None)] + \
            [("deferred, %d sleepers" % n, n) for n in (0, 1000, 10000)]
        for name, sleepers in jobs:
            data = plain = work + "/data"
            if sleepers is None:
                subprocess.check_call([THEIRS, "record", "-q", "-B", "-o", data, "-e", "page-faults",
                                       "-c", "1", "-g", "--", build + "/test/tool-faults",
                                       str(SAMPLES)], env=ENV)
            else:
                plain = work + "/plain"
                for out in ([data], [plain, "plain"]):
                    subprocess.check_call([build + "/test/tool-sessions", "200000",
                                           str(sleepers), *out])
            a, b = in_turn(perf, data, plain)
            print("%-34s %8.1f %9.3fx %9.3fx %9.3fx" % (name, os.path.getsize(data) / 1e6,
                                                       a[0] / b[0], a[1] / b[1], a[2] / b[2]))
            if sleepers == 0:
                base = a
        print("ours with 10,000 sleepers against none: processor %.2fx, memory %.2fx" %
              (a[0] / base[0], a[2] / base[2]))


main()
