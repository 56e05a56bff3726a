#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings on a disk that is full or fails: what was written can be read, the summary counts
# what is in the file, the status is 1, and no earlier recording is lost.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn

gcc -shared -fPIC -o "$T/fault.so" "$lib/fault.c" -ldl || exit 1

# failed FILE AT-LEAST TEXT...: one line with each TEXT, status 1, a summary that is true, a file that
# both readers read without a complaint and to the same samples
failed() {
	local f=$1 least=$2 said there
	shift 2
	[ "$status" = 1 ] || { echo "status $status"; return 1; }
	[ "$(grep -c '^perf: ' "$T/err")" = 1 ] || { echo 'not one line'; return 1; }
	says "$@" || return 1
	said=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$T/err" | tail -n 1)
	there=$(records "$f" SAMPLE)
	[ "${said:-none}" = "$there" ] || { echo "said: $said samples, in the file: $there"; return 1; }
	FIELDS=pid,tid,time same "$f" "$least" && no_complaint "$f" && times "$f"
}
# The times in the header are those of samples in the file.
times() {
	local last header_last
	header "$1" 'time of last sample' || return 0
	last=$(debian script -i "$1" -G -F time --ns 2>/dev/null | tr -d ' :' | sort -n | tail -n 1)
	header_last=$("$THEIRS" report --header-only -I -i "$1" 2>/dev/null | sed -n 's/.*time of last sample : //p')
	[ "$header_last" = "${last%???}" ] || { echo "header: $header_last, last sample: $last"; return 1; }
}
described() { header "$1" 'event : name = cpu-clock' && header "$1" 'cmdline : .*record' && header "$1" 'hostname : '; }
# used FILE KB: so much of the disk holds it
used() { [ "$(du -k "$1" | cut -f 1)" -ge "$2" ] || { du -k "$1"; return 1; }; }
record() { # FILE ARGS...
	timeout 60 "$PERF" record -o "$@" > "$T/out" 2> "$T/err"
	status=$?
}

small= # a file system of $1
disk() {
	[ -z "$small" ] || umount "$small"
	mkdir -p "$T/small" && mount -t tmpfs -o "size=$1" none "$T/small" 2>/dev/null || return 1
	small=$T/small
}
cleanup_hooks+=('[ -z "$small" ] || umount "$small"')
full='no space left on the device'
if disk 200k; then
	record small/data -e cpu-clock -F 20000 --call-graph fp -m 64 "$B" 1500
	ok '200 kB'			failed small/data 1000 small/data "$full"
	ok '200 kB: used'		used small/data 160
	ok '200 kB: described'		described small/data
	disk 600k
	record small/data -e cpu-clock -F 20000 --call-graph fp "$B" 3000
	ok '600 kB'			failed small/data 3000 small/data "$full"
	ok '600 kB: used'		used small/data 560
	ok '600 kB: described'		described small/data
	disk 72k
	# On a busy machine its samples are few: it ends when the disk is full.
	record small/data -z -e cpu-clock -F 20000 --call-graph fp "$B" 20000
	ok '72 kB, -z'			failed small/data 1000 small/data "$full"
	ok '72 kB, -z: used'		used small/data 40
	ok '72 kB, -z: described'	described small/data
	disk 400k
	record small/data -a --no-bpf-event -e cpu-clock -F 10000 --call-graph fp -m 64 "$B" 3000
	ok '400 kB, -a'			failed small/data 1000 small/data "$full"
	ok '400 kB, -a: used'		used small/data 340
	disk 400k
	record small/data --switch-output=100K -e cpu-clock -F 20000 --call-graph fp -m 16 "$B" 3000
	one_line() { [ "$(grep -c '^perf: ' "$T/err")" = 1 ] && says small/data "$full"; }
	parts() {
		local f n=0
		for f in small/data.2*; do
			FIELDS=pid,tid,time same "$f" 0 && no_complaint "$f" || { echo "$f"; return 1; }
			n=$((n + $(records "$f" SAMPLE)))
		done
		[ "$n" -ge 1000 ] || { echo "$n samples"; return 1; }
	}
	ok '--switch-output: status'	test "$status" = 1
	ok '--switch-output: a clear line' one_line
	ok '--switch-output: every file' parts
	ok '--switch-output: nothing else' test -z "$(ls -A small | grep -v '^data\.2')"
	disk 400k
	"$PERF" record -o small/data --switch-output -e cpu-clock sleep 60 > "$T/out" 2> "$T/err" & recorder=$!
	until_true test -s small/data
	until_true pgrep -P $recorder -x sleep > "$T/out"
	dd if=/dev/zero of=small/fill bs=1k 2>/dev/null
	for i in $(seq 100); do kill -USR2 $recorder 2>/dev/null || break; sleep 0.1; done
	wait $recorder; status=$?
	ok '--switch-output: no room for the next file: status' test "$status" = 1
	ok '--switch-output: no room for the next file: one line' one_line
	ok '--switch-output: no room for the next file: the first is whole' described "$(ls small/data.2* | head -n 1)"
	ok '--switch-output: no room for the next file: there is none' test ! -e small/data
	disk 300k
	timeout 60 "$PERF" record -o - -e cpu-clock -F 20000 --call-graph fp "$B" 1500 > small/pipe 2> "$T/err"
	status=$?
	stream() {
		says "$full" || return 1
		"$PERF" script -i - -F time < small/pipe > "$T/times" 2> "$T/script.err" || { cat "$T/script.err"; return 1; }
		[ "$(grep -c . "$T/times")" = "$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$T/err")" ]
	}
	ok '-o - to a file: status'	test "$status" = 1
	ok '-o - to a file: whole'	stream

	# Two earlier recordings are kept, whatever fails, and however often.
	disk 300k
	echo newest > small/data && echo older > small/data.old
	dd if=/dev/zero of=small/fill bs=1k 2>/dev/null
	earlier() { diff <(printf 'newest\nolder\n') <(cat small/data small/data.old) && [ "$(ls small | grep -vc fill)" = 2 ]; }
	for i in 1 2; do
		record small/data -e cpu-clock "$B" 10
		ok "full from the start, $i: reported" says small/data "$full"
		ok "full from the start, $i: earlier recordings stay" earlier
	done
	rm small/data small/data.old
	dd if=/dev/zero of=small/fill bs=1k 2>/dev/null
	record small/data -e cpu-clock "$B" 10
	ok 'full from the start: nothing is left' test ! -e small/data
	ok 'full from the start: status' test "$status" = 1
