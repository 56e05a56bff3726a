#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Faults while recording: no hang, no file that cannot be read, a clear line. (A full disk:
# disk-full.t.)
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn
PERF_BIN=$PERF
PERF_T() { timeout 60 "$PERF_BIN" "$@"; }

bad=0 empty=0 why=
for i in 1 2 3 4 5 6 7 8 9 10; do
	rm -f "$T/data"
	"$PERF" record -o "$T/data" -e cpu-clock -F 20000 --call-graph fp -m 2 "$B" 100000 2>/dev/null & recorder=$!
	# every other one while it begins
	[ $((i % 2)) = 0 ] || until_true test -s "$T/data"
	sleep "0.$((RANDOM % 5 * (i % 2)))$((RANDOM % 10))"
	# stopped it starts none that would run on
	kill -STOP $recorder
	child=$(pgrep -P $recorder)
	kill -9 $recorder
	wait $recorder 2>/dev/null
	[ -z "$child" ] || kill -9 $child 2>/dev/null
	if [ ! -s "$T/data" ]; then empty=$((empty + 1)); continue; fi
	# the names of events stand at the end: not there yet
	FIELDS=pid,tid,time same "$T/data" 0 > "$T/why" && whole "$T/data" >> "$T/why" || { bad=$((bad + 1)); why=$(head -n 3 "$T/why"); }
done
ok "kill -9 at ten random moments: every file reads to its last record ($why)" test $bad = 0
ok 'kill -9: those that ran a while had something'	test $empty -le 5

"$W/forker" 400 > /dev/null & load=$!
fail=0
for i in 1 2 3 4 5; do
	PERF_T record -q -a -o "$T/data" -e cpu-clock -F 100 true 2> "$T/err" || fail=1
	[ ! -s "$T/err" ] || fail=2
done
kill $load 2>/dev/null; wait $load 2>/dev/null
ok 'tasks that vanish during synthesis are no error' test $fail = 0
for i in 1 2 3 4 5 6 7 8; do
	"$B" 2 10 & pid=$!
	PERF_T record -q -o "$T/data" -e cpu-clock -p $pid 2> "$T/err"
	status=$?
	wait $pid
	[ $status = 0 ] || grep -qE 'there is no process|have all ended' "$T/err" || fail=3
done
ok 'a target that ends while it is attached to' test $fail = 0

: > ready
"$W/many" 5000 600 > ready & pid=$!
until_true grep -q ready ready
begin -e cpu-clock -p $pid
kill -INT $recorder; wait $recorder
kill $pid; wait $pid 2>/dev/null
threads_known() { [ "$(records "$T/data" COMM)" -ge 5000 ]; }
ok '5,000 threads: recorded'	test -s "$T/data"
ok '5,000 threads: all are known' threads_known
ok '5,000 threads: no complaint' no_complaint "$T/data"

: > ready
"$W/many" 200 600 > ready & pid=$!
until_true grep -q ready ready
BEFORE='prlimit --nofile=64:4096' begin -e cpu-clock -p $pid
kill -INT $recorder; wait $recorder
ok 'descriptor limit 64, soft: raised' test -s "$T/data"
if [ "$(id -u)" = 0 ]; then
	(ulimit -n 64; timeout -s INT 5 "$PERF" record -o "$T/data" -e cpu-clock -p $pid 2> "$T/err")
	# a root without CAP_SYS_RESOURCE can't
	ok 'descriptor limit 64, root: raised or explained' grep -qE 'Captured|too many open files' "$T/err"
	kill $pid; wait $pid 2>/dev/null
	chmod 755 "$T"; mkdir -m 777 "$T/nobody"; install -m 755 "$PERF" "$W/many" "$T/nobody"; cd "$T/nobody"
	paranoid_lock
	[ ! -w $sysctl ] || echo 2 > $sysctl
	prlimit --nofile=64:64 setpriv --reuid=65534 --regid=65534 --clear-groups sh -c \
		'./many 200 600 > ready & pid=$!; while ! grep -q ready ready; do sleep 0.1; done
		 ./perf record -o data -e cpu-clock:u -p $pid; s=$?; kill $pid; exit $s' 2> "$T/err"
	status=$?
	paranoid_unlock
	cd "$T"
	ok 'descriptor limit 64, hard: explained' says 'too many open files' 'ulimit -n'
	ok 'descriptor limit 64, hard: status' test $status = 1
else
	kill $pid; wait $pid 2>/dev/null
	skip 'descriptor limit 64, hard' 'not root'
fi

closed() {
	PERF_T record -o - -e cpu-clock -F 20000 -m 1 "$B" 1000 2> "$T/err" | head -c 5000 > /dev/null
	[ "${PIPESTATUS[0]}" = 1 ]
}
ok 'output to a closed pipe: ends with status 1' closed
ok 'output to a closed pipe: a clear line' says 'is gone'
PERF_T record -o "$T/data" -e cpu-clock "$B" 60 2> "$T/err" >&-
ok 'standard output closed'	same "$T/data" 5
PERF_T record -o "$T/data" -e cpu-clock "$B" 60 2>&-
ok 'standard error closed'	same "$T/data" 5
PERF_T record -o "$T/data" -e cpu-clock -F 20000 --call-graph fp -m 1 -a "$B" 200 100 2> "$T/err"
if grep -q 'Lost' "$T/err"; then
	ok 'losses are reported, with advice' says '-m ' '-F'
fi
# A few events may be out of order: the kernel takes longer to write one, when the host or interrupts hold up its
# CPU, than the recorder takes for two rounds of such buffers. Recordings by Debian's perf have them as often.
nearly_in_order() { whole "$T/data" || ! grep -vxE '[1-9] out of order events recorded\.' "$T/left"; }
ok 'small buffers: the file is whole' nearly_in_order
PERF_T record -o /dev/full -e cpu-clock true 2> "$T/err"
status=$?
ok '/dev/full: status'		test $status = 1
PERF_T record -o /dev/null -e cpu-clock "$B" 60 2> "$T/err"
ok '/dev/null'			test $? = 3

# Compression that fails: one line that names the reason, not the number of another error
cat > "$T/nozstd.c" <<'EOF'
#include <stddef.h>
size_t ZSTD_compressStream2(void *c, void *out, void *in, int how)
{
	return (size_t)-64;	/* ZSTD_error_memory_allocation */
}
EOF
gcc -shared -fPIC -o "$T/nozstd.so" "$T/nozstd.c"
LD_PRELOAD=$T/nozstd.so PERF_T record -z -o "$T/data" -e cpu-clock -g true > /dev/null 2> "$T/err"
status=$?
ok 'compression fails: status'			test $status = 1
ok 'compression fails: why, in one line'	says 'data: Cannot allocate memory'
ok 'compression fails: nothing else'		test "$(grep -c '^perf: ' "$T/err")" = 1
finish
