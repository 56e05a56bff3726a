#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""stacks.py PROGRAM FILE: user stacks in an ftrace file that reach the start of PROGRAM.

Prints "stacks S complete C entries E". The program is at the address that the kernel gives all
position-independent ones without randomization. ftrace has room for 8 entries: a stack with as
many counts as complete. Stacks of the shell, a static program, are no stacks of PROGRAM.
"""
import re
import subprocess
import sys

BASE, ROOM, START = 0x555555554000, 8, 64


def stacks(text):
    for block in text.split('<user stack trace>\n')[1:]:
        yield [int(x, 16) for x in re.findall(r'^ => .*<([0-9a-f]+)>$', block.split('\n ' + ' ' * 8)[0], re.M)]


def main(program, path):
    out = subprocess.run(['readelf', '-hW', program], capture_output=True, text=True, check=True).stdout
    entry = BASE + int(re.search(r'Entry point address: +0x(\w+)', out).group(1), 16)
    nr = complete = entries = 0
    for ips in stacks(open(path).read()):
        if ips and ips[0] < BASE:
            continue
        nr += 1
        entries += len(ips)
        complete += len(ips) == ROOM or bool(ips) and entry <= ips[-1] < entry + START
    print('stacks %d complete %d entries %d' % (nr, complete, entries))


if __name__ == '__main__':
    main(*sys.argv[1:])
