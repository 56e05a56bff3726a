#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""fuzz.py [--time SECONDS | --runs N] [--seed N] PERF GOLDEN PATCHES: damaged copies of the deferred
golden recordings through the perf of the kernel tree.

What is damaged is what the series reads: records with user callchains, samples, exits, mappings,
and the attributes; counts, cookies, times and sizes are what they become. perf may refuse a
copy, and must not die of it. Under AddressSanitizer a report counts when one of its innermost
frames is in a function that PATCHES add; others are 6.12's own, and are listed. Without it, each
death by a signal counts. So does a command that takes more than two minutes. A copy that fails is
kept in the current folder as fuzz-SEED.data.
"""
import argparse
import collections
import glob
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

COMMANDS = (('script',), ('script', '--no-merge-callchains'), ('report', '--stdio', '-g'),
            ('report', '-D'), ('inject', '-b', '-o', '/dev/null'), ('inject', '-o', '/dev/null'),
            ('inject', '-s', '-o', '/dev/null'))
SAMPLE, EXIT, MMAP, MMAP2, DEFERRED = 9, 4, 1, 10, 22
SANITIZER_STATUS = 99
LIMIT = 120                         # seconds
ENV = dict(os.environ, PERF_CONFIG='/dev/null', PERF_PAGER='cat', PAGER='cat', DEBUGINFOD_URLS='',
           ASAN_OPTIONS='exitcode=%d:detect_leaks=0:allocator_may_return_null=1:handle_abort=1' % SANITIZER_STATUS)


def added_functions(patches):
    """Functions that the patches define, without those of 6.12 whose parameters they change."""
    names = {'+': set(), '-': set()}
    for path in glob.glob(patches + '/*.patch'):
        for line in open(path):
            m = re.match(r'([-+])(?!\s)[\w \*]*?\b(\w+)\(', line)
            if m:
                names[m.group(1)].add(m.group(2))
    return names['+'] - names['-']


class Recording:
    def __init__(self, path):
        self.path = path
        self.data = open(path, 'rb').read()
        self.pos, size = struct.unpack_from('<QQ', self.data, 40)
        self.attrs, self.attrs_size = struct.unpack_from('<QQ', self.data, 24)
        self.records, self.words = [], [0, 1, 2, 7, 8, 0xffff, 2**31, 2**32 - 1, 2**63, 2**64 - 1,
                                        2**64 - 512, 2**64 - 640, 2**64 - 4095]
        at = self.pos
        while at + 8 <= self.pos + size:
            kind, _, n = struct.unpack_from('<IHH', self.data, at)
            if n < 8:
                break
            if kind in (SAMPLE, EXIT, MMAP, MMAP2, DEFERRED):
                self.records.append((kind, at, n))
            if kind == DEFERRED:
                # Cookies, and the ids of threads with their times
                self.words += [struct.unpack_from('<Q', self.data, at + 8)[0],
                               struct.unpack_from('<Q', self.data, at + n - 16)[0]]
            at += n
        self.deferred = [r for r in self.records if r[0] == DEFERRED]

    def damaged(self, rnd):
        copy = bytearray(self.data)
        for _ in range(rnd.choice((1, 1, 2, 4, 16))):
            if rnd.random() < 0.05:
                # An attribute: its bits, what samples have, its size
                at = self.attrs + rnd.choice((4, 24, 40, 41, 44))
                copy[at] ^= 1 << rnd.randrange(8)
                continue
            kind, at, n = rnd.choice(rnd.choice((self.records, self.deferred)))
            how = rnd.randrange(6)
            if how == 0:
                copy[at + rnd.randrange(n)] ^= 1 << rnd.randrange(8)
            elif how == 1:
                # Two records change places, as far as they have one size
                same = [r for r in self.records if r[2] == n]
                _, other, _ = rnd.choice(same)
                copy[at:at + n], copy[other:other + n] = copy[other:other + n], copy[at:at + n]
            elif how == 2 and kind == DEFERRED:
                struct.pack_into('<Q', copy, at + rnd.choice((8, 16)), rnd.choice(self.words))
            elif how == 3:
                # It is of another kind
                struct.pack_into('<I', copy, at, rnd.choice((SAMPLE, EXIT, MMAP, MMAP2, DEFERRED)))
            elif how == 4:
                # A size that is not its own, within what there is
                struct.pack_into('<H', copy, at + 6, rnd.choice((8, 16, 24, n - 8, n + 8, n - 4)))
            else:
                word = at + 8 + 8 * rnd.randrange(max((n - 8) // 8, 1))
                struct.pack_into('<Q', copy, word, rnd.choice(self.words))
        return copy


def run(perf, command, path):
    with subprocess.Popen([perf, *command, '-i', path], env=ENV, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        try:
            text = child.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            # With a sanitizer the report says where it hangs
            child.send_signal(signal.SIGABRT)
            text = child.communicate()[1]
    return child.returncode, text.decode(errors='replace')


def verdict(status, text, ours):
    """None, or (is it ours, what to call it)."""
    reports = re.split(r'(?m)^(?=.*==ERROR: AddressSanitizer)', text)[1:]
    found = None
    for report in reports:
        frames = re.findall(r'^ +#\d+ 0x\w+ in (\w+) ([^\s:]*)', report, re.M)[:8]
        mine = any(f in ours or 'deferred-callchain' in p or 'unwind-' in p for f, p in frames)
        what = report.split('\n', 1)[0][:120] + ' < ' + ' < '.join(f for f, _ in frames[:5])
        found = (mine, what)
        if mine:
            return found
    if found is None and status < 0:
        return True, 'killed by signal %d' % -status
    return found


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--time', type=float, default=0)
    args.add_argument('--runs', type=int, default=0)
    args.add_argument('--seed', type=int, default=1)
    args.add_argument('perf')
    args.add_argument('golden')
    args.add_argument('patches')
    args = args.parse_args()
    ours = added_functions(args.patches)
    files = [Recording(f) for f in sorted(glob.glob(args.golden + '/*.defer.data'))
             if not re.search(r'/(pipe|zstd)\.', f)]
    files = [f for f in files if f.deferred]
    assert len(files) >= 5
    end, seed = time.monotonic() + args.time, args.seed
    known, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as tmp:
        path = tmp + '/perf.data'
        while (seed < args.seed + args.runs) if args.runs else time.monotonic() < end:
            rnd = random.Random(seed)
            with open(path, 'wb') as f:
                f.write(rnd.choice(files).damaged(rnd))
            command = rnd.choice(COMMANDS)
            found = verdict(*run(args.perf, command, path), ours)
            if found and found[0]:
                failures += 1
                os.rename(path, 'fuzz-%d.data' % seed)
                print('# perf %s -i fuzz-%d.data: %s' % (' '.join(command), seed, found[1]))
            elif found:
                known[found[1]] += 1
            seed += 1
    for what, n in known.most_common(10):
        print("# 6.12's own, %d: %s" % (n, what))
    print('1..1')
    print('%sok 1 - %d damaged copies, from seed %d' %
          ('not ' if failures else '', seed - args.seed, args.seed))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
