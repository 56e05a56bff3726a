# SPDX-License-Identifier: GPL-2.0
"""Recordings of a made-up fleet, fleet.py FOLDER NUMBER SAMPLES: machines with two kernels, three
control groups (two of them of containers), four threads, callchains in a kernel whose symbols are
FOLDER/kallsyms, some of them with a deferred half in a file without symbols, some in that file alone."""
import os
import random
import sys

from perfdata import *

FOLDER, NUMBER, SAMPLES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
BASE, STEP, FUNCTIONS = 0xffffffff81000000, 0x100, 40
KERNEL, USER, USER_DEFERRED = (-128, -512, -640)
CGROUPS = {7: '/system.slice/db.service', 8: '/docker/' + '0123456789abcdef' * 4,
           9: '/kubepods/pod1/cri-containerd-' + 'fedcba9876543210' * 4 + '.scope'}
THREADS = {11: 'db', 12: 'web', 13: 'größe', 14: 'log"ger'}
WALL, CLOCK = 1700000000 * 10**9, 5 * 10**9


def machine(nr):
    r = random.Random(nr)
    data = b''.join(record(19, q(i) + string(p) + ii(0, 0) + q(0) + ii(0, 0)) for i, p in CGROUPS.items())
    for tid, name in THREADS.items():
        data += record(3, ii(10, tid) + string(name).ljust(16, b'\0') + ii(10, tid) + q(1) + ii(0, 0))
    data += record(1, ii(-1, 0) + q(BASE, STEP * FUNCTIONS, BASE) + string('[kernel.kallsyms]_text') +
                   ii(-1, 0) + q(0) + ii(0, 0), 1)
    data += record(10, ii(10, 11) + q(0x400000, 0x10000, 0) + ii(20) + bytes(range(20)) +
                   ii(5, 0) + string('/usr/bin/app') + ii(10, 11) + q(1) + ii(0, 0), 1 << 14 | 2)
    chains = [[BASE + STEP * r.randrange(FUNCTIONS) + 16 for _ in range(r.randrange(3, 24))] for _ in range(50)]
    time = CLOCK
    for i in range(SAMPLES):
        tid, cpu = r.choice(list(THREADS)), r.randrange(4)
        chain, cookie = r.choice(chains), i + 1 if i % 3 == 0 else 0
        words = [KERNEL] + chain + ([USER_DEFERRED, cookie] if cookie else [])
        time += 1000
        user = i % 7 == 6
        if user:
            chain, cookie, words = [0x400010], 0, [USER, 0x400010]
        data += record(9, q(chain[0]) + ii(10, tid) + q(time) + ii(cpu, 0) + q(r.randrange(1, 1000000)) +
                       q(len(words), *words) + q(r.choice(list(CGROUPS) + [0])), 2 if user else 1)
        # Every tenth system call does not return.
        if cookie and i % 10:
            data += record(22, q(cookie, 2, 0x400010, 0x400020) + ii(10, tid) + q(time + 1) + ii(cpu, 0), 2)
    a = attr(IP | TID | TIME | CPU | PERIOD | CALLCHAIN | CGROUP,
             ('sample_id_all', 'mmap', 'mmap2', 'comm', 'cgroup', 'freq', 'defer_callchain', 'use_clockid'),
             period=4000)
    with open(os.path.join(FOLDER, '%02d.data' % nr), 'wb') as f:
        f.write(perf_file([a], data, {
            3: feature_string('node-%02d' % nr), 4: feature_string('6.12.%d-fleet' % (nr % 2)),
            29: ii(1, 1) + q(WALL, CLOCK)}))


with open(os.path.join(FOLDER, 'kallsyms'), 'w') as f:
    for i in range(FUNCTIONS):
        f.write('%016x T %s%02d\n' % (BASE + STEP * i, 'kernel_function_of_a_fleet_', i))
    f.write('%016x T _etext\n' % (BASE + STEP * FUNCTIONS))
for machine_nr in range(NUMBER):
    machine(machine_nr)
