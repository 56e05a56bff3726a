#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""perf report --tui, driven in a pseudo-terminal as a person would, its screens read by a terminal
emulator (pyte): what is on it, keys, sizes, colours, and how the terminal is left. TAP."""
import base64
import sys
import termios
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402
import terminal  # noqa: E402
from terminal import *  # noqa: E402

need_terminals()
HERE = os.path.dirname(__file__)
SCREENS = os.path.join(HERE, 'screens')
FILE = ('--symfs', 'symfs', '--kallsyms', 'kallsyms', '-i', 'deepsys.defer.data')
class Terminal(terminal.Terminal):
    def __init__(self, *args, cwd=GOLDEN, **kw):
        super().__init__(*args, cwd=cwd, **kw)


def start(*args, **kw):
    t = Terminal('report', '--tui', *(args or FILE), **kw)
    t.until(lambda t: 'h: help' in t.bar() or 'row' in t.bar())
    t.keys('')
    return t


def text(*args):
    return subprocess.run([PERF, 'report', '--stdio', *args], cwd=GOLDEN, env=environment(),
                          capture_output=True, text=True, check=False).stdout


def table(out):
    """The rows of a text report: their fields."""
    return [line.split() for line in out.split('\n') if re.match(r' +\d+\.\d\d%', line)]


def same_as_golden(name, lines):
    """A screen as it is kept; UPDATE_SCREENS=1 keeps it anew."""
    path = '%s/%s.txt' % (SCREENS, name)
    shown = '\n'.join(lines) + '\n'
    if os.environ.get('UPDATE_SCREENS'):
        put(path, shown)
    with open(path) as f:
        ok(f.read() == shown, 'screen ' + name, shown)


def rows_of(t):
    """Every row there is, screen by screen."""
    rows = []
    t.keys(HOME)
    while True:
        lines = [line[1:].split() for line in t.lines()[2:-1] if line]
        rows += [line for line in lines if line not in rows]
        at, of = map(int, re.match(r'row (\d+) of (\d+)', t.bar()).groups())
        if at == of:
            return rows
        t.keys(PGDN)


# / finds what is in closed call graphs: callers, and with --no-children callees of other rows.
t = start(*FILE, '--no-children')
t.keys('/ksys_read$\r', 'row')
ok(re.search(r' ksys_read$', '\n'.join(t.lines()), re.M) and 'nothing' not in t.bar(),
   '/: a caller in a closed call graph', t.lines())
found = [len(re.findall(r' ksys_\w+$', '\n'.join(t.keys('n')), re.M)) for _ in range(3)]
t.keys('/no such caller\r', 'nothing matches')
shown = t.keys(HOME)
ok(found[0] >= 1, '/: n: the next one', found)
t.end('q')

# What is on the screen, and keys.
t = start()
same_as_golden('rows', t.lines())
t.keys('H')
same_as_golden('hot', t.lines())
t.keys('C' + HOME + '\r' + DOWN + 'e')
same_as_golden('open', t.lines())
t.keys('C' + HOME)
t.keys('/vfs_[rs]\r', 'row 8 of')
ok('row 8 of' in t.bar(), 'a search goes to the row', t.bar())
t.keys('/nothing such\r', 'nothing matches')
ok('nothing matches' in t.bar(), 'a search without a match says so', t.bar())
t.keys('/(\r', '[Uu]nmatched')
ok('nmatched' in t.bar(), 'a wrong expression says what is wrong', t.bar())
# The C library would take minutes, or gigabytes, for these.
for slow in ('s++++++++++++++++', '(.*)(.*)(.*)\\1\\2\\3z', 's{1,255}{1,255}{1,255}', '((s{99}){99}){99}'):
    t.keys('/%s\r' % slow, 'take too long')
    ok('too long to match' in t.bar(), 'an expression that takes too long says so: ' + slow, t.bar())
for quick in ('(((s*)*)*)*vfs', 'v{1,200}fs', '[[.].]{9}]|vfs'):
    t.keys('/%s\r' % quick, 'row .* of')
    ok('row ' in t.bar() and 'long' not in t.bar(), 'others are matched: ' + quick, t.bar())
t.keys(HOME)
t.keys('h')
same_as_golden('help', t.lines())
t.keys('q' + 'i')
ok(any('Deferred callchains: 49 asked for' in line for line in t.lines()), 'i: the account', t.lines())
t.keys('q')
# Steps of call graphs with their files, as perf report -v has them in rows.
t.keys('V', 'names of files')
with_files = t.keys('E' + HOME)
t.keys('V', 'without')
without = t.keys('')
files = {a[len(b):] for a, b in zip(with_files[2:-1], without[2:-1]) if a != b}
ok(files and files <= {' deepsys', ' [kernel.kallsyms]'}, 'V: the files of steps', files, with_files)
t.keys('C')
t.keys('LX\r', 'not a percentage')
ok('not a percentage' in t.bar(), 'L: a wrong percentage', t.bar())
t.keys('Z', 'no such key')
t.keys('t')
ok(t.lines()[0].startswith('comm: deepsys > '), 't: a breadcrumb', t.lines()[0])
t.keys('d')
ok(t.lines()[0].startswith('comm: deepsys > dso: deepsys > '), 'd: another', t.lines()[0])
t.keys('q')
ok(t.lines()[0].startswith('comm: deepsys > 49'), 'q: back', t.lines()[0])
t.keys('\033')
ok(t.lines()[0].startswith('49 samples'), 'Esc: back', t.lines()[0])
ok(t.end('q') == 0 and t.restored, 'q: the terminal is as it was')

# Sums are those of the text.
for more in ((), ('--no-children',), ('-s', 'dso,symbol'), ('-g', 'none')):
    t = start(*FILE, *more, columns=200, rows=60)
    ok(rows_of(t) == table(text(*FILE, *more)), 'rows are those of --stdio %s' % ' '.join(more),
       rows_of(t)[:3])
    t.end('q')
t = start(*FILE, columns=200, rows=60)
t.keys('/tiny_main\r')
t.keys('d')
ok(rows_of(t) == [[*r[:3], 'deepsys', *r[3:]] for r in table(text(*FILE, '-d', 'deepsys'))],
   'd: those of --stdio -d', rows_of(t))
t.keys('qL50\r')
ok(rows_of(t) == table(text(*FILE, '--percent-limit', '50')), 'L: those of --percent-limit')
t.end('q')

# w writes what c says.
with tempfile.TemporaryDirectory() as tmp:
    t = start()
    t.keys('d')
    for key, args in (('t', ('--stdio',)), ('f', ('--folded',)), ('s', ('--flamegraph=-',))):
        path = '%s/%s' % (tmp, key)
        t.keys('w%s\r' % key + '\b' * 40 + path + '\r', 'wrote ' + path)
        want = text(*FILE, *args, '-d', 'deepsys')
        with open(path) as f:
            ok(f.read() == want and want, 'w: %s' % args[0])
    t.keys('wt\r' + '\b' * 40 + tmp + '/t\r', 'File exists')
    ok('File exists' in t.bar(), 'w: a file that is there is left alone', t.bar())
    t.keys('c')
    shown = '\n'.join(t.lines()[1:-1]).strip()
    again = subprocess.run(['sh', '-c', shown.replace('perf', PERF, 1)], cwd=GOLDEN, env=environment(),
                           capture_output=True, text=True, check=False).stdout
    ok(again == text(*FILE, '-d', 'deepsys') and again, 'c: the command prints it', shown)
    t.end('qqq')

# An operand in front of options: the words of the command are as they were given.
t = start('deepsys.defer.data', *FILE[:4], '-g', 'none', columns=120)
t.keys('c')
ok('perf report deepsys.defer.data --symfs symfs --kallsyms kallsyms -g none --stdio' in '\n'.join(t.lines()),
   'c: with an operand in front of options', t.lines()[:4])
t.end('qq')

# Views: the flame graph, callers and callees, code, other keys, a range of time.
def folded(*args):
    """Stack -> samples."""
    return {tuple(s.split(';')): int(n) for s, n in
            (line.rsplit(' ', 1) for line in text(*FILE, '--folded', *args).splitlines())}


stacks = folded()
total = sum(stacks.values())
t = start()
t.keys('v', 'Enter: zoom')
same_as_golden('flame', t.lines())
t.keys(DOWN * 2 + '\r')
ok(' > ' in t.lines()[0] and t.lines()[-2].startswith('%.2f%%' % (100 * sum(
    n for s, n in stacks.items() if s[1] == t.lines()[-2].split()[-1]) / total)),
   'v: the line below says what --folded does', t.lines()[-2])
t.keys('/^descend$\r', 'found in')
share = '%.2f%%' % (100 * sum(n for s, n in stacks.items() if 'descend' in s) / total)
ok('found in ' + share in t.bar(), 'v: / sums up what it finds', t.bar(), share)
t.keys('n')
ok(t.lines()[-2].endswith('  descend'), 'v: n goes to what was found', t.lines()[-2])
t.keys('q/^spin$|^vfs_read$\r', 'Enter: the next')
hits = [t.keys('\r')[-2].split()[-1] for _ in range(8)]
ok(set(hits) == {'spin', 'vfs_read'} and ' > ' not in t.lines()[0], 'v: Enter after a search: the hits, one by one', hits)
t.keys(UP + '\r')
ok(t.lines()[0].endswith(' > ' + t.lines()[-2].split()[-1]), 'v: Enter after another key: zoom', t.lines()[0])
t.keys('/descend{99}{99}\r', 'too long')
ok(t.lines()[0].startswith('flame graph of') and 'too long' in t.bar(), 'v: an expression that takes too long', t.lines())
t.keys('h')
ok('zoom' in '\n'.join(t.lines()), 'v: h: help', t.lines())
t.keys('qc')
shown = '\n'.join(t.lines()[1:-1]).strip()
again = subprocess.run(['sh', '-c', shown.replace('perf', PERF, 1)], cwd=GOLDEN, env=environment(),
                       capture_output=True, text=True, check=False).stdout
ok(again == text(*FILE, '--flamegraph=-') and again, 'v: c: the command draws it', shown)
t.keys('q')
t.keys('q')
ok(' > ' not in t.lines()[0], 'v: q: out of the zoom', t.lines()[0])
t.keys('q')
t.keys('/vfs_read\r')
t.keys('B', 'go to it')
same_as_golden('callers', t.lines())
into = {}
for s, n in stacks.items():
    for caller, callee in set(zip(s, s[1:])):
        if caller == 'vfs_read':
            into[callee] = into.get(callee, 0) + n
shown = {line.split()[-1]: line.split()[0] for line in t.lines()[:-1] if ' to ' in line}
ok(shown == {k: '%.2f%%' % (100 * n / total) for k, n in into.items()}, 'B: callees are those of --folded', shown, into)
t.keys(UP + '\r')
ok('Callers and callees of ksys_read' in t.lines()[0], 'B: Enter goes to a caller', t.lines()[0])
t.keys('qq')
ok('samples of event' in t.lines()[0], 'B: q: back', t.lines()[0])
t.keys('/ spin\r')
t.keys('a', 'line ')
out = subprocess.run([PERF, 'annotate', '--stdio', *FILE, 'spin'], cwd=GOLDEN, env=environment(),
                     capture_output=True, text=True, check=False).stdout
ok([line[:79] for line in t.lines()[1:-1] if line] == [line[:80].rstrip()[:79] for line in out.splitlines()][:len(
    [line for line in t.lines()[1:-1] if line])] and 'ret' in out, 'a: what perf annotate prints', t.lines(), out)
t.keys('q')
t.keys('/vfs_read\r')
t.keys('a', 'line ')
ok(any('no code' in line for line in t.lines()), 'a: of the kernel: why there is no code', t.lines())
t.end('\003')
# The code of a function with a loop: keys.
PID = 4200000
with tempfile.TemporaryDirectory() as tmp:
    with open(tmp + '/prog.c', 'w') as f:
        f.write('int loop(int n)\n{\n\tint i, s = 0;\n\n\tfor (i = 0; i < n; i++)\n'
                '\t\ts += i ^ n; /* the body */\n\treturn s;\n}\n\nint main(int argc, char **argv)\n{\n\treturn loop(argc);\n}\n')
    subprocess.check_call(['gcc', '-g', '-O1', '-fno-inline', '-no-pie', '-o', tmp + '/prog', tmp + '/prog.c'])
    headers = subprocess.run(['readelf', '-lW', tmp + '/prog'], capture_output=True, text=True, check=True).stdout
    off, vma, size = (int(x, 16) for x in re.search(r'LOAD +(\S+) (\S+) \S+ (\S+) \S+ R E', headers).groups())
    code = subprocess.run(['objdump', '-d', '--disassemble=loop', tmp + '/prog'], capture_output=True, text=True,
                          check=True).stdout
    at = re.findall(r'^ *([0-9a-f]+):', code, re.M)
    ret = re.search(r'^ *([0-9a-f]+):.*ret', code, re.M)[1]
    jump, to = re.findall(r'^ *([0-9a-f]+):\t.*\tj\w+ +([0-9a-f]+) <', code, re.M)[-1]
    with open(tmp + '/data', 'wb') as f:
        data = record(1, ii(PID, PID) + q(vma, (size | 4095) + 1, off) + string(tmp + '/prog'), 2)
        for a in at[0], jump, jump:
            data += record(9, q(int(a, 16)) + ii(PID, PID) + q(1), 2)
        f.write(perf_file([attr(IP | TID | TIME, flags=('mmap',))], data))
    t = start('-i', tmp + '/data')
    t.keys('/loop\r', 'row')

    def cursor(t):
        """The address on the cursor's line."""
        line = next((t.lines()[y] for y in range(1, 23) if t.screen.buffer[y][12].reverse), '')
        return line[11:].split(':')[0].strip()

    t.keys('a', 'line ')
    ok(cursor(t) == jump and 'Enter' in t.bar(), 'a: the cursor is on the hottest line', t.lines())
    ok(any(l.startswith('>') and ' %s: ' % to in l for l in t.lines()), 'a: the target of a jump is marked', t.lines())
    t.keys('\r')
    ok(cursor(t) == to, 'a: Enter goes where the jump goes', t.lines(), to)
    t.keys('H')
    ok(cursor(t) == jump, 'a: H: the hottest line', t.lines())
    t.keys('/ ret$\r')
    ok(cursor(t) == ret, 'a: / finds', t.lines())
    t.keys('/the body\r')
    ok('line ' in t.bar() and any('the body' in l for l in t.lines()), 'a: / finds in the source', t.lines())
    t.keys('/no such thing\r', 'nothing matches')
    ok('nothing matches' in t.bar(), 'a: / finds nothing', t.bar())
    t.keys('/ ret$\r')
    t.keys('s')
    ok([l.split()[2] for l in t.lines() if re.match(r'[> ] +\d+\.\d\d : ', l)] == [a + ':' for a in at] and
       not any('body' in l for l in t.lines()) and cursor(t) == ret, 'a: s: without source', t.lines())
    ok('the body' in '\n'.join(t.keys('s')), 'a: s: with source')
    t.keys('H')
    t.keys('y', 'copied')
    line = next(l for l in t.lines() if ' %s: ' % jump in l)
    sent = base64.b64decode(re.findall(rb'\033\]52;c;([^\a]*)\a', t.raw)[-1]).decode()
    ok(sent.strip() == line.strip(), 'a: y: the terminal gets the line', sent, line)
    t.keys('h')
    ok('where the jump goes' in '\n'.join(t.lines()), 'a: h: its keys first', t.lines())
    ok(t.keys('q')[0].startswith('loop in prog') and t.keys('q')[0].startswith('3 samples'), 'a: q: back', t.lines())
    t.end('q')

