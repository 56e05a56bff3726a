#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The file: header, pipes, compression, several files, buffers written over.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn

rec -e cpu-clock -g "$B" 20
for h in 'hostname : ' 'os release : ' 'perf version : ' "arch : $(uname -m)" 'nrcpus online : ' 'nrcpus avail : ' \
	'cpudesc : ' 'total memory : ' 'cmdline : .*record.*-e cpu-clock -g' 'event : name = cpu-clock' \
	'sibling ' 'pmu mappings: ' 'time of first sample : [1-9]' 'time of last sample : [1-9]' 'sample duration'; do
	ok "header: ${h%% :*}" header "$T/data" "$h"
done
[ ! -e /sys/devices/system/node/node0 ] || ok 'header: nodes' header "$T/data" 'node0 meminfo'
[ ! -e /sys/devices/system/cpu/cpu0/cache/index0 ] || ok 'header: caches' header "$T/data" 'L1 Data'
[ ! -e /sys/devices/system/memory/block_size_bytes ] || ok 'header: memory' header "$T/data" 'memory nodes \(nr [1-9]'
missing() {
	local f
	for f in HOSTNAME CMDLINE EVENT_DESC SAMPLE_TIME PMU_MAPPINGS CPU_TOPOLOGY; do
		! header "$T/data" "missing features:.*\\b$f\\b" || { echo "$f is missing"; return 1; }
	done
}
ok 'header: what applies is there' missing
ours_too() { "$PERF" report --stdio -i "$T/data" 2>/dev/null | grep -q "^# Samples: [0-9]* *of event 'cpu-clock'"; }
ok 'our report reads it' ours_too

ids() { "$THEIRS" buildid-list -i "$T/data" 2>/dev/null | grep -E '^[0-9a-f]{8,40} ' > "$T/ids"; test -s "$T/ids"; }
ok 'build-ids in map records'	test "$(debian report -D -i "$T/data" 2>/dev/null | grep -acE 'PERF_RECORD_MMAP2.*<[0-9a-f]{40}>.*')" -ge 1
rec -e cpu-clock --buildid-all /bin/true
ok '--buildid-all'		ids
has_libc() { grep -q 'libc.so.6' "$T/ids"; }
ok '--buildid-all: what was mapped' has_libc
build_id_is_true() {
	local want
	want=$(readelf -n /bin/true | awk '/Build ID/ { print $3 }')
	grep -q "^$want .*true" "$T/ids"
}
ok '--buildid-all: the id is that of the file' build_id_is_true
rec -e cpu-clock --no-buildid-mmap /bin/true
ok '--no-buildid-mmap: a table'	ids
# one that works and one that only has its libraries mapped
sleep 600 & sleeper=$!
"$B" 100000 0 4 & burner=$!
asleep() { [ "$(cat /proc/$sleeper/comm)" = sleep ] && [ "$(awk '{ print $3 }' /proc/$sleeper/stat)" = S ]; }
until_true asleep
table() { # OPTION...: the files in the table, by their last names
	begin -e cpu-clock --no-buildid-mmap "$@" -p $sleeper,$burner
	sleep 0.3
	kill -INT $recorder; wait $recorder
	ids
	grep -oE '[^ /]+$' "$T/ids" | sort -u | tr '\n' ' ' > "$T/table"
	cat "$T/table"
}
only_hit() { table "$@"; grep -qw burn "$T/table" && ! grep -qE 'libc|sleep' "$T/table"; }
every() { table "$@"; grep -qw burn "$T/table" && grep -q libc "$T/table" && grep -q sleep "$T/table"; }
ok '--no-buildid-mmap: files with samples'	only_hit
ok '--no-buildid-mmap -z: files with samples'	only_hit -z -g
ok '--no-buildid-mmap --buildid-all: all'	every --buildid-all
kill $sleeper $burner; wait $sleeper $burner 2>/dev/null
rec -B -e cpu-clock /bin/true
# Ours reads it: with another recorder's flag (mmap2_has_build_id()) 6.1 takes numbers for build-ids.
no_ids() { ! ids && ! "$PERF" report -D -i "$T/data" 2>/dev/null | grep -aqE 'MMAP2.*<[0-9a-f]{40}>'; }
ok '-B'				no_ids
rm -rf "$HOME/.debug"
rec -N -e cpu-clock "$B" 20
ok '-N: nothing in ~/.debug'	test ! -e "$HOME/.debug"

