#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Functions of C++ in options that choose samples: names with commas, and names that stand for all overloads. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from programs import *  # noqa: E402

NAMES = {'_Z4add2ll': 'add2(long, long)', '_Z4add2ii': 'add2(int, int)', '_ZN2ns1fIiEET_S1_S1_': 'int ns::f<int>(int, int)',
         '_ZN2ns1fIlEET_S1_S1_': 'long ns::f<long>(long, long)', '_Zlt1AS_': 'operator<(A, A)', 'add2x': 'add2x'}
put('p.s', '.section .note.GNU-stack, "", @progbits\n.text\n.globl main\nmain: ret\n' + ''.join(
    '.globl {0}\n.type {0}, @function\n{0}: nop\nret\n.size {0}, .-{0}\n'.format(n) for n in NAMES))
sh('gcc -o p p.s')
addr = nm(path('p'))
DATA = of_program('p.data', path('p'), [addr[n] for n in NAMES])
put('list', 'add2(int, int)\nns::f\n')


def report(*args):
    return sorted(l.split('] ', 1)[1].strip() for l in perf('report', '--stdio', '-g', 'none', '--no-children', '-s', 'sym',
                                                          '-i', DATA, *args)[1].splitlines() if '[.] ' in l)


for option, want in (
        ('add2(long, long)', ['add2(long, long)']), ('add2', ['add2(int, int)', 'add2(long, long)']),
        ('ns::f', ['int ns::f<int>(int, int)', 'long ns::f<long>(long, long)']), ('ns::f<int>', ['int ns::f<int>(int, int)']),
        ('int ns::f<int>(int, int),add2(int, int)', ['add2(int, int)', 'int ns::f<int>(int, int)']),
        ('operator<(A, A),add2(int, int)', ['add2(int, int)', 'operator<(A, A)']), ('operator<', ['operator<(A, A)']),
        ('add2(int\\, int)', ['add2(int, int)']), ('f', []),
        ('file://' + path('list'), ['add2(int, int)', 'int ns::f<int>(int, int)', 'long ns::f<long>(long, long)'])):
    script = sorted(symbols(DATA, '-S', option)[1])
    convert = sorted(l.rpartition(' ')[0].split(';')[-1] for l in
                     perf('data', 'convert', '--to-folded', '-', '-i', DATA, '-S', option)[1].splitlines())
    title = ' of '
    annotate = sorted(l.split(title, 1)[1].split(' in /', 1)[0] for l in
                      perf('annotate', '--stdio', '-i', DATA, '-S', option)[1].splitlines() if title in l and 'Percent' in l)
    rows = report('-S', option)
    ok(script == want == convert and annotate == want == rows, '-S ' + option.replace(TMP, ''),
       script, convert, annotate, rows)
annotate = perf('annotate', '--stdio', '-i', DATA, 'add2')[1]
ok('add2(int, int) in' in annotate and 'add2(long, long) in' in annotate and annotate.count('Percent') == 2, 'annotate add2', annotate)
annotate = perf('annotate', '--stdio', '-i', DATA, 'add2(int, int)')[1]
ok('add2(int, int) in' in annotate and annotate.count('Percent') == 1, 'annotate add2(int, int)', annotate)

# Names of tasks and files
NAME = 'a,b(c,d)'
shutil.copy(path('p'), path(NAME))
off, vaddr, _ = text_segment(path('p'))
data = recording('c.data', record(3, ii(10, 10) + string(NAME) + SID), mmap(path(NAME), BASE, 0x1000, off),
                 sample(BASE + addr['add2x'] - vaddr))
for option in '--comms', '--dsos':
    for given, found in (('a\\,b(c,d)', True), ('x,a\\,b(c,d),y', True), ('a,b(c,d)', False)):
        out = perf('script', option, given, '-F', 'comm', '-i', data)[1]
        ok(bool(out.strip()) == found, '%s %s' % (option, given), out)

done()
