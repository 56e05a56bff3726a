#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""program.py [OPTION...] DIR: writes and builds DIR/truth, a program whose every function has one
caller, at one line. It burns its first argument's milliseconds of processor time.

A chain is a row of links above a leaf. Each uses the stack in a way of its own (shapes.txt). --seed
decides which links stand above which leaf; each shape is in each program that can have it. Of the
functions without frame pointers (those of libraries), --fp has none. DIR/truth.json has, for
check.py, each function's lines and what stands above it, innermost first:

    ["f", NAME, LINES, INLINED]    a frame of the program; LINES null: any
    ["lib", REGEX, LAST]           any number of frames of libraries, by names without the underscores
                                   in front; LAST: regex of the outermost, or null
    ["rec", NAME, LINES, N]        N frames of a function that called itself
    ["end"]                        nothing stands above

and the instructions of each function, by offset.
"""
import argparse
import json
import os
import random
import re
import subprocess

OUTER = 'libc_start_call_main|libc_start_main(_impl|@@.*)?|start'
# What local functions of libraries are called without their debug information.
UNNAMED = r'|\[unknown\]'

HEAD = r'''#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif
#define INLINE static inline __attribute__((always_inline))
#define keep() __asm__ volatile("" ::: "memory")
#ifdef __cplusplus
#define C extern "C"
#else
#define C extern
#endif
#if defined(__x86_64__)
#define TRAP "ud2"
#define TRAP_SKIP(u) (((ucontext_t *)(u))->uc_mcontext.gregs[REG_RIP] += 2)
#elif defined(__i386__)
#define TRAP "ud2"
#define TRAP_SKIP(u) (((ucontext_t *)(u))->uc_mcontext.gregs[REG_EIP] += 2)
#else
#define TRAP "udf #0"
#define TRAP_SKIP(u) (((ucontext_t *)(u))->uc_mcontext.pc += 4)
#endif
C volatile long sink, never, work;
#include "declarations.h"
'''

MAIN = '''volatile long sink, never;
volatile long work = %d;

int main(int argc, char **argv)
{
	clock_t end = clock() + (argc > 1 ? atol(argv[1]) : 500) * (CLOCKS_PER_SEC / 1000);

	while (clock() < end) {
%s	}
	return 0;
}
//! main lib .*
//! main at lib %s; last start; end
'''


def read_shapes():
    """{kind: [(name, words, text)]}"""
    shapes = {'leaf': [], 'link': []}
    with open(os.path.join(os.path.dirname(__file__), 'shapes.txt'), encoding='ascii') as f:
        for part in re.split(r'^== ', f.read(), flags=re.M)[1:]:
            head, text = part.split('\n', 1)
            kind, name, *words = head.split()
            shapes[kind].append((name, words, text))
    return shapes


def base_name(name):
    """A function's name without what compilers append for its parts and copies."""
    return re.sub(r'(\.(cold|part|isra|constprop|lto_priv|llvm)(\.\d+)*)+$', '', name)


