#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""perf top in the browser, driven in a pseudo-terminal: rows that change by themselves, keys, views, how it ends, and
that its recording ends with it. What the screen will show is waited for. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402
from terminal import *  # noqa: E402

need_terminals()
# A name of its own: tests beside this one run burn, too.
BURN = TMP + '/burning'
os.symlink(O + '/test/workloads/burn', BURN)
programs = []


def program(*args):
    p = subprocess.Popen(args, stdout=subprocess.DEVNULL)
    programs.append(p)
    return p


def start(*args, **kw):
    t = Terminal('top', '-e', 'cpu-clock', '-F', '999', '-d', '0.3', *args, columns=100, **kw)
    t.until(lambda t: 'h: help' in t.bar())
    return t


def has(t, text, lines=slice(None)):
    return t.until(lambda t: re.search(text, '\n'.join(t.lines()[lines])))


def children(pid):
    with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
        return [int(p) for p in f.read().split()]


def all_gone(pids):
    end = time.monotonic() + WAIT
    while any(task_state(p) not in (None, 'Z') for p in pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(task_state(p) not in (None, 'Z') for p in pids)


def samples(t):
    found = re.match(r'(\d+)', t.lines()[0])
    return int(found.group(1)) if found else 0


try:
    perl = program('perl', '-e', 'sub f { my $x = 0; $x += $_ for 1 .. 100; $x } f() while 1')
    t = start('--comms', 'perl,burning')
    ok(has(t, r'% +perl +\[\.\] Perl_'), 'rows', t.lines())
    ok(re.search(r'^\d+/s kernel \d+% lost \d+ top [\d.]+%   row 1 of', t.bar()), 'the state in the bar', t.bar())
    before = samples(t)
    ok(t.until(lambda t: samples(t) > before), 'they change by themselves', t.lines())
    burn = program(BURN, '1000000', '0', '1')
    ok(has(t, r'burn +\[\.\] burn_user'), 'a program that begins has its row', t.lines())
    t.keys(HOME)
    os.write(t.master, b'\r')
    ok(has(t, r'^- ', slice(2, 3)), 'Enter: the call graph', t.lines())
    before = samples(t)
    ok(t.until(lambda t: samples(t) != before) and has(t, r'\n- .*\n +[+-]? *\d'), 'it stays open', t.lines())
    t.keys(' ', then='frozen')
    before = t.lines()[:-1]
    for _ in range(10):
        t.read(0.1)
    ok(t.lines()[:-1] == before, 'blank: nothing changes', t.lines())
    t.keys(DOWN, then='FROZEN')
    t.keys(' ', then='going on')
    ok(t.until(lambda t: t.lines()[:-1] != before), 'blank: it goes on')
    t.keys('C')

    # The flame graph changes each second, whatever the delay, the zoom stays.
    burn.kill()
    t.keys('D100\r')
    t.keys('v', then='Enter: zoom')
    ok(has(t, r'\|_start'), 'v: the flame graph', t.lines())
    t.keys('/burn_user\r')
    second = program(BURN, '1000000', '0', '1')
    ok(has(t, r'\|burning'), 'a program that begins is in it', t.lines())
    second.kill()
    while not re.search(' perl$', t.lines()[-2]) and not t.ended():
        t.keys(DOWN if t.lines()[-2].endswith(' all') else RIGHT)
        if t.lines()[-2].endswith(' burning'):
            t.keys('\033[D')
    t.keys('\r')
    ok(has(t, r'flame graph of cpu-clock > perl$', slice(0, 1)), 'Enter: zoom', t.lines())
    line = t.lines()[-2]
    ok(t.until(lambda t: t.lines()[-2] != line) and has(t, r'> perl$', slice(0, 1)), 'which stays', t.lines())
    t.keys('qq', then='row')
    t.keys('D0.3\r')

    # The time line goes on; of a marked range there is a report.
    t.keys('T', then='m: mark')
    ok(has(t, r'samples of threads over .*\n>?.*perl \d+'), 'T: the time line', t.lines())
    before = t.lines()[0]
    ok(t.until(lambda t: t.lines()[0] != before and ' over ' in t.lines()[0]), 'it goes on', t.lines())
    t.keys('T')
    ok(has(t, r'samples of CPUs over .*\n>?.*CPU \d+'), 'T: CPUs', t.lines())
    t.keys(END + "m", then='Enter: this range')
    before = t.lines()[0]
    ok(t.until(lambda t: t.lines()[0] != before and 'from ' in t.lines()[-2]), 'a mark stays', t.lines())
    t.keys('\033[D' * 9 + '\r', then='row')
    ok(has(t, r'^time [\d.]+-[\d.]+ > (.*\n)+.*% +perl '), 'Enter: rows of the range', t.lines())
    t.keys('q', then='top')

    # The code of a function changes with its samples.
    t.keys('/Perl_pp_add\r')
    t.keys('a', then='line')
    ok(has(t, r'\d+\.\d+ : +[0-9a-f]+:'), 'a: the code', t.lines())
    before = t.lines()
    ok(t.until(lambda t: t.lines() != before and t.lines()[-1] == before[-1]), 'its samples change', t.lines())
    t.keys('q', then='row')

    # Views of the samples in memory. The cursor stays on its line while rows move: they are to stay, too.
    t.keys(' ', then='frozen')
    t.keys('/Perl_pp_add\r')
    t.keys('B', then='go to it')
    ok(has(t, r'from .*runops(.*\n)+.*\) Perl_pp_add'), 'B: callers', t.lines())
    t.keys('q', then='row')
    t.keys(' ', then='going on')
    t.keys('s')
    t.keys(DOWN * 3 + '\r', then='row')
    ok(has(t, r'Command\n(.*\n)*.*perl'), 's: other keys', t.lines())
    t.keys('q', then='top')
    t.keys('i')
    ok(has(t, r'refreshed every 0.3 s'), 'i: how', t.lines())
    t.keys('q', then='row')
    t.keys('h')
    ok(has(t, r'blank +freeze'), 'h: its keys', t.lines())
    t.keys('q', then='row')

    # Keys of its own.
    t.keys('z', then='only samples since')
    t.keys(DOWN, then='zero')
    t.keys('z', then='earlier samples')
    t.keys('D')
    t.keys('0\r', then='at least 0.1')
    t.keys('D')
    t.keys('0.2\r')
    t.keys('U', then='in programs are hidden')
    ok(t.until(lambda t: '[.]' not in '\n'.join(t.lines())), 'U: no programs', t.lines())
    t.keys('U', then='in programs are shown')
    ok(has(t, r'\[\.\] Perl_'), 'U: programs', t.lines())
    t.keys(' ', then='frozen')
    t.keys('/Perl_pp_add\r')
    t.keys('d')
    ok(t.until(lambda t: 'dso: perl' in t.lines()[0]), 'd: zoom into the file', t.lines())
    t.keys(' ', then='going on')
    before = t.lines()[0]
    ok(t.until(lambda t: t.lines()[0] != before) and 'dso: perl' in t.lines()[0] and has(t, 'Perl_'), 'which stays', t.lines())
    t.keys('q')
    t.keys('w')
    t.keys('\r', then='wrote perf.data')
    out = subprocess.run([PERF, 'report', '-i', TMP + '/perf.data', '--stdio', '-s', 'comm,sym', '--no-children', '-g', 'none'],
                         env=environment(), capture_output=True, text=True, check=False)
    ok(out.returncode == 0 and re.search(r'% +perl +\[\.\] Perl_pp', out.stdout), 'w: a recording', out.stdout, out.stderr)
    t.resize(10, 60)
    ok(t.until(lambda t: len(t.lines()) == 10 and re.search('top', t.bar())) and len(t.bar()) <= 60, 'another size', t.lines())
    t.resize(3, 12)
    t.resize(24, 100)
    recorder = children(t.pid)

    ok(t.end('\003') == 0 and t.restored, '^C: status 0, the terminal as it was', t.status)
    ok(recorder and all_gone(recorder), 'its recording has ended')

    # ^Z: a shell with job control stops it.
    t = Terminal('-c', 'set -m; "$0" "$@"; echo stopped > stopped; fg > /dev/null', PERF, 'top', '-d', '0.3', '-p', str(perl.pid),
                 '-e', 'cpu-clock', perf='/bin/bash', cwd=TMP)
    has(t, 'Perl_')
    os.write(t.master, b'\032')
    ok(t.until(lambda t: os.path.exists(TMP + '/stopped')), '^Z: it stops', t.lines())
    t.until(lambda t: not termios.tcgetattr(t.slave)[3] & termios.ICANON)
    before = samples(t)
    ok(t.until(lambda t: samples(t) != before) and has(t, 'Perl_'), 'and goes on', t.lines())
    ok(t.end('q') == 0, 'and ends')

    # Other ends.
    t = start('-p', str(perl.pid))
    recorder = children(t.pid)
    os.kill(t.pid, signal.SIGTERM)
    ok(t.end() == 0 and t.restored and all_gone(recorder), 'SIGTERM', t.status)
    t = start('-p', str(perl.pid))
    recorder = children(t.pid)
    os.kill(t.pid, signal.SIGKILL)
    ok(t.end() == -9 and all_gone(recorder), 'SIGKILL: no recording is left')
    t = start('-p', str(perl.pid))
    recorder = children(t.pid)
    os.close(t.slave)
    os.close(t.master)
    ok(all_gone([t.pid, *recorder]), 'a terminal that has gone')
    os.waitpid(t.pid, 0)
    # No signal says so under nohup, and a refresh is due whenever perf looks for keys.
    subprocess.check_call(['gcc', '-shared', '-fPIC', '-o', TMP + '/clock.so', LIB + '/clock.c'])
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    t = start('-p', str(perl.pid), LD_PRELOAD=TMP + '/clock.so', TICK='1000')
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    recorder = children(t.pid)
    os.close(t.slave)
    os.close(t.master)
    ok(all_gone([t.pid, *recorder]), 'a terminal that has gone, SIGHUP ignored, and perf top has no time to wait')
    os.kill(t.pid, signal.SIGKILL)
    os.waitpid(t.pid, 0)
    t = start('-p', str(perl.pid))
    has(t, 'Perl_')
    perl.kill()
    perl.wait()
    ok(t.until(lambda t: 'ENDED' in t.bar()) and has(t, 'Perl_'), 'the process ends: what was there stays', t.lines())
    ok(t.end('q') == 0, 'q', t.status)
    t = Terminal('top', '-e', 'nonsense', cwd=TMP)
    ok(t.end() == 129 and b'nonsense' in t.raw, 'no such event: a message', t.raw)

    program('perl', '-e', 'sub f { my $x = 0; $x += $_ for 1 .. 100; $x } f() while 1')
    random_keys(start_top(TMP), TOP_KEYS, ['perf-san'], 2000)
finally:
    for p in programs:
        p.kill()
        p.wait()
done()
