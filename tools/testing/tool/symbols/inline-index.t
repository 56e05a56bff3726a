#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The index of inlined functions in the build-id cache: when it is written, and when it is used.

An index is known to be used if a name that was changed in it is shown. TAP."""
import sys
import zlib
sys.path.insert(0, sys.path[0] + '/../../lib')
from programs import *  # noqa: E402

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
sh('g++ -g -O1 -Wl,--build-id=sha1 -o prog prog.cc && cp prog whole')
ADDR = nm(path('whole'))
ID = build_id(path('whole'))
DATA = of_program('data', path('prog'), [ADDR['leaf_at'], ADDR['plain']], id=ID)
INDEX = path('.debug/.build-id', ID[:2], ID[2:], 'inlines')


def names(*args, **kw):
    status, out, err = perf('script', '-F', 'ip,sym', '-i', DATA, *args, **kw)
    return names_in(out) if status == 0 and not err else (status, out, err)


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

HEAD = '<Q5Q6I'
RANGES, PIECES, CALLS, NAMES = range(4)


def split(data):
    """The head's key, and the four parts of an index."""
    v = struct.unpack_from(HEAD, data)
    parts, at = [], struct.calcsize(HEAD)
    for nr, size in zip(v[7:11], (16, 16, 8, 1)):
        parts.append(data[at:at + nr * size])
        at += nr * size
    return v[:6], parts


def put_index(change):
    """Write the first index with a changed part, and the CRC of it."""
    key, parts = split(first)
    change(parts)
    body = b''.join(parts)
    numbers = [len(p) // n for p, n in zip(parts, (16, 16, 8, 1))]
    put(INDEX, struct.pack(HEAD, *key, zlib.crc32(body), *numbers, 0) + body)


def rename(parts):
    parts[NAMES] = parts[NAMES].replace(b'4leafEi', b'4LEAFEi')


put_index(rename)
used = [n.replace('leaf', 'LEAF') for n in want]
ok(used != want and names() == used, 'the names are read from it', names())
mangled = names('--no-demangle')
ok('_ZN4deep4LEAFEi (inlined)' in mangled, '--no-demangle', mangled)
status, out, err = perf('report', '--stdio', '-g', 'caller', '-i', DATA)
ok(status == 0 and 'deep::branch(int) (inlined)' in out, 'perf report', status, out, err)
bare = names('--no-inline')
shutil.copyfile(path('whole'), path('copy'))
os.rename(path('copy'), path('prog'))
ok(names() == want, 'another file with the build-id does not share it', names())
first = index()


def number(part, at, value, kind='<I'):
    def change(parts):
        data = bytearray(parts[part])
        struct.pack_into(kind, data, at % len(data), value)
        parts[part] = bytes(data)
    return change


def swap(part):
    def change(parts):
        parts[part] = parts[part][-16:] + parts[part][16:-16] + parts[part][:16]
    return change


def end(parts):
    parts[NAMES] = parts[NAMES][:-1] + b'x'


NR = len(split(first)[1][CALLS]) // 8
for name, change_ in (
        ('a call around itself', number(CALLS, -8, NR)), ('a call that is around an earlier one', number(CALLS, 0, NR)),
        ('a call outside', number(PIECES, 8, NR + 1)), ('a call far outside', number(PIECES, 8, 0x7fffffff)),
        ('a name outside', number(CALLS, 4, 0xfffffff0)), ('a name that does not end', end),
        ('no piece before a range', number(PIECES, 0, 1 << 50, '<Q')), ('pieces that are not sorted', swap(PIECES))):
    put_index(lambda parts, c=change_: (rename(parts), c(parts)))
    ok(names() == want and index() == first, 'an index is not used: ' + name, names())
ok(bare != want and not any('inlined' in n for n in bare), '--no-inline', bare)
for name, data in (('damaged', first[:-3] + b'?' + first[-2:]), ('cut', first[:-8]), ('shorter than its head', first[:9]), ('empty', b''),
                   ('of another version', b'x' + first[1:])):
    put(INDEX, data)
    ok(names() == want and index() == first, 'an index that is ' + name + ' is not used', names())
put_index(rename)
os.chmod(INDEX, 0o620)
ok(names() == want, 'nor one that others may write', names())
put_index(rename)
if os.geteuid():
    skip('another user\'s index', 'only root can make one')
else:
    os.chown(INDEX, 65534, 65534)
    ok(names() == want, 'nor another user\'s', names())
    os.remove(INDEX)
    folder = os.path.realpath(os.path.dirname(INDEX))
    os.chown(folder, 65534, 65534)
    ok(names() == want and not os.path.exists(INDEX), 'nothing is written into another user\'s cache', names())
    os.chown(folder, 0, 0)

put(INDEX, first[:-8])
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

done()
