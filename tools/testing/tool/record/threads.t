#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --threads: a directory with a file for each kernel buffer. Both readers, and perf's own of the
# same samples in one file, agree; options, a full disk, signals.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn
last=$(($(nproc --all) - 1))

# directory N: $T/data has files data, data.0 ... data.N, and nothing else
directory() {
	local want
	want=$(echo data; for ((i = 0; i <= $1; i++)); do echo "data.$i"; done)
	[ "$(cd "$T/data" && printf '%s\n' * | sort -V)" = "$want" ] || { ls -l "$T/data"; return 1; }
}
in_parts() { [ "$(stat -c %s "$T"/data/data.* | awk '{ s += $1 } END { print (s > 1000) }')" = 1 ]; }
for o in --threads --threads=cpu --threads=core --threads=package --threads=numa "--threads=0-$last/0-$last" \
	"--threads=0-$last/0"; do
	rec $o -a --no-bpf-event -e cpu-clock -F 1000 --call-graph fp "$B" 100
	ok "$o: status"			test "$status" = 3
	ok "$o: files"			directory "$last"
	ok "$o: both readers"		same "$T/data" 100
	ok "$o: without a complaint"	whole "$T/data"
done
ok 'the records are in the files of the buffers' in_parts
ok 'header: DIR_FORMAT'		header "$T/data" 'directory data version : 1'
private() { [ "$(stat -c %a "$T/data" "$T/data"/* | sort -u | xargs)" = '600 700' ]; }
ok "a recording is its owner's"	private
rec --threads -e cpu-clock -F 5000 --call-graph fp "$W/forker" 5
ok 'a command'			same "$T/data" 5
said() { [ "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$T/err")" = "$(records "$T/data" SAMPLE)" ]; }
ok 'a command: the summary counts its samples'	said
rec --threads -g -e cpu-clock "$B" 100
ok '-g'				says '-g: with --threads, most stacks of code without frame pointers are cut; --call-graph dwarf'
rec --threads -z -a --no-bpf-event -e cpu-clock -F 1000 --call-graph dwarf "$B" 100
ok '-z'				same "$T/data" 100
packed() { header "$T/data" 'compressed : Zstd, level = 1, ratio = [2-9]|1[0-9]' && says ', compressed (original'; }
ok '-z: compressed'		packed
rec --threads --overwrite -a --no-bpf-event -e cpu-clock -F 1000 "$B" 100
ok '--overwrite'		same "$T/data" 100
rec --threads --mmap-flush=16K -e cpu-clock -F 1000 "$B" 100
ok '--mmap-flush'		same "$T/data" 50
rec --threads --tail-synthesize -e cpu-clock -F 1000 "$B" 100
ok '--tail-synthesize'		same "$T/data" 50
rec --threads --no-buildid-mmap -e cpu-clock "$B" 100
ok 'build-ids of files with samples'	test "$("$PERF" buildid-list -i "$T/data" | grep -c 'burn$')" = 1
rec --threads --embed -e cpu-clock "$B" 100
ok '--embed'			"$PERF" report -i "$T/data" --stdio

# The same work once in a file and once in a directory: a count, not a rate, so that both have the same samples.
rows() { "$PERF" script -i "$1" -G -F comm,event,sym,dso 2>/dev/null | sort | uniq -c; }
one="-e page-faults -c 1 --user-callchains $W/forker 20"
# shellcheck disable=SC2086
"$PERF" record -o "$T/file" $one 2> "$T/err"
# shellcheck disable=SC2086
rec --threads $one
ok 'as many samples as in a file'	test "$(("$(records "$T/data" SAMPLE)" * 20 / "$(records "$T/file" SAMPLE)"))" -ge 19
in_order() { # the times are ascending
	"$PERF" script -i "$T/data" -G -F time --ns 2>/dev/null | tr -d ' :' | sort -cn
}
ok 'in the order of time'	in_order

signalled() { # SIGNAL [OPTION...]
	begin --threads "${@:2}" -a --no-bpf-event -e cpu-clock -F 1000 sleep 600
	sleep 0.3
	kill "-$1" $recorder
	wait $recorder
	same "$T/data" 10 && whole "$T/data"
}
ok 'SIGINT'			signalled INT
ok 'SIGTERM, -z'		signalled TERM -z

refused() { # STATUS TEXT ARGS...
	rec "${@:3}"
	[ "$status" = "$1" ] && [ "$(wc -l < "$T/err")" = 1 ] && says "$2" && [ ! -e "$T/data" ] && [ -z "$(ls -d "$T"/data.* 2>/dev/null)" ]
}
for s in foo 0 / 0/ x/0 0/x 0/0: cpu,core; do
	ok "--threads=$s"	refused 1 'is not cpu, core, package, numa or a list of masks' "--threads=$s" true
done
ok '--threads: an offline CPU'		refused 1 "no CPU of '60000' is online" --threads=60000/0 true
ok '--threads: a CPU in two masks'	refused 1 'CPU 0 is in the mask of two threads' --threads=0/0:0/1 true
ok '--threads: a CPU in two affinities'	refused 1 'CPU 0 is in the affinity of two threads' --threads=0/0:1-64/0 true
ok '--threads --switch-output'		refused 129 'does not go with --switch-output' --threads --switch-output=1s true
ok '--threads --per-thread'		refused 129 'does not go with --per-thread' --threads --per-thread true
ok '--threads --affinity'		refused 129 'does not go with --affinity' --threads --affinity=cpu true
for o in '-o -' ''; do
	# shellcheck disable=SC2086
	"$PERF" record --threads $o true 2> "$T/err" | cat > "$T/out"
	ok "--threads $o: into a pipe"	test "${PIPESTATUS[0]}" = 1 -a ! -s "$T/out"
done
rec --threads -e cpu-clock --no-threads true
ok '--no-threads: a file'		test -f "$T/data"
rec --threads --call-graph live -e cpu-clock "$B" 50
ok '--call-graph live: as fp'		says 'recording as fp'

# a machine of two nodes, as far as sysfs says: a thread for each node, and one for CPUs without
mkdir -p sys/devices/system/node/node0
echo 0 > sys/devices/system/node/node0/cpulist
bound() { # LIST...: the threads of the recorder run on these CPUs
	local want
	want=$(printf '%s\n' "$@" | sort)
	[ "$(cat /proc/$recorder/task/*/status | awk '/Cpus_allowed_list/ { print $2 }' | sort -u | grep -Fx "$want")" = "$want" ]
}
SYSFS_PATH=$T/sys begin --threads=numa -a -e cpu-clock -F 200 sleep 60
ok 'a thread for each node'	until_true bound 0 "$last"
kill -INT $recorder; wait $recorder
ok 'a thread for each node: both readers' same "$T/data" 1

# Earlier recordings, files and directories, become .old.
older() { rm -rf "$T/data" "$T/data.old"; eval "$1"; eval "$2"; }
dir() { mkdir "$1" && echo "$1" > "$1/data" && : > "$1/data.0"; }
replaced() { # EARLIER OLDER OPTION...
	older "$1 $T/data" "$2 $T/data.old"
	"$PERF" record -o "$T/data" "${@:3}" -e cpu-clock "$B" 20 2> "$T/err"
	[ $? = 3 ] || return 1
	grep -q "$T/data$" "$T/data.old" "$T/data.old/data" 2>/dev/null && same "$T/data" 2
}
file() { echo "$1" > "$1"; }
for earlier in file dir; do
	for old in : file dir; do
		ok "a file after $earlier, $old"	replaced $earlier $old
		ok "a directory after $earlier, $old"	replaced $earlier $old --threads
	done
done
untouched() { # OPTION...: a directory that is no recording stays
	rm -rf "$T/data"; mkdir "$T/data"; : > "$T/data/mine"
	"$PERF" record -o "$T/data" "$@" -e cpu-clock true 2> "$T/err"
	[ $? = 1 ] && [ -e "$T/data/mine" ] && [ "$(wc -l < "$T/err")" = 1 ]
}
ok 'no recording: it stays'		untouched --threads
ok 'no recording: it stays, a file'	untouched
rm -rf "$T/data" "$T/data.old"
"$PERF" record --threads -o "$T/data" -e cpu-clock /nonexistent/command 2> "$T/err"
ok 'a command that cannot start: nothing is left' test -z "$(ls -d "$T"/data* 2>/dev/null)"
(ulimit -n 40; "$PERF" record --threads=cpu -o "$T/data" -e "$(printf 'cpu-clock,%.0s' {1..40})cpu-clock" true) 2> "$T/err"
ok 'ulimit -n: one line'		says 'too many open files'

small=
cleanup_hooks+=('[ -z "$small" ] || umount "$small"')
mkdir small
if mount -t tmpfs -o size=600k none small 2>/dev/null; then
	small=$T/small
	full() { # ARGS...
		rm -rf small/*
		timeout 60 "$PERF" record --threads -o small/data -a --no-bpf-event -e cpu-clock \
			-F 20000 --call-graph fp -m 256 "$@" > "$T/out" 2> "$T/err"
		[ $? = 1 ] && [ "$(grep '^perf: ' "$T/err" | grep -vc '^perf: warning: ')" = 1 ] && says 'small/data: no space left on the device' || return 1
		rm -rf "$T/data"; cp -r small/data "$T/data"
		said && same "$T/data" 500 && whole "$T/data" && header "$T/data" 'event : name = cpu-clock'
	}
	ok 'a full disk'		full "$B" 20000 0 2
	ok 'a full disk, -z'		full -z "$B" 60000 0 2
else
	skip 'a full disk' 'no tmpfs can be mounted'
fi
finish