# Names of C++ are short in the flame graph and among callers, until l.
t = start('-i', 'app.defer.data', '--symfs', 'symfs', cwd=GOLDEN + '/../cxx', columns=200)
short, full = [], []
for names in short, full:
    names += t.keys('v', 'Enter: zoom')
    t.keys('q')
    t.keys('l', 'names in full')
ok(any('std::thread::_State_impl<...>::_M_run(' in l for l in short) and
   any('std::thread::_State_impl<std::' in l for l in full), 'v: short names', short, full)
t.end('q')

t = start(*FILE[:4], '-i', 'nocallchain.data')
t.keys('B', 'no stack')
ok('no stack was recorded' in t.bar(), 'B: without callchains: one line', t.bar())
t.end('q')
t = start(*FILE, columns=200, rows=60)
t.keys('s', 'this one')
t.keys(DOWN * 3 + '\r', 'row 1')
ok(rows_of(t) == table(text(*FILE, '-s', 'comm')), 's: rows are those of -s', rows_of(t))
t.keys('qT', 'mark')
t.keys(RIGHT * 30 + 'm' + RIGHT * 60 + '\r', 'row 1')
t.keys('c', 'line')
again = re.search(r'--time (\S+)', '\n'.join(t.lines()))
t.keys('q')
ok(again and rows_of(t) == table(text(*FILE, '--time', again[1])) and t.lines()[0].startswith('time '),
   'T: a marked range: rows are those of --time', again, t.lines()[0])
