#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""check.py [OPTION...] FORMAT TRUTH.json < TEXT

Compares each user callchain in an output of perf with what program.py knows: functions, lines and
inlined functions, as far as the format has them. Prints "samples N true N cut N wrong N outside N",
then the kinds of what is not true.

true      the whole chain
cut       a true chain that ends early; the reason is the frame where it ends and the one it called,
          or the instruction
wrong     a frame that was not there, or one that is missing
outside   no function of the program: what the loader and the C library do before and after main

FORMAT is one of:

script    perf script -F comm,tid,ip,sym,symoff,dso,srcline
folded    perf report --folded, perf data convert --to-folded
graph     perf report --stdio -g graph,0,caller,srcline,count; callee: the same with callee
json      perf data convert --to-json; jsonl: --to-jsonl
pprof     go tool pprof -raw
annotate  perf annotate -n --percent-limit 0: compared with --script FILE
"""
import argparse
import collections
import json
import os
import re
import sys

# What runs above a function without being called by it, as names without underscores.
RESOLVER = 'dl_.*|do_lookup_x|check_match|strcmp|.*@?plt|x86.get_pc_thunk.*|mem(cpy|move|set)_.*'
RESOLVER += '|restore(_rt)?|kernel_((rt_)?sigreturn|vsyscall)|vdso'
# Where a program enters the kernel: the last function of that.
ENTRY = 'asm_|entry_(SYSCALL|INT80)|sysret32_from_system_call'
# Before it jumps, libgcc writes the landing pad over its return address, and the registers of that
# frame over its saved ones; setcontext() has the registers of two stacks. No call frame information
# says so.
LANDING = 'Unwind_(RaiseException|Resume|ForcedUnwind)|setcontext|swapcontext'
UNDESCRIBED = 'about to jump'
# A format does not say.
UNSAID = -1
# The program's; another test may run one, too.
COMM = os.environ.get('TRUTH_COMM', 'truth')


def base(name):
    """A function's name without those of its parts, and of C++'s arguments."""
    return re.sub(r'(\(.*\)|\.(cold|part|isra|constprop|lto_priv|llvm)(\.\d+)*)+$', '', name)


class Frame:
    def __init__(self, name, line=UNSAID, inlined=UNSAID, off=None, kernel=False):
        self.sym = name
        # A format may say where code without a name is.
        name = re.sub(r'^(\[.*\]|0x[0-9a-f]+|\S+\+0x[0-9a-f]+)$', '[unknown]', name)
        # getppid for __GI___getppid
        self.name = base(re.sub(r'^(__GI_)?_*', '', name))
        self.line = line
        self.inlined = inlined
        self.off = off
        self.kernel = kernel

    def __str__(self):
        line = '' if self.line == UNSAID else ':%s' % self.line
        return self.name + line + (' (inlined)' if self.inlined is True else '')


def with_line(text):
    """A frame "NAME FILE:LINE (inlined)", as reports have it."""
    m = re.match(r'(.*?)(?: ([^ ]*):(\d+))?( \(inlined\))?$', text.strip())
    return Frame(m[1], int(m[3]) if m[3] else None, bool(m[4]))


def of_script(text):
    frames = None
    for line in text:
        line = line.rstrip('\n')
        if not line:
            if frames is not None:
                yield frames, 1
            frames = None
        elif frames is not None and line[0] == '\t':
            m = re.match(r'\s+([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))?( \(.*\))?$', line)
            kernel = int(m[1], 16) >> 63 or (m[4] or '').startswith(' ([kernel')
            name = 'vdso' if m[2] == '[unknown]' and m[4] == ' ([vdso])' else m[2]
            frames.append(Frame(name, None, False, int(m[3] or '0', 16), kernel))
        elif frames and line[:2] == '  ':
            m = re.match(r'  [^ ]*:(\d+)', line)
            frames[-1].line = int(m[1]) if m else None
            frames[-1].inlined = line.endswith(' (inlined)')
        else:
            # (a thread whose beginning was lost has its number for a name)
            frames = [] if re.match(r'(%s|:\d+) ' % COMM, line) else None
    if frames is not None:
        yield frames, 1


def of_folded(text):
    for line in text:
        names, n = line.rsplit(' ', 1)
        comm, *names = names.split(';')
        # The event is first where there are several.
        if comm in ('ptrace-clock', 'offcpu-time'):
            comm, *names = names
        if comm == COMM:
            yield [Frame(name) for name in reversed(names)], int(n)


def of_json(text):
    for s in json.load(text)['samples']:
        if s['comm'] == COMM:
            yield [Frame(f.get('symbol', '[unknown]')) for f in s['callchain']], 1


def of_jsonl(text):
    for line in text:
        s = json.loads(line)
        if s['comm'] == COMM:
            yield [Frame(name) for name in s['frames']], 1


def of_graph(text, callee=False):
    """Chains without their numbers. A branch begins with -- in a column of its own."""
    path, ended = [], False
    ours = False

    def whole():
        frames = [f for _, f in path]
        return frames if callee else frames[::-1]

    for line in text:
        line = line.rstrip('\n')
        row = re.match(r' *[\d.]+%', line)
        m = None if row else re.match(r'([ |]*)(?:(-{2,3})(?:(\d+)--)?)?([^ |-].*)', line)
        if row or line.startswith('#'):
            if path:
                yield whole(), 1
            path = []
            ours = bool(row) and ' %s ' % COMM in line
        elif m and ours:
            if m[2]:
                column = len(m[1])
                if path and path[-1][0] >= column:
                    yield whole(), 1
                while path and path[-1][0] >= column:
                    path.pop()
            path.append((len(m[1]) if m[2] else path[-1][0], with_line(m[4])))
    if path:
        yield whole(), 1


def of_pprof(text):
    """Samples are numbers of locations, which follow, innermost first; a location's inlined
    functions stand before it."""
    samples, locations, part = [], {}, None
    for line in text:
        if re.match(r'(Samples|Locations|Mappings)', line):
            part = line.split(':')[0].strip()
        elif part == 'Samples':
            m = re.match(r'\s+(\d+)[ \d]*: ([\d ]+?)\s*$', line)
            if m:
                samples.append((m[2].split(), int(m[1])))
        elif part == 'Locations':
            m = re.match(r'\s+(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*)', line)
            if m:
                number = m[1]
                locations[number] = []
            f = re.match(r'(.*?) (\S*):(\d+)(?::\d+)? s=', (m[2] if m else line).strip())
            if f:
                locations[number].append(Frame(f[1], int(f[3]) or UNSAID))
            elif m:
                locations[number].append(Frame('[unknown]', None, False))
    for numbers, n in samples:
        yield [f for number in numbers for f in locations[number]], n


def annotated(text):
    """{(function, offset): samples} of perf annotate -n"""
    counts, name = collections.Counter(), None
    for line in text:
        head = re.match(r' Samples \| .*? of (.*?) in .* for ', line)
        row = re.match(r'\s+(\d+) :\s+([0-9a-f]+):', line)
        if head:
            name, start = head[1], None
        elif row and name:
            start = int(row[2], 16) if start is None else start
            counts[name, int(row[2], 16) - start] += int(row[1])
    return +counts


def judge_annotated(text, script, truth, least):
    """Has each instruction of the program the samples that perf script shows there? Return: status."""
    want = collections.Counter()
    for frames, n in of_script(script):
        f = next((f for f in frames if not f.inlined), None)
        if f and f.name in truth.functions and not frames[0].kernel:
            want[f.sym, f.off] += n
    got = annotated(text)
    wrong = {at for at in want | got if base(at[0]) in truth.functions and want[at] != got[at]}
    print('samples %d of %d instructions, wrong %d' % (want.total(), len(want), len(wrong)))
    for at in sorted(wrong)[:10]:
        print('wrong: %s+%#x has %d, must have %d' % (*at, got[at], want[at]))
    return bool(wrong) or want.total() < least


class Truth:
    nameless = False
    def __init__(self, path, fp, inlines):
        with open(path, encoding='ascii') as f:
            d = json.load(f)
        self.functions = d['functions']
        self.code = d['code']
        self.unnamed = d['unnamed']
        self.fp = fp
        self.inlines = inlines

    def instruction(self, f):
        return self.code.get(f.sym, {}).get(str(f.off), '?')

    def no_frame(self, f):
        """Has the code of this frame, and of what is inlined in it, no frame pointer there?
        Maybe, if the format does not say where that is: perf script does."""
        if f.off is None:
            return True
        code = self.code.get(f.sym, {})
        if not any(re.match(r'mov\s+%[re]sp,%[re]bp', text) for text in code.values()):
            return '.cold' not in f.sym
        has = False
        for off, text in code.items():
            if int(off) >= (f.off or 0):
                break
            if re.match(r'(mov\s+%[re]sp,%[re]bp|ret|jmp)', text):
                has = True
            elif re.match(r'leave|pop\s+%[re]bp', text):
                has = False
        return not has

    def judge(self, frames):
        """(status, reason) of one chain, innermost frame first."""
        k = 0
        while k < len(frames) and frames[k].name not in self.functions:
            k += 1
        if k == len(frames):
            return 'outside', frames[-1].name if frames else 'no user frame'
        f, fn = frames[k], self.functions[frames[k].name]
        above = '%s|%s' % (fn['lib'] or RESOLVER, RESOLVER)
        # (a library's function, or the loader's resolver: above a call that it binds)
        binds = any('@plt' in text for text in self.code.get(f.sym, {}).values())
        if self.nameless or (self.unnamed and binds):
            above += r'|\[unknown\]'
        for g in frames[:k]:
            if not re.fullmatch(above, g.name):
                if self.fp and self.hidden(frames[k - 1], frames[k:]):
                    return 'cut', 'no frame pointer in %s' % frames[k - 1].name
                if k == 1 and re.fullmatch(LANDING, g.name):
                    return 'cut', 'about to jump: %s' % g
                return 'wrong', '%s above %s' % (g, f)
        # A compiler may say 0: no line of the source
        if fn['file'] and not fn['any_line'] and f.line not in (0, UNSAID):
            if not fn['first'] <= (f.line or 0) <= fn['last']:
                return 'wrong', 'line %s of %s' % (f.line, f)
        if f.inlined not in (fn['inline'], UNSAID):
            return 'wrong', 'inlined or not: %s' % f
        items = ([fn['rec'][:3] + [None]] if fn['rec'] else []) + fn['up']
        if not self.inlines:
            items = [i for i in items if i[0] != 'f' or not i[3]]
        got = frames[k + 1 :]
        status = self.above(items, got, f)
        if status[0] == 'true':
            return status
        if k and re.fullmatch(LANDING, frames[k - 1].name):
            # The innermost frame's registers are already those of the landing pad.
            if status[0] == 'cut' or k == 1 or self.judge(frames[:k] + got)[0] != 'wrong':
                return 'cut', 'about to jump: %s' % frames[k - 1]
        if status[0] == 'cut':
            return status
        host = next((g for g in frames if g.inlined is not True), f)
        if self.fp and not k and self.no_frame(host):
            # The caller of the function in which this code is inlined is missing.
            of_file = [i for i, x in enumerate(items) if x[0] == 'f' and not x[3]]
            n = first = of_file[0] + 1 if fn['inline'] else 0
            while n < len(items) and (items[n][0] != 'f' or items[n][3]):
                n += 1
            if self.above(items[:first] + items[n + 1 :], got, f)[0] != 'wrong':
                return 'cut', 'no frame pointer at "%s"' % self.instruction(host)
        return status

    def hidden(self, lib, frames):
        """Is there a function that calls @lib, a leaf without a frame pointer, below these frames?"""
        for fn in self.functions.values():
            if fn['lib'] and re.fullmatch(fn['lib'], lib.name):
                if self.above(fn['up'], frames, lib)[0] != 'wrong':
                    return True
        return False

    def above(self, items, got, below):
        i = 0
        for kind, *what in items:
            if kind == 'end':
                break
            if kind == 'lib':
                first = i
                while i < len(got) and self.is_lib(got[i], what[0]):
                    i += 1
                if what[1] and i == len(got) and not self.fp:
                    last = got[i - 1].name if i else ''
                    # Of the two functions that start a thread neither has a name.
                    if i < first + (2 if last == '[unknown]' else 1) or not re.fullmatch(what[1], last):
                        return self.cut(got, i, below)
            elif kind == 'rec':
                n = 0
                while i < len(got) and self.same(got[i], what[0], what[1], False) and n != what[2]:
                    i += 1
                    n += 1
                if what[2] and n < what[2]:
                    if i == len(got):
                        return self.cut(got, i, below)
                    return 'wrong', '%s is above call %d of %s' % (got[i], n, what[0])
            else:
                if i == len(got):
                    return self.cut(got, i, below)
                if not self.same(got[i], *what):
                    right = Frame(what[0], (what[1] or [UNSAID])[0], what[2])
                    return 'wrong', '%s is above %s, must be %s' % (got[i], got[i - 1] if i else below, right)
                i += 1
        # By frame pointers what is above main, in the C library, is anything.
        if i < len(got) and not self.fp:
            return 'wrong', '%s is above %s, where the chain ends' % (got[i], got[i - 1] if i else below)
        return 'true', ''

    def is_lib(self, frame, names):
        return frame.name not in self.functions and re.fullmatch(names + '|vdso', frame.name)

    @staticmethod
    def same(frame, name, lines, inlined):
        return (
            frame.name == name
            and (not lines or frame.line == UNSAID or frame.line in lines)
            and frame.inlined in (inlined, UNSAID)
        )

    def cut(self, got, i, below):
        if not i:
            return 'cut', 'ends at %s at "%s"' % (below.name, self.instruction(below))
        callee = got[i - 2] if i > 1 else below
        return 'cut', 'ends at %s above %s' % (got[i - 1].name, callee.name)


FORMATS = {
    'script': of_script,
    'folded': of_folded,
    'graph': of_graph,
    'callee': lambda text: of_graph(text, True),
    'json': of_json,
    'jsonl': of_jsonl,
    'pprof': of_pprof,
}


def main():
    o = argparse.ArgumentParser()
    o.add_argument('--nameless', action='store_true', help='libraries and vDSO of another machine')
    o.add_argument('--fp', action='store_true', help='chains by frame pointers')
    o.add_argument('--cut', default='nothing', help='regex of the reasons for which chains may be cut')
    o.add_argument('--least', type=int, default=100, help='so many samples there must be')
    o.add_argument('--kinds', type=int, default=12, help='print so many kinds')
    o.add_argument('--script', help='perf script of the same recording, for annotate')
    o.add_argument('format', choices=[*FORMATS, 'annotate'])
    o.add_argument('truth')
    a = o.parse_args()
    truth = Truth(a.truth, a.fp, a.format != 'json')
    truth.nameless = a.nameless
    if a.format == 'annotate':
        with open(a.script, encoding='utf-8') as f:
            sys.exit(judge_annotated(sys.stdin, f, truth, a.least))
    count, why, example = collections.Counter(), collections.Counter(), {}
    for frames, n in FORMATS[a.format](sys.stdin):
        frames = [f for f in frames if not f.kernel]
        # Formats that do not tell the kernel's functions: they end where it was entered.
        entered = [i for i, f in enumerate(frames) if re.match(ENTRY, f.name)]
        frames = frames[entered[-1] + 1 if entered else 0:]
        status, reason = truth.judge(frames)
        count[status] += n
        if status != 'true':
            why[status, reason] += n
            example.setdefault((status, reason), frames)
    total = sum(count.values()) - count['outside']
    print('samples %d' % total, *['%s %d' % (s, count[s]) for s in ('true', 'cut', 'wrong', 'outside')])
    bad = count['wrong']
    kinds = []
    for (status, reason), n in why.most_common():
        explained = status == 'outside' or status == 'cut' and re.match(a.cut + '|' + UNDESCRIBED, reason)
        bad += 0 if explained else n
        text = '%s %d: %s' % (status, n, reason)
        if not explained:
            text += '\n    ' + ' < '.join(map(str, example[status, reason]))
        kinds.append((bool(explained), text))
    for _, text in sorted(kinds, key=lambda k: k[0])[: a.kinds]:
        print(text, flush=True)
    sys.exit(bad > 0 or total < a.least)


main()
