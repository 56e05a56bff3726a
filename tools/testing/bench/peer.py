# SPDX-License-Identifier: GPL-2.0
"""Runs of our perf and of Debian's, measured: what the benches of script and report share."""
import os
import subprocess
import sys

ENV = dict(os.environ, LC_ALL="C", DEBUGINFOD_URLS="", PERF_CONFIG="/dev/null")
THEIRS = "/usr/bin/perf"
TURNS = 3


def measure(argv):
    """Processor seconds, elapsed seconds, peak KiB of one run."""
    with open(os.devnull, "w") as null:
        before = os.times().elapsed
        p = subprocess.Popen(argv, stdout=null, stderr=null, env=ENV)
        _, status, ru = os.wait4(p.pid, 0)
        elapsed = os.times().elapsed - before
    if status:
        sys.exit("bench: %s failed with status %d" % (" ".join(argv), status))
    return ru.ru_utime + ru.ru_stime, elapsed, ru.ru_maxrss


def best(runs):
    return [min(r[i] for r in runs) for i in range(3)]
