#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The index of inlined functions in the build-id cache: when it is written, and when it is used.

An index is known to be used if the program's debug information has been removed. TAP."""
import glob
import os
import shutil
import sys

LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib')
sys.path.insert(0, LIB)
from programs import *  # noqa: E402
from tap import ok, skip, done  # noqa: E402

put('prog.cc', '''
static volatile int sink;
namespace deep {
inline __attribute__((always_inline)) void leaf(int x) { asm("leaf_at: .globl leaf_at"); sink = x; }
inline __attribute__((always_inline)) void branch(int x) { leaf(x + sink); }
}
extern "C" __attribute__((noinline)) void hot(int x) { deep::branch(x); sink++; }
extern "C" __attribute__((noinline)) void plain(int x) { sink = x; }
int main(int argc, char **) { hot(argc); plain(argc); }
''')
sh('g++ -g -O1 -Wl,--build-id=sha1 -o prog prog.cc && cp prog whole && strip -g -o bare prog')
ADDR = nm(path('whole'))
ID = build_id(path('whole'))
DATA = of_program('data', path('prog'), [ADDR['leaf_at'], ADDR['plain']], id=ID)
INDEX = path('.debug/.build-id', ID[:2], ID[2:], 'inlines')


def names(*args, **kw):
    status, out, err = perf('script', '-F', 'ip,sym', '-i', DATA, *args, **kw)
    return names_in(out) if status == 0 and not err else (status, out, err)


def program(name):
    shutil.copyfile(path(name), path('prog'))


def index():
    with open(INDEX, 'rb') as f:
        return f.read()


want = names()
ok('deep::leaf(int) (inlined)' in want and 'deep::branch(int) (inlined)' in want, 'inlined functions by debug information',
   want)
ok(not os.path.exists(path('.debug')), 'a file that is not in the cache has no index')
ok(perf('buildid-cache', '-a', path('prog'))[0] == 0 and names() == want and os.path.exists(INDEX),
   'a file in the cache has one', os.listdir(os.path.dirname(INDEX)))
ok(os.stat(INDEX).st_mode & 0o777 == 0o600 and not glob.glob(os.path.dirname(INDEX) + '/.tmp*'),
   'it is a complete file of this user')
first = index()
ok(names() == want and index() == first, 'the second time has the same names, and leaves it as it is')

# Without debug information only the index has the names.
program('bare')
os.remove(os.path.dirname(INDEX) + '/elf')
ok(names() == want, 'the names are read from it', names())
mangled = names('--no-demangle')
ok('_ZN4deep4leafEi (inlined)' in mangled, '--no-demangle', mangled)
status, out, err = perf('report', '--stdio', '-g', 'caller', '-i', DATA)
ok(status == 0 and 'deep::branch(int) (inlined)' in out, 'perf report', status, out, err)
bare = names('--no-inline')
ok(bare != want and not any('inlined' in n for n in bare), '--no-inline', bare)
for name, data in (('damaged', first[:-3] + b'?' + first[-2:]), ('cut', first[:-8]), ('shorter than its head', first[:9]), ('empty', b''),
                   ('of another version', b'x' + first[1:])):
    with open(INDEX, 'wb') as f:
        f.write(data)
    ok(names() == bare, 'an index that is ' + name + ' is not used', names())
with open(INDEX, 'wb') as f:
    f.write(first)
os.chmod(INDEX, 0o620)
ok(names() == bare, 'nor one that others may write', names())
os.chmod(INDEX, 0o600)
if os.geteuid():
    skip('another user\'s index', 'only root can make one')
else:
    os.chown(INDEX, 65534, 65534)
    ok(names() == bare, 'nor another user\'s', names())
    os.chown(INDEX, 0, 0)
    program('whole')
    os.remove(INDEX)
    folder = os.path.realpath(os.path.dirname(INDEX))
    os.chown(folder, 65534, 65534)
    ok(names() == want and not os.path.exists(INDEX), 'nothing is written into another user\'s cache', names())
    os.chown(folder, 0, 0)

program('whole')
with open(INDEX, 'wb') as f:
    f.write(first[:-8])
ok(names() == want and index() == first, 'a damaged index is replaced')
os.remove(INDEX)
ok(names('--no-inline') == bare and not os.path.exists(INDEX), '--no-inline writes none')
ok(names('--symfs', '/') == want and not os.path.exists(INDEX), 'nor does --symfs')
ok(names(env={'PERF_BUILDID_DIR': '/dev/null'}) == want and not os.path.exists(INDEX), 'nor a run without a cache')
os.mkdir(INDEX)
ok(names() == want, 'a folder in place of it is no error', names())
os.rmdir(INDEX)
ok(names() == want and perf('buildid-cache', '-P')[0] == 0 and not os.path.exists(path('.debug/.build-id', ID[:2])),
   'perf buildid-cache --purge-all removes it')

shutil.rmtree(TMP)
done()
