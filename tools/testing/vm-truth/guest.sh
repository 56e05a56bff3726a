#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest, in /out: programs whose callchains are known, by unwind tables and by deferred
# frame pointers, with stacks taken at once and later.
echo -1 > /proc/sys/kernel/perf_event_paranoid
inline=/proc/sys/kernel/perf_event_defer_inline
export HOME=/tmp LC_ALL=C

r() { # NAME OPTIONS...
	name=$1
	shift
	perf record -e cpu-clock -c 1000000 -o "$name.data" "$@" > "$name.out" 2> "$name.err"
	echo $? > "$name.status"
}
for mode in 1 0; do
	echo $mode > $inline
	for p in static pie; do
		r $p.table.$mode --call-graph table -- /in/$p/truth 1500
		r $p.live.$mode --call-graph live -- /in/$p/truth 1500
	done
	r fp.defer.$mode --call-graph fp,defer -- /in/fp/truth 1500
done
r all.table -a -g -- /in/static/truth 1500
/in/pie/truth 4000 &
pid=$!
r attach.table -p $pid -g -- sleep 1
kill $pid
