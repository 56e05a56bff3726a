#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# More than perf record can take: threads that come and go, buffers that overflow, a pipe that
# nothing is read from for a while, a slow disk. What is lost is counted, memory is bounded, and
# what was written can be read.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn

gcc -shared -fPIC -o "$T/fault.so" "$lib/fault.c" -ldl || exit 1
cat > "$T/churn.c" <<'E'
#include <pthread.h>
#include <stdlib.h>

static void *thread(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	int left = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t;

	while (left-- > 0)
		if (pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
			return 1;
	return 0;
}
E
gcc -O1 -pthread -o "$T/churn" "$T/churn.c" || exit 1
# peak FILE COMMAND...: run it; the most memory that it, or a child of it, had goes to FILE (kB)
cat > "$T/peak" <<'E'
import os, sys
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
open(sys.argv[1], 'w').write('%d\n' % usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
E
# Of the threads each has its records, or records are said to be lost.
all_known() {
	local forks exits
	"$PERF" script --show-task-events --show-lost-events -F comm,event -i "$T/data" > "$T/events" 2> "$T/script.err" || return 1
	! grep -vE ' (records|samples) were lost' "$T/script.err" || return 1
	forks=$(grep -c '^ *churn .*PERF_RECORD_FORK' "$T/events") exits=$(grep -c '^ *churn .*PERF_RECORD_EXIT' "$T/events")
	echo "$forks forks, $exits exits"
	[ "$forks" -ge 10000 -a "$exits" -ge 10000 ] || { grep -q PERF_RECORD_LOST "$T/events" && says 'Lost '; }
}
bounded() { echo "$(cat "$T/peak.kb") kB"; [ "$(cat "$T/peak.kb")" -le 65536 ]; }
for how in '' -a '-z -g' '-m 1'; do
	python3 "$T/peak" "$T/peak.kb" "$PERF" record -o "$T/data" -e cpu-clock $how "$T/churn" 10000 > "$T/out" 2> "$T/err"
	ok "10,000 short threads ${how:-(no option)}: status"	test $? = 0
	ok "10,000 short threads ${how:-(no option)}: each is there, or losses are"	all_known
	ok "10,000 short threads ${how:-(no option)}: memory"	bounded
done
# Programs that come and go, each a file of its own: the call frame information of those that have gone is dropped.
if [ "$(uname -m)" = x86_64 ]; then
	mkdir "$T/bin"
	for i in {1..300}; do cp /bin/bash "$T/bin/bash$i"; done
	distinct() { # ARGS...: record them all
		python3 "$T/peak" "$T/peak.kb" "$PERF" record -v -o "$T/data" -e cpu-clock:u -F 9999 --call-graph live "$@" -- \
			sh -c "for p in '$T'/bin/*; do \$p -c 'for ((i = 0; i < 1500; i++)); do :; done'; done" > "$T/out" 2> "$T/err"
	}
	# At least 300, and not more than 1 % cut
	walked() { sed -n 's/^\([0-9]*\) user callchains were walked live, \([0-9]*\) are cut$/\1 \2/p' "$T/err" | awk '{ n = $1; cut = $2 } END { exit !(n >= 300 && 100 * cut <= n) }'; }
	distinct --no-max-memory
	ok '300 programs: whole callchains'	walked
	all=$(cat "$T/peak.kb")
	distinct --max-memory=1M
	ok '300 programs, --max-memory: whole callchains'	walked
	echo "# $(cat "$T/peak.kb") of $all kB"
	ok '300 programs, --max-memory: less memory'	eval '[ $((4 * $(cat "$T/peak.kb"))) -le $((3 * all)) ]'
	rm -r "$T/bin"
else
	skip '300 programs' 'on x86-64 only'
fi
# Attached to, and nothing of the process is known before
(until_true test -e "$T/go"; exec "$T/churn" 10000) & pid=$!
begin -e cpu-clock -p $pid
: > "$T/go"
wait $pid $recorder
ok '10,000 short threads of a process that runs: status'	test $? = 0
ok '10,000 short threads of a process that runs: each is there, or losses are'	all_known

# Nothing reads the buffer while the task runs: it overflows.
begin -e cpu-clock -F 10000 -m 1 sh -c "kill -STOP \$PPID; exec '$B' 200"
until_true grep -q ') Z ' "/proc/$(pgrep -P $recorder)/stat"
kill -CONT $recorder
wait $recorder
ok 'a buffer overflows: it is said'	says 'Lost ' '-m '
lost() {
	"$PERF" script -D -i "$T/data" > "$T/out" 2> "$T/script.err"
	grep -qE 'LOST_SAMPLES.*lost samples :[1-9]|PERF_RECORD_LOST' "$T/out"
}
ok 'a buffer overflows: the recording has how many are lost'	lost
ok 'a buffer overflows: the file is whole'	whole "$T/data"

# The reader of a pipe takes something only when there is no room in it, or the writer has ended.
cat > "$T/late" <<'E'
import array, fcntl, os, subprocess, sys, termios, time
r, w = os.pipe()
fcntl.fcntl(w, 1031, 4096)      # F_SETPIPE_SZ
os.set_blocking(w, sys.argv[1] == 'block')
p = subprocess.Popen(sys.argv[3:], stdout=w)
os.close(w)
there = array.array('i', [0])
full = 0
with open(sys.argv[2], 'wb') as f:
    while True:
        before, same = -1, 0
        # Room is too little, too, when it is not used for a while.
        while there[0] < 4096 and same < 50 and p.poll() is None:
            time.sleep(0.001)
            fcntl.ioctl(r, termios.FIONREAD, there)
            same = same + 1 if there[0] == before and before else 0
            before = there[0]
        full += p.poll() is None
        there[0] = 0
        piece = os.read(r, 4096)
        if not piece:
            break
        f.write(piece)
sys.exit(p.wait() & 255 or (100 if full < 3 else 0))
E
for mode in block nonblock; do
	timeout 60 python3 "$T/late" $mode "$T/data" "$PERF" record -o - -e cpu-clock -F 5000 -g "$B" 100 2> "$T/err"
	ok "a full pipe, ${mode}ing: status"	test $? = 3
	stream() {
		"$PERF" script -i - -F time < "$T/data" > "$T/times" 2> "$T/script.err" || { cat "$T/script.err"; return 1; }
		[ "$(grep -c . "$T/times")" = "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$T/err")" ]
	}
	ok "a full pipe, ${mode}ing: all that was counted is there" stream
done
for c in 'script' 'report -D' 'data convert --to-json -'; do
	"$PERF" $c -i "$lib/../golden/c/mixed.data" > "$T/plain" 2> "$T/err"
	timeout 60 python3 "$T/late" nonblock "$T/late.out" "$PERF" $c -i "$lib/../golden/c/mixed.data" 2> "$T/err"
	ok "$c to a full pipe that does not block" cmp "$T/plain" "$T/late.out"
done
# And a stream that is not there yet
slow_input() {
	python3 -c '
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(r, False)
p = subprocess.Popen(sys.argv[2:], stdin=r)
os.close(r)
data = open(sys.argv[1], "rb").read()
for piece in data[:5], data[5:20], data[20:3000], data[3000:]:
    time.sleep(0.2)
    os.write(w, piece)
os.close(w)
sys.exit(p.wait())' "$lib/../golden/c/pipe.defer.data" "$PERF" script -i - > "$T/slow" 2> "$T/err" &&
		"$PERF" script -i - < "$lib/../golden/c/pipe.defer.data" 2>/dev/null | cmp - "$T/slow"
}
ok 'a stream that comes in pieces and does not block'	slow_input

FAULT=writev:1+:slow LD_PRELOAD=$T/fault.so rec -e cpu-clock -F 10000 -g -m 1 "$B" 100
ok 'a slow disk: status'	test "$status" != 1
ok 'a slow disk: the file is whole'	whole "$T/data"
slow_losses() { lost && says 'Lost '; }
ok 'a slow disk: losses, if any, are in the file and said' eval 'slow_losses || ! grep -q "Lost " "$T/err"'

# A target that is killed
for how in KILL SEGV; do
	"$B" 100000 0 4 & pid=$!
	begin -e cpu-clock -F 2000 -g -p $pid
	sleep 0.3
	kill -$how $pid; wait $pid 2>/dev/null
	wait $recorder
	ok "a target gets SIG$how: status"	test $? = 0
	FIELDS=pid,tid,time ok "a target gets SIG$how: its recording"	same "$T/data" 5
done
finish