echo old > "$T/data"
"$PERF" record -o "$T/data" -e cpu-clock true 2> "$T/err"
old() { [ "$(cat "$T/data.old")" = old ]; }
ok 'an older file becomes .old' old
rec -e cpu-clock "$B" 20
private() { [ "$(stat -c %a "$T/data")" = 600 ]; }
ok 'a recording is its owner'"'"'s'	private
# A FIFO: its reader may come later, or never, and may go.
mkfifo "$T/fifo"
(sleep 0.5; exec timeout 20 cat "$T/fifo" > "$T/from_fifo") &
timeout -k 1 20 "$PERF" record -q -o "$T/fifo" -e cpu-clock true 2> "$T/err"
wait $!
ok 'a FIFO: a reader that comes later'	same "$T/from_fifo"
gone() { timeout 20 head -c 100000 "$T/fifo" > "$T/out" & timeout -k 1 20 "$PERF" record -q -o "$T/fifo" -e cpu-clock -c 100000 "$B" 1000 2> "$T/err"
	status=$?; [ $status != 137 ] && [ $status != 124 ] && says 'is gone'; }
ok 'a FIFO: its reader has gone'	gone
never() { timeout -k 2 1 "$PERF" record -q -o "$T/fifo" -e cpu-clock true 2> "$T/err"; [ $? = 124 ] && says 'nobody reads'; }
ok 'a FIFO: a signal while nobody reads'	never
# What another user has put into a folder as /tmp, where all may do so
if [ "$(id -u)" = 0 ]; then
	mkdir -m 1777 "$T/shared"
	mkdir "$T/mine"
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "umask 0; cd $T/shared && $1"; }
	chmod 755 "$T"
	as_nobody ': > file; mkfifo fifo; ln -s ../mine/new link; ln -s ../mine/empty link2'
	chmod 700 "$T"
	: > "$T/mine/empty"
	planted() { # COMMAND...: is refused, and writes nothing
		! timeout 20 "$PERF" "$@" 2> "$T/err" > "$T/out" && says 'another user has put it' &&
		[ "$(ls "$T/mine" "$T/shared" | xargs)" = "$T/mine: empty $T/shared: fifo file link link2" ] &&
		[ ! -s "$T/shared/file" ] && [ ! -s "$T/mine/empty" ]
	}
	for f in file fifo link link2; do
		ok "another user's $f: record"		planted record -q -o "$T/shared/$f" -e cpu-clock true
		ok "another user's $f: inject"		planted inject -i "$T/data" -o "$T/shared/$f"
		ok "another user's $f: data convert"	planted data convert -i "$T/data" --to-folded "$T/shared/$f"
		ok "another user's $f: flame graph"	planted report -i "$T/data" --flamegraph="$T/shared/$f"
	done
	chown -h 0:0 "$T/shared"/*
	own() { (cd "$T/shared" && "$PERF" record -q -o file -e cpu-clock true && "$PERF" record -q -o link -e cpu-clock true) &&
		[ -s "$T/shared/file" ] && [ -s "$T/mine/new" ]; }
	ok 'a file and a link of ours in such a folder' own
else
	skip 'files of others in /tmp' 'not root'
fi
# Not a pipe, which would take the recording: prove reads one.
(cd "$T" && "$PERF" record -q -e cpu-clock true > /dev/null)
ok 'perf.data is the default'	test -s "$T/perf.data"

pipe() { # OPTION...
	"$PERF" record -q -o - -e cpu-clock "$@" > "$T/pipe" 2> "$T/err"
	debian script -i - -G -F tid,time,event < "$T/pipe" 2>/dev/null | squeeze > "$T/theirs.txt"
	"$PERF" script -i - -G -F tid,time,event < "$T/pipe" 2>/dev/null | squeeze > "$T/ours.txt"
	[ "$(wc -l < "$T/theirs.txt")" -ge 5 ] && diff "$T/theirs.txt" "$T/ours.txt"
}
ok '-o -: a pipe'		pipe "$B" 20
ok '-o -: -a'			pipe -a "$B" 20
ok '-o -: two events'		pipe -e page-faults "$B" 20
ok '-o -: compressed'		pipe -z "$B" 20
ok '-o -: a tracepoint'		pipe -e raw_syscalls:sys_enter "$B" 20
ok '-o -: two tracepoints'	pipe -e raw_syscalls:sys_enter -e sched:sched_switch "$B" 20
"$PERF" record -q -e cpu-clock "$B" 20 | cat > "$T/pipe"
pipe_by_itself() { [ "$(debian script -i - < "$T/pipe" 2>/dev/null | grep -c burn)" -ge 5 ]; }
ok 'standard output that is a pipe takes the recording' pipe_by_itself
ids_in_pipe() {
	"$PERF" record -q -o - -e cpu-clock --no-buildid-mmap "$B" 20 > "$T/pipe" 2> "$T/err"
	# Theirs aborts after the first one, and loses the lines that it has not written yet.
	stdbuf -oL "$THEIRS" report --kallsyms /dev/null -D -i - < "$T/pipe" 2>/dev/null | grep -aq 'PERF_RECORD_BUILD_ID'
}
ok '-o - --no-buildid-mmap: ids as records'	ids_in_pipe
pipe_name() { # NAME EVENT
	"$PERF" record -q -o - -e "$2" "$B" 20 > "$T/pipe" 2> "$T/err"
	[ "$(debian script -i - -G -F event < "$T/pipe" 2>/dev/null | tr -d ': ' | sort -u)" = "$1" ] &&
		# perf 7.2 knows it from this record alone.
		debian report -D -i - < "$T/pipe" 2>/dev/null | grep -a -A2 EVENT_UPDATE | grep -aq "name: *$1"
}
ok '-o -: the name of an event'	pipe_name mine cpu-clock/name=mine/
pipe_header() { "$THEIRS" report -i - --header-only < "$T/pipe" 2>/dev/null | grep -q 'cmdline : '; }
ok '-o -: features'		pipe_header

rec -e cpu-clock -F 20000 -z -g "$B" 60
ok '-z: both readers'		same "$T/data" 100
ok '-z: the end line'		says 'compressed (original' 'ratio is'
ok '-z: header'			header "$T/data" 'compressed : Zstd, level = 1'
rec -e cpu-clock -F 20000 --compression-level=19 -m 4 -g "$B" 60
ok '--compression-level'	same "$T/data" 100
ok '--compression-level: header' header "$T/data" 'level = 19'
rec -z99 true;			ok '-z: wrong' says '-z needs a level'

all_of() { # how many samples the files have together
	local f n=0
	for f in "$@"; do
		same "$f" 0 || return 1
		n=$((n + $(wc -l < "$T/theirs.txt")))
	done
	echo "$n samples in $# files"
	[ $n -ge 100 ]
}
rec --switch-output=32K -m 1 -F 20000 -e cpu-clock "$B" 100
ok '--switch-output=SIZE'	test "$(ls "$T"/data.2* | wc -l)" -ge 3
ok '--switch-output: each file is whole' all_of "$T"/data.2*
ok '--switch-output: said'	says "[ perf record: Dump $T/data.2"
rm -f "$T"/data.2*
rec --switch-output=signal,100ms,1G -F 5000 -e cpu-clock "$B" 100 0 4
ok '--switch-output=signal,TIME,SIZE'	test "$(ls "$T"/data.2* | wc -l)" -ge 2
ok '--switch-output=TIME: each file is whole' all_of "$T"/data.2*
rm -f "$T"/data.2*
working() { pgrep -P $recorder -x "$(basename "$B")" > /dev/null; }
dumped() { [ "$(grep -c Dump "$T/err")" -ge "$1" ]; }
"$PERF" record -o "$T/data" --switch-output -e cpu-clock "$B" 100000 0 4 2> "$T/err" & recorder=$!
until_true working; sleep 0.1; kill -USR2 $recorder; until_true dumped 1; kill -USR2 $recorder; until_true dumped 2
kill -INT $recorder; wait $recorder
ok '--switch-output: SIGUSR2'	test "$(ls "$T"/data.2* | wc -l)" = 3
ok '--switch-output: SIGUSR2, each file is whole' all_of "$T"/data.2*
rm -f "$T"/data.2*
# /proc is read for the next file, and the buffers are read meanwhile.
gcc -shared -fPIC -o "$T/slow-proc.so" "$lib/../tool/record/slow-proc.c" -ldl || exit 1
at_once() { # OPTION...
	rm -f "$T"/data*
	SLOW_PROC=$T/data LD_PRELOAD=$T/slow-proc.so "$PERF" record -o "$T/data" --switch-output -e cpu-clock -F 5000 "$@" -- \
		"$B" 600000 0 4 2> "$T/err" & recorder=$!
	until_true working
	until_true test -s "$T/data"
	: > "$T/data.armed"
	kill -USR2 $recorder; until_true dumped 1
	kill -INT $recorder; wait $recorder
	cat "$T/data.armed"
	[ "$(cat "$T/data.armed")" = 'written meanwhile' ] && [ "$(ls "$T"/data.2* | wc -l)" = 2 ] && all_of "$T"/data.2*
}
ok '--switch-output: samples are written while /proc is read'		at_once
ok '--switch-output, -a: samples are written while /proc is read'	at_once -a
rm -f "$T"/data.2* "$T/data.armed"
# Tasks that ran before the switch, two of them without their parent: each file
# knows all of them and what they have mapped.
pieces() { # FILES, OPTION...
	local want=$1
	shift
	rm -f "$T"/data* "$T/pids"
	"$PERF" record -o "$T/data" --switch-output -e cpu-clock -F 500 -g "$@" -- sh -c \
		"sh -c '$B 600000 0 4 & echo \$! >> $T/pids; $B 600000 0 4 & echo \$! >> $T/pids'; exec $B 600000 0 4" 2> "$T/err" & recorder=$!
	orphaned() { [ "$(wc -l < "$T/pids")" = 2 ]; }
	until_true orphaned
	until_true working
	for i in 1 2 3; do sleep 0.2; kill -USR2 $recorder; until_true dumped $i; done
	kill -INT $recorder; wait $recorder
	kill $(cat "$T/pids")
	[ "$(ls "$T"/data.2* | wc -l)" = "$want" ]
}
# A task without a name (but for samples in its exit: its last ones have no thread, and
# the switch may come between its end and them), or a place in the workload's own code
# that is in no file.
exited() { # TID
	local f
	for f in "$T"/data.2*; do
		debian report -D -i "$f" 2>/dev/null | grep -aq "PERF_RECORD_EXIT([0-9]*:$1)" && return
	done
	return 1
}
nameless() { # FILE
	local p tid
	for p in debian "$PERF"; do
		"$p" script -i "$1" -F comm,tid,ip,sym,dso > "$T/text" 2>/dev/null
		grep -aE '^ *[0-9a-f]{1,12} .*\(\[unknown\]\)' "$T/text" && return
		for tid in $(sed -nE 's/^ *:([0-9]+) .*/\1/p' "$T/text" | sort -u); do
			exited "$tid" || { echo "$1: $p: $tid"; return; }
		done
	done
	return 1
}
by_themselves() {
	local f n=0
	for f in "$T"/data.2*; do
		! nameless "$f" || return 1
		FIELDS=${FIELDS:-comm,pid,tid,time,event} same "$f" 0 || return 1
		whole "$f" || return 1
		script_has "$f" burn_user && n=$((n + 1))
		header "$f" 'cmdline : .*switch-output' || return 1
	done
	echo "$n files with samples of the workload"
	[ $n -ge 3 ]
}
ok '--switch-output: tasks from before'		pieces 4
ok '--switch-output: each file by itself'	by_themselves
ok '--switch-output --tail-synthesize'		pieces 4 --tail-synthesize
ok '--tail-synthesize: each file by itself'	by_themselves
ok '--switch-output --overwrite'		pieces 4 --overwrite -m 16
ok '--overwrite: each file by itself'		by_themselves
# With the build-ids of maps: without them 6.1 dies of maps that another recorder made the kernel flag.
ok '--switch-output -a -z'			pieces 4 -a --no-bpf-event -z
# (names in a task's exit: see record.sh)
FIELDS=pid,tid,time,event READER=$PERF ok '-a: each file by itself' by_themselves
ok '--switch-output -z --no-buildid-mmap'	pieces 4 -z --no-buildid-mmap
each_has_ids() {
	local f
	for f in "$T"/data.2*; do
		! script_has "$f" burn_user || "$THEIRS" buildid-list -i "$f" 2>/dev/null | grep -qE '^[0-9a-f]{40} .*burn' || return 1
	done
}
ok '--no-buildid-mmap: each file has its table'	each_has_ids
rm -f "$T"/data.2*
rec --switch-output=4K --switch-max-files=2 -m 1 -F 20000 -e cpu-clock "$B" 60
ok '--switch-max-files'		test "$(ls "$T"/data.2* | wc -l)" = 2
rm -f "$T"/data.2*
rm -f "$T"/data*
# Each fork of the shell's is to begin a file; on a busy machine one file may be for several.
rec --switch-output-event sched:sched_process_fork -e cpu-clock sh -c "for i in 1 2 3; do $B 60; sleep 0.2; done"
files=$(ls "$T"/data.2* | wc -l)
ok "--switch-output-event: $files files"	test "$files" -ge 3
ok '--switch-output-event: each is whole'	all_of "$T"/data.2*
not_recorded() {
	local f

	for f in "$T"/data.2*; do
		header "$f" 'event : name = cpu-clock' || return 1
		! header "$f" 'event : name = sched:sched_process_fork' || return 1
	done
}
ok '--switch-output-event: is not recorded'	not_recorded
rm -f "$T"/data*
rec --switch-output-event nosuch true
ok '--switch-output-event: wrong'	says "no event is called 'nosuch'"
rec --switch-output=x true;	ok '--switch-output: wrong' says '--switch-output needs'
rec --switch-output=1s, true;	ok '--switch-output: wrong, in a list' says '--switch-output needs'
rec --timestamp-filename -e cpu-clock "$B" 20
ok '--timestamp-filename'	test "$(ls "$T"/data.2* | wc -l)" = 1
rm -f "$T"/data.2*