t.keys(HOME + 'v', 'Enter: zoom')
share = '%d samples' % sum(folded('--time', again[1]).values() if again else [])
ok(t.lines()[0].startswith('time ') and share in t.lines()[-2], 'T: it filters the other views', t.lines()[-2], share)
t.keys('qq')
ok(t.lines()[0].startswith('49 samples'), 'q: back to everything', t.lines()[0])
t.end('q')

# Keys of perf's own browser. TERM=linux has these for Shift-Tab and F1.
BACKTAB, F1 = '\033\t', '\033[[A'
t = start(*FILE[:4], '-i', 'system.defer.data', columns=200, rows=60)
titles = [t.lines()[0]]
for key in '\t', '\t', 'f':
    titles += [t.keys(key)[0]]
nr = len(set(titles))
ok(nr > 1 and titles[nr:] == titles[:4 - nr], 'Tab and f: the next event', titles)
t.keys({2: '\t', 3: ''}.get(nr, '\t'))
at = t.lines()[0]
back = [t.keys(BACKTAB)[0] for _ in range(nr)]
ok(back[-1] == at and len(set(back)) == nr, 'Shift-Tab: the one before', at, back)
t.end('q')
t = start(columns=200, rows=60)
ok(t.keys(BACKTAB)[-1] == 'there is one event only', 'Shift-Tab: with one event', t.bar())
helped = t.keys(F1)
ok(helped[0] == 'Keys' and 'Shift-Tab' in '\n'.join(helped), 'F1: the help', helped)
t.keys('q')
t.keys('v', 'Enter: zoom')
ok('zoom' in '\n'.join(t.keys(F1)[1:-1]) and not t.lines()[0].startswith('flame'), 'F1: that of a flame graph', t.lines())
t.keys('qq')
t.keys('k', 'row 1 of')
ok(t.lines()[0].startswith('dso: [kernel.kallsyms] > '), 'k: into the kernel', t.lines()[0])
ok(rows_of(t) == [[*r[:3], '[kernel.kallsyms]', *r[3:]] for r in table(text(*FILE, '-d', '[kernel.kallsyms]'))],
   'k: those of --stdio -d', rows_of(t)[:3])
