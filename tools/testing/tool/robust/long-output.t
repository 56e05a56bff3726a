#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Every text view with several times more output than a block of it: the same from the ordinary
program and from the one with sanitizers, whose blocks are smaller and end elsewhere. Names are
long, so that blocks end inside of what views measure. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

SAN = O + '/test/perf-san'
BLOCK = 64 << 10
FUNCTIONS, THREADS, DEPTH = 100, 16, 8
BASE = 0x400000
VIEWS = [
    'report --stdio --no-children -g none -s tid,sym',
    'report --stdio --children -g caller,0',
    'report --stdio -g fractal,0',
    'report --stdio -g flat,0',
    'report --stdio -g folded,0',
    'report --stdio --hierarchy -s tid,sym -g none',
    'report --stdio --hierarchy -s tid,sym -g fractal,0',
    'report --stdio --hierarchy -s tid,sym -g caller,address,0',
    'report --stdio -t, -s tid,sym -g none',
    'report --folded',
    'report --flamegraph=-',
    'report --tasks --mmaps',
    'report -D',
    'annotate --stdio --percent-limit 0',
    'annotate --stdio --percent-limit 0 --no-source -n',
    'script',
    'script -F comm,tid,ip,sym,symoff,dso',
    'script --show-task-events --show-mmap-events',
    'script -D',
    'script --per-event-dump',
    'data convert --to-folded -',
    'data convert --to-speedscope -',
    'data convert --to-firefox -',
    'data convert --to-json -',
    'data convert --to-jsonl -',
]


def program(path):
    names = ['f%03d_%s' % (i, 'y' * 220) for i in range(FUNCTIONS)]
    text = 'volatile unsigned long x;\n'
    for i, name in enumerate(names):
        text += 'void %s(void)\n{\n\tx += %d;\n}\n' % (name, i)
    subprocess.run(['gcc', '-g', '-O1', '-shared', '-fPIC', '-xc', '-', '-o', path], input=text,
                   text=True, check=True)
    return [a for n, a in sorted(nm(path).items(), key=lambda x: x[1]) if re.match(r'f\d', n)]


def recording(path, lib):
    addresses = program(lib)
    kind = IP | TID | TIME | CPU | PERIOD | CALLCHAIN
    ids = [q(0), ii(0, 0)]
    t = 1
    body = record(10, ii(1, 1) + q(BASE, 1 << 20, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) + string(lib) +
                  ii(1, 1) + q(t) + ii(0, 0), misc=2)
    for tid in range(2, THREADS + 2):
        t += 1
        body += record(7, ii(1, 1, tid, 1) + q(t) + ii(1, 1) + q(t) + ii(0, 0))
        body += record(3, ii(1, tid) + string('thread-%d' % tid) + ii(1, tid) + q(t) + ii(0, 0))
        for i in range(FUNCTIONS):
            t += 1
            chain = [BASE + addresses[(i + k * (tid + 1)) % FUNCTIONS] + 4 for k in range(DEPTH)]
            body += record(9, q(chain[0]) + ii(1, tid) + q(t) + ii(0, 0) +
                           q(1000 + i, DEPTH + 1, -512, *chain), misc=2)
    put(path, perf_file([attr(kind)], body))


def run(perf, view, data, cwd):
    env = dict(os.environ, PERF_CONFIG='/dev/null', PERF_PAGER='cat', PAGER='cat', LC_ALL='C',
               HOME=cwd, DEBUGINFOD_URLS='', UBSAN_OPTIONS='exitcode=77',
               ASAN_OPTIONS='detect_leaks=0:allocator_may_return_null=1:exitcode=77')
    p = subprocess.run([perf, *view.split(), '-i', data], env=env, capture_output=True, cwd=cwd,
                       check=False)
    out = p.stdout
    for dump in glob.glob(data + '.*.dump'):
        with open(dump, 'rb') as f:
            out = f.read()
        os.unlink(dump)
    return p.returncode, out, p.stderr


with tempfile.TemporaryDirectory() as tmp:
    file = os.path.join(tmp, 'perf.data')
    recording(file, os.path.join(tmp, 'lib.so'))
    for v in VIEWS:
        status, text, err = run(PERF, v, file, tmp)
        status_san, text_san, err_san = run(SAN, v, file, tmp)
        big = len(text) > (1000 if v.startswith('report --tasks') else BLOCK)
        ok(not status and big and not err, '%s: %d kB' % (v, len(text) >> 10), status,
           err.decode(errors='replace'))
        ok(not status_san and text_san == text, '%s: with small blocks' % v, status_san,
           err_san.decode(errors='replace')[:600])
done()
