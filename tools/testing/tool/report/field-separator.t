#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report -t: as many fields in each row as in the head, whatever the columns hold.
. "$(dirname "$0")/../../lib/scratch.sh"

# fields NAME ARGS...: at least one row, and all have the head's number of separators
fields() {
	local name=$1 status
	shift
	timeout 60 "$perf" report --stdio --symfs symfs --kallsyms kallsyms -g none "$@" \
		> "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
	[ $status = 0 ] && awk -F "$sep" '/^# (Children|Overhead)/ { want = NF; next }
			/^#/ || /^$/ { next }
			NF != want || /^ / { print "row with " NF " fields for " want ": " $0; bad = 1 }
			{ rows++ }
			END { exit bad || !rows || !want }' "$tmp/out" > "$tmp/bad"
	ok $? "$name: status $status" "$tmp/bad"
}

cd "$lib/../golden/c" || exit 1
# Before and behind a column with leading blanks: an empty one must not show what that one left.
for key in comm pid tid tgid dso symbol srcline srcfile cpu time parent symoff dso_size symbol_size \
	cgroup cgroup_id; do
	sep=,
	fields "-s pid,$key" -i deepsys.fp.data -t , -s "pid,$key"
	fields "-s $key,pid" -i deepsys.fp.data -t , -s "$key,pid"
done
for key in trace id srcfile; do
	fields "tracepoints: -s pid,$key" -i multi.defer.data -t , -s "pid,$key" --no-group
done
sep=';'
fields 'with a group' -i group.fp.data -t ';' -s pid,srcfile,sym -n --group
fields 'with widths' -i deepsys.fp.data -t ';' -w 3,1,1,1 -s pid,srcfile,comm
sep='\t'
fields 'a tab' -i deepsys.fp.data -t '\t' -s pid,srcfile,comm
plan
