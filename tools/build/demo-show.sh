#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# demo-show.sh BUILD: the second half of "make demo": what BUILD/demo/guest, the
# recordings from the VM, have to show.
set -eu -o pipefail
export LC_ALL=C
O=$1
demo=$O/demo
. "$(dirname "$0")/demo-text.sh"

here=$(realpath "$(dirname "$0")")

# Symbols: the programs as they lay in the guest, and that kernel's own list.
cd "$demo"
rm -rf symfs && mkdir symfs
(cd symfs && cpio -id --quiet) <initramfs.cpio
look() { # COMMAND OPTIONS...: on the recording in the guest
	local command=$1
	shift
	"$O/perf" "$command" --symfs symfs --kallsyms guest/kallsyms "$@"
}
reads=guest/reads.fp,defer.data

head "What was recorded (Linux $(cat guest/release), in QEMU)"
say 'deepread has one thread that reads 4 MB blocks from /dev/urandom, 15 calls below main(), and 16 threads that wait for work; see tools/testing/workloads/deepread.c. It was recorded with'
say '    perf record -e cpu-clock -F 999 --call-graph fp,defer deepread'

head '2. perf report: the kernel half and the user half of each chain, joined'
say 'Every sample fell into the kernel, most of them many milliseconds into the same read(). The user half was walked once per read() and stands under each of them.'
look report --stdio --no-children -i $reads 2>/dev/null >report.txt
sed -n '1,60p' report.txt

# The first read() of which at least three samples share a cookie, and which
# samples they are: times need not tell, on a busy host the guest's timer fires
# several times at once.
look script --no-merge-callchains -i $reads -F tid,time,ip,sym >apart.txt
shared=$(awk -v RS= '
	/DEFERRED CALLCHAIN/ { next }
	{ sample++ }
	/ vfs_read\n/ && match($0, /[0-9a-f]+ \(cookie\)/) {
		cookie = substr($0, RSTART, RLENGTH - 9)
		samples[cookie] = samples[cookie] " " sample
		if (++n[cookie] == 3) {
			print cookie samples[cookie]
			exit
		}
	}' apart.txt)
[ -n "$shared" ] || die "no three samples share a user half in $reads"

head '3. perf script: three samples of one system call'
say 'The same read(), the same user half: recorded once.'
look script -i $reads -F comm,tid,time,event,ip,sym >script.txt
awk -v RS= -v samples="${shared#* }" '
	BEGIN { split(samples, s, " "); for (i in s) want[s[i]] = 1 }
	++sample in want { print $0 "\n" }' script.txt

head '4. The record that carried the user half'
say "PERF_RECORD_CALLCHAIN_DEFERRED (22), as perf report -D shows it: the cookie is what the samples of that read() have in place of a user stack."
look report -D -i $reads 2>/dev/null | awk -v cookie="0x${shared%% *}" '
	/PERF_RECORD_CALLCHAIN_DEFERRED/ && $NF == cookie && !seen { seen = on = 1; print; next }
	on && !/^\.\.\./ { on = 0 }
	on'

head '5. Size and completeness beside plain frame pointers, in the same boot'
say 'How many samples have frames of user space, and how many a chain that goes all the way to main() or waiter_main(); the rest are the start of the process and of its threads. First the long reads by cpu-clock, then every task switch, most of them of threads that go to sleep.'
printf '\n  %-24s %-10s %8s %10s %9s %13s\n' workload call-graph samples 'user half' 'to main' 'bytes/sample'
for what in reads switches; do
	name='long reads'
	[ $what = reads ] || name='task switches'
	plain=''
	for graph in fp fp,defer; do
		data=guest/$what.$graph.data
		line=$(look script -i "$data" -F comm,tid,time,event,ip,sym |
			awk -v RS= -v what="$name" -v graph=$graph -v size="$(stat -c %s "$data")" -v plain="$plain" '
			{ n++ }
			/\n[ \t]+([0-9a-e]|f[0-9a-e])/ { user++ }
			/[ \t](main|waiter_main)([ +\n]|$)/ { full++ }
			END {
				if (!n)
					exit 1
				per = size / n
				printf "  %-24s %-10s %8d %8.1f %% %7.1f %% %8.1f", what, graph, n,
					100 * user / n, 100 * full / n, per
				if (plain)
					printf " %.2f x", per / plain
			}') || die "no samples in $data"
		printf '%s\n' "$line"
		plain=${plain:-${line##* }}
	done
done

head '6. Programs without frame pointers: Debian'\''s own Python'
say 'Debian builds its packages without frame pointers. With -g, perf makes a table of each file that runs, out of its .eh_frame, and the kernel walks by these: nothing was rebuilt or set. The same work was recorded both ways:'
say '    perf record --call-graph fp python3 work.py'
say '    perf record -g python3 work.py'
say 'A chain is complete if it ends where its program began. A reader of its own decides that, which asks readelf for the places without caller (tools/testing/vm-tables/ends.py).'
printf '\n  %-24s %-10s %8s %10s %13s\n' program call-graph samples complete bytes/sample
for graph in fp table; do
	"$here/../testing/vm-tables/ends.py" symfs guest/python3.$graph.data >ends.$graph ||
		die "guest/python3.$graph.data cannot be read"
	awk -v graph=$graph 'NR == 1 {
		if (!$4)
			exit 1
		printf "  %-24s %-10s %8d %8.1f %% %13.1f\n", "python3 (json, re)", graph, $2,
			100 * $6 / $4, $10 / $2
		n++
	} END { exit !n }' ends.$graph || die "no callchains in $demo/guest/python3.$graph.data"
done
for graph in fp table; do
	say
	say "Who calls the function that took most, $graph:"
	look report --stdio --no-children -i guest/python3.$graph.data 2>/dev/null >python3.$graph.txt
	awk '/^#/ { next } NF && !behind && ++n <= 40 { print } !NF && n { behind = 1 }' python3.$graph.txt
done

head '7. Flame graphs'
flame() { # RECORDING SVG
	look report -i "$1" --flamegraph="$2" 2>/dev/null >flamegraph.log
	[ -s "$2" ] || die "no flame graph came out; see $demo/flamegraph.log"
	say "$demo/$2"
}
rm -f ./*.svg
flame $reads flamegraph.svg
flame guest/python3.table.data flamegraph-python3.svg
say 'Open them in any browser; click to zoom, search with ctrl-f.'
head 'Now try'
say '    make vm                  a shell in that kernel, with perf in it'
say '    make install             perf, its manual pages and bash completion'
say '    make kernel-deb          the kernel as Debian packages'