rec --max-size 20K -F 20000 -m 1 -e cpu-clock "$B" 3000
ok '--max-size: ends'		says '--max-size'
size() { local n; n=$(stat -c %s "$T/data"); [ "$n" -ge "$1" ] && [ "$n" -le "$2" ]; }
ok '--max-size: in time'	size 20000 60000
ok '--max-size: whole'		same "$T/data" 100
rec --max-size 100K -F max -e cpu-clock "$B" 3000
ok '--max-size: many samples'	size 100000 $((100000 + $(nproc) * 40000))
# The buffers are read long before one is half full (256K); compressed, that is little.
wakes() { # BYTES OPTION...: 0: at half a buffer
	local n=$1
	shift
	"$PERF" record --dry-run -vv -e cpu-clock "$@" true 2>&1 | tr -s ' ' > "$T/attr"
	grep -q sample_type "$T/attr" || return 1
	if [ "$n" = 0 ]; then
		! grep -q wakeup_watermark "$T/attr"
	else
		grep -q " watermark 1$" "$T/attr" && grep -q "wakeup_watermark } $n$" "$T/attr"
	fi
}
for o in '--max-size 100K' '--switch-output=100K' '--max-size 100K --call-graph dwarf' '--max-size 100K --call-graph live'; do
	ok "$o: often"			wakes 2048 $o
