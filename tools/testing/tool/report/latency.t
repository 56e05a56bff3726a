#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --latency and --parallelism: a made-up recording of three threads and their context
# switches, as perf 7.2.13 prints it; and what has no switches, or only those of one thread.
. "$(dirname "$0")/../../lib/scratch.sh"

python3 - <<'EOF' || { echo "Bail out! cannot make recordings"; exit 1; }
from perfdata import *

OUT = 1 << 13

def task(tid, time):
    return ii(1, tid) + q(time)

def write(name, records, flags=('sample_id_all', 'mmap', 'comm', 'context_switch'), chains=True):
    kind = IP | TID | TIME | PERIOD | (CALLCHAIN if chains else 0)
    data = b''
    for time, r in enumerate(records, 100):
        tid = r[1]
        if r[0] == 'in':
            data += record(14, task(tid, time))
        elif r[0] == 'out':
            data += record(14, task(tid, time), OUT)
        elif r[0] == 'exit':
            data += record(4, ii(1, 1, tid, 1) + q(time) + task(tid, time))
        elif r[0] == 'comm':
            data += record(3, ii(1, tid) + string(r[2]) + task(tid, time))
        else:
            chain = q(1 + len(r[2:]), -512, *r[2:]) if chains else b''
            data += record(9, q(r[2]) + ii(1, tid) + q(time, 60000) + chain, 2)
    with open(name, 'wb') as f:
        f.write(perf_file([attr(kind, flags)], data))

main, two, three = 1, 2, 3
alone = [('comm', main, 'main'), ('in', main), ('sample', main, 0x1000, 0x2000), ('sample', main, 0x1000, 0x2000)]
both = [('comm', two, 'worker'), ('in', two), ('sample', main, 0x1000, 0x2000), ('sample', two, 0x3000, 0x4000),
        ('sample', two, 0x3000, 0x2000)]
# Switched in twice, switched out twice, and gone without a switch.
odd = [('in', two), ('sample', two, 0x3000, 0x4000), ('comm', three, 'worker'), ('in', three),
       ('sample', three, 0x3000, 0x5000), ('exit', three), ('sample', two, 0x6000, 0x4000), ('out', two), ('out', two),
       ('sample', main, 0x1000, 0x2000), ('out', main), ('sample', main, 0x1000, 0x2000)]
write('threads.data', alone + both + odd)
write('plain.data', alone + both + odd, chains=False)
write('one.data', alone * 2)
write('without.data', alone + both, flags=('sample_id_all', 'mmap', 'comm'))
EOF

# What is expected stands below, behind the line with the arguments.
check() { # FILE ARGS...
	sed -n "\\|^== $*\$|,/^==/{/^==/!p}" "$here/latency.txt" > want
	"$perf" report --stdio -i "$@" 2> err | sed '/^#/{/Tip/d;/Overhead\|Latency\|Parallelism/!d};/^$/d' > out
	[ -s want ] && diff want out > diff
	ok $? "$*" diff
}
while read -r _ args; do
	# shellcheck disable=SC2086
	check $args
done < <(grep '^== ' "$here/latency.txt")

refuse() { # PATTERN ARGS...
	local pattern=$1 status
	shift
	"$perf" report --stdio "$@" > out 2> err
	status=$?
	[ $status = 1 ] && [ "$(wc -l < err)" = 1 ] && grep -qE -- "$pattern" err
	ok $? "$*: status $status, $(head -c 100 err)" err
}
refuse 'how many threads ran when.*--latency' -i without.data --latency
refuse '-s parallelism: .*record with --latency' -i without.data -s parallelism
refuse '-F latency: .*record with --latency' -i without.data -F latency
refuse '--parallelism: .*record with' -i without.data --parallelism 1
refuse 'no sample passes the filters: --parallelism 9' -i threads.data --parallelism 9
for j in 1 2; do
	"$perf" report --stdio -j $j --latency -i threads.data > jobs.$j 2>&1
done
cmp -s jobs.1 jobs.2
ok $? 'two workers print what one prints'
"$perf" record --dry-run -vv -e cpu-clock --latency true 2>&1 | grep -q 'context_switch  *1'
ok $? 'record --latency: context switches'

# -T, as perf 7.2.13 prints it.
python3 - <<'EOF'
from perfdata import *
ids = ('sample_id_all', 'mmap', 'comm')
attrs = [attr(IDENTIFIER | IP | TID | TIME, ids, config=c, read_format=4) for c in (0, 2)]
data = record(9, q(1, 0x1000) + ii(1, 1) + q(1), 2)
for n, (tid, id, value) in enumerate(((3, 1, 7), (1, 1, 12345678901), (3, 2, 5), (3, 1, 10), (1, 2, 0))):
    data += record(8, ii(1, tid) + q(value, id) + ii(1, tid) + q(n, id))
open('counts.data', 'wb').write(perf_file(attrs, data, None, [[1], [2]]))
EOF
cat > want <<'T'
# PID  TID    cpu-clock  page-faults
    1    3           17            5
    1    1  12345678901            0
T
"$perf" report --stdio -T -i counts.data 2> err | sed -n '/PID/,$p' | diff want - > diff
ok $? '-T: counts of threads' diff
"$perf" report --stdio -T -i plain.data > out 2> err
grep -q 'no counts of threads: record with perf record -s' err && ! grep -q PID out
ok $? '-T without counts' err
plan
