# SPDX-License-Identifier: GPL-2.0
"""What Python tests of the tool begin with, as those of the shell with scratch.sh: modules, TAP,
made-up recordings, our perf (PERF), the build (O), and a scratch folder (TMP), which is entered,
and removed at the end. The environment is set for all that they run."""
import glob
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

LIB = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, LIB)
from perfdata import *  # noqa: E402
from tap import *  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(LIB), 'golden/c')
PERF = os.path.abspath(os.environ.get('PERF', 'build/perf'))
O = os.path.abspath(os.environ.get('O', 'build'))
_folder = tempfile.TemporaryDirectory(prefix='perf-test-')
TMP = os.path.realpath(_folder.name)
os.chdir(TMP)
os.environ.update(PERF=PERF, O=O, LC_ALL='C', DEBUGINFOD_URLS='', DEBUGINFOD_CACHE_PATH=TMP + '/cache',
                  PERF_CONFIG='/dev/null', PERF_PAGER='cat', PAGER='cat', HOME=TMP)


def path(*p):
    return os.path.join(TMP, *p)


def put(name, data):
    """A file of the scratch folder. Return: its path."""
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), 'w' if isinstance(data, str) else 'wb') as f:
        f.write(data)
    return path(name)


def sh(cmd):
    subprocess.run(cmd, shell=True, check=True)


def run(*args, env=None, timeout=120, stdin=subprocess.DEVNULL, text=True, **kw):
    """Return: (status, stdout, stderr)"""
    p = subprocess.run(args, env=dict(os.environ, **(env or {})), capture_output=True, stdin=stdin,
                       timeout=timeout, errors='replace' if text else None, **kw)
    return p.returncode, p.stdout, p.stderr


def perf(*args, **kw):
    return run(PERF, *args, **kw)