t.keys('k', 'row 1 of')
ok(t.lines()[0].startswith('49 samples'), 'k: out of it', t.lines()[0])
t.keys('/tiny_main\r')
t.keys('dk')
ok(t.lines()[0].startswith('dso: deepsys > dso: [kernel.kallsyms] > ') and t.bar().startswith('no rows'),
   'k: in a zoom', t.lines()[0], t.bar())
t.keys('qq')
listed = t.keys('m', 'Enter: this one')[1:-1]
ok([line for line in listed if line] == [line for line in helped[5:helped.index('')] if
                                         'a menu of these' not in line], 'm: what the help says', listed, helped)
t.keys('q')
ok(t.lines()[0].startswith('49 samples'), 'm: q: back', t.lines()[0])
t.keys('m', 'Enter: this one')
t.keys(DOWN * [line.startswith('k ') for line in listed].index(True) + '\r', 'row 1 of')
ok(t.lines()[0].startswith('dso: [kernel.kallsyms] > '), 'm: Enter does it', t.lines()[0])
ok(t.keys('S')[-1].startswith('rows do not say on which processor socket'), 'S: rows without it', t.bar())
ok(t.keys('1')[-1] == 'this is no group of events', '1: no group', t.bar())
t.end('qq')
t = start('-i', 'nocallchain.data', '-s', 'sym')
ok(t.keys('k')[-1].startswith('rows do not say in which file'), 'k: rows without files', t.bar())
t.end('q')
GROUP = *FILE[:4], '-i', 'group.fp.data', '--no-children'
t = start(*GROUP, columns=200, rows=60)
t.keys('1', 'row 1 of')
want = table(text(*GROUP, '--group-sort-idx', '1'))
ok(rows_of(t) == want and want != table(text(*GROUP)), '1: a group in the order of its second event', rows_of(t)[:5])
t.keys('c', 'line')
ok('--group-sort-idx 1' in '\n'.join(t.lines()), '1: c: the command', t.lines()[1])
ok(t.keys('q2')[-1] == 'the group has 2 events, from 0 on', '2: a group of two', t.bar())
t.end('qq')
# Two sockets, of which the recording tells.
with tempfile.TemporaryDirectory() as tmp:
    topology = ii(1) + feature_string('0-1') + ii(1) + feature_string('0-1') + ii(0, 0, 1, 1)
    put(tmp + '/data',
        perf_file([attr(IP | TID | TIME | CPU)], b''.join(
        record(9, q(0x1000 + n) + ii(10, 10) + q(1000 + n) + ii(n % 2, 0), 2) for n in range(6)),
        {7: ii(2, 2), 13: topology}))
    TWO = '-i', tmp + '/data', '-s', 'socket,sym'
    t = start(*TWO, columns=120)
    t.keys('S', 'row 1 of')
    at = t.lines()[0].split()[1]
    want = table(text(*TWO, '--socket-filter', '%d' % int(at)))
    ok(t.lines()[0].startswith('socket: 00') and [r[1:] for r in rows_of(t)] == [r[1:] for r in want] and len(want) == 3,
       'S: rows are those of --socket-filter', t.lines(), want)
    t.keys('c', 'line')
    ok('--socket-filter %d' % int(at) in t.lines()[1], 'S: c: the command', t.lines()[1])
    t.keys('q')
    ok(t.keys('S')[0].startswith('6 samples'), 'S: out of it', t.lines()[0])
    t.end('q')

