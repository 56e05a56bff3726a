#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# System calls that fail while recording, one at a time and at several places each: interrupted,
# done by half, refused, no descriptor, no room. perf goes on and its recording is whole, or it
# ends with status 1 and a line; whatever it left can be read.
. "$(dirname "$0")/../../lib/record.sh"

gcc -shared -fPIC -o "$T/fault.so" "$lib/fault.c" -ldl || exit 1
export FAULT_ANY=1
# record OUT ARGS...
to_file() {
	rm -f "$T"/data*
	LD_PRELOAD=$T/fault.so timeout -k 5 60 "$PERF" record -o "$T/data" -e cpu-clock true > "$T/out" 2> "$T/err"
	status=$?
}
to_pipe() {
	LD_PRELOAD=$T/fault.so timeout -k 5 60 "$PERF" record -o - -e cpu-clock true 2> "$T/err" | cat > "$T/data"
	status=${PIPESTATUS[0]}
}
bad() { why="$why; number $n: $1: $(head -n 2 "$T/err" | tr '\n' ' ')"; }
# The command's own name and its end are in a recording that is whole.
complete() {
	"$PERF" script --show-task-events -F comm,pid,event -i "$T/data" > "$T/script" 2> "$T/script.err" &&
		[ ! -s "$T/script.err" ] && grep -q 'PERF_RECORD_COMM exec: true' "$T/script" && grep -q PERF_RECORD_EXIT "$T/script"
}

# Some numbers from 1 to $1, more of them at both ends.
places() {
	local i
	for ((i = 1; i <= $1; i += 1 + i / 2)); do echo $i $(($1 + 1 - i)); done | tr ' ' '\n' | sort -nu
}

# refuse HOW CALL WHAT...: each WHAT at several of its calls
refuse() {
	local how=$1 call=$2 what count n why tried ended
	count=$(sed -n "s/^$call //p" "$T/count.$how" | sort -n | tail -n 1)
	for what in "${@:3}"; do
		why='' tried=0 ended=0
		for n in $(places "$count"); do
			FAULT=$call:$n:$what $how
			tried=$((tried + 1))
			case $status in
			0) complete || bad "status 0, but not whole: $(head -n 1 "$T/script.err")" ;;
			1)
				ended=$((ended + 1))
				grep -q '^perf: ' "$T/err" || bad 'no line'
				[ ! -s "$T/data" ] || "$PERF" script -i "$T/data" > "$T/script" 2> "$T/script.err"
				[ $? -le 1 ] || bad 'what it left cannot be read'
				# An interruption, or less than was wanted, is no failure.
				case $what in EINTR | short) bad 'ended' ;; esac ;;
			*) bad "status $status" ;;
			esac
		done
		ok "$how, $call, $what: $tried of $count, $ended ended perf$why" test -z "$why" -a "$tried" -gt 0
	done
}

for how in to_file to_pipe; do
	FAULT_COUNT=$T/count.$how $how
	ok "$how: records with the shim" complete
done
refuse to_file write	EINTR short ENOSPC EIO
refuse to_file writev	EINTR short ENOSPC
refuse to_file pwrite	EINTR short EIO
refuse to_file read	EINTR short EIO
refuse to_file open	EMFILE ENOMEM
refuse to_file syscall	EMFILE EAGAIN ENOMEM
refuse to_file mmap	EAGAIN EPERM ENOMEM
refuse to_file epoll_wait EINTR
refuse to_file waitpid	EINTR
refuse to_file ioctl	ENOMEM
for call in pipe2 epoll_create1 signalfd timerfd_create; do
	refuse to_file $call EMFILE
done
refuse to_file epoll_ctl ENOMEM
refuse to_file fork	EAGAIN ENOMEM
refuse to_pipe write	EINTR EAGAIN short
refuse to_pipe writev	EINTR EAGAIN short
finish
