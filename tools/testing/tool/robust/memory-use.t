#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Made-up recordings of nothing but the shortest records that make a reader remember
something: memory is at most twice the file plus a constant, and never more than --max-memory
allows. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402

SIZE = 12 << 20
CONSTANT = 16 << 20
# Each mapping is in many nodes of the tree.
NESTED = 3
KERNEL = 0xffffffffc0000000

# kind: (sample_type, struct format of the records for one i, their values)
#   9 SAMPLE, 7 FORK, 4 EXIT, 3 COMM, 1 MMAP, 17 KSYMBOL, 19 CGROUP, 16 NAMESPACES, 2 LOST, 22 deferred
SAMPLE = 'IHHII'
TASK = 'IHHIIIIQ'
COMM = 'IHHII8s'
MMAP = 'IHHIIQQQ8s'


def name(i):
    return b'%07x' % i


def sample(pid, tid):
    return 9, 2, 16, pid, tid


def comm(pid, text, misc=0):
    return 3, misc, 24, pid, pid, text


def mmap(pid, start, text, size=0x1000):
    return 1, 2, 48, pid, pid, start, size, 0, text


KINDS = {
    'samples of processes': (TID, SAMPLE, lambda i: sample(i + 2, i + 2)),
    'samples of threads': (TID, SAMPLE, lambda i: sample(2, i + 2)),
    'samples of addresses': (IP | TID, 'IHHQII', lambda i: (9, 2, 24, i, 2, 2)),
    'forks of processes': (TID, TASK, lambda i: (7, 0, 32, i + 2, 1, i + 2, 1, i)),
    'forks of threads': (TID, TASK, lambda i: (7, 0, 32, 1, 1, i + 2, 1, i)),
    'forks of new parents': (TID, TASK, lambda i: (7, 0, 32, 2 * i + 2, 2 * i + 3, 2 * i + 2, 2 * i + 3, i)),
    'forks of one tid': (TID, TASK, lambda i: (7, 0, 32, 2, 1, 2, 1, i)),
    'exits': (TID, TASK, lambda i: (4, 0, 32, i + 2, 1, i + 2, 1, i)),
    'names of processes': (TID, COMM, lambda i: comm(i + 2, name(i))),
    'names of one process': (TID, COMM, lambda i: comm(2, name(i))),
    'execs of processes': (TID, COMM, lambda i: comm(i + 2, name(i), 1 << 13)),
    'execs of one process': (TID, COMM, lambda i: comm(2, name(i), 1 << 13)),
    'mappings of processes': (TID, MMAP, lambda i: mmap(i + 2, 0x1000, name(i))),
    'mappings of one process': (TID, MMAP, lambda i: mmap(2, i << 12, name(i))),
    'kernel symbols': (TID, 'IHHQIHH8s', lambda i: (17, 0, 32, KERNEL + 64 * i, 64, 1, 0, name(i))),
    'control groups': (TID, 'IHHQ8s', lambda i: (19, 0, 24, i, name(i))),
    'namespaces': (TID, 'IHHIIQ', lambda i: (16, 0, 24, i + 2, i + 2, 0)),
    'lost records': (TID, 'IHHQQ', lambda i: (2, 0, 24, 0, 1)),
    'deferred callchains': (TID, 'IHHQQ', lambda i: (22, 2, 24, i, 0)),
    'samples that wait': (TID | TIME | CALLCHAIN, 'IHHIIQQQQ',
                          lambda i: (9, 2, 48, 2, 2, i + 1, 2, (1 << 64) - 640, i)),
    # A sample for each, so that nothing of it may be forgotten
    'a fork and a sample': (TID, TASK + SAMPLE,
                            lambda i: (7, 0, 32, i + 2, 1, i + 2, 1, i) + sample(i + 2, i + 2)),
    'a name and a sample': (TID, COMM + SAMPLE, lambda i: comm(i + 2, name(i)) + sample(i + 2, i + 2)),
    'a mapping and a sample': (TID, MMAP + SAMPLE,
                               lambda i: mmap(i + 2, 0x1000, name(i)) + sample(i + 2, i + 2)),
    'a fork of one tid and a sample': (TID, TASK + SAMPLE,
                                       lambda i: (7, 0, 32, 2, 1, 2, 1, i) + sample(2, 2)),
    'a fork, an exit and a sample': (TID, TASK + TASK + SAMPLE,
                                     lambda i: (7, 0, 32, i + 2, 1, i + 2, 1, i) +
                                     (4, 0, 32, i + 2, 1, i + 2, 1, i) + sample(i + 2, i + 2)),
    'a fork, a name, a mapping and a sample': (TID, TASK + COMM + MMAP + SAMPLE,
                                               lambda i: (7, 0, 32, i + 2, 1, i + 2, 1, i) +
                                               comm(i + 2, name(i)) + mmap(i + 2, 0x1000, name(i)) +
                                               sample(i + 2, i + 2)),
    'two mappings and a sample': (TID, MMAP + MMAP + SAMPLE,
                                  lambda i: mmap(i + 2, 0x1000, name(i)) +
                                  mmap(i + 2, 0x2000, name(i)) + sample(i + 2, i + 2)),
    'nine mappings and a sample': (TID, 9 * MMAP + SAMPLE,
                                   lambda i: sum((mmap(i + 2, 0x1000 * j, name(i)) for j in range(9)),
                                                 ()) + sample(i + 2, i + 2)),
    # Of one process, in which an address is looked up at the end
    'mappings apart, sampled': (IP | TID, MMAP, lambda i: mmap(2, i << 13, name(i % 9))),
    'mappings in each other, sampled': (IP | TID, MMAP,
                                        lambda i: mmap(2, i << 12, name(i % 9), (1 << 40) - (i << 13))),
    'mappings around each other, sampled': (IP | TID, MMAP,
                                            lambda i: mmap(2, (1 << 40) - (i << 12), name(i % 9),
                                                           (i << 13) + 4096)),
    # The newest first: all must be sorted
    'forks backwards': (TIME, TASK + 'Q', lambda i: (7, 0, 40, i + 2, 1, i + 2, 1, i, (1 << 32) - i)),
    # Where no record is aligned each is copied
    'samples, misaligned': (TID, SAMPLE, lambda i: sample(i + 2, i + 2)),
}