# The heat of a time line is of the rows and the width that are shown.
with tempfile.TemporaryDirectory() as tmp:
    put(tmp + '/data',
        perf_file([attr(IP | TID | TIME | CPU)], b''.join(
        record(9, q(0x1000) + ii(10 + n % 3, 10 + n % 3) + q(1000 + n * n % 997) + ii(n % 5, 0), 2)
        for n in range(600))))
    t = start('-i', tmp + '/data')
    screens = [t.keys('T', 'm: mark'), t.resize(24, 40), t.keys('T', 'm: mark'), t.resize(24, 80)]
    t.keys('T', 'm: mark')
    ok(t.lines() == screens[0], 'T: threads again', screens[0], t.lines())
    t.end('qq')
    t = start('-i', tmp + '/data', columns=40)
    fresh = [t.keys('T', 'm: mark'), t.keys('T', 'm: mark')]
    t.end('qq')
    t = start('-i', tmp + '/data')
    fresh += [t.keys('TT', 'm: mark')]
    t.end('qq')
    ok(screens[1:] == fresh and ' threads ' in fresh[0][0] and ' CPUs ' in fresh[1][0],
       'T: other widths and rows', screens[1:], fresh)
    # Of so many nanoseconds a double does not tell the last one from the end.
    put(tmp + '/data', perf_file([attr(IP | TID | TIME)], b''.join(
                   record(9, q(0x1000) + ii(1, 1) + q(n), 2) for n in (1, 1 << 60))))
    t = start('-i', tmp + '/data')
    shown = t.keys('T', 'm: mark')[1]
    ok(shown[1:].split() == [':1', '1', '@', '@'] and len(shown) == 80, 'T: the last slice has the last sample', shown)
    t.end('qq')

# A screen goes out at once: over a slow connection it would come in pieces.
def writes(t):
    with open('/proc/%d/io' % t.pid, encoding='ascii') as f:
        return int(re.search('syscw: (.*)', f.read())[1])


t = start()
before = writes(t)
t.keys(PGDN, 'row 21')
ok(writes(t) - before <= 2, 'a key: one write of the screen', writes(t) - before, t.bar())
t.end('q')

# Sizes, and one that changes.
for rows, columns in ((24, 20), (24, 200), (2, 80), (1, 10)):
    t = start(rows=rows, columns=columns)
    t.keys('E' + DOWN * 3 + RIGHT + PGDN + END)
    ok(not t.ended(), '%dx%d' % (columns, rows), t.lines())
    if (rows, columns) == (24, 20):
        t.keys('C' + HOME + UP)
        same_as_golden('narrow', t.lines())
        t.keys('T', 'm: mark')
        ok(len(t.lines()[1]) > 15, 'a time line in 20 columns', t.lines())
        t.keys('q')
    ok(t.end('q') == 0 and t.restored, '%dx%d: ends' % (columns, rows))
t = start(rows=24, columns=80)
t.keys('E' + PGDN * 3)
before = t.bar()
t.resize(10, 40)
ok(t.bar() and before[:10] == t.bar()[:10], 'smaller: the cursor is at the same row', before, t.bar())
t.resize(50, 120)
ok(t.bar() and before[:10] == t.bar()[:10], 'larger: so it is', before, t.bar())
ok(t.end('q') == 0, 'and it ends')

# What q stops is shown as far as it came; the next view is counted whole. The clock makes the
# progress bar read a key at each look.
with tempfile.TemporaryDirectory() as tmp:
    subprocess.check_call(['gcc', '-shared', '-fPIC', '-o', tmp + '/clock.so', LIB + '/clock.c'])
    put(tmp + '/long.data', perf_file([attr(IP | TID | TIME)], b''.join(
                        record(9, q(0x1000) + ii(10, 10) + q(1000 + n), 2) for n in range(20000))))
    t = Terminal('report', '--tui', '-i', tmp + '/long.data', LD_PRELOAD=tmp + '/clock.so', TICK='2000')
    t.keys('h', 'q: quit')
    ok(b'this help' in t.raw and 'samples of' in t.lines()[0], 'h while samples are counted', t.lines(), t.raw)
    t.end('q')
    t = start('-i', tmp + '/long.data', LD_PRELOAD=tmp + '/clock.so', TICK='2000')
    whole = t.keys('T', 'm: mark')
    t.keys('q')
    part = t.keys('Tq', 'stopped')
    ok(part[1] != whole[1], 'q stops the counting of a time line', part)
    ok('stopped' in t.bar(), 'and the bar says so', t.bar())
    ok(t.keys('qT', 'm: mark') == whole, 'the next one is whole', whole, t.lines())
    t.keys('q')
    t.keys('aq', 'stopped')
    ok(t.keys('T', 'm: mark') == whole, 'also after code', whole, t.lines())
    t.keys('q')
    ok(t.end('q') == 0, 'and it ends')

# A recording whose rounds do not end is handed on in one piece, here with a row for each sample:
# the bar goes on. ^C ends a long search (seconds here), and not the browser.
with tempfile.TemporaryDirectory() as tmp:
    put(tmp + '/rows.data',
        perf_file([attr(IP | TID | TIME)], b''.join(
        record(9, q(0x100000 + 16 * n) + ii(10, 10) + q(1000 + n), 2) for n in range(300000))))
    t = Terminal('report', '--tui', '-i', tmp + '/rows.data')
    bars = set()
    t.until(lambda t: bars.add(t.bar()) or 'row 1 of' in t.bar())
    for what in 'Counting samples', 'Sorting rows':
        seen = [bar for bar in bars if re.match(what + r': \d+ %', bar)]
        ok(len(seen) > 1, 'the bar goes on: ' + what, bars)
    before = t.lines()[:-1]
    t.keys('/(.0.*z|.*1.*y)$\r', 'searching')
    t.keys('\003', 'stopped')
    ok(t.bar() == 'the search was stopped' and t.lines()[:-1] == before, '^C ends a search', t.lines())
    ok(t.keys(DOWN, 'row 2')[-1].startswith('row 2 of 300000'), 'and the browser goes on', t.bar())
    ok(t.end('q') == 0, 'and it ends')

