#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What works on several threads, built with ThreadSanitizer (by make test-races): no data race in
# report and script on eight threads, in record, in what makes unwind tables, nor in the unit tests
# that start threads; and what report says of bad records does not depend on how many threads met
# them.
. "$(dirname "$0")/../../lib/tap.sh"
O=$(realpath "${O:-build}")
perf=$(realpath "${PERF:-build/perf}")
tsan=$O/test/perf-tsan
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PERF_CONFIG=/dev/null PYTHONDONTWRITEBYTECODE=1
# 66: nothing else ends with it. Libraries that are not built with it are not looked into.
export TSAN_OPTIONS=exitcode=66:ignore_noninstrumented_modules=1

# clean NAME COMMAND...: ends with status 0 or 1, and no race was reported
clean() {
	local name=$1
	shift
	timeout 120 "$@" > "$tmp/out" 2> "$tmp/err"
	[ $? -le 1 ] && ! grep -qa ThreadSanitizer "$tmp/err"
	ok $? "$name" "$tmp/err"
}

# Recordings with more samples than one thread takes at a time: a golden one's records many
# times over, and one of whose samples some are bad.
python3 - "$lib" "$tmp" <<'EOF' || { echo "Bail out! cannot make recordings"; exit 1; }
import struct, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
golden, tmp = sys.argv[1] + '/../golden/c/', sys.argv[2] + '/'


def again(name, n):
    d = bytearray(open(golden + name, 'rb').read())
    at, size = struct.unpack_from('<QQ', d, 40)
    more = bytes(d[at:at + size]) * (n - 1)
    features = sum(bin(w).count('1') for w in struct.unpack_from('<4Q', d, 72))
    for i in range(features):
        pos = at + size + 16 * i
        struct.pack_into('<Q', d, pos, struct.unpack_from('<Q', d, pos)[0] + len(more))
    struct.pack_into('<Q', d, 48, n * size)
    open(tmp + name, 'wb').write(d[:at + size] + more + d[at + size:])


again('multi.defer.data', 16)
again('deepsys.dwarf.data', 60)
again('threads.defer.data', 30)


def task(p, t):
    return ii(p, p) + q(t)


out = []
for p in range(100, 108):
    out += [record(3, ii(p, p) + string('task%d' % p) + task(p, p)),
            record(10, ii(p, p) + q(0x400000, 0x200000, 0) + bytes(24) + ii(5, 2) + string('/bin/bash') + task(p, p), 2)]
# script takes threads for 20000 samples and more, on two CPUs and more.
short = [record(9, q(0x400000 + i) + ii(100, 100) + q(1000 + i, 2, -512, 0x400000 + i * 7919 % 0x120000), 2) for i in range(20500)]
open(tmp + 'many.data', 'wb').write(perf_file([attr(IP | TID | TIME | CALLCHAIN)], b''.join(out + short), {3: feature_string('h')}))
for i in range(6000):
    ips = [-512] + [0x400000 + i * 7919 * k % 0x120000 for k in range(1, 9)]
    p = 100 + i % 8
    # The first bad one is the last of its chunk: other threads meet theirs before.
    bad = i == 500 or i > 512 and i % 32 == 0
    out.append(record(9, q(ips[1]) + ii(p, p) + q(1000 + i, len(ips) + (1000 if bad else 0), *ips), 2))
open(tmp + 'bad.data', 'wb').write(perf_file([attr(IP | TID | TIME | CALLCHAIN)], b''.join(out), {3: feature_string('h')}))
EOF

for f in multi.defer deepsys.dwarf threads.defer bad; do
	args=(--symfs "$lib/../golden/c/symfs" --kallsyms "$lib/../golden/c/kallsyms" -i "$tmp/$f.data")
	clean "report -j 8, $f" "$tsan" report --stdio -j 8 "${args[@]}"
	clean "report -j 8 --inline -s sym,srcline, $f" "$tsan" report --stdio -j 8 --inline -s sym,srcline -g caller "${args[@]}"
