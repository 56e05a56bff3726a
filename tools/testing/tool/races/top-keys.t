#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Random keys in perf top, built with ThreadSanitizer. TAP."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../lib'))
from tap import done, need_terminals  # noqa: E402
from terminal import TOP_KEYS, random_keys, start_top  # noqa: E402

need_terminals()
with tempfile.TemporaryDirectory() as tmp:
    busy = subprocess.Popen(['perl', '-e', 'sub f { my $x = 0; $x += $_ for 1 .. 100; $x } f() while 1'])
    try:
        random_keys(start_top(tmp), TOP_KEYS, ['perf-tsan'], 2000)
    finally:
        busy.kill()
        busy.wait()
done()
