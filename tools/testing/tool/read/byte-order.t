#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every golden recording as a big-endian machine would have written it reads as the
# little-endian one does: dump (without its bytes), header, script, report, and script from
# a pipe. So do two made-up ones: events that differ in the size of their sample_id, and a pipe
# with the formats of tracepoints, whose record is no whole number of words (as perf writes it).
. "$(dirname "$0")/../../lib/scratch.sh"
cd "$lib/../golden/c" || exit 1
args="--symfs $PWD/symfs --kallsyms $PWD/kallsyms"
mkdir -p "$tmp/be" "$tmp/le"

# The compressed recording's records stand elsewhere; so does its header's size of data.
show() {
	case $2 in
	dump)	"$perf" report -D -i "$1" $args | grep -v '^\.' |
			sed -E 's/^0?x?[0-9a-f]+@.*//; s/^([0-9 -]*)0x[0-9a-f]+ \[/\1[/' |
			grep -v COMPRESSED | sed 's/ *([ 0-9.]*%)$//; /TOTAL events/d' ;;
	header)	"$perf" report --header-only -I -i "$1" | grep -v '^# data size\|^# feat offset\|^# captured' ;;
	script)	"$perf" script -i "$1" $args --show-task-events --show-mmap-events ;;
	report)	"$perf" report --stdio -i "$1" $args ;;
	pipe)	cat "$1" | "$perf" script -i - $args ;;
	esac
}

python3 - "$tmp" <<-'EOF' || { echo "Bail out! no recording"; exit 1; }
	import struct, sys
	from perfdata import *
	few = IP | TID | TIME | IDENTIFIER
	more = few | CPU
	task = ii(10, 11)
	data = (record(3, task + string('one') + task + q(5, 1)) +
	        record(3, task + string('two') + task + q(6) + ii(3, 0) + q(2)) +
	        record(9, q(2, 0x1000) + task + q(7) + ii(3, 0), 2) + record(9, q(1, 0x1000) + task + q(8), 2))
	with open(sys.argv[1] + '/sample-id.data', 'wb') as f:
	    f.write(perf_file([attr(few), attr(more)], data, {3: feature_string('h')}, ids=[[1], [2]]))
	formats = tracing_data(tracepoint_format('ev', 77, [('int what', 8, 4)], '"what=%d", REC->what'))
	formats += bytes(-len(formats) % 8)
	raw = ii(12) + struct.pack('<HBBiI', 77, 0, 0, 11, 4711)
	with open(sys.argv[1] + '/formats.data', 'wb') as f:
	    f.write(b'PERFILE2' + q(16) + record(64, attr(IP | TID | TIME | RAW, type=2, config=77)) +
	            record(66, ii(len(formats))) + formats + record(3, task + string('one') + task + q(5)) +
	            record(9, q(0x1000) + task + q(7) + raw, 2))
	EOF

set -- *.data "$tmp/sample-id.data" "$tmp/formats.data"
for from; do
	f=${from##*/}
	"$lib/swap-perfdata" "$from" "$tmp/be/$f" || { echo "Bail out! cannot convert $f"; exit 1; }
	cp "$from" "$tmp/le/$f"
	for what in dump header script report pipe; do
		(cd "$tmp/le" && show "$f" $what) > "$tmp/le.txt" 2>&1
		(cd "$tmp/be" && show "$f" $what) > "$tmp/be.txt" 2>&1
		[ -s "$tmp/le.txt" ] && diff -u "$tmp/le.txt" "$tmp/be.txt" > "$tmp/diff"
		ok $? "$f $what" "$tmp/diff"
	done
done
plan
