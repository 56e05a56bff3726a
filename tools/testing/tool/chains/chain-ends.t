#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How user callchains end: which are complete, which were cut, why, and what is advised. Record, report and
inject say the same of one recording. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

ANON, PROG = 0x20000000, 0x10000000
# What can be advised on the kernel that the test runs on
BEST = 'table' if os.path.exists('/proc/sys/kernel/unwind_table_max_kb') else 'live'
CUT = ' user callchains ('


def reported(data, *args, cwd=None):
    """What report says of cut callchains; '': nothing."""
    out = perf('report', '--stdio', '-i', data, *args, cwd=cwd)[1]
    lines = re.findall(r'^# \(Tip: (.*' + re.escape(CUT) + r'.*)\)$', out, re.M)
    return lines[0] if len(lines) == 1 else '; '.join(lines)


def recorded(name, graph, *command, options=()):
    """Records and reports a command; whether both say the same, and what. None: it cannot be recorded."""
    status, _, err = perf('record', '-e', 'cpu-clock:u', '-F', '1999', '--call-graph', graph, '-o', 'data', *options, *command)
    if status:
        return None
    said = ''.join(re.findall(r'^\[ perf record: (.*' + re.escape(CUT) + r'.*) \]$', err, re.M))
    return said, reported('data')


def check(name, got, *want, unwanted=()):
    """Does what was said agree, and hold all of @want? No @want: nothing is to be said."""
    if got is None:
        skip(name, 'cannot record here')
        return
    ok(got[0] == got[1] and (all(w in got[0] for w in want) if want else not got[0]) and
       not any(u in got[0] for u in unwanted), name, *got)


def build(name, source, *flags):
    source = put(name + ('.S' if source.startswith('.') else '.c'), source)
    status, _, err = run('gcc', '-o', name, source, *flags)
    if status:
        print('# ' + err[-300:])
    return not status


# Made-up recordings: processes with a program, and memory of a JIT compiler
def sid(t):
    return ii(77, 77) + q(t)


def write(name, samples, sample_type=CALLCHAIN, program='/nowhere/program', size=0x100000, off=0, **attrs):
    data = record(3, ii(77, 77) + string('made') + sid(1))
    for addr, length, at, name_of in (PROG, size, off, program), (ANON, 0x1000, 0, '//anon'):
        data += record(10, ii(77, 77) + q(addr, length, at) + ii(0, 0) + q(0, 0) + ii(5, 2) + string(name_of) +
                       sid(2), USER)
    event = attr(IP | TID | TIME | sample_type, **attrs)
    put(name, perf_file([event], data + b''.join(samples)))


def chains(*chain, nr=50, mode=USER):
    return [record(9, q(chain[0]) + sid(10 + i) + q(len(chain) + (mode == USER),
            *(CONTEXT_USER,) * (mode == USER), *chain), mode) for i in range(nr)]


def copies(ip, sp, bp, memory, full=None):
    full = len(memory) if full is None else full
    body = q(ip) + sid(10) + q(2, bp, sp, ip) + q(full) + memory.ljust(full, b'\0') + q(len(memory))
    return [record(9, body, USER)] * 50


REGS = {'sample_type': REGS_USER | STACK_USER, 'regs_user': 1 << 6 | 1 << 7 | 1 << 8, 'stack_user': 64}

JAVA = 'Run java with -XX:+PreserveFramePointer'
PYTHON = ('Record python3 -X perf with -g: its callchains are whole then, with names of '
          "Python's functions")
RUNTIMES = [('libjvm.so', ' by Java', JAVA), ('python3.12', ' by Python', PYTHON),
            ('libpython3.13.so.1.0', ' by Python', PYTHON),
            ('luajit-2.1', ' by LuaJIT', 'Run luajit with -joff, which makes no code'),
            ('node_exporter', '', 'The runtime must keep frame pointers'),
            ('node', ' by Node.js', 'The runtime must keep frame pointers')]
write('jit.fp', chains(ANON + 16, ANON + 32))
said = reported('jit.fp')
ok('50 of 50' + CUT + '100 %) are cut: 50 in code without frame pointers (in code made at run time)' in said and
   said.endswith('. The runtime must keep frame pointers'), 'frame pointers: code of a JIT compiler', said)