# A program that is waited for: keys are read meanwhile, and what they stop leaves no process behind.


def gone(pids):
    """Have all ended within WAIT? One that nobody has waited for has."""
    def alive(pid):
        return task_state(pid) not in (None, '', 'Z', 'X')
    until = time.monotonic() + WAIT
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return len(pids) > 0 and not any(map(alive, pids))


with tempfile.TemporaryDirectory() as tmp:
    def pids():
        """Of the objdump that runs, and of what it has started."""
        with open(tmp + '/pids', encoding='ascii') as f:
            return f.read().split()

    def slow(tail):
        put(tmp + '/objdump', '#!/bin/sh\ncd %s\n%s\n' % (tmp, tail))
        os.chmod(tmp + '/objdump', 0o755)
        if os.path.exists(tmp + '/pids'):
            os.unlink(tmp + '/pids')

    # One that says nothing, one that goes on without an end, and one that has closed its output.
    SLEEP = 'sleep 1000 & echo $$ $! >new; mv new pids; '
    SILENT, ENDLESS, CLOSED = SLEEP + 'wait', SLEEP + 'yes "  4010e3:\tnop"', SLEEP + 'exec >/dev/null 2>&1; wait'
    slower = {'PATH': tmp + ':' + os.environ['PATH']}
    t = start(**slower)
    t.keys('/ spin\r')
    before = t.lines()
    for how, key in ((SILENT, 'q'), (SILENT, '\033'), (SILENT, '\003'), (ENDLESS, 'q'), (CLOSED, '\003')):
        slow(how)
        t.keys('a', 'q: stop')
        ok(t.until(lambda t: os.path.exists(tmp + '/pids')) and 'q: stop' in t.bar(), 'a: objdump is waited for', t.bar())
        t.keys(key, 'stopped')
        ok(t.lines() == before[:-1] + ['stopped'], 'a: %r stops objdump (%s)' % (key, how[len(SLEEP):]), t.lines())
        ok(gone(pids()), 'and nothing of it is left')
    slow(SILENT)
    t.keys('a', 'q: stop')
    ok('pressed once more' in '\n'.join(t.keys('h')), 'a: h: help while objdump is waited for', t.lines())
    ok(t.keys('h')[:-1] == before[:-1], 'a: h once more: the view that there was', t.lines())
    t.resize(10, 60)
    ok(t.lines()[0] == before[0][:60] and 'q: stop' in t.bar(), 'a: a size that changes meanwhile', t.lines())
    t.resize(24, 80)
    t.keys('q', 'stopped')
    t.keys(HOME)
    ok(t.keys('/ spin\r') == before, 'the browser can be used', t.lines())
    os.unlink(tmp + '/objdump')
    t.keys('a', 'line ')
    ok('ret' in '\n'.join(t.lines()), 'a: with objdump itself the code is shown', t.lines())
    t.keys('q')
    t.keys('v', 'Enter: zoom')
    t.keys('/^spin$\r', 'found in')
    t.keys('n')
    slow(SILENT)
    view = t.lines()[:-1]
    t.keys('a', 'q: stop')
    t.keys('\003', 'stopped')
    ok(t.lines()[:-1] == view, 'v, a: ^C goes back to the flame graph', t.lines())
    t.keys('q')
    t.keys('a', 'q: stop')
    t.until(lambda t: os.path.exists(tmp + '/pids'))
    os.kill(t.pid, signal.SIGTERM)
    ok(t.end() == 0 and t.restored and gone(pids()), 'SIGTERM meanwhile: it ends, and objdump does')
    # The signal is not known to perf: what the kernel does must be enough.
    slow('echo $$ >new; mv new pids; exec sleep 1000')
    t = start(**slower)
    t.keys('/ spin\r')
    t.keys('a', 'q: stop')
    t.until(lambda t: os.path.exists(tmp + '/pids'))
    os.kill(t.pid, signal.SIGKILL)
    t.end()
    ok(gone(pids()), 'SIGKILL meanwhile: objdump ends')

    # w: the recording is a pipe by then, from which nothing comes.
    shutil.copy(GOLDEN + '/deepsys.defer.data', tmp + '/data')
    t = start(*FILE[:4], '-i', tmp + '/data')
    os.rename(tmp + '/data', tmp + '/whole')
    os.mkfifo(tmp + '/data')
    fifo = os.open(tmp + '/data', os.O_RDWR)
    before = t.lines()
    for key in 'q', '\003':
        t.keys('wt\r' + '\b' * 40 + tmp + '/written\r', 'writing .*q: stop')
        ok('q: stop' in t.bar() and os.path.exists(tmp + '/written'), 'w: the command is waited for', t.bar())
        t.keys(key, 'stopped')
        ok(t.lines()[:-1] == before[:-1] and 'stopped: ' + tmp[:20] in t.bar(), 'w: %r stops it' % key, t.lines())
        ok(not os.path.exists(tmp + '/written'), 'and the file is not there')
    os.rename(tmp + '/whole', tmp + '/data')
    t.keys('wt\r' + '\b' * 40 + tmp + '/written\r', 'wrote')
    with open(tmp + '/written', encoding='utf-8') as f:
        ok(f.read() == text(*FILE[:4], '-i', tmp + '/data'), 'w: the next one is written')
    os.close(fifo)
    ok(t.end('q') == 0, 'and it ends')

    # perf annotate, which has no keys: ^C ends it as ever.
    annotate = 'annotate', '--stdio', *FILE[:4], '-s', 'spin', '-i'
    for args in (PERF, *annotate, FILE[-1]), ('/bin/sh', '-c', 'cat pipe.defer.data | "$@"', 'sh', PERF, *annotate, '-'):
        slow(SILENT)
        t = Terminal(*args[1:], perf=args[0], PAGER='cat', **slower)
        t.until(lambda t: os.path.exists(tmp + '/pids'))
        status = t.end('\003')
        ok(status in (130, -signal.SIGINT), 'perf annotate -i %s: ^C: 130' % args[-1], status, t.raw)
        ok(gone(pids()), 'and nothing of objdump is left')
        ok(t.raw.count(b'interrupted') <= 2 and b'shows no code' not in t.raw, 'and it says so once', t.raw)