done
clean "script" "$tsan" script -i "$tmp/many.data"
clean "report -j 8 --flamegraph" "$tsan" report -j 8 --flamegraph="$tmp/flame.svg" -i "$tmp/bad.data"
for test in "$O"/test/tsan/*; do
	[ -x "$test" ] && [[ $test != *.d ]] && clean "unit test ${test##*/}" "$test"
done
if "$perf" record -q -o "$tmp/record.data" true > "$tmp/err" 2>&1; then
	clean "record" "$tsan" record -o "$tmp/record.data" -e cpu-clock -g sh -c 'sh -c true; true'
	clean "record --switch-output -z" "$tsan" record -o "$tmp/record.data" -z --switch-output=64k -e cpu-clock -g sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	clean "record -o -" "$tsan" record -o - -e cpu-clock -g true
else
	skip record "perf record cannot record here: $(head -1 "$tmp/err")"
fi

# Unwind tables: made on all cores into one cache, by two at once, and for what is recorded on a kernel that
# seems to take them.
gcc -shared -fPIC -I"$lib/../../../include/uapi" -o "$tmp/fake.so" "$lib/fake-tables.c"
ok $? "a kernel that seems to take tables"
mkdir "$tmp/home"
files=(/bin/bash /bin/ls /bin/cp /bin/sort /usr/bin/env "$perf")
HOME=$tmp/home timeout 120 "$tsan" unwind --cache "${files[@]}" > "$tmp/out2" 2> "$tmp/err2" &
HOME=$tmp/home clean "unwind --cache" "$tsan" unwind --cache "${files[@]}"
grep -q '^[0-9]* tables made' "$tmp/out"
ok $? "unwind --cache makes tables" "$tmp/out"
wait $! && ! grep -qa ThreadSanitizer "$tmp/err2"
ok $? "unwind --cache, the other one" "$tmp/err2"
if "$perf" record -q -o "$tmp/record.data" true > /dev/null 2>&1; then
	HOME=$tmp/home TABLES_LOG=$tmp/tables FAKE=$tmp/fake.so clean "record --call-graph table" \
		sh -c 'LD_PRELOAD=$FAKE exec "$@"' sh "$tsan" record -o "$tmp/record.data" -e cpu-clock --call-graph table \
		sh -c 'ls /; sort /etc/passwd; true'
	grep -q libc "$tmp/tables"
	ok $? "record --call-graph table registers tables" "$tmp/tables"
fi

# The message, and the count.
"$perf" report -v --stdio -i "$tmp/bad.data" -j 1 2>&1 > /dev/null | grep -a 'left out' > "$tmp/one"
[ "$(wc -l < "$tmp/one")" = 2 ] && grep -q ' 172 records' "$tmp/one"
ok $? "bad records: one line, and their number with -v" "$tmp/one"
for j in 2 3 8 8 8 8; do
	"$perf" report -v --stdio -i "$tmp/bad.data" -j $j 2>&1 > /dev/null | grep -a 'left out' | diff "$tmp/one" -
done > "$tmp/diff"
[ ! -s "$tmp/diff" ]
ok $? "bad records: the same lines from several threads" "$tmp/diff"

# Threads that cannot be started, all but so many: fewer do the work.
cat > "$tmp/nothread.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <pthread.h>
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static int nr;
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");

	errno = ENOENT;
	return nr++ < atoi(getenv("THREADS")) ? create(thread, attr, fn, arg) : EAGAIN;
}
EOF
gcc -shared -fPIC -o "$tmp/nothread.so" "$tmp/nothread.c"
for n in 0 1; do
	for command in 'report --stdio -j 4' 'report --stdio -j 4 -s tid,sym -g caller' script; do
		# shellcheck disable=SC2086
		"$perf" $command -i "$tmp/bad.data" > "$tmp/one" 2>&1
		# shellcheck disable=SC2086
		THREADS=$n LD_PRELOAD=$tmp/nothread.so "$perf" $command -i "$tmp/bad.data" > "$tmp/few" 2>&1
		cmp "$tmp/one" "$tmp/few" > "$tmp/diff" && [ -s "$tmp/one" ]
		ok $? "no more than $n threads can be started: perf $command" "$tmp/few"
	done
done
plan