write('jit.dwarf', copies(ANON + 16, 0x7000, 0x20, b'\0' * 64), **REGS)
said = reported('jit.dwarf')
ok('50 in code without call frame information (in code made at run time)' in said and
   said.endswith('. The runtime must keep frame pointers'),
   'copies: code of a JIT compiler, and no larger copy', said)
for graph, how in ('fp', {}), ('dwarf', REGS):
    for file, what, remedy in RUNTIMES:
        write('jit.' + graph, chains(ANON + 16, ANON + 32) if graph == 'fp' else
              copies(ANON + 16, 0x7000, 0x20, b'\0' * 64), program='/gone/' + file, **how)
        said = reported('jit.' + graph)
        ok('(in code made at run time%s)' % what in said and said.endswith(remedy), graph + ': made by ' + file, said)
# Two runtimes in one recording: one behind a fork, whose parent got it by exec
def mapped(pid, addr, name, at):
    where = q(addr, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2)
    return record(10, ii(pid, pid) + where + string(name) + ii(pid, pid) + q(at), USER)


data = mapped(1, PROG, '/gone/libjvm.so', 2) + mapped(2, PROG, '/gone/node', 2)
data += mapped(2, PROG, '/gone/libpython3.12.so.1.0', 3) + record(7, ii(3, 2, 3, 2) + q(4) + ii(3, 3) + q(4))
for pid in 1, 3:
    data += mapped(pid, ANON, '//anon', 5)
    for i in range(20 * pid):
        data += record(9, q(ANON + 16) + ii(pid, pid) + q(10 + i, 2, CONTEXT_USER, ANON + 16), USER)
put(path('two.fp'), perf_file([attr(IP | TID | TIME | CALLCHAIN)], data))
said = reported('two.fp')
ok('80 in code without frame pointers (60 in code made at run time by Python, 20 in code made at run time by '
   'Java). ' + PYTHON + '. ' + JAVA in said, 'two runtimes', said)
# Functions that perf inject --jit has made files of
write('jitted.fp', chains(ANON + 16, ANON + 32) + chains(PROG + 16, PROG + 32), program='/gone/jitted-77-1.so')
said = reported('jitted.fp')
ok('(in code made at run time)' in said and said.endswith('. The runtime must keep frame pointers'),
   'files of perf inject --jit', said)
write('gone.dwarf', copies(PROG + 16, 0x7000, 0x20, b'\0' * 64), **REGS)
said = reported('gone.dwarf')
ok('50 in files that are not here (in /nowhere/program: its file is not here). Read it' in said, 'copies: a file that is not here', said)
write('gone.fp', chains(PROG + 16, PROG + 32))
ok(not reported('gone.fp'), 'frame pointers: nothing is said of a file that is not here')
write('copy.dwarf', copies(ANON + 16, 0x7000, 0x7040, b'\0' * 64), **REGS)
said = reported('copy.dwarf')
ok('where the copy of the stack ends' in said and '64 bytes of each stack' in said and
   said.endswith('--call-graph dwarf,8192'), 'copies: the frame pointer leads just behind the copy', said)
write('end.dwarf', copies(ANON + 16, 0x7000, 0x7040, b'\0' * 56, 64), **REGS)
said = reported('end.dwarf')
ok('without call frame information' in said, 'copies: the stack itself ended before', said)
write('unmapped.fp', chains(0x30000000))
said = reported('unmapped.fp')
ok('50 at addresses where no known mapping is' in said and 'Record' not in said, 'nothing is mapped', said)
write('few.fp', chains(0x30000000, nr=5) + chains(PROG + 16, PROG + 32, nr=95))
ok(not reported('few.fp'), 'nothing is mapped for one in twenty: not said')
write('limit.fp', chains(*range(PROG, PROG + 127)))
said = reported('limit.fp')
ok('50 at the largest number of frames' in said and 'perf_event_max_stack' in said, 'the kernel\'s limit', said)
write('below.fp', chains(*range(PROG, PROG + 126)))
ok(not reported('below.fp'), 'one frame below it')
write('kernel.fp', chains(CONTEXT_KERNEL, 0xffffffff81000010, mode=1))
ok(not reported('kernel.fp'), 'kernel threads: no user callchain, none that is cut')