# How it ends, and what becomes of the terminal.
t = start()
ok(t.end('\003') == 130 and t.restored, '^C: 130, the terminal is as it was')
for keys in ('h', '/abc', 'w'):
    t = start()
    t.keys(keys)
    ok(t.end('\003') == 130 and t.restored, '^C in what %s opens: likewise' % keys)
# ^C drops what was typed before it, also what poll() has just reported.
with tempfile.TemporaryDirectory() as tmp:
    subprocess.check_call(['gcc', '-shared', '-fPIC', '-o', tmp + '/flush.so', HERE + '/flush.c'])
    t = start(LD_PRELOAD=tmp + '/flush.so')
    t.keys('xyz')
    ok(t.end('\003') == 130 and t.restored, '^C after keys that are gone when they are read: likewise')
for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    t = start()
    os.kill(t.pid, sig)
    ok(t.end() >= 0 and t.restored, '%s: the terminal is as it was' % sig.name)
# Only a shell with job control stops a program: one without a parent in its session goes on.
with tempfile.NamedTemporaryFile('r') as f:
    t = Terminal('-c', 'set -m; "$0" "$@"; stty -a >"$STTY"; fg >/dev/null', PERF, 'report', '--tui', *FILE,
                 perf='/bin/bash', STTY=f.name)
    t.until(lambda t: 'row 1 of' in t.bar())
    os.write(t.master, b'\032')
    ok(t.until(lambda t: ' icanon' in open(f.name, encoding='ascii').read()) and
       ' echo ' in f.read(), '^Z: it stops, and the shell has its terminal')
    # It is back when the terminal is no longer as the shell had it.
    t.until(lambda t: not termios.tcgetattr(t.slave)[3] & termios.ICANON)
    t.keys(DOWN, 'row 2 of')
    ok('row 2 of' in t.bar(), 'and goes on', t.bar())
    ok(t.end('q') == 0, 'and ends')
# ^Z just before the screen is updated.
with tempfile.TemporaryDirectory() as tmp:
    subprocess.check_call(['gcc', '-shared', '-fPIC', '-o', tmp + '/suspend.so', HERE + '/suspend.c', '-ldl'])
    t = Terminal('-c', 'set -m; LD_PRELOAD=%s/suspend.so "$0" "$@"; echo stopped; fg >/dev/null' % tmp, PERF, 'report', '--tui', *FILE,
                 perf='/bin/bash')
    t.until(lambda t: 'row 1 of' in t.bar() or b'stopped' in t.raw)
    os.write(t.master, DOWN.encode())
    ok(t.until(lambda t: b'stopped' in t.raw), '^Z before an update of the screen: it stops')
    t.until(lambda t: 'row 2 of' in t.bar())
    ok(t.end('q') == 0, 'and goes on', t.lines())
t = start()
os.close(t.slave)
os.close(t.master)
end = time.monotonic() + WAIT
while not t.ended() and time.monotonic() < end:
    time.sleep(0.05)
ok(t.ended() and os.WIFEXITED(t.status or 0), 'a terminal that has gone: it ends')
if not t.ended():
    os.kill(t.pid, signal.SIGKILL)

# Colours.
for term, more, want in (('linux', {}, rb'\033\[[0-9;]*3[1-6]m'), ('xterm-256color', {}, rb'38;5;1\d\d'),
                         ('linux', {'NO_COLOR': '1'}, None), ('vt100', {}, None)):
    t = start(TERM=term, **more)
    found = re.search(want or rb'\033\[[0-9;]*3[0-9]', t.raw)
    ok(bool(found) == bool(want), 'colours: %s %s' % (term, ' '.join(more)))
    t.end('q')

# Where there can be no browser.
t = Terminal('report', '--tui', *FILE, TERM='dumb')
ok(t.end() == 129 and b'--tui: ' in t.raw and t.raw.count(b'\n') == 1, '--tui, TERM=dumb: one line', t.raw)
p = subprocess.run([PERF, 'report', '--tui', *FILE], cwd=GOLDEN, env=environment(), capture_output=True,
                   text=True, stdin=subprocess.DEVNULL, check=False)
ok(p.returncode == 129 and p.stderr.count('\n') == 1 and not p.stdout, '--tui, a pipe: one line', p.stderr)
p = subprocess.run([PERF, 'report', *FILE], cwd=GOLDEN, env=environment(), capture_output=True, text=True,
                   check=False)
ok(p.stdout == text(*FILE) and p.stdout, 'a pipe: text as ever')
t = Terminal('report', *FILE)
ok(t.until(lambda t: 'h: help' in t.bar()), 'a terminal: the browser', t.lines())
t.end('q')
with tempfile.NamedTemporaryFile('w') as f:
    f.write('[report]\n\tui = stdio\n')
    f.flush()
    t = Terminal('report', *FILE, '-g', 'none', PAGER='cat', PERF_CONFIG=f.name)
    ok(t.end() == 0 and b'# Overhead' in t.raw.replace(b'Children', b'Overhead') and
       b'h: help' not in t.raw, 'report.ui=stdio: text', t.raw)
    f.seek(0)
    f.write('[report]\n\tui = wrong\n')
    f.flush()
    t = Terminal('report', *FILE, PERF_CONFIG=f.name)
    ok(t.end() == 129 and b'auto; tui; stdio' in t.raw, 'report.ui=wrong: one line', t.raw)

