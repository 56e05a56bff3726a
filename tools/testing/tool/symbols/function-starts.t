#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Functions of stripped files are named by where they begin: in reports, flame graphs, perf annotate
and perf data convert, but for --no-function-starts and the setting; in perf script only with
--function-starts. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

os.environ['PERF_CONFIG'] = path('config')
SOURCE = '''
volatile unsigned long x;
#define N __attribute__((noinline, noclone))
N static unsigned long first(unsigned long n) { while (n--) x += n; return x; }
N static unsigned long second(unsigned long n) { while (n--) x ^= n; return x; }
N static unsigned long third(unsigned long n) { return first(n) + second(n) + x; }
__attribute__((visibility("default"))) N unsigned long shown(unsigned long n) { while (n--) x -= n; return third(n & 7); }
int main(void)
{
	for (int i = 0; i < 30; i++)
		x += third(3000000) + shown(3000000);
	return 0;
}
'''


def build(name, *flags):
    """The program stripped, and the addresses of its functions."""
    put(path('calls.c'), SOURCE)
    subprocess.check_call(('gcc', '-O2', '-o', path(name), path('calls.c')) + flags)
    addresses = nm(path(name))
    subprocess.check_call(('strip', '-s', path(name)))
    return addresses


def config(text):
    put('config', text)


config('')
for kind, flags in (('pie', ('-pie',)), ('fixed', ('-no-pie',)), ('exports', ('-pie', '-rdynamic'))):
    at = build(kind, *flags)
    data = path(kind + '.data')
    status, _, err = perf('record', '-q', '-e', 'cpu-clock:u', '-F', '2000', '-g', '-o', data, path(kind))
    if status:
        skip(kind, 'cannot record here: ' + err)
        continue
    names = {n: '%s+0x%x' % (kind, at[n]) for n in ('first', 'second', 'third', 'shown', 'main')}
    text = ('report', '-i', data, '--no-children', '-g', 'none', '-s', 'symbol')

    status, plain, err = perf(*text, '--no-function-starts')
    ok(status == 0 and kind + '+0x' not in plain, kind + ': addresses with --no-function-starts', plain, err)
    rows_plain = re.findall(r'^ +[\d.]+% +(.*\S)', plain, re.M)
    status, named, err = perf(*text)
    rows = re.findall(r'^ +[\d.]+% +\[\.\] (.*\S)', named, re.M)
    own = [r for r in rows if r.startswith(kind + '+0x')]
    ok(len(own) == len(set(own)) and {names['first'], names['second']} <= set(own),
       kind + ': a row for each function', named, err)
    ok(set(own) <= set('%s+0x%x' % (kind, a) for a in at.values()), kind + ': where it begins', own, at)
    ok(kind != 'exports' or 'shown' in rows and names['shown'] not in rows, kind + ': symbols count first', rows)
    ok(len(rows) < len(rows_plain), kind + ': fewer rows than addresses', rows)
    config('[report]\n\tfunction-starts = false\n')
    ok(perf(*text)[1] == plain, kind + ': by the setting')
    ok(perf(*text, '--function-starts')[1] == named, kind + ': the option counts before it')
    config('')
    ok(perf(*text, '-j', '2')[1] == named, kind + ': by two workers')

    folded = perf('report', '-i', data, '--folded')[1]
    ok(names['first'] in folded, kind + ': folded stacks have it', folded)
    ok(names['first'] not in perf('report', '-i', data, '--folded', '--no-function-starts')[1],
       kind + ': --no-function-starts')
    config('[report]\n\tfunction-starts = false\n')
    ok(names['first'] not in perf('report', '-i', data, '--folded')[1], kind + ': setting false')
    config('')
    perf('report', '-i', data, '--flamegraph=' + path('f.svg'))
    with open(path('f.svg')) as f:
        ok(names['first'] in f.read(), kind + ': the flame graph, too')

    for form in 'folded', 'speedscope', 'firefox', 'json', 'jsonl':
        text = ('data', 'convert', '-i', data, '--to-' + form, '-')
        ok(names['first'] in perf(*text)[1] and names['first'] not in perf(*text, '--no-function-starts')[1],
           kind + ': perf data convert --to-' + form)
    status, text, err = perf('annotate', '-i', data)
    ok(status == 0 and names['first'] in text and names['second'] in text, kind + ': perf annotate', text[:300], err)
    status, text, err = perf('annotate', '-i', data, names['first'])
    ok(status == 0 and names['first'] in text and names['second'] not in text and
       re.search(r'^ +[0-9.]+ .*:\s+[a-z]', text, re.M), kind + ': perf annotate of one function', text[:300], err)
    status, text, err = perf('annotate', '-i', data, '--no-function-starts')
    ok(names['first'] not in text, kind + ': perf annotate --no-function-starts', text[:300], err)

    plain = perf('script', '-i', data)[1]
    ok(kind + '+0x' not in plain and '[unknown]' in plain, kind + ': script has [unknown]', plain[:300])
    text = perf('script', '-i', data, '--function-starts', '-F', 'ip,sym,symoff')[1]
    ok(re.search(r' %s\+0x[0-9a-f]+$' % re.escape(names['first']), text, re.M),
       kind + ': script --function-starts, with the offset', text[:300])

# Mini debug info: an ELF file with the local symbols, packed by xz, in a section.
at = build('mini', '-pie')
subprocess.check_call(('gcc', '-O2', '-pie', '-o', path('full'), path('calls.c')))
subprocess.check_call(('objcopy', '--only-keep-debug', path('full'), path('mini.debug')))
subprocess.check_call(('xz', '-k', path('mini.debug')))
subprocess.check_call(('objcopy', '--add-section', '.gnu_debugdata=' + path('mini.debug.xz'), path('mini')))
status, _, err = perf('record', '-q', '-e', 'cpu-clock:u', '-F', '2000', '-g', '-o', path('mini.data'), path('mini'))
if status:
    skip('.gnu_debugdata', 'cannot record here: ' + err)
else:
    for option in (), ('--no-function-starts',):
        _, out, err = perf('report', '-i', path('mini.data'), '--no-children', '-g', 'none', '-s', 'symbol', *option)
        ok(re.search(r'\[\.\] first$', out, re.M) and 'mini+0x' not in out,
           ' '.join(('.gnu_debugdata names functions',) + option), out, err)

# Nothing describes the code: nothing changes.
build('bare', '-fno-asynchronous-unwind-tables', '-fno-unwind-tables', '-Wl,--no-eh-frame-hdr')
subprocess.check_call(('objcopy', '--remove-section', '.eh_frame', path('bare')))
status, _, err = perf('record', '-q', '-e', 'cpu-clock:u', '-F', '2000', '-o', path('bare.data'), path('bare'))
if status:
    skip('no .eh_frame', 'cannot record here: ' + err)
else:
    plain, named = (re.sub(r'# \(Tip.*\n', '', perf('report', '-i', path('bare.data'), *o)[1])
                    for o in (('--no-function-starts',), ()))
    ok(plain == named, 'no .eh_frame: addresses', plain, named)
config('[report]\n\tfunction-starts = maybe\n')
status, _, err = perf('report', '-i', path('bare.data'))
ok(status > 0 and 'report.function-starts' in err and 'true; false' in err, 'a wrong setting', status, err)
done()
