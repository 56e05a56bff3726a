#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""stacks.py SYMFS PROGRAM FILE: user stacks in a file of ftrace or bpftrace that reach a start.

Prints "stacks S complete C entries E". A start is the entry point of SYMFS/stock/PROGRAM, which is at the
address that the kernel gives all position-independent programs without randomization, or of the dynamic
linker, at any page. ftrace has room for 8 entries: a stack with as many counts as complete. Stacks of
the shell, a static program, are no stacks of PROGRAM.
"""
import re
import subprocess
import sys

BASE, ROOM, START, PAGE = 0x555555554000, 8, 64, 4096
LINKER = 'lib64/ld-linux-x86-64.so.2'


def stacks(text):
    """Lists of addresses: of ftrace, then of bpftrace, which prints each stack with its number."""
    for block in text.split('<user stack trace>\n')[1:]:
        yield [int(x, 16) for x in re.findall(r'^ => .*<([0-9a-f]+)>$', block.split('\n ' + ' ' * 8)[0], re.M)]
    for block, count in re.findall(r'^@\[\n(.*?)\]: (\d+)$', text, re.M | re.S):
        yield from [[int(line.split()[0], 16) for line in block.splitlines()]] * int(count)


def entry_of(path):
    out = subprocess.run(['readelf', '-hW', path], capture_output=True, text=True, check=True).stdout
    return int(re.search(r'Entry point address: +0x(\w+)', out).group(1), 16)


def main(symfs, program, path):
    entry, linker = BASE + entry_of(symfs + '/stock/' + program), entry_of(symfs + '/' + LINKER)
    text = open(path).read()
    room = ROOM if '<user stack trace>' in text else None
    nr = complete = entries = 0
    for ips in stacks(text):
        if ips and ips[0] < BASE:
            continue
        nr += 1
        entries += len(ips)
        complete += len(ips) == room or bool(ips) and (
            entry <= ips[-1] < entry + START or (ips[-1] - linker) % PAGE < START)
    print('stacks %d complete %d entries %d' % (nr, complete, entries))


if __name__ == '__main__':
    main(*sys.argv[1:])