# The first instruction of a function is not part of the function in front of it
PROBED = '''
__asm__(".text; .globl first; first: .cfi_startproc; .cfi_undefined rip; nop; ret; .cfi_endproc;"
	".globl probed; probed: .cfi_startproc; ret; .cfi_endproc");
int main(void) { return 0; }
'''
if build('probed', PROBED, '-no-pie'):
    off, vaddr, size = text_segment('probed')
    at = PROG + nm('probed')['probed'] - vaddr
    for name, chain, cut in (('one frame of a function\'s first instruction', (at,), True),
                             ('a return address in front of it', (at, at), False)):
        write('one.fp', chains(*chain), program=path('probed'), size=size, off=off)
        said = reported('one.fp')
        ok(bool(said) == cut and (not cut or '100 %' in said and path('probed') in said), name, said)

# A program that imitates a JIT compiler: code in memory without a file, which keeps a frame pointer or does not
JIT = r'''
#include <string.h>
#include <sys/mman.h>
__attribute__((noinline)) static void call(void (*f)(long)) { f(200000000); __asm__ volatile(""); }
int main(int argc, char **argv)
{
	/* push %rbp; mov %rsp, %rbp; 1: dec %rdi; jne 1b; pop %rbp; ret */
	static const char with[] = "\x55\x48\x89\xe5\x48\xff\xcf\x75\xfb\x5d\xc3";
	/* push %rbp; mov $8, %ebp; 1: dec %rdi; jne 1b; pop %rbp; ret */
	static const char without[] = "\x55\xbd\x08\x00\x00\x00\x48\xff\xcf\x75\xfb\x5d\xc3";
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p, argc > 1 ? with : without, argc > 1 ? sizeof(with) : sizeof(without));
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	call((void (*)(long))p);
	return 0;
}
'''
FP = ('-O1', '-fno-omit-frame-pointer', '-fno-optimize-sibling-calls', '-mno-omit-leaf-frame-pointer')
if build('jit', JIT, *FP):
    for graph, words in (('fp', 'without frame pointers'), ('dwarf,4096', 'without call frame information')):
        check('code without a file and without frame pointers, ' + graph, recorded('jit', graph, './jit'), words,
              'in code made at run time', unwanted=('dwarf,',))
        check('with frame pointers, ' + graph, recorded('jit', graph, './jit', 'with'))

# Programs that begin without the C library
SPIN = 'volatile long x;\n__attribute__((noinline)) void spin(long n) { while (n--) x++; }\n'
EXIT = '__asm__ volatile("syscall" : : "a"(231), "D"(0));'
START = SPIN + '__attribute__((noinline)) void work(void) { spin(60000000); x++; }\n' \
    'void _start(void) { work(); x++; ' + EXIT + ' }\n'
ASM = '.globl _start\n_start: mov $400000000, %rcx\nagain: dec %rcx\njnz again\nmov $231, %eax\nxor %edi, %edi\nsyscall\n'
for name, source, flags in (('C', START, FP), ('assembler', ASM, ())):
    if build('alone', source, '-static', '-nostartfiles', '-nostdlib', *flags):
        for graph in 'fp', 'dwarf,4096':
            check('a program of its own start, %s, %s' % (name, graph), recorded('alone', graph, './alone'))
if build('alone', START, '-static', '-nostartfiles', '-nostdlib', '-O2', '-fomit-frame-pointer'):
    check('without frame pointers', recorded('alone', 'fp', './alone'),
          'without frame pointers (in %s). Record with --call-graph %s' % (path('alone'), BEST))
    check('without frame pointers, copies', recorded('alone', 'dwarf,4096', './alone'))

