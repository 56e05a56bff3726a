#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: Debian's own programs, which have no frame pointers, and programs
# whose callchains are known, by our perf and by the perf of 7.2; the latter without
# perf unwind --serve and, where the kernel has tables, with it.
echo -1 > /proc/sys/kernel/perf_event_paranoid
export HOME=/tmp PATH=/stock:$PATH LC_ALL=C
. /in/inputs.sh

ours() { perf record "$@"; }
peer=/in/perf-7.2
theirs() { $peer/lib/ld-linux-x86-64.so.2 --library-path $peer/lib $peer/perf record "$@"; }

r() { # NAME PERF OPTIONS... -- COMMAND...
	name=$1 tool=$2
	shift 2
	$tool -o "$name.data" -e cpu-clock -F 499 "$@" > "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}

all() { # MODE PERF OPTIONS...: each program once
	mode=$1
	shift
	r python3.$mode "$@" -- python3 /in/work.py 8
	r perl.$mode "$@" -- perl /in/work.pl 3
	r sort.$mode "$@" -- sort -k2,3 -k1n -o /tmp/sorted /tmp/text
	r cc1.$mode "$@" -- cc1 -quiet -fpreprocessed -O2 -o /tmp/work.s /tmp/work.i
	r sqlite3.$mode "$@" -- sqlite3 /tmp/db.$mode '.read /tmp/work.sql'
	for p in static pie; do
		r $p.$mode "$@" -- /in/$p/truth 1500
	done
}

all ours ours -g
all fp theirs --call-graph fp
all defer theirs --call-graph fp,defer
perf unwind --serve 2> serve.err &
service=$!
until grep -q registered serve.err || ! kill -0 $service; do sleep 0.2; done
kill -0 $service || exit 0
all fp.serve theirs --call-graph fp
all defer.serve theirs --call-graph fp,defer
kill -TERM $service
wait $service
