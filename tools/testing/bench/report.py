#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
report.py PERF BUILD: perf report --stdio against Debian's perf 6.1, in turn, on
recordings made here and now: page faults with their callchains, deep (random
walks over functions: nearly every stack is another one) and shallow (the same
few stacks). Prints ratios; judges nothing.
"""
import os
import subprocess
import sys
import tempfile

from peer import ENV, THEIRS, TURNS, best, measure

SAMPLES = 220000


def main():
    perf, build = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory(prefix="bench-") as work:
        print("perf report --stdio, Debian's perf 6.1 = 1 (best of %d in turn)" % TURNS)
        print("%-26s %-14s %10s %10s %10s" % ("recording", "call graph", "processor", "elapsed",
                                             "memory"))
        for name, depth in (("deep, all stacks differ", "12"), ("deep, some stacks", "6"),
                            ("shallow", "1")):
            data = work + "/data"
            subprocess.check_call([perf, "record", "-q", "-o", data, "-e", "page-faults", "-c", "1",
                                   "-g", "--", build + "/test/report-walk", str(SAMPLES), depth],
                                  env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for what, options in (("default", []), ("-g none", ["-g", "none"]),
                                  ("--no-children", ["--no-children"]),
                                  ("neither", ["--no-children", "-g", "none"])):
                ours, theirs = [], []
                for _ in range(TURNS):
                    args = ["report", "--stdio", "--no-inline", "-i", data, *options]
                    ours.append(measure([perf, *args]))
                    theirs.append(measure([THEIRS, *args]))
                    if theirs[-1][0] > 5:       # noise is small beside that
                        break
                a, b = best(ours), best(theirs)
                print("%-26s %-14s %9.3fx %9.3fx %9.3fx" % (name, what, a[0] / b[0], a[1] / b[1],
                                                           a[2] / b[2]), flush=True)


main()
