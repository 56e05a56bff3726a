#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Bad input through the program: one line that names file and offset, a non-zero status,
what stands before the damage shown, and memory within twice the file plus a constant.
TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

CONSTANT = 96 << 20


def run(*args, perf=PERF, **kw):
    """(status, stdout, stderr, peak resident bytes) of perf."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen((perf,) + args, stdout=out, stderr=err, **kw)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = status
        out.seek(0), err.seek(0)
        return (os.waitstatus_to_exitcode(status), out.read(), err.read().decode('utf8', 'replace'),
                usage.ru_maxrss << 10)


def bad(name, path, reason, shown=None, offset=None, args=('report', '-D')):
    status, out, err, rss = run(*args, '-i', path)
    lines = err.splitlines()
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    ok(status not in (0, 129) and status > 0, name + ': status', status, err)
    ok(len(lines) == 1 and path in lines[0] and reason in lines[0] and
       (offset is None or 'offset %s:' % offset in lines[0]), name + ': one line', err)
    if shown is not None:
        ok(shown in out, name + ': what stands before is shown', out[-300:])
    ok(rss <= 2 * size + CONSTANT, name + ': memory', '%d bytes for a file of %d' % (rss, size))


ST = IP | TID | TIME | CALLCHAIN


def sid(t):
    return ii(10, 11) + q(t)


def comm(name='before', t=5):
    return record(3, ii(10, 11) + string(name) + sid(t))


def sample(*ips, nr=None, t=10):
    return record(9, q(0x1000) + ii(10, 11) + q(t, len(ips) if nr is None else nr, *ips), 2)


GOOD = comm() + sample(1, 2)
BEFORE = b'PERF_RECORD_COMM: before:10/11'


def made(name, data, **kw):
    return put(name, perf_file([attr(ST)], data, {3: feature_string('host')}, **kw))


def golden(name):
    with open(os.path.join(GOLDEN, name), 'rb') as f:
        return f.read()


# Things that are no recording
bad('empty', put('empty', b''), 'empty', offset='0')
bad('elf', PERF, 'ELF', offset='0')
bad('magic', put('text', b'hello, this is a text of some length' * 9), 'magic', offset='0')
bad('short', put('short', b'PERFI'), 'too short', offset='0')
bad('old', put('old', b'PERFFILE' + b'\0' * 200), 'version 1', offset='0')
bad('missing', TMP + '/nowhere', 'No such file')
os.mkdir(TMP + '/dir')
status, out, err, _ = run('report', '-D', '-i', TMP + '/dir')
ok(status == 1 and len(err.splitlines()) == 1 and 'dir/data' in err, 'directory', err)
folder = TMP + '/parts'
os.mkdir(folder)
shutil.copy(made('part', GOOD), os.path.join(folder, 'data'))


def parts(name, make, text, rest=True):
    """A directory whose data.N is no file, or where one is missing. @rest: what else there is, is shown."""
    make(os.path.join(folder, name))
    got, out, err, _ = run('script', '-F', 'pid', '-i', folder)
    ok(got == 1 and len(err.splitlines()) == 1 and text in err and bool(out) == rest, 'directory: ' + text, got, out[:99], err)
    os.unlink(os.path.join(folder, name))


def empty(path):
    open(path, 'wb').close()


parts('data.0', os.mkfifo, 'data.0: is no regular file', False)
parts('data.0', lambda p: os.symlink('/dev/zero', p), 'data.0: is no regular file', False)
parts('data.1', empty, 'data.1, but no data.0')
for i in range(4095):
    empty(os.path.join(folder, 'data.%d' % i))
status, out, err, _ = run('script', '-F', 'pid', '-i', folder)
ok(status == 0 and out and not err, 'directory: 4095 files', status, err)
parts('data.4095', empty, 'no more than 4095')


# Which of the files is damaged
for i in range(4095):
    os.unlink(os.path.join(folder, 'data.%d' % i))
empty(os.path.join(folder, 'data.0'))
for what, records in (('reaches past the end', GOOD[:-4]), ('a sample is shorter', GOOD + record(9, b'12345678'))):
    put(os.path.join(folder, 'data.1'), records)
    status, out, err, _ = run('script', '-F', 'pid', '-i', folder)
    ok(status == 1 and out and '/parts/data.1: offset 0x' in err and what in err, 'directory: which file: ' + what, status, err)
locked = made('locked', GOOD)
os.chmod(locked, 0)
if os.geteuid() == 0:
    # Root may read anything: nobody may not, nor may nobody enter every build folder.
    os.chmod(TMP, 0o755)
    theirs = shutil.copy(PERF, TMP)
    os.chmod(theirs, 0o755)
    status, out, err, _ = run('report', '-D', '-i', locked, perf=theirs,
                              preexec_fn=lambda: (os.setgid(65534), os.setuid(65534)))
else:
    status, out, err, _ = run('report', '-D', '-i', locked)
ok(status == 1 and len(err.splitlines()) == 1 and 'Permission denied' in err, 'permission', err)

# A FIFO and a pipe that end early
os.mkfifo(TMP + '/fifo')
pid = os.fork()
if not pid:
    put(TMP + '/fifo', golden('pipe.defer.data')[:5000])
    os._exit(0)
status, out, err, _ = run('report', '-D', '-i', TMP + '/fifo')
os.waitpid(pid, 0)
ok(status == 1 and len(err.splitlines()) == 1 and 'cut off' in err and b'SAMPLE(' in out, 'fifo', err)
r, w = os.pipe()
os.close(w)
status, out, err, _ = run('script', '-i', '-', stdin=r)
ok(status == 1 and len(err.splitlines()) == 1 and 'empty' in err, 'closed stdin', err)

# Damaged records
zero = made('zero', GOOD + record(9, b'', size=0) + GOOD)
at = hex(os.path.getsize(zero) - 16 - len(feature_string('host')) - len(GOOD) - 8)
bad('size 0', zero, 'size 0', BEFORE, at)
bad('size 4', made('four', GOOD + record(9, b'', size=4) + GOOD), 'size 4', BEFORE)
bad('size past the end', made('past', GOOD + record(9, b'', size=4096)), 'past the end', BEFORE)
bad('nr beyond', made('nr', GOOD + sample(1, nr=1000) + comm('after')), 'shorter', BEFORE)
bad('nr huge', made('nrhuge', GOOD + sample(1, nr=(1 << 61) + 1)), 'shorter', BEFORE)
bad('string without NUL', made('nul', GOOD + record(3, ii(10, 11) + b'x' * 16 + sid(7))),
    'string', BEFORE)
bad('short record', made('shortrec', GOOD + record(10, q(1) + sid(7))), 'shorter', BEFORE)
bad('odd size', made('odd', GOOD + record(3, ii(10, 11) + b'abc\0' + sid(7))), 'multiple of 8', BEFORE)
bad('deferred nr', made('dnr', GOOD + record(22, q(1, 1 << 60) + sid(7), 2)), 'longer', BEFORE)
two = put('foreign', perf_file([attr(ST | IDENTIFIER)] * 2,
                               record(9, q(99, 0x1000) + ii(10, 11) + q(1, 0), 2),
                               {3: feature_string('h')}, ids=[[7], [8]]))
bad('id of no event', two, 'no event')
bad('unknown bits', put('bits', perf_file([attr(ST, size=152, tail=b'\xff' * 24)], GOOD,
                                          {3: feature_string('h')})), 'does not know', BEFORE)
bad('feature past the end', put('feat', perf_file([attr(ST)], GOOD, {3: feature_string('h')})[:-68]),
    'feature 3', BEFORE)
bad('feature too short',
    put('featbad', perf_file([attr(ST)], GOOD, {3: ii(1000) + b'abc'})), 'feature', BEFORE)
bad('attrs', put('attrs', perf_file([attr(ST)], GOOD)[:150]), 'attributes')
bad('header', put('header', perf_file([attr(ST)], GOOD)[:50]), 'header')
d = golden('zstd.defer.data')
pos = d.index(struct.pack('<IHH', 83, 0, 0)[:6], 0x360)
d = d[:pos + 40] + bytes(200) + d[pos + 240:]
bad('compressed garbage', put('zgarbage', d), 'unpacked', b'PERF_RECORD_COMM: perf-exec')
bad('truncated', put('cut', golden('deepsys.defer.data')[:9000]), 'cut off', b'SAMPLE(')

# Kernels flag a device's number as a build-id while another recorder wants build-ids: the map counts,
# the build-id does not
path = made('buildid', record(10, ii(10, 11) + q(0x1000, 0x1000, 0) + bytes([200, 0, 0, 0]) + bytes(20) +
                              ii(5, 2) + string('/bin/there') + sid(4), 2 | 1 << 14) + sample())
status, out, err, _ = run('script', '-F', 'ip,dso', '-G', '-i', path)
ok(status == 0 and b'/bin/there' in out and len(err.splitlines()) == 1 and '200 bytes' in err,
   'build-id too long', status, err, out)
def flagged(name, numbers):
    path = made(name, record(10, ii(10, 11) + q(0x1000, 0x1000, 0) + numbers + ii(5, 2) + string('/bin/there') + sid(4),
                             2 | 1 << 14) + sample())
    status, out, err, _ = run('report', '-D', '-i', path)
    return out if status == 0 and not err else err


out = flagged('sd', ii(8, 1) + q(247101, 0x123456789))
ok(b'@ 0 08:01 247101 4886718345]' in out, "a disk's number is no build-id", out)
out = flagged('short', bytes([8, 0, 0, 0]) + bytes(range(1, 9)) + bytes(12))
ok(b'@ 0 <0102030405060708>]' in out, 'a build-id of 8 bytes', out)

# An interrupted recording is no damage: a warning, and all whole records
cut = made('interrupted', GOOD + comm('half')[:20], data_size=0)
with open(cut, 'r+b') as f:
    data = f.read()
    f.truncate(len(data) - 16 - len(feature_string('host')))
status, out, err, _ = run('report', '-D', '-i', cut)
ok(status == 0 and 'did not end properly' in err and len(err.splitlines()) == 1 and BEFORE in out and
   b'half' not in out.split(b'event: 3')[-1], 'interrupted', status, err)

# A tracepoint whose string claims to lie where the next record is: neither it nor its fields
# are shown, by whatever prints them
def traced(loc, text):
    raw = struct.pack('<HBBiI', 77, 0, 0, 11, loc) + text
    raw += b'\0' * (-(len(raw) + 4) % 8)
    return record(9, q(0x1000) + ii(10, 11) + q(5) + ii(len(raw)) + raw, 2)


path = put('tracepoint', perf_file(
    [attr(IP | TID | TIME | RAW, type=2, config=77)],
    traced(12 | 6 << 16, b'honest') + traced(12 | 100 << 16, b'liar') + comm('SECRETSECRET', 6),
    {1: tracing_data(tracepoint_format('ev', 77, [('__data_loc char[] what', 8, 4)],
                                       '"what=%s", __get_str(what)'))}))
for args in (('script', '-F', 'trace'), ('report', '-s', 'trace'), ('report', '-s', 'what'),
             ('report', '-s', 'what/raw'), ('report', '-s', 'trace_fields')):
    status, out, err, _ = run(*args, '-i', path)
    ok(status == 0 and b'honest' in out and b'liar' not in out and b'SECRET' not in out,
       'tracepoint: ' + ' '.join(args), status, err, out)

# Files that lie about how much they hold
many = [attr(ST)] * 2000
blob = bytearray(perf_file(many, GOOD, ids=[[i] for i in range(2000)]))
table = struct.unpack_from('<Q', blob, 24)[0]
for i in range(2000):       # each event claims all ids of all
    struct.pack_into('<QQ', blob, table + 144 * i + 128, 104, 16000)
bad('ids of all events', put('ids', bytes(blob)), 'more ids')


def packed(level, size):
    """COMPRESSED2 records of so many bytes of COMM records, in frames of 32 MB. Another process
    makes them: what this one once had in memory would count as its children's."""
    with subprocess.Popen(['zstd', level, '-cq'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as z:
        pid = os.fork()
        if not pid:
            block = record(3, ii(1, 2) + string('x') + sid(3)) * (1 << 14)
            for i in range((32 << 20) // len(block)):
                z.stdin.write(block)
            os._exit(0)
        z.stdin.close()
        out = z.stdout.read() * (size >> 25)
        os.waitpid(pid, 0)
    pieces = [out[i:i + 60000] for i in range(0, len(out), 60000)]
    return b''.join(record(83, q(len(p)) + p + b'\0' * (-len(p) % 8)) for p in pieces), len(out)


bomb, _ = packed('-19', 96 << 20)
path = made('bomb', bomb)
status, out, err, rss = run('report', '--header-only', '-i', path)
ok(status == 0, 'bomb: opens', err)
status, out, err, rss = run('report', '--stats', '-i', path)
# What was packed is a recording by itself: it counts as the file does.
unpacked = 48 << 21
ok(status == 0 and rss <= 2 * unpacked + CONSTANT, 'bomb: memory', status, rss, unpacked)

# A worse one: 100 kB that unpack to 1 GB. A file is read up to 1000 times its size and 256 MB,
# which then counts as the file does; a pipe, which is unpacked a buffer at a time, to its end.
bomb, size = packed('-3', 1 << 30)
path = made('bomb2', bomb)
status, out, err, rss = run('script', '-i', path)
unpacked = 1000 * size + (256 << 20)
ok(status == 1 and len(err.splitlines()) == 1 and path in err and 'more than 1000 times its size' in err,
   'bomb of 1 GB: one line', status, err)
ok(rss <= 2 * unpacked + CONSTANT and unpacked < 1 << 29, 'bomb of 1 GB: memory', rss, unpacked)
put('bomb2.pipe', b'PERFILE2' + q(16) + record(64, attr(ST) + q(5)) + bomb)
cat = subprocess.Popen(['cat', 'bomb2.pipe'], stdout=subprocess.PIPE)
status, out, err, rss = run('script', '-i', '-', stdin=cat.stdout)
cat.stdout.close(), cat.wait()
ok(status == 0 and rss <= 160 << 20, 'bomb of 1 GB: through a pipe, a window at a time', status, err, rss)

# A record of an odd size in compressed data: those behind it stand misaligned, each is read as itself
z = record(3, ii(10, 11) + b'odd\0' + sid(5)) + b''.join(comm('name%d' % i, 6 + i) for i in range(3))
z = subprocess.run(['zstd', '-cq'], input=z, stdout=subprocess.PIPE, check=True).stdout
path = made('packedodd', record(83, q(len(z)) + z + b'\0' * (-len(z) % 8)))
status, out, err, _ = run('script', '--show-task-events', '-i', path)
ok(status == 1 and [b'COMM: name%d:' % i in out for i in range(3)] == [True] * 3 and out.count(b'COMM') == 3,
   'odd size in compressed data', status, err, out)

# A recording of more than 4 GB, with a hole in it: what stands behind is read, at its place
path = TMP + '/large'
hole = (4 << 30) + (1 << 20)
first = comm() + sample(1, 2)
trace = record(71, q(hole, 0, 0) + ii(0, 0, 0, 0))
last = comm('behind', 15) + sample(3, 4, t=20)
head = bytearray(perf_file([attr(ST)], b''))
struct.pack_into('<Q', head, 48, len(first) + len(trace) + hole + len(last))
struct.pack_into('<Q', head, 72, 1 << 3)
with open(path, 'wb') as f:
    f.write(head + first + trace)
    f.seek(hole, os.SEEK_CUR)
    f.write(last)
    name = feature_string('behind-4-GB')
    f.write(q(f.tell() + 16, len(name)) + name)
at = len(head) + len(first) + len(trace) + hole
status, out, err, rss = run('report', '-D', '-i', path)
ok(status == 0 and not err and out.count(b'RECORD_SAMPLE') == 2 and b'COMM: behind:10/11' in out and
   ('%#x@%s [0x28]: event: 3' % (at, path)).encode() in out, 'over 4 GB: report -D', status, err, out[-800:])
status, out, err, rss = run('script', '-F', 'comm,ip', '-i', path)
ok(status == 0 and out.split() == [b'before', b'1', b'2', b'behind', b'3', b'4'] and rss <= CONSTANT,
   'over 4 GB: script, and not in memory', status, err, out, rss)
status, out, err, rss = run('script', '--header-only', '-i', path)
ok(status == 0 and b'# hostname : behind-4-GB' in out, 'over 4 GB: header', status, err)
os.truncate(path, at + 8)
bad('over 4 GB, cut off', path, 'cut off', shown=b'COMM: before', offset=hex(at + 8))
os.remove(path)

# Records that no round ends: keys to sort them by take no more than the file
path = TMP + '/noround'
subprocess.run([sys.executable, '-c', """
import sys
sys.path.insert(0, sys.argv[1])
from scratch import *
data = b''.join(record(14, q((1 << 22) - i)) for i in range(1 << 20))
put(sys.argv[2], perf_file([attr(TIME)], data, {3: feature_string('h')}))
""", LIB, path], check=True)
status, out, err, rss = run('script', '--show-switch-events', '-F', 'time', '-i', path)
size = os.path.getsize(path)
ok(status == 0 and rss <= 2 * size + (40 << 20) and out.count(b'\n') == 1 << 20,
   'no rounds: memory', status, err, rss, size)

# The files of a directory have no rounds either, and all wait for the last one
os.mkdir(TMP + '/threads')
subprocess.run([sys.executable, '-c', """
import sys
sys.path.insert(0, sys.argv[1])
from scratch import *
for i in range(2):
    with open(sys.argv[2] + '/data.%d' % i, 'wb') as f:
        for k in range(0, 1 << 19, 1 << 16):
            f.write(b''.join(record(14, ii(1, 1) + q(1000 * (2 * n + i + 1))) for n in range(k, k + (1 << 16))))
name = record(3, ii(1, 1) + string('x') + ii(1, 1) + q(5))
put(sys.argv[2] + '/data', perf_file([attr(TID | TIME)], name, {24: q(1)}))
""", LIB, TMP + '/threads'], check=True)
p = subprocess.run(['sh', '-c', '"$0" script --show-switch-events -F time -i threads | awk \'$1 + 0 < last '
                    '{ bad++ } { last = $1 + 0; n++ } END { print n, bad + 0 }\'', PERF],
                   stdout=subprocess.PIPE)
ok(p.stdout.split() == [b'%d' % (1 << 20), b'0'], 'directory: in the order of time', p.stdout)

# Unknown types are skipped by their size, without a word
status, out, err, _ = run('report', '-D', '-i', made('unknown', GOOD + record(60, q(1) + sid(8)) +
                                                     record(200, q(1)) + comm('after', 20)))
ok(status == 0 and not err and b'COMM: after:10/11' in out, 'unknown types', status, err)

done()