done
for o in '' '--max-size 100M' '--max-size 100K -z'; do ok "${o:-no size}: at half a buffer"	wakes 0 $o; done

# The header's number of lost samples and that of the hint below it are of the same losses.
lost_once() {
	local said told
	rec -m 1 -F 20000 -e cpu-clock sh -c "kill -STOP \$PPID; '$B' 200; kill -CONT \$PPID; '$B' 20"
	said=$(sed -nE 's/.* Lost ([0-9]+) records.*/\1/p' "$T/err")
	"$PERF" report --stdio -i "$T/data" > "$T/out" 2>&1
	told=$(sed -nE 's/^# Total Lost Samples: ([0-9]+)$/\1/p' "$T/out")
	[ "$said" -gt 0 ] && [ "$told" = "$said" ] && grep -q "[^0-9]$said records were lost" "$T/out"
}
ok 'lost samples are counted once'	lost_once

rec --overwrite -m 2 -F 10000 -e cpu-clock "$B" 100
ok '--overwrite'		same "$T/data" 20
newest() {
	local n
	n=$(wc -l < "$T/theirs.txt")	# what fits into two small buffers, and no more
	[ "$n" -le 1000 ]
}
ok '--overwrite: the newest only' newest
"$PERF" record -o "$T/data" --overwrite --switch-output -m 2 -F 5000 -e cpu-clock "$B" 100000 0 4 \
	2> "$T/err" & recorder=$!
