#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What cannot be written to standard output: every command says so in one line and returns 1.
# A reader that has gone is no error. No measuring is needed here.
. "$(dirname "$0")/../../lib/tap.sh"
perf=$(realpath "${PERF:-build/perf}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_CONFIG=$tmp/config HOME=$tmp
golden=$(cd "$lib/../golden/c" && pwd)
cd "$tmp" || exit 1
cp "$golden"/{multi.defer,group.fp}.data .
printf '[report]\n\tchildren = true\n' > config
shown=(err)


# reported TEXT: status 1, and the last line of standard error, and only it, has TEXT
reported() {
	[ "$status" = 1 ] && [ "$(grep -c '^perf: ' err)" = 1 ] &&
		[ "$(tail -n 1 err)" = "perf: standard output: $1" ]
}

# With a read end that is closed; SIGPIPE is IGNORE or DEFAULT. The status of a signal is negative.
closed_pipe() {
	perl -e 'pipe(my $r, my $w); close $r; $SIG{PIPE} = shift; open(STDOUT, ">&", $w);
		my $s = system(@ARGV); exit($s & 127 ? 256 - ($s & 127) : $s >> 8)' "$@"
}

commands=(
	version --version help --help
	list 'list sw'
	'config -l' 'config --user -l' 'config report.children'
	'record -h' 'report -h' 'script -h' 'config -h' 'list -h'
	'script' 'script -D' 'script --header-only' 'script --header -I' 'script -F help'
	'script --per-event-dump' 'script --show-task-events'
	'report --stdio' 'report --folded' 'report --flamegraph=-' 'report -D' 'report --stats'
	'report --tasks' 'report --mmaps' 'report --header-only' 'report --header -I --stdio'
)
for c in "${commands[@]}"; do
	read -ra words <<< "$c"
	[[ $c != script* && $c != report* ]] || words+=(-i multi.defer.data --kallsyms "$golden/kallsyms")
	"$perf" "${words[@]}" > out 2> err < /dev/null
	usual=$? said=$(wc -l < err)
	[ $usual = 0 ] && [ -s out ]
	ok $? "$c: writes something"
	"$perf" "${words[@]}" > /dev/full 2> err < /dev/null
	status=$?
	reported 'No space left on device'
	ok $? "$c > /dev/full"
	closed_pipe IGNORE "$perf" "${words[@]}" 2> err < /dev/null
	status=$?
	[ $status = 0 ] && [ "$(wc -l < err)" -le "$said" ] && ! grep -q 'roken pipe' err
	ok $? "$c: the reader has gone, SIGPIPE ignored"
	closed_pipe DEFAULT "$perf" "${words[@]}" 2> err < /dev/null
	status=$?
	[ $status = 243 ] && [ "$(wc -l < err)" -le "$said" ]
	ok $? "$c: the reader has gone"
done

"$perf" > /dev/full 2> err
status=$?
reported 'No space left on device'
ok $? 'no command > /dev/full'
"$perf" nonsense > /dev/full 2> err
status=$?
[ $status = 1 ] && ! grep -q 'standard output' err
ok $? 'nothing was to be written: no message'
"$perf" config nosuch.thing > /dev/full 2> err
status=$?
[ $status = 1 ] && [ ! -s err ]
ok $? 'a setting that is not there > /dev/full'
# More than one block of output: the first write that fails is not the last one.
for _ in $(seq 300); do printf '[s%s]\n\tname = %0100d\n' "$RANDOM" 1; done >> config
cp "$golden/mixed.data" big.data
for c in 'config -l' 'script -D -i big.data' 'report -D -i big.data'; do
	"$perf" $c > out 2> err
	[ "$(stat -c %s out)" -gt $([[ $c = config* ]] && echo 20000 || echo 300000) ]
	ok $? "$c: much to write"
	"$perf" $c > /dev/full 2> err
	status=$?
	reported 'No space left on device'
	ok $? "$c: much to write > /dev/full"
	closed_pipe IGNORE "$perf" $c 2> err
	status=$?
	[ $status = 0 ] && ! grep -q 'roken pipe' err
	ok $? "$c: much to write, the reader has gone"
done
for c in version 'report --stdio -i multi.defer.data' 'script -i multi.defer.data'; do
	"$perf" $c 2> err >&-
	status=$?
	reported 'Bad file descriptor'
	ok $? "$c: standard output is closed"
	"$perf" $c > out 2>&-
	status=$?
	[ $status = 0 ] && [ -s out ]
	ok $? "$c: standard error is closed"
done
# The dumps must not be opened as the closed descriptor, and get what is printed there.
"$perf" script --per-event-dump -i group.fp.data 2> err >&-
status=$?
reported 'Bad file descriptor' && ! grep -lq 'perf script: Wrote' group.fp.data.*.dump
ok $? 'script --per-event-dump: standard output is closed'
for c in 'report --stdio' 'script' 'script -D'; do
	(ulimit -f 1; exec "$perf" $c -i multi.defer.data > out 2> "$tmp/err")
	status=$?
	[ -e out ] && [ $status = 1 ] && [ "$(stat -c %s out)" = 1024 ] && reported 'File too large'
	ok $? "$c: a limit of file sizes"
done
for o in --flamegraph=/dev/full --flamegraph=/nonexistent/f.svg; do
	"$perf" report $o -i multi.defer.data > out 2> err
	status=$?
	[ $status = 1 ] && [ "$(grep -c '^perf: ' err)" = 1 ] && grep -q "^perf: .*${o#*=}" err
	ok $? "$o"
done
plan