def make(kind, path):
    sample_type, one, values = KINDS[kind]
    packer = struct.Struct('<' + one)
    flags = ('mmap', 'comm', 'defer_callchain', 'defer_output')
    if kind == 'forks backwards':
        flags += 'sample_id_all',
    # Of what is sorted, and of what has a table of a size of its own, more
    size = SIZE * 2 if kind in ('forks backwards', 'samples of addresses') else SIZE
    data = b''.join(packer.pack(*values(i)) for i in range(size // packer.size))
    if kind.endswith('sampled'):
        data += struct.pack('<IHHQII', 9, 2, 24, 0x1000, 2, 2)
    with open(path, 'wb') as f:
        if kind == 'samples, misaligned':
            head = bytearray(perf_file([attr(sample_type, flags=flags)], b'', data_size=len(data)))
            struct.pack_into('<Q', head, 40, len(head) + 4)
            f.write(bytes(head) + bytes(4) + data)
        else:
            f.write(perf_file([attr(sample_type, flags=flags)], data, {3: feature_string('h')}))


# What this process once had in memory would count as its children's: others make the files.
if len(sys.argv) > 1:
    make(*sys.argv[1:])
    sys.exit()


def check(kind, path, *args):
    size = os.path.getsize(path)
    with tempfile.TemporaryFile() as err:
        p = subprocess.Popen((PERF,) + args + ('-i', path), stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = status
        err.seek(0)
        text = err.read().decode('utf8', 'replace')
    rss = usage.ru_maxrss << 10
    status = os.waitstatus_to_exitcode(status)
    # report says in one line that there are no samples
    good = status == 0 or (args[0] == 'report' and status == 1 and 'no samples' in text)
    good = good and rss <= (NESTED if 'each other' in kind else 2) * size + CONSTANT
    ok(good, '%s: %s' % (kind, ' '.join(args)),
       'status %d, %d bytes for a file of %d: %s' % (status, rss, size, text[:200]))
    print('# %.2f times the file, %d MB' % (rss / size, rss >> 20))


with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, 'data')
    for kind in KINDS:
        subprocess.run([sys.executable, __file__, kind, path], check=True)
        check(kind, path, 'script')
        if 'sample' not in kind:
            check(kind, path, 'report', '-s', 'dso')
    # What report -D remembers is the same; one of each kind of it is enough
    check(kind, path, 'report', '-D')

    # Each of 2000 events has samples in 20 functions of its own.
    put(path, perf_file([attr(IDENTIFIER | IP | TID)] * 2000, b''.join(
          struct.pack('<IHHQQII', 9, 2, 32, i % 2000, 0x1000 + i, 2, 2) for i in range(40000)),
                        ids=[[i] for i in range(2000)]))
    status, out, err = perf('report', '--stdio', '--max-memory', '100M', '-i', path)
    ok(status == 0 and out.count('%') == 40000, 'many events', status, err)

    # Each limit is enough, or one line says that it is not.
    subprocess.run([sys.executable, __file__, 'two mappings and a sample', path], check=True)
    for args in (('script',), ('report', '-j', '4', '-s', 'comm,dso,symbol')):
        ends = set()
        good = True
        for limit in (1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 200):
            status, _, text = perf(*args, '-i', path, '--max-memory', '%dM' % limit)
            said = text.count('\n') == 1 and 'would exceed %d MB: use a larger --max-memory' % limit in text
            ends.add(status)
            if not (status == 1 and said or status == 0 and not text):
                good = False
                print('# %d MB: status %d: %s' % (limit, status, text[:300]))
        ok(good and ends == {0, 1}, args[0] + ': --max-memory')
    for size in ('', '0', '12x', '-1'):
        status, _, err = perf('script', '--max-memory', size, '-i', path)
        ok(status == 129 and err.count('\n') == 1 and 'not a size' in err, '--max-memory "%s": not a size' % size, err)
done()