# A signal handler on a stack of its own, of which no copy reaches the interrupted function; children of vfork()
ALT = SPIN + r'''
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static void handler(int sig) { spin(40000000); x += sig; }
int main(int argc, char **argv)
{
	stack_t s = { .ss_size = 1 << 16 };
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	(void)argv;
	if (argc > 1) {
		if (!vfork()) {
			spin(40000000);
			_exit(0);
		}
		return 0;
	}
	s.ss_sp = mmap(NULL, s.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&s, NULL);
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	return 0;
}
'''
if build('alt', ALT, *FP):
    check('a handler on a stack of its own, fp', recorded('alt', 'fp', './alt'))
    check('a handler on a stack of its own, dwarf', recorded('alt', 'dwarf,4096', './alt'), 'changes to another stack',
          'table' if BEST == 'table' else '--call-graph fp', unwanted=('dwarf,',))
    check('a child of vfork(), fp', recorded('alt', 'fp', './alt', 'vfork'))
    check('a child of vfork(), dwarf', recorded('alt', 'dwarf,4096', './alt', 'vfork'))

# Threads; and a frame that no copy holds
THREADS = SPIN + r'''
#include <pthread.h>
#include <string.h>
static void *work(void *arg)
{
	char large[100000];

	memset(large, 1, arg ? sizeof(large) : 1);
	spin(25000000);
	x += large[x & 1];
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	pthread_create(&t, NULL, work, argc > 1 ? &t : NULL);
	pthread_join(t, NULL);
	return 0;
}
'''
for flags in (), ('-static',):
    if not build('threads', THREADS, '-pthread', *FP, *flags):
        skip('threads ' + ' '.join(flags), 'does not link here')
        continue
    check(' '.join(('threads, fp',) + flags), recorded('threads', 'fp', './threads'))
    # All of work()'s 100,000 bytes are below its caller's frame.
    check(' '.join(('threads with a large frame, dwarf',) + flags), recorded('threads', 'dwarf,4096', './threads', '1'),
          'beyond the largest copy', unwanted=('dwarf,',))

# Go: a goroutine's stack ends in runtime.goexit(); the scheduler and the allocator switch stacks
GO = '''package main
import "fmt"
type node struct { l, r *node; v [5]int }
func tree(d int) *node { if d == 0 { return &node{} }; return &node{l: tree(d - 1), r: tree(d - 1)} }
func main() {
	c := make(chan int)
	for g := 0; g < 4; g++ {
		go func() { s := 0; for i := 0; i < 20; i++ { s += tree(12).v[0]; fmt.Sprint(i) }; c <- s }()
	}
	for g := 0; g < 4; g++ { <-c }
}
'''
put(path('main.go'), GO)
os.environ.update(GOCACHE=O + '/test/go-cache', GOFLAGS='-mod=mod', GO111MODULE='off')
if shutil.which('go') and run('go', 'build', '-o', 'goes', 'main.go')[0] == 0:
    for graph in 'fp', 'dwarf,8192', 'live':
        check('Go, ' + graph, recorded('goes', graph, './goes'))
else:
    skip('Go', 'no go')

# One account: of workers, and of inject
fresh = path('data')
for size, advice in ('512', 'dwarf,8192'), ('32768', ''):
    DEEP = SPIN + 'static int deep(int n) { volatile char p[240]; p[0] = n; if (n) return deep(n - 1) + p[0];' \
        ' spin(40000000); return p[0]; }\nint main(void) { return !deep(60); }\n'
    if not build('deep', DEEP, '-O1', '-fno-optimize-sibling-calls', '-fno-inline'):
        continue
    got = recorded('deep', 'dwarf,' + size, './deep')
    check('copies of ' + size, got, *('where the copy of the stack ends', advice) if advice else ())
    if got:
        status, _, err = perf('inject', '--convert-callchain', '-i', 'data', '-o', 'converted')
        injected = re.findall(r'^perf inject: (.*' + re.escape(CUT) + '.*)$', err, re.M)
        ok(status == 0 and injected == [got[0]] * bool(advice), 'inject says the same, copies of ' + size, err)
        ok(reported('data', '-j', '3') == got[0], 'and two workers', got[0])
# In mixed.data children were sampled before their program was mapped.
goldens = [g for g in sorted(glob.glob(GOLDEN + '/*.data')) if not g.endswith('/mixed.data')]
said = [g for g in goldens if reported(g, '--symfs', 'symfs', '--kallsyms', 'kallsyms', cwd=GOLDEN)]
ok(len(goldens) > 10 and not said, 'the callchains of %d golden recordings are complete' % len(goldens), said)
done()