else
	for t in '200 kB' '-z' '-a' --switch-output '-o - to a file' 'earlier recordings stay'; do
		skip "a full disk: $t" 'no tmpfs can be mounted'
	done
fi

limit='the limit of file sizes is reached'
(ulimit -f 200; exec timeout 60 "$PERF" record -o "$T/data" -e cpu-clock -F 20000 --call-graph fp "$B" 1500 > "$T/out" 2> "$T/err")
status=$?
ok 'ulimit -f 200'		failed "$T/data" 1000 "$limit" 'ulimit -f'
ok 'ulimit -f 200: used'	used "$T/data" 160
ok 'ulimit -f 200: described'	described "$T/data"
rm -f data
(ulimit -f 60; exec timeout 60 "$PERF" record -o "$T/data" -z -e cpu-clock -F 20000 --call-graph fp "$B" 3000 > "$T/out" 2> "$T/err")
status=$?
ok 'ulimit -f 60, -z'		failed "$T/data" 1000 "$limit"
ok 'ulimit -f 60, -z: described' described "$T/data"
(ulimit -f 200; exec "$PERF" record -q -o "$T/data" -e cpu-clock bash -c 'head -c 300000 /dev/zero > big' 2> "$T/err")
ok 'ulimit -f: the command is ended by SIGXFSZ, as without perf' test $? = 153

with() { # FAULT ARGS...
	rm -f "$T"/data*
	FAULT=$1 LD_PRELOAD=$T/fault.so timeout 60 "$PERF" record -o "$T/data" -m 16 -e cpu-clock \
		-F 10000 --call-graph fp "${@:2}" "$B" 200 > "$T/out" 2> "$T/err"
	status=$?
}
for f in writev:5:EIO writev:5+:EIO writev:5:ENOSPC writev:6:EDQUOT; do
	case $f in *EIO) text='Input/output error' ;; *ENOSPC) text=$full ;; *) text='the disk quota is used up' ;; esac
	with $f
	ok "$f"			failed "$T/data" 1 "$T/data" "$text"
	ok "$f: described"	described "$T/data"
done
with writev:5:short
ok 'writev:5:short: no failure'	test $status != 1
ok 'writev:5:short'		same "$T/data" 1000
# The last writes are those of the sections.
with write:2:ENOSPC
ok 'sections: the needed ones are tried alone' failed "$T/data" 1000 "$full"
needed() { header "$T/data" 'event : name = cpu-clock' && ! header "$T/data" 'hostname : '; }
ok 'sections: the needed ones are there' needed
for f in write:2+:ENOSPC write:2+:EIO; do
	with $f
	ok "sections: $f"	failed "$T/data" 1000 "$T/data" 'samples'
	with $f -z
	ok "sections: $f, -z: status" test "$status" = 1
done
with pwrite:1+:EIO
ok 'header: status'		test "$status" = 1
ok 'header: a clear line'	says 'Input/output error'

# An earlier recording is moved when the new one has begun, not before.
older() {
	rm -rf "$T/o"
	mkdir "$T/o" && echo newest > "$T/o/data" && echo older > "$T/o/data.old"
}
both() { [ "$(cat "$T/o/data" "$T/o/data.old")" = $'newest\nolder' ] && [ "$(ls -A "$T/o" | wc -l)" = 2 ]; }
moved() { [ "$(cat "$T/o/data.old")" = newest ] && [ "$(ls -A "$T/o" | wc -l)" = 2 ] && same "$T/o/data" 5; }
printf '#!/nonexistent\n' > "$T/command" && chmod 755 "$T/command"
older; record "$T/o/data" -e cpu-clock "$T/command"
ok 'a command that cannot start: reported' says 'cannot execute'
ok 'a command that cannot start: earlier recordings stay' both
rm "$T"/o/*; record "$T/o/data" -e cpu-clock "$T/command"
ok 'a command that cannot start: nothing is left' test -z "$(ls -A "$T/o")"
older; : > "$T/o/data"; record "$T/o/data" -e cpu-clock "$T/command"
ok 'a command that cannot start: an empty file stays' test -f "$T/o/data" -a ! -s "$T/o/data"
for f in write:1:ENOSPC writev:1:ENOSPC writev:2:EIO rename:1:EIO; do
	older; FAULT=$f LD_PRELOAD=$T/fault.so record "$T/o/data" -e cpu-clock "$B" 50
	ok "$f: status"		test "$status" = 1
	ok "$f: earlier recordings stay" both
done
older; FAULT=rename:2:EIO LD_PRELOAD=$T/fault.so record "$T/o/data" -e cpu-clock "$B" 50
ok 'rename:2:EIO: the newest stays' test "$(cat "$T/o/data")" = newest
older; record "$T/o/data" -e cpu-clock "$B" 50
ok 'an earlier recording becomes .old' moved
older; record "$T/o/data" --timestamp-filename -e cpu-clock "$B" 50
ok '--timestamp-filename' test "$(cat "$T/o/data.old")" = newest
finish