until_true working; sleep 0.2; kill -USR2 $recorder; until_true dumped 1; sleep 0.2
kill -INT $recorder; wait $recorder
ok '--overwrite: SIGUSR2'	all_of "$T"/data.2*
rm -f "$T"/data.2*
# Without --switch-output SIGUSR2 puts what the buffers have into the file; later samples overwrite it there.
sample_times() { "$PERF" script -f -i "$T/data" -F time 2> /dev/null | tr -d ' :' | sort -n; }
has_some() { kill -USR2 $recorder; [ "$(sample_times | wc -l)" -gt 20 ]; }
newer() { # than the newest of the first signal, by more samples than fit into a buffer
	kill -USR2 $recorder
	[ "$(sample_times | awk -v last="$last" '$1 > last' | wc -l)" -gt 1000 ]
}
at_signals() {
	local last before
	begin --overwrite -m 2 -F 5000 -e cpu-clock "$B" 1000000
	until_true has_some || return 1
	sample_times > "$T/first"
	last=$(tail -n 1 "$T/first")
	until_true newer
	kill -INT $recorder; wait $recorder
	sample_times > "$T/all"
	before=$(awk -v last="$last" '$1 <= last' "$T/all" | wc -l)
	[ "$before" = "$(wc -l < "$T/first")" ] && [ -z "$(uniq -d "$T/all")" ] && whole "$T/data"
}
ok '--overwrite without --switch-output: SIGUSR2, each sample once' at_signals
rec --tail-synthesize -a --no-bpf-event -e cpu-clock "$B" 20
ok '--tail-synthesize'		same "$T/data" 5
last_is_synth() { # COMMs behind the samples
	debian report -D -i "$T/data" 2>/dev/null | grep -aoE 'PERF_RECORD_(COMM|SAMPLE)' | uniq | tail -n 1 | grep -q . &&
	[ "$(records "$T/data" COMM)" -gt 5 ]
}
ok '--tail-synthesize: still known' last_is_synth
# what was there before has the time 0; other tasks of this machine may start meanwhile
synthesized() { # TYPE PATTERN
	debian report -D -i "$T/data" 2>/dev/null | grep -aqE "(^| )0 0x[0-9a-f]+ \\[.*\\]: PERF_RECORD_$1.*$2"
}
what_of() { # OPTION WANTED: of the tasks T, of maps M, of the kernel K
	local got=
	rec "$1" -a --no-bpf-event -e cpu-clock "$B" 20
	synthesized COMM : && got=T
	synthesized MMAP '/.*\.so' && got=${got}M
	synthesized MMAP 'kernel.kallsyms' && got=${got}K
	[ "$got" = "$2" ] || { echo "$got"; return 1; }
}
ok '--synth=all'		what_of --synth=all TMK
ok '--synth=mmap'		what_of --synth=mmap TMK
ok '--synth=task'		what_of --synth=task TK
ok '--synth=cgroup'		what_of --synth=cgroup K
ok '--synth=task,cgroup'	what_of --synth=task,cgroup TK
ok '--synth=no'			what_of --synth=no K
rec --synth=task,x true;	ok '--synth: wrong' says '--synth needs'
rec --switch-output=0 true;	ok '--switch-output=0' says '--switch-output needs'