# Names in which every byte stands alone between < and >, and every control character of UTF-8: no view
# hands one of these to the terminal. What the browser itself writes to it has none of these pairs.
ALONE = [b'%c' % c for c in range(1, 256) if c != 10] + [b'\xc2%c' % c for c in range(0x80, 0xa0)] + [b'\033]0;x\a', b'\033[2J']
EVIL = b''.join(b'<' + c + b'>' for c in ALONE)


def raw_bytes(raw):
    """The control characters of EVIL that came through, and what else is none of ncurses' (^H, ^O)."""
    found = {c for c in ALONE if (c[0] < 32 or c[0] == 127 or 0x80 <= c[-1] < 0xa0) and b'<' + c + b'>' in raw}
    # ^[]R: the colours of TERM=linux as they were.
    rest = re.sub(rb'\033\[[0-9;?]*[A-Za-z@]|\033[()][0AB]|\033[78=>cDM]|\033\[[0-9;]*m|\033\]R', b'', raw)
    return sorted(found), sorted(set(re.findall(rb'[\x00-\x07\x0b\x0c\x0e\x10-\x1a\x1c-\x1f\x7f]|\033.?', rest)))


ok(len(raw_bytes(b'\033[1m' + EVIL)[0]) == 30 + 1 + 2 * 32 + 2 and raw_bytes(EVIL)[1], 'control characters would be found', raw_bytes(EVIL))
with tempfile.TemporaryDirectory() as folder:
    evil, pid = folder + '/data', 4100000 + os.getpid() % 90000
    sid = ii(pid, pid) + q(5, 7)
    raw = struct.pack('<HBBiI', 77, 0, 0, 11, 12 | (len(EVIL) & 0xfff) << 16) + EVIL[:0xfff]
    raw += b'\0' * (-(len(raw) + 4) % 8)
    records = record(3, ii(pid, pid) + string(b'comm' + EVIL) + sid)
    for at, name in (0x400000, b'/nowhere/' + EVIL.replace(b'</>', b'')), (0x800000, b'//anon'):
        records += record(10, ii(pid, pid) + q(at, 0x1000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) + string(name) + sid, 2)
    records += record(17, q(0x7fff00000000) + ii(64) + struct.pack('<HH', 1, 0) + string(b'ksym' + EVIL) + sid)
    records += record(19, q(1) + string(b'/cgroup' + EVIL) + sid)
    for ips in [0x800010, 0x400010], [0x400010, 0x800020], [0x7fff00000004, 0x400010]:
        records += record(9, q(7, ips[0]) + ii(pid, pid) + q(9, len(ips) + 1, -512, *ips) + ii(len(raw)) + raw + q(1), 2)
    fmt = tracepoint_format('ev', 77, [('__data_loc char[] what', 8, 4)], '"what=%s", __get_str(what)')
    a = attr(IP | TID | TIME | CALLCHAIN | RAW | IDENTIFIER | CGROUP, type=2, config=77)
    with open(evil, 'wb') as f:
        f.write(perf_file([a], records, {
            1: tracing_data(fmt), 3: feature_string(b'host' + EVIL), 4: feature_string(b'1' + EVIL),
            8: feature_string(b'cpu' + EVIL), 11: ii(2) + feature_string('perf') + feature_string(b'arg' + EVIL),
            12: ii(1, 128) + attr(IP) + ii(1) + feature_string(b'event' + EVIL) + q(7)}, ids=[[7]]))
    jit = '/tmp/perf-%d.map' % pid
    put(jit, b'800000 100 jit' + EVIL.replace(b'<\0>', b'') + b'\n')
    try:
        for keys, views in ('comm,dso,sym', ('i', 'q', DOWN + 'a', 'q', 'B', 'q', 'v', 'q', 'T', 'q', 's', 'q', 'm', 'q', 'd',
                                             'q', 't', 'q', DOWN + 'd', 'q', '/<\r', 'f', 'H', 'e', RIGHT)), ('trace,cgroup', ()):
            t = start('-s', keys, '-i', evil, columns=4000, rows=30)
            seen = list(t.lines())
            for key in ('E', *views):
                seen += t.keys(key) if not t.ended() else []
            shown = '\n'.join(seen)
            ok(t.end('q' * 9 + '\003') in (0, -2, 130) and raw_bytes(t.raw) == ([], []),
               'names with every byte, -s %s: none reaches the terminal' % keys, t.status, *raw_bytes(t.raw))
            for name in ('comm', 'jit', 'nowhere/') if keys[0] == 'c' else ('what=', '/cgroup'):
                ok(name + '<?><?>' in shown, 'and %s is shown, with ? for them' % name, shown[:3000])
    finally:
        os.unlink(jit)

# Any keys at all, with the sanitizers where they are built.
DATA = ('deepsys.defer.data', 'system.defer.data', 'group.fp.data', 'mixed.data', 'nocallchain.data', 'userchains.defer.data')


def any_report(perf, dice, **env):
    return start(*FILE[:4], '-i', dice.choice(DATA), perf=perf, rows=dice.randrange(1, 40), columns=dice.randrange(1, 120), **env)


random_keys(any_report, ['\033[5~', 'L1\r', '/s\r', '\033\t', '\033[[A'] + list('e+-ECHdtPGnNFLVfiht?q/ZX\t\007aBvTsmc()*[|/kS01') +
            ['{9}', '{99}', '\\1', '/(s+s*)+{9}'], ['perf-san'], 200)
done()
