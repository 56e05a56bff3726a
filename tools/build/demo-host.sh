#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo-host.sh BUILD: the first half of "make demo": Debian's Python on the kernel that runs here, recorded by frame
# pointers and by perf record -g, in BUILD/demo/host.
set -eu -o pipefail
export LC_ALL=C
O=$1
demo=$O/demo
here=$(realpath "$(dirname "$0")")
. "$here/demo-text.sh"
rm -rf "$demo/host" && mkdir -p "$demo/host"
cd "$demo/host"
trap 'exit 130' INT TERM HUP
declare -A option=([fp]='--call-graph fp' [live]=-g)
words=(/usr/bin/python3 "$here/demo-words.py" 20 /usr/include/linux)

head "1. Complete stacks on this machine's own kernel (Linux $(uname -r))"
say 'Debian builds its programs without frame pointers. With -g, perf has the kernel copy the stack into each sample, walks the copy at once and writes the callchain alone. The same work, recorded in both ways:'
say '    perf record --call-graph fp python3 demo-words.py'
say '    perf record -g python3 demo-words.py'
for graph in fp live; do
	# shellcheck disable=SC2086	# the option and its value are two words
	if ! "$O/perf" record -e cpu-clock -F 999 ${option[$graph]} -o $graph.data -- "${words[@]}" 2>$graph.log; then
		say
		say "perf may not record on this machine; the demo goes on in a virtual machine:"
		grep -v '^\[' $graph.log | sed 's/^/    /'
		exit
	fi
done
say 'A chain is complete if it ends where its program began. An independent reader decides that; it asks readelf for the functions without caller (tools/testing/vm-tables/ends.py).'
printf '\n  %-24s %-16s %8s %10s %13s\n' program record samples complete bytes/sample
for graph in fp live; do
	"$here/../testing/vm-tables/ends.py" / $graph.data >ends.$graph || die "$demo/host/$graph.data cannot be read"
	awk -v graph="${option[$graph]}" 'NR == 1 {
		if (!$4)
			exit 1
		printf "  %-24s %-16s %8d %8.1f %% %13.1f\n", "python3 (words)", graph, $2, 100 * $6 / $4, $10 / $2
		n++
	} END { exit !n }' ends.$graph || die "no callchains in $demo/host/$graph.data"
done
for graph in fp live; do
	say
	say "The function that took most and its callers, ${option[$graph]}:"
	"$O/perf" report --stdio --no-children -i $graph.data 2>/dev/null >report.$graph.txt
	awk '/^#/ { next } NF && !behind && ++n <= 30 { print } !NF && n { behind = 1 }' report.$graph.txt
	"$O/perf" report -i $graph.data --no-inline --flamegraph=$graph.svg >flamegraph.log 2>&1
	[ -s $graph.svg ] || die "no flame graph came out; see $demo/host/flamegraph.log"
done
say
say 'Both recordings as flame graphs:'
say "$demo/host/fp.svg"
say "$demo/host/live.svg"