rec --no-buffering -e cpu-clock -F 500 "$B" 20
ok '--no-buffering'		same "$T/data" 5
if [ "$(id -u)" = 0 ]; then
	rec -r 1 -e cpu-clock "$B" 20
	ok '-r'			same "$T/data" 5
	# shellcheck disable=SC2016
	rec -r 1 -e cpu-clock sh -c 'chrt -p $$'
	ok '-r: not for the command'	grep -q SCHED_OTHER "$T/out"
else
	skip '-r' 'not root'
	skip '-r: not for the command' 'not root'
fi
rm -f "$T/data"
rec --dry-run -e cpu-clock true
ok '--dry-run: no file'		test ! -e "$T/data"
ends() { # SIGNAL STATUS
	begin -e cpu-clock "$B" 100000 0 4
	sleep 0.5
	kill -"$1" $recorder; wait $recorder; status=$?
	[ $status = "$2" ] || { echo "status $status"; return 1; }
}
ok 'SIGINT ends the recording'	ends INT 130
ok 'SIGINT: the file is whole'	same "$T/data" 20
ok 'SIGTERM ends the recording'	ends TERM 143
ok 'SIGTERM: the file is whole'	same "$T/data" 20
# Under nohup SIGHUP is ignored, and perf leaves it so.
hung_up() { BEFORE='env --default-signal=HUP' ends HUP 129; }
ok 'a lost terminal'		hung_up
ok 'a lost terminal: the file is whole' same "$T/data" 20
# The command's own end, by each signal that is not ignored somewhere; its events end before it
by_signal() { # NUMBER OPTIONS...
	local n=$1
	shift
	rec -e cpu-clock "$@" env --default-signal bash -c "kill -$n \$\$; sleep 60"
	[ "$status" = $((128 + n)) ] || { echo "status $status"; return 1; }
}
for n in 1 2 6 9 11 13 14 15 40; do ok "a command that signal $n ends"	by_signal $n; done
for o in -a --per-thread --overwrite; do ok "$o: a command that SIGTERM ends" by_signal 15 $o; done
ok '-p: a command that SIGTERM ends'	by_signal 15 -p $$
rec -e cpu-clock env --ignore-signal=CHLD "$PERF" record -q -e cpu-clock -o "$T/data2" sh -c 'exit 7'
ok 'the status, with SIGCHLD ignored'	test "$status" = 7
rec -e cpu-clock -F 20000 --max-size 20K bash -c 'while :; do :; done'
ok '--max-size ends the command: status 0'	test "$status" = 0
# Records with id 0 have the first event's layout, whichever receives the side-band records: here a
# dummy, whose records have no CPU.
if may_trace; then
	first_layout() {
		rec -D 1 -e sched:sched_switch -e cpu-clock true
		[ "$status" = 0 ] && "$PERF" script -i "$T/data" --show-mmap-events > "$T/out" 2> "$T/err"
		[ ! -s "$T/err" ] && grep -q 'PERF_RECORD_MMAP.*\[kernel' "$T/out"
	}
	ok 'records before the first sample have the layout of the first event'	first_layout
	# The command stops perf, and has ended before perf goes on: no record follows what is lost.
	all_lost() {
		cat > "$T/lose.sh" <<- 'E'
			kill -STOP $PPID
			i=0
			while [ $i -lt 150 ]; do /bin/true; i=$((i + 1)); done
		E
		begin -m 1 -D 1 -e sched:sched_switch -e cpu-clock sh "$T/lose.sh"
		until_true grep -q ') Z ' "/proc/$(pgrep -P $recorder)/stat"
		kill -CONT $recorder
		wait $recorder
		"$PERF" script -D -i "$T/data" > "$T/out" 2> "$T/err"
		grep -q 'LOST_SAMPLES.*lost samples :[1-9]' "$T/out" && ! grep -q 'left out' "$T/err"
	}
	ok 'losses after the last record, too'	all_lost
else
	skip 'records of events with several layouts' 'tracepoints need root'
fi
finish
