#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""beside-libunwind.py PERF FOLDER < STOPS

Walks the stacks of stops.c by perf's own walk of copies, out of a recording that is made here, and
compares: libunwind has walked the stopped process itself. Prints "stops N same N longer N shorter N
guessed N other N" and what differs.

same     the same frames
longer   perf has these frames, and callers above them
shorter  perf ends earlier
guessed  another frame, behind one in code that no FDE of its file describes (says readelf): there
         libunwind follows the frame pointer, and in front of a "ret" it leaves a caller out
other    another frame: one of the two is wrong
"""
import bisect
import collections
import functools
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../../lib'))
import perfdata as pd  # noqa: E402

TYPE = pd.IP | pd.TID | pd.TIME | pd.CALLCHAIN | pd.REGS_USER | pd.STACK_USER
# ax to ss, then r8 to r15: ds to gs are not recorded
REGS = 0xFFF | 0xFF << 16
USER, MMAP2, COMM, SAMPLE = -512, 10, 3, 9
COPY = 32768


def stops(text):
    stop = {'maps': []}
    for line in text:
        word, _, rest = line.rstrip('\n').partition(':')
        if word == 'maps':
            stop['maps'].append(rest.strip())
        elif word == 'stack':
            stop['stack'] = bytes.fromhex(rest.strip())
        elif word:
            stop[word] = [int(x, 16) for x in rest.split()]
        elif 'frames' in stop:
            yield stop
            stop = {'maps': []}


def recording(all_stops):
    task, known = pd.string('stopped').ljust(16, b'\0'), set()
    out = pd.record(COMM, pd.ii(1, 1) + task + pd.ii(1, 1) + pd.q(1))
    for time, s in enumerate(all_stops, 2):
        for m in s['maps']:
            if m in known:
                continue
            known.add(m)
            span, prot, offset, device, inode, *name = m.split(None, 5)
            start, end = (int(x, 16) for x in span.split('-'))
            major, minor = (int(x, 16) for x in device.split(':'))
            body = pd.ii(1, 1) + pd.q(start, end - start, int(offset, 16)) + pd.ii(major, minor)
            body += pd.q(int(inode), 0) + pd.ii(5, 2) + pd.string(name[0] if name else '//anon')
            out += pd.record(MMAP2, body + pd.ii(1, 1) + pd.q(10 * time), 2)
        regs, stack = s['regs'], s['stack'].ljust(COPY, b'\0')
        ip = regs[8]
        body = pd.q(ip) + pd.ii(1, 1) + pd.q(10 * time + 5) + pd.q(2, USER, ip) + pd.q(2, *regs)
        out += pd.record(SAMPLE, body + pd.q(COPY) + stack + pd.q(len(s['stack'])), 2)
    flags = ('sample_id_all', 'mmap', 'comm', 'mmap2', 'exclude_callchain_user')
    attr = pd.attr(TYPE, flags, regs_user=REGS, stack_user=COPY)
    features = {4: pd.feature_string(os.uname().release), 6: pd.feature_string('x86_64')}
    return pd.perf_file([attr], out, features)


@functools.cache
def described(path):
    """The spans of a file's FDEs and where its segments are: by offset."""
    out = subprocess.run(['readelf', '-lW', '--debug-dump=frames', path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout.decode(errors='replace')
    loads = [[int(x, 16) for x in m] for m in re.findall(
        r'^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)', out, re.M)]
    spans = [[int(x, 16) for x in m] for m in re.findall(r' FDE .* pc=(\w+)\.\.(\w+)$', out, re.M)]
    return loads, sorted(spans)


def is_described(maps, ip):
    for m in maps:
        span, _, offset, _, inode, *name = m.split(None, 5)
        start, end = (int(x, 16) for x in span.split('-'))
        if start <= ip < end and int(inode):
            loads, spans = described(name[0])
            at = ip - start + int(offset, 16)
            at = next((at - o + v for o, v, size in loads if o <= at < o + size), -1)
            i = bisect.bisect_right(spans, [at, 1 << 64]) - 1
            return i >= 0 and spans[i][0] <= at < spans[i][1]
    return False


def main():
    perf, folder = sys.argv[1:]
    all_stops = list(stops(sys.stdin))
    path = folder + '/stops.data'
    with open(path, 'wb') as f:
        f.write(recording(all_stops))
    script = [perf, 'script', '-i', path, '--no-inline', '-F', 'time,ip,sym,symoff,dso']
    text = subprocess.run(script, check=True, stdout=subprocess.PIPE).stdout.decode()
    count, shown = collections.Counter(), []
    blocks = [b for b in text.split('\n\n') if b.strip()]
    for s, block in zip(all_stops, blocks):
        lines = block.split('\n')[1:]
        ours = [int(line.split()[0], 16) for line in lines]
        # The innermost frame, a trampoline and what it interrupted made no call, nor has the start
        # of a function that makecontext() stored.
        signal = [' __restore_rt+0x0 ' in line for line in lines]
        exact = [not i or signal[i] or signal[i - 1] for i in range(len(lines))]
        exact = [e or ' __start_context+0x0 ' in line for e, line in zip(exact, lines)]
        theirs = [ip - 1 for ip in s['frames']]
        theirs[: len(ours)] = [ip + e for ip, e in zip(theirs, exact)]
        n = min(len(ours), len(theirs))
        first = next((i for i in range(n) if ours[i] != theirs[i]), n)
        if first < n:
            known = all(is_described(s['maps'], ip) for ip in theirs[:first])
            kind = 'other' if known else 'guessed'
        elif len(ours) == len(theirs):
            kind = 'same'
        else:
            kind = 'longer' if len(ours) > n else 'shorter'
        count[kind] += 1
        if kind in ('other', 'guessed', 'shorter'):
            at = ' <'.join(re.sub(r'\s+', ' ', x) for x in lines[max(0, first - 1) : first + 1])
            not_at = ' '.join('%x' % x for x in theirs[first : first + 2])
            shown.append('%s at frame %d: %s, not %s' % (kind, first, at, not_at))
    kinds = ('same', 'longer', 'shorter', 'guessed', 'other')
    print('stops %d' % len(blocks), *['%s %d' % (k, count[k]) for k in kinds])
    print('\n'.join(shown[:12]))


main()
