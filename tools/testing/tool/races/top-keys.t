#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Random keys in perf top, built with ThreadSanitizer. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402
from terminal import TOP_KEYS, random_keys, start_top  # noqa: E402

need_terminals()
busy = subprocess.Popen(['perl', '-e', 'sub f { my $x = 0; $x += $_ for 1 .. 100; $x } f() while 1'])
try:
    random_keys(start_top(TMP), TOP_KEYS, ['perf-tsan'], 2000)
finally:
    busy.kill()
    busy.wait()
done()
