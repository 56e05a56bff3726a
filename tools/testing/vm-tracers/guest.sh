#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: tracers that know nothing of unwind tables take stacks of Debian's own
# programs, which have no frame pointers: without perf unwind --serve, and with it.
export HOME=/tmp PATH=/stock:$PATH LC_ALL=C
tracing=/sys/kernel/tracing
. /in/inputs.sh
# A program's code is then at the same address each time (stacks.py).
echo 0 > /proc/sys/kernel/randomize_va_space
printf '#!/bin/sh\nwhile :; do :; done\n' > /tmp/stop
chmod +x /tmp/stop

perf_record() { # MODE PROGRAM COMMAND...: by Debian's perf, along frame pointers
	name=perf-$2.$1
	shift 2
	/peer/perf record -q -o "$name.data" -g -e cpu-clock:u -F 499 -- "$@" > /dev/null 2> "$name.err"
	echo $? > "$name.status"
}

ftrace() { # MODE PROGRAM COMMAND...: at each read and write
	name=ftrace-$2.$1
	shift 2
	echo > $tracing/trace
	echo 'id == 0 || id == 1' > $tracing/events/raw_syscalls/sys_enter/filter
	echo 1 > $tracing/options/userstacktrace
	echo 1 > $tracing/events/raw_syscalls/sys_enter/enable
	sh -c 'echo $$ > /sys/kernel/tracing/set_event_pid; exec "$@"' sh "$@" > /dev/null 2>&1
	echo 0 > $tracing/events/raw_syscalls/sys_enter/enable
	cat $tracing/trace > "$name.txt"
}

bpftrace() { # MODE PROGRAM COMMAND...: a count for each user stack of bpf_get_stackid()
	name=bpftrace-$2.$1
	program='profile:hz:199 /comm == "'$2'"/ { @[ustack(perf, 127)] = count(); } BEGIN { printf("ready\n"); }
		profile:hz:199 /comm == "stop"/ { exit(); }'
	shift 2
	/peer/bpftrace -B none -e "$program" > "$name.txt" 2> "$name.err" &
	tracer=$!
	until grep -q ready "$name.txt" || ! kill -0 $tracer; do sleep 0.2; done
	"$@" > /dev/null
	# Not by a signal: bpftrace 0.17 ends only if it interrupts its epoll_wait(), and takes its handler away
	# before it prints.
	/tmp/stop &
	wait $tracer
	kill $!
}

all() { # MODE
	perf_record $1 perl perl /in/work.pl 6
	perf_record $1 python3 python3 /in/work.py 16
	perf_record $1 sort sort -k2,3 -k1n -o /tmp/sorted /tmp/text
	perf_record $1 bash bash /tmp/script.sh 100
	perf_record $1 sqlite3 sqlite3 /tmp/db.$1 '.read /tmp/work.sql'
	ftrace $1 gzip /stock/gzip -kf /tmp/text
	ftrace $1 sort /stock/sort -o /tmp/sorted /tmp/text
	bpftrace $1 perl perl /in/work.pl 6
	bpftrace $1 sqlite3 sqlite3 /tmp/db.bpf.$1 '.read /tmp/work.sql'
}

all without
perf unwind --status > none.out 2> none.err
echo $? > none.status
perf unwind --serve 2> serve.err &
service=$!
until grep -q registered serve.err || ! kill -0 $service; do sleep 0.2; done
perf unwind --serve 2> second.err
echo $? > second.status
# Tables of what starts are registered while it runs: nothing waits for them.
all first
perf unwind --status > status 2>&1
all with
perf unwind --status > status.end 2>&1
cat /sys/kernel/debug/unwind/stats > stats
kill -TERM $service
wait $service
echo $? > serve.status
# (their memory counts until no walk uses it)
for i in $(seq 100); do
	cat /sys/kernel/debug/unwind/stats > stats.end
	! grep -qx 'tables 0' stats.end || break
	sleep 0.1
done
ls /run/perf-unwind > left
