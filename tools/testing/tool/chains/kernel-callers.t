#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Callchains that a kernel walked have return addresses. Their callers are looked up in the
call, and printed as recorded. Looked up as they are: the start of a signal trampoline, what a
signal interrupted, and an address that no call stored. Made-up recordings of a program of 64 and
of 32 bits: by frame pointers, and deferred (unwind tables). TAP."""
import platform
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

PATH, PROGRAM = path('data'), path('program')
KIP = 0xffffffff81000010

# Without gaps between the functions: label_l marks what follows.
SOURCE = '''
	.text
	.macro func name
	.globl \\name
	.type \\name, @function
\\name:
	.endm
	.macro end name
	.size \\name, . - \\name
	.endm
	func _start
	nop
	call *%{r}		# indirect
indirect_l:
	nop
	end _start
	func faulty
	call leaf		# the interrupted instruction is behind it
faulty_l:
	movl $1, 0		# interrupted
	end faulty
	func last
	nop
	call leaf		# the last call
	end last
	func innocent
	nop
	end innocent
	func leaf
	nop			# leaf
	ret
	end leaf
	func back
	{sigreturn}
	end back
	func mine
	nop
	ret
	end mine
	func begin
	hlt			# the coroutine's end
	end begin
'''
CODE = {64: dict(r='rax', sigreturn='mov $15, %rax; syscall'),
        32: dict(r='eax', sigreturn='pop %eax; movl $119, %eax; int $0x80')}


def perf(*args, path=PATH):
    return ''.join(run(PERF, *args, '-i', path)[1:])


def sid(pid, t):
    return ii(pid, pid) + q(t)


def build(bits):
    text = SOURCE.format(**CODE[bits])
    put('program.s', text)
    subprocess.run(['as', '--%d' % bits, '-g', '-o', PROGRAM + '.o', PROGRAM + '.s'], check=True)
    subprocess.run(['ld', '-m', {64: 'elf_x86_64', 32: 'elf_i386'}[bits], '-o', PROGRAM, PROGRAM + '.o'], check=True)
    lines = text.splitlines()

    def line(of):
        return 'program.s:%d' % ([i for i, s in enumerate(lines) if s.endswith('# ' + of)][0] + 1)
    return nm(PROGRAM), *text_segment(PROGRAM)[:2], line


def write(seg, ips, how):
    off, start = seg
    m = record(10, ii(10, 10) + q(start, 0x1000, off) + ii(0, 0) + q(0, 0) + ii(5, 2) +
               string(PROGRAM) + sid(10, 0), USER)
    comm = record(3, ii(10, 10) + string('task') + sid(10, 0))
    if how == 'deferred':
        chain = [CONTEXT_KERNEL, KIP, CONTEXT_DEFERRED, 7]
    else:
        chain = [CONTEXT_KERNEL, KIP, CONTEXT_USER] + ips
    s = record(9, q(KIP) + ii(10, 10) + q(1, len(chain), *chain), KERNEL)
    d = record(22, q(7, len(ips), *ips) + sid(10, 2), USER) if how == 'deferred' else b''
    flags = ('defer_callchain', 'defer_output') if how == 'deferred' else ()
    a = attr(IP | TID | TIME | CALLCHAIN, ('sample_id_all', 'mmap', 'comm', 'mmap2') + flags)
    put(PATH, perf_file([a], comm + m + s + d))


def frames(path=PATH):
    """Of the user half: [(ip, symbol+offset, line)]"""
    out = perf('script', '-F', 'ip,sym,symoff,srcline', path=path)
    return [(int(ip, 16), sym, line) for ip, sym, line in re.findall(r'^\s+([0-9a-f]+) (\S+)\n\s+(\S+)$', out, re.M)
            if int(ip, 16) < 1 << 63]


def name(frame):
    return frame[1].split('+')[0]


if platform.machine() not in ('x86_64', 'i686'):
    skip('callers of x86', 'no assembler for them')
for bits in (64, 32) if platform.machine() == 'x86_64' else ():
    syms, off, start, line = build(bits)
    at = syms.get
    leaf = (at('leaf'), 'leaf+0x0', line('leaf'))
    # innermost first: ips, and what they are
    calls = [leaf, (at('innocent'), 'last+0x%x' % (at('innocent') - at('last')), line('the last call')),
             (at('indirect_l'), '_start+0x3', line('indirect'))]
    lowered = [leaf] + [(ip - 1, '%s+0x%x' % (s.split('+')[0], int(s.split('+')[1], 16) - 1), where)
                        for ip, s, where in calls[1:]]
    back = (at('back'), 'back+0x0', None)
    begin = (at('begin'), 'begin+0x0', line("the coroutine's end"))
    handler = [leaf, (at('innocent'), 'last+0x%x' % (at('innocent') - at('last')), line('the last call')),
               back]
    interrupted = (at('faulty_l'), 'faulty+0x5', line('interrupted'))
    caller = (at('faulty_l'), 'faulty+0x5', line('the interrupted instruction is behind it'))
    coroutine = [leaf, begin]
    for how in ('fp', 'deferred'):
        tests = [('calls', calls), ('addresses in the call', lowered), ('a coroutine', coroutine),
                 ('a signal', handler + [interrupted if how == 'deferred' else caller] + calls[2:])]
        for what, want in tests:
            write((off, start), [ip for ip, _, _ in want], how)
            got = frames()
            same = len(got) == len(want) and all(
                g[:2] == w[:2] and w[2] in (g[2], None) for g, w in zip(got, want))
            ok(same, '%d bits, %s: %s' % (bits, how, what), got, want)
            if how != 'deferred':
                continue
            # The joined recording has addresses in the calls; read as it is, the same is found.
            joined = path('joined')
            out = perf('inject', '-o', joined)
            exact = want if what == 'addresses in the call' else (leaf, interrupted, back, begin)
            want = [(w[0] - (w not in exact),) + w[1:] for w in want]
            got = frames(joined)
            # The reader of the result cannot know that the interrupted ip is not a return address.
            same = len(got) == len(want) and all(
                g[0] == w[0] and name(g) == name(w) and w[2] in (g[2], None)
                for g, w in zip(got, want) if w != interrupted)
            ok(same, '%d bits, inject: %s' % (bits, what), got, want, out)
    # The same in the rows of a report, and where names come with the recording.
    write((off, start), [ip for ip, _, _ in calls], 'deferred')
    out = perf('report', '--stdio', '-g', 'none', '-s', 'sym,srcline', '--children')
    ok('innocent' not in out and re.search(r'\] last +' + line('the last call'), out),
       '%d bits: rows' % bits, out)
    out = perf('report', '--stdio', '--no-children', '-g', 'caller,address')
    ok('innocent' not in out and 'last ' + line('the last call') in out, '%d bits: -g address' % bits, out)
    before = frames()
    embedded = path('embedded')
    out = perf('inject', '--embed', '-o', embedded)
    os.unlink(PROGRAM)
    got = frames(embedded)
    ok([name(g) for g in got] == ['leaf', 'last', '_start'] and
       [g[2] for g in got] == [b[2] for b in before], '%d bits: embedded names' % bits,
       got, before, out)
done()
