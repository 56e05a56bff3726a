#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""steps.py DIR: makes DIR/calls (the program of calls.c), DIR/calls.data and DIR/calls.chains.

The program runs under qemu-aarch64 (user mode), which is asked for single steps over gdb's remote protocol. At each
new pair of instruction and depth there is a sample: registers and a copy of the stack, in a recording as perf record
--call-graph dwarf makes it on arm64. calls.chains has the callchain of each sample by another way: calls and
returns are counted as they are executed. Return addresses in registers and on the stack are signed (-cpu max).

Needs gcc-aarch64-linux-gnu and qemu-user.
"""
import os
import socket
import struct
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here + '/../../lib')
import perfdata as pd

STACK = 8192
SIGUSR1 = 30  # as gdb numbers it
SYS_RT_SIGRETURN = 139
SVC = 0xd4000001
out = sys.argv[1]
program = out + '/calls'
subprocess.check_call([os.environ.get('CC', 'aarch64-linux-gnu-gcc'), '-O2', '-g0', '-static', '-nostdlib', '-ffreestanding',
                       '-fno-stack-protector', '-fasynchronous-unwind-tables', '-mbranch-protection=standard',
                       '-Wl,--build-id=none', '-Wl,-z,max-page-size=4096', '-o', program, here + '/calls.c'])


class Gdb:
    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        for _ in range(500):
            try:
                self.sock.connect(path)
                break
            except OSError:
                time.sleep(0.01)
        self.buf = b''

    def ask(self, text):
        b = text.encode()
        self.sock.sendall(b'$%s#%02x' % (b, sum(b) & 255))
        while True:
            if b'#' in self.buf and len(self.buf) >= self.buf.index(b'#') + 3:
                start, end = self.buf.index(b'$'), self.buf.index(b'#')
                answer, self.buf = self.buf[start + 1:end], self.buf[end + 3:]
                self.sock.sendall(b'+')
                return answer.decode()
            got = self.sock.recv(65536)
            if not got:
                return 'W00'
            self.buf += got

    def regs(self):
        b = bytes.fromhex(self.ask('g'))
        return list(struct.unpack_from('<33Q', b))

    def memory(self, addr, size):
        b = b''
        while len(b) < size:
            answer = self.ask('m%x,%x' % (addr + len(b), min(1024, size - len(b))))
            if answer.startswith('E'):
                break
            b += bytes.fromhex(answer)
        return b


def segments():
    d = open(program, 'rb').read()
    phoff, = struct.unpack_from('<Q', d, 32)
    n, = struct.unpack_from('<H', d, 56)
    for i in range(n):
        kind, flags, off, addr, _, size, _, _ = struct.unpack_from('<IIQQQQQQ', d, phoff + 56 * i)
        if kind == 1 and flags & 1:
            return addr & ~0xfff, off & ~0xfff, (size + (addr & 0xfff) + 0xfff) & ~0xfff, d
    raise SystemExit('no code')


text, offset, size, image = segments()
word = lambda pc: struct.unpack_from('<I', image, pc - text + offset)[0]
path = out + '/gdb.socket'
qemu = subprocess.Popen(['qemu-aarch64', '-cpu', 'max', '-g', path, program])
gdb = Gdb(path)
gdb.ask('?')
TASK = (1000, 1000)
MASK = (1 << 33) - 1
TYPE = pd.IP | pd.TID | pd.TIME | pd.CALLCHAIN | pd.REGS_USER | pd.STACK_USER
CONTEXT_USER = -512
regs = gdb.regs()
top = regs[31] + 256
data = pd.record(3, pd.ii(*TASK) + pd.string('calls') + pd.ii(*TASK) + pd.q(1), misc=1 << 13)
data += pd.record(10, pd.ii(*TASK) + pd.q(text, size, offset) + pd.ii(0, 0) + pd.q(0, 0) + pd.ii(5, 2) +
                  pd.string('/calls') + pd.ii(*TASK) + pd.q(1), misc=2)
shadow, chains, seen, at, signed = [], [], set(), 2, 0
while True:
    pc, sp = regs[32], regs[31]
    if (pc, len(shadow)) not in seen:
        seen.add((pc, len(shadow)))
        stack = gdb.memory(sp, min(STACK, top - sp) & ~7)
        signed += regs[30] >> 48 != 0
        body = pd.q(pc) + pd.ii(*TASK) + pd.q(at) + pd.q(2, CONTEXT_USER, pc) + pd.q(2, *regs) + pd.q(len(stack)) + stack + pd.q(len(stack))
        data += pd.record(9, body, misc=2)
        chains.append(' '.join('%x' % a for a in [pc] + shadow))
        at += 1
    op, regs_before = word(pc), regs
    answer = gdb.ask('s')
    if answer.startswith('T%02x' % SIGUSR1):
        # Between two instructions: the next step is the handler's first.
        after = gdb.regs()
        interrupted = after[32]
        shadow.insert(0, interrupted)
        gdb.ask('vCont;S%02x' % SIGUSR1)
        regs = gdb.regs()
        # One instruction of the handler, which signs it, may have run; its callers are the same.
        shadow.insert(0, regs[30] & (1 << 48) - 1)
        continue
    if answer.startswith(('W', 'X')):
        break
    regs = gdb.regs()
    if op == SVC:
        # The step executes the next instruction, too; after rt_sigreturn that is the interrupted one.
        pc = shadow.pop(0) if regs_before[8] == SYS_RT_SIGRETURN else pc + 4
        if regs[32] == pc:
            continue
        op = word(pc)
    if op >> 26 == 0x25 or op & 0xfffffc1f == 0xd63f0000:
        shadow.insert(0, pc + 4 - 1)
    elif op & 0xfffffc1f == 0xd65f0000 or op in (0xd65f0bff, 0xd65f0fff):
        back = shadow.pop(0)
        assert regs[32] in (back + 1, back), 'a return to somewhere else: %x %x' % (regs[32], back)
qemu.wait()
assert signed, 'no return address was signed'
attr = pd.attr(TYPE, ('sample_id_all', 'mmap', 'comm', 'mmap2', 'exclude_kernel'), regs_user=MASK, stack_user=STACK)
features = {3: pd.feature_string('arm'), 4: pd.feature_string('6.12.0-arm64'), 5: pd.feature_string('0.2'),
            6: pd.feature_string('aarch64')}
with open(out + '/calls.data', 'wb') as f:
    f.write(pd.perf_file([attr], data, features))
with open(out + '/calls.chains', 'w') as f:
    f.write('\n'.join(chains) + '\n')
print('%d samples' % len(chains))
