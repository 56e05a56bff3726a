#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What samples say of memory: every field of union perf_mem_data_src in perf script, the keys of
perf report --mem-mode, names of data. What is expected is what perf 7.2.13 printed, but where a
comment says so. TAP."""
import sys
sys.path.insert(0, sys.path[0] + '/../../lib')
from scratch import *  # noqa: E402


def sid(pid):
    return ii(pid, pid) + q(0)


def comm(pid):
    return record(3, ii(pid, pid) + string('task') + sid(pid))


def mmap(pid, start, size, off, name, prot, flags=2):
    return record(10, ii(pid, pid) + q(start, size, off) + ii(8, 1) + q(99, 1) + ii(prot, flags) + string(name) + sid(pid),
                  USER)


def sample(pid, nr, mode, ip, addr, weight, src, lat=0, stage=0, phys=0):
    return record(9, q(ip) + ii(pid, pid) + q(nr, addr, 1) + ii(weight) + struct.pack('<HH', lat, stage) + q(src, phys), mode)


def write(path, data, sample_type=IP | TID | TIME | ADDR | PERIOD | WEIGHT_STRUCT | DATA_SRC | PHYS_ADDR):
    put(path, perf_file([attr(sample_type, ('sample_id_all', 'mmap', 'comm', 'mmap2'))], b''.join(data)))


# value: op, level, snoop, TLB, lock, blocked
NUMBER, REMOTE, SNOOPX, BLOCKED, HOPS = 1 << 33, 1 << 37, 1 << 38, 1 << 40, 1 << 43
LEVEL, SNOOP, LOCK, TLB = 1 << 5, 1 << 19, 1 << 24, 1 << 26
TEXTS = {
    0: ('No', 'N/A', 'N/A', 'N/A', 'No', 'N/A'), 1: ('N/A',), 2: ('LOAD',), 3: ('N/A',), 4: ('STORE',), 6: ('LOAD',),
    8: ('PFETCH',), 0x10: ('EXEC',), 0x14: ('STORE',),
    LEVEL: (0, 'N/A'), 2 * LEVEL: (0, 'N/A'), 4 * LEVEL: (0, 'N/A'), 8 * LEVEL: (0, 'L1 '), 0xa * LEVEL: (0, 'L1 hit'),
    0xc * LEVEL: (0, 'L1 miss'), 0xe * LEVEL: (0, 'L1 hit'), 0x12 * LEVEL: (0, 'LFB/MAB hit'), 0x22 * LEVEL: (0, 'L2 hit'),
    0x42 * LEVEL: (0, 'L3 hit'), 0x84 * LEVEL: (0, 'Local RAM miss'), 0x102 * LEVEL: (0, 'Remote RAM (1 hop) hit'),
    0x202 * LEVEL: (0, 'Remote RAM (2 hops) hit'), 0x402 * LEVEL: (0, 'Remote Cache (1 hop) hit'),
    0x802 * LEVEL: (0, 'Remote Cache (2 hops) hit'), 0x1000 * LEVEL: (0, 'I/O '), 0x2000 * LEVEL: (0, 'Uncached '),
    0x62 * LEVEL: (0, 'L2 or L3 hit'),
    # The level's number wins over the older bits, but for hit and miss; 0 and 15 are none.
    NUMBER | 0x22 * LEVEL: (0, 'L1 hit'), 2 * NUMBER: (0, 'L2 '), 3 * NUMBER | 4 * LEVEL: (0, 'L3 miss'), 4 * NUMBER: (0, 'L4 '),
    5 * NUMBER: (0, 'L2 MHB '), 6 * NUMBER: (0, 'Memory-side Cache '), 7 * NUMBER: (0, 'Unknown level 7 '),
    8 * NUMBER: (0, 'Uncached '), 9 * NUMBER: (0, 'CXL '), 10 * NUMBER: (0, 'I/O '), 11 * NUMBER: (0, 'Any cache '),
    12 * NUMBER: (0, 'LFB/MAB '), 13 * NUMBER | 2 * LEVEL: (0, 'RAM hit'), 14 * NUMBER: (0, 'PMEM '),
    15 * NUMBER | REMOTE: (0, 'N/A'), 15 * NUMBER | 0xa * LEVEL: (0, 'L1 hit'), REMOTE: (0, 'N/A'), HOPS: (0, 'N/A'),
    REMOTE | 13 * NUMBER: (0, 'Remote RAM '), REMOTE | HOPS | 3 * NUMBER: (0, 'Remote core, same node L3 '),
    REMOTE | 2 * HOPS | 11 * NUMBER: (0, 'Remote node, same socket Any cache '),
    REMOTE | 3 * HOPS | 13 * NUMBER: (0, 'Remote socket, same board RAM '), REMOTE | 4 * HOPS | NUMBER: (0, 'Remote board L1 '),
    HOPS | NUMBER: (0, 'core, same node L1 '),
    SNOOP: (0, 0, 'N/A'), 2 * SNOOP: (0, 0, 'None'), 4 * SNOOP: (0, 0, 'Hit'), 8 * SNOOP: (0, 0, 'Miss'),
    16 * SNOOP: (0, 0, 'HitM'), 3 * SNOOP: (0, 0, 'N/A or None'), SNOOPX: (0, 0, 'Fwd'), 2 * SNOOPX: (0, 0, 'Peer'),
    16 * SNOOP | 3 * SNOOPX: (0, 0, 'HitM or Fwd or Peer'),
    TLB: (0, 0, 0, 'N/A'), 2 * TLB: (0, 0, 0, 'N/A hit'), 6 * TLB: (0, 0, 0, 'N/A hit miss'), 0xa * TLB: (0, 0, 0, 'L1 hit'),
    0x1a * TLB: (0, 0, 0, 'L1 or L2 hit'), 0x14 * TLB: (0, 0, 0, 'L2 miss'), 0x22 * TLB: (0, 0, 0, 'Walker hit'),
    0x40 * TLB: (0, 0, 0, 'Fault'), 9 * TLB: (0, 0, 0, 'N/A or L1'),
    LOCK: (0, 0, 0, 0, 'N/A'), 2 * LOCK: (0, 0, 0, 0, 'Yes'), 3 * LOCK: (0, 0, 0, 0, 'N/A'),
    BLOCKED: (0, 0, 0, 0, 0, 'N/A'), 2 * BLOCKED: (0, 0, 0, 0, 0, 'Data'), 4 * BLOCKED: (0, 0, 0, 0, 0, 'Addr'),
    6 * BLOCKED: (0, 0, 0, 0, 0, 'Data Addr'), 7 * BLOCKED: (0, 0, 0, 0, 0, 'N/A'),
    # Bits of no field
    0xf << 60 | 1: ('N/A',),
}


def line(value, words):
    words = [w or d for w, d in zip(words + (0,) * 6, TEXTS[0])]
    return '%16x |OP %s|LVL %s|SNP %s|TLB %s|LCK %s|BLK  %s' % (value, *words)


write('all.data', [comm(5)] + [sample(5, i + 1, USER, 0x400000, 0x1000, 1, v) for i, v in enumerate(TEXTS)])
subprocess.run((LIB + '/swap-perfdata', 'all.data', 'swapped.data'), check=True)
want = [line(v, w) for v, w in TEXTS.items()]
for path in ('all.data', 'swapped.data'):
    status, out, err = perf('script', '-i', path, '-F', 'data_src')
    ok(status == 0 and out.splitlines() == want, 'script -F data_src: ' + path,
       [x for x in zip(out.splitlines(), want) if x[0] != x[1]][:3], err)
for key, nr in (('mem', 1), ('snoop', 2), ('tlb', 3), ('locked', 4), ('blocked', 5)):
    rows = [r.split('%', 1)[1].strip() for r in perf('report', '-i', 'all.data', '--stdio', '-s', key)[1].splitlines() if '%  ' in r]
    shown = {(w + (0,) * 6)[nr] or TEXTS[0][nr] for w in TEXTS.values()}
    # perf 7.2.13 takes levels with a number for one row.
    ok(set(rows) == {w.strip() for w in shown}, 'report -s ' + key, sorted(rows), sorted(shown))

put('data.c', '''long table[64] __attribute__((aligned(64))) = { 1 };
long zeroes[64] __attribute__((aligned(64)));
int main(void) { return table[1] + zeroes[1]; }
''')
subprocess.run(('gcc', '-O1', '-no-pie', '-o', 'data', 'data.c'), check=True)
AT = nm('data')
head = []
for pid in (5, 6):
    head.append(comm(pid))
    for r in run('readelf', '-lW', 'data')[1].splitlines():
        w = r.split()
        if w and w[0] == 'LOAD':
            off, va, size = (int(x, 16) for x in (w[1], w[2], w[5]))
            pages = (size + (va & 4095) + 4095) & ~4095
            head.append(mmap(pid, va & ~4095, pages, off & ~4095, TMP + '/data',
                             1 + 4 * ('E' in w[6:]) + 2 * ('RW' in w[6:])))
    head.append(mmap(pid, 0x7e0000000000, 0x10000, 0, '//anon', 3))
    head.append(mmap(pid, 0x7f0000000000, 0x10000, 0, '/dev/shm/x', 3, 1))
IP0, KIP = AT['main'] + 1, 0xffffffff81000010
write('mem.data', head + [
    sample(5, 1, USER, IP0, AT['table'], 10, 0x142, 3, 1, 0x5000), sample(6, 2, USER, IP0, AT['table'], 10, 0x142, 3, 1, 0x5000),
    sample(5, 3, USER, IP0, AT['table'] + 8, 9, 0x142), sample(5, 4, USER, IP0, AT['zeroes'] + 2, 8, 0x142),
    sample(5, 5, USER, IP0, 0x7e0000000048, 7, 0x142), sample(6, 6, USER, IP0, 0x7e0000000048, 7, 0x142),
    sample(5, 7, USER, IP0, 0x7f0000000048, 3, 0x142), sample(6, 8, USER, IP0, 0x7f0000000048, 3, 0x142),
    sample(5, 9, USER, IP0, 0x10, 0, REMOTE | HOPS | 3 * NUMBER | 2 * BLOCKED),
    sample(5, 10, KERNEL, KIP, AT['table'] + 16, 2, 0x142)])


def report(*args):
    status, out, err = perf('report', '-i', 'mem.data', '--stdio', *args)
    return [r.rstrip() for r in out.splitlines() if r and not re.match(r'#$|# \.\.|# To display|# Total Lost|# \(Tip', r)], (status, err)


DEFAULT = '''\
# Samples: 10  of event 'cpu-clock'
# Total weight : 60
# Sort order   : local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,local_ins_lat,local_p_stage_cyc
# Overhead  Local Weight  Memory access                            Symbol                  Shared Object     Data Symbol                   Data Object       Snoop         TLB access              Locked  Blocked     Local INSTR Latency  Local Retire Latency
    33.33%  10            L1 hit                                   [.] main                data              [.] table+0x0                 data              N/A           N/A                     No       N/A        3                    1
    23.33%  7             L1 hit                                   [.] main                data              [.] 0x00007e0000000048        anon              N/A           N/A                     No       N/A        0                    0
    15.00%  9             L1 hit                                   [.] main                data              [.] table+0x8                 data              N/A           N/A                     No       N/A        0                    0
    13.33%  8             L1 hit                                   [.] main                data              [.] zeroes+0x2                data              N/A           N/A                     No       N/A        0                    0
    10.00%  3             L1 hit                                   [.] main                data              [.] 0x00007f0000000048        x                 N/A           N/A                     No       N/A        0                    0
     3.33%  2             L1 hit                                   [k] 0xffffffff81000010  [unknown]         [.] table+0x10                data              N/A           N/A                     No       N/A        0                    0
     1.67%  0             Remote core, same node L3                [.] main                data              [.] 0x0000000000000010        [unknown]         N/A           N/A                     No       Data       0                    0'''
rows, why = report('--mem-mode')
# 7.2.13 looks for the data of a sample of the kernel in the kernel alone: [k] 0x...
ok(rows == DEFAULT.splitlines(), 'report --mem-mode', '\n'.join(rows), why)
# A line is where it begins, a process's own if no file has it. 7.2.13 subtracts from addresses in files what it should not.
rows, why = report('--mem-mode', '-s', 'dcacheline')
ok([r.split(None, 1) for r in rows[4:]] == [
    ['51.67%', '[.] table+0x0'], ['13.33%', '[.] zeroes+0x0'], ['11.67%', '[.] 0x00007e0000000040'],
    ['11.67%', '[.] 0x00007e0000000040'], ['10.00%', '[.] 0x00007f0000000040'], ['1.67%', '[X] 0000000000000000']],
   'report -s dcacheline', '\n'.join(rows), why)
rows, why = report('--mem-mode', '-s', 'weight,local_weight,ins_lat,local_ins_lat,p_stage_cyc,local_p_stage_cyc')
ok(rows[3:5] == ['# Overhead  Weight        Local Weight  INSTR Latency  Local INSTR Latency  Retire Latency  Local Retire Latency',
                 '    33.33%  20            10            6              3                    2               1'],
   'weights of a row, and of each of its samples', '\n'.join(rows), why)
rows, why = report('-s', 'phys_daddr,dso_daddr')
ok(rows[1:5] == ['# Event count (approx.): 10', '# Overhead  Data Physical Address   Data Object',
                 '    30.00%  [.] 0000000000000000    data', '    20.00%  [.] 0000000000000000    anon'] and
   '    20.00%  [.] 0x0000000000005000  data' in rows, 'without --mem-mode samples count', '\n'.join(rows), why)
ok(report('--mem-mode', '-b')[1][0] == 1, '--mem-mode and -b')
write('none.data', [comm(5), record(9, q(1) + ii(5, 5) + q(1), USER)], IP | TID | TIME)
status, out, err = perf('report', '-i', 'none.data', '--mem-mode')
ok(status == 1 and len(err.splitlines()) == 1 and 'no data sources' in err, '--mem-mode of samples without data', err)
done()