class Program:
    def __init__(self, args):
        self.args = args
        self.files = {f: HEAD.rstrip('\n').split('\n') for f in ('p.c', 'x.cc', 'l.c')}
        self.declarations = []
        self.functions = {}
        self.callers = {}  # name -> what stands above it, up to the next frame of the program
        self.fixed = set()  # those of a directive
        self.via = {}
        self.rng = random.Random(args.seed)

    def directive(self, line, here):
        """A line of //!; @here: the frame of the line before."""
        name, word, *rest = line.split(None, 2)
        if word == 'via':
            self.via[name] = self.items(rest[0])
        elif word == 'at':
            self.callers[name] = self.items(rest[0])
            self.fixed.add(name)
        elif word == 'times':
            self.function(name)['rec'] = int(rest[0])
        elif word == 'lib':
            self.function(name)['lib'] = rest[0]
        elif word == 'asm':
            self.function(name)
        elif word == 'anyline':
            self.function(name)['any_line'] = True
        elif word in ('previous', 'next'):
            frame = here[:]
            frame[2] = [frame[2][0] + (word == 'next')]
            self.callers[name] = self.via.get(name, []) + [frame]
            self.fixed.add(name)
        else:
            raise ValueError(line)

    @staticmethod
    def items(text):
        items = []
        for item in text.split('; '):
            word, *rest = item.split(None, 1)
            if word == 'last':
                items[-1][2] = rest[0]
            else:
                items.append({'f': ['f', *rest, None, False], 'lib': ['lib', *rest, None], 'end': ['end']}[word])
        return items

    def function(self, name):
        return self.functions.setdefault(
            name, {'file': None, 'first': 0, 'last': 0, 'inline': False, 'lib': None, 'rec': 0, 'any_line': False, 'up': []}
        )

    def add(self, text, name='', callee=''):
        """The text of a shape, with the names of its function and of what that calls."""
        text = text.replace('FN', name).replace('CALLEE', callee)
        heads = r'^(?!//|#|__asm__)(\S.*[ *])([\w:~]+)\(([^;]*)\)\n\{$'
        known = [m[2] or m[5] for m in re.finditer(heads + '|^//! ()(.*) asm$', text, re.M)] + [callee]
        file, within, here = 'p.c', None, None
        lines = text.rstrip('\n').split('\n')
        for i, line in enumerate(lines):
            out = self.files[file]
            head = re.match(heads, line + '\n' + lines[i + 1] if i + 1 < len(lines) else '')
            if line.startswith('-- '):
                file = line[3:]
                continue
            if line.lstrip().startswith('//! '):
                self.directive(line.lstrip()[4:], here)
                continue
            out.append(line)
            if head:
                within = self.function(head[2])
                fn = head[2]
                within.update(file=file, first=len(out), inline=line.startswith('INLINE'))
                if file == 'l.c' or head[3] == 'long a' and re.match('(C )?NOINLINE long $', head[1]):
                    self.declarations.append('C %s;' % line.replace('C ', '').replace('NOINLINE ', ''))
            elif line == '}' and within:
                within['last'] = len(out)
                within = None
            elif within:
                here = ['f', fn, [len(out)], within['inline']]
                for n in known:
                    if not n or not re.search(r'(?<![\w.])%s\b' % re.escape(n), line):
                        continue
                    if n == fn:
                        within['rec'] = ['rec', fn, [len(out)], within['rec']]
                    elif n not in self.fixed:
                        self.callers[n] = self.via.get(n, []) + [here]
        if file == 'p.c':
            self.files[file].append('')

    def generate(self):
        """The chains, each from its leaf outwards, then main."""
        a = self.args
        shapes = {
            kind: [s for s in all if not (a.fp and 'lib' in s[1]) and not (not a.cxx and 'c++' in s[1])]
            for kind, all in read_shapes().items()
        }
        deal, dealt, heads = [], 0, []
        leaves = shapes['leaf'] + shapes['leaf'][:1] * a.more
        while leaves or dealt < len(shapes['link']):
            chain = len(heads)
            leaf, _, text = leaves.pop(0) if leaves else shapes['leaf'][0]
            name = 't%d_%s' % (chain, leaf)
            self.add(text, name)
            for level in range(self.rng.randint(2, 4)):
                if not deal:
                    deal = shapes['link'][:]
                    self.rng.shuffle(deal)
                link, _, text = deal.pop()
                dealt += 1
                up = 't%d_%d%s' % (chain, level, link)
                self.add(text, up, name)
                name = up
            heads.append(name)
        calls = ''.join('\t\t%s(1);\n' % h for h in heads)
        self.add(MAIN % (a.work, calls, OUTER))
        # each call of main has its own line
        for n, line in enumerate(self.files['p.c']):
            for h in heads if line.startswith('\t\tt') else []:
                if line == '\t\t%s(1);' % h:
                    self.callers[h] = [['f', 'main', [n + 1], False]]

    def build(self):
        a, d = self.args, self.args.dir
        for name, lines in {**self.files, 'declarations.h': self.declarations}.items():
            with open('%s/%s' % (d, name), 'w', encoding='ascii') as f:
                f.write('\n'.join(lines) + '\n')
        flags = ['-g', a.level, '-w', '-pthread'] + a.flag
        flags += ['-falign-functions=1' if 'clang' in a.cc else '-fno-align-functions']
        flags += ['-fno-omit-frame-pointer', '-mno-omit-leaf-frame-pointer'] if a.fp else ['-fomit-frame-pointer']
        flags += ['-m32'] if a.arch == 'i386' else []
        flags += ['-fno-plt'] if a.no_plt else []
        cxx = a.cxx and not a.fp
        code = [] if a.static else ['-fPIE']
        objects = [d + '/p.o'] + ([d + '/x.o'] if cxx else [])
        run(a.cc, *flags, *code, '-c', '-o', d + '/p.o', d + '/p.c')
        if cxx:
            run(a.cxx, *flags, *code, '-c', '-o', d + '/x.o', d + '/x.cc')
        if a.static:
            run(a.cc, *flags, '-c', '-o', d + '/l.o', d + '/l.c')
            objects.append(d + '/l.o')
        else:
            run(a.cc, *flags, '-fPIC', '-shared', '-o', d + '/libtruth.so', d + '/l.c')
            objects += ['-L' + d, '-Wl,-rpath,$ORIGIN', '-ltruth']
        run(a.cxx if cxx else a.cc, *flags, '-static' if a.static else '-pie', '-o', d + '/truth', *objects)

    def machine_code(self):
        """{function: {offset: instruction}}, and who is reached by a jump: {callee: jumper}"""
        jumps, code = {}, {}
        for obj in ['truth'] + ([] if self.args.static else ['libtruth.so']):
            text = run(self.args.objdump, '-d', '--no-show-raw-insn', '%s/%s' % (self.args.dir, obj))
            for block in text.split('\n\n'):
                m = re.match(r'\s*([0-9a-f]+) <([^>]+)>:\n', block)
                if not m or base_name(m[2]) not in self.functions:
                    continue
                name = base_name(m[2])
                for at, insn in re.findall(r'^\s*([0-9a-f]+):\s+(.*?)\s*$', block, re.M):
                    code.setdefault(m[2], {})[int(at, 16) - int(m[1], 16)] = insn
                    to = re.match(r'(?:notrack )?(?:jmp|b)\s+.*<([^>+]+?)(?:@plt)?>', insn)
                    if to and name != base_name(to[1]) in self.functions:
                        jumps[base_name(to[1])] = name
        return code, jumps

    def above(self, name, jumps):
        """What stands above a function, to the end. Who has jumped there does not."""
        out = []
        items = self.callers.get(name, [])
        for item in items:
            if item[0] == 'f':
                up = self.functions[item[1]]
                if jumps.get(name) != item[1]:
                    out.append(item)
                    if up['rec']:
                        out.append(up['rec'])
                return out + self.above(item[1], jumps)
            if item[0] == 'lib' and self.args.unnamed:
                item = ['lib', item[1] + UNNAMED, item[2] and item[2] + UNNAMED]
            out.append(item)
        return out

    def write(self):
        code, jumps = self.machine_code()
        for name, f in self.functions.items():
            f['up'] = self.above(name, jumps)
            if self.args.unnamed and f['lib']:
                f['lib'] += UNNAMED
        with open(self.args.dir + '/truth.json', 'w', encoding='ascii') as f:
            json.dump({'functions': self.functions, 'code': code, 'unnamed': self.args.unnamed}, f, indent=1)


def run(*cmd):
    return subprocess.run(cmd, check=True, stdout=subprocess.PIPE).stdout.decode()


def main():
    o = argparse.ArgumentParser()
    o.add_argument('--fp', action='store_true', help='with frame pointers, without libraries')
    o.add_argument('--static', action='store_true')
    o.add_argument('--no-plt', action='store_true')
    o.add_argument('--arch', default='x86_64', help='x86_64, i386 or arm64')
    o.add_argument('--cc', default='gcc')
    o.add_argument('--cxx', default='', help='none: no C++')
    o.add_argument('--objdump', default='objdump')
    o.add_argument('--level', default='-O2')
    o.add_argument('--flag', action='append', default=[])
    o.add_argument('--unnamed', action='store_true', help='libraries have no debug information')
    o.add_argument('--seed', type=int, default=1)
    o.add_argument('--more', type=int, default=2, help='so many chains more')
    o.add_argument('--work', type=int, default=300000, help='how long a leaf runs')
    o.add_argument('dir')
    p = Program(o.parse_args())
    p.generate()
    p.build()
    p.write()


main()
