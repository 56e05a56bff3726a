#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# make demo, to the end: what it prints is what was recorded in the VM, checked
# against what tools/testing/workloads/deepread.c does.
use strict;
use warnings;
use Cwd qw(getcwd);
use Test::More;

my $O = $ENV{O} // getcwd() . '/build';
my $make = ($ENV{MAKE} // 'make') . ' --no-print-directory';
delete $ENV{$_} for qw(MAKEFLAGS MFLAGS MAKELEVEL);
my @graphs = map { "$O/demo/$_.svg" } qw(flamegraph flamegraph-python3 host/live);
unlink @graphs;

# ^C while it builds: it says so and leaves nothing running. It goes on below.
my $pid = open(my $first, '-|') // die "fork: $!";
if (!$pid) {
	setpgrp;
	# A shell starts its background jobs with the signal ignored, and so would demo.sh.
	$SIG{INT} = 'DEFAULT';
	$ENV{DEMO_TEST} = getppid;
	open(STDERR, '>&', \*STDOUT);
	exec split(' ', "$make demo");
}
my $said = '';
while (<$first>) {
	$said .= $_;
	next if !/^  perf +done/;
	select undef, undef, undef, 0.5;
	kill INT => -$pid;
}
close $first;
isnt($?, 0, 'make demo, interrupted') or diag($said);
like($said, qr/^demo: interrupted; "make demo" goes on from here$/m, 'it says so');
# All that it started has this in its environment; make test itself may be unpacking the kernel's source.
my $left = '';
for (1 .. 50) {
	$left = `grep -lsz '^DEMO_TEST=$$\$' /proc/[0-9]*/environ`;
	last if !$left;
	select undef, undef, undef, 0.1;
}
is($left, '', 'and nothing of it runs on');

my $out = `$make demo 2>&1`;
is($?, 0, 'make demo') or diag(substr($out, -4000));

# The host's own kernel comes first, before anything is built for the VM.
my %host;
$host{$1} = [$2, $3, $4]
	while $out =~ /^  python3 \(words\) +(--call-graph fp|-g) +(\d+) +([\d.]+) % +([\d.]+)$/mg;
is(scalar keys %host, 2, 'two rows of Python on this kernel');
cmp_ok($host{-g}[0] // 0, '>', 200, '-g: samples');
cmp_ok($host{-g}[1] // 0, '>=', 99, '-g: complete callchains');
cmp_ok($host{'--call-graph fp'}[1] // 100, '<', 50, 'frame pointers: most callchains are cut');
cmp_ok($host{-g}[2] // 1e9, '<=', 450, '-g: bytes a sample');
like($out, qr/^1\. (?s:.*)_PyEval_EvalFrameDefault(?s:.*)Py_BytesMain(?s:.*)^  the kernel +done/m,
     'the report of them comes before the kernel is built');

my ($account) = $out =~ /^# Deferred callchains: (\d+) asked for, (\d+) joined/m ? [$1, $2] : [0, 0];
cmp_ok($account->[0], '>', 20, 'samples were deferred');
is($account->[1], $account->[0], 'every one was joined');
# The path that the program takes, whole, under a function of the kernel; a bar stands
# before each of its lines where the function has callers besides.
my $path = join('[\s|]+', qw(entry_SYSCALL_64_after_hwframe read_page load_page),
		('visit_node') x 6, qw(scan_partition scan_table run_plan execute_query
		handle_request serve_client run_server main));
like($out, qr/$path/, 'the report shows both halves of the path');
my @samples = $out =~ /^deepread +\d+ +[\d.]+: cpu-clock:/mg;
is(scalar @samples, 3, 'three samples of script');
like($out, qr/PERF_RECORD_CALLCHAIN_DEFERRED.*\n\.\.\. FP chain: nr:\d+/, 'the raw record');
my %row;
$row{"$1 $2"} = [$3, $4, $5, $6, $7 // 1]
	while $out =~ /^  (long reads|task switches) +(fp(?:,defer)?) +(\d+) +([\d.]+) % +([\d.]+) % +([\d.]+)(?: ([\d.]+) x)?$/mg;
is(scalar keys %row, 4, 'four rows of sizes');
cmp_ok($row{'long reads fp,defer'}[4], '<', 0.9, 'long reads take less than plain fp')
	if $row{'long reads fp,defer'};
for my $what ('long reads', 'task switches') {
	cmp_ok($row{"$what fp,defer"}[1], '>=', $row{"$what fp"}[1] - 0.5,
	       "$what: user halves as often as with plain fp") if $row{"$what fp"};
}
my %python;
$python{$1} = [$2, $3, $4]
	while $out =~ /^  python3 \(json, re\) +(fp|table) +(\d+) +([\d.]+) % +([\d.]+)$/mg;
is(scalar keys %python, 2, 'two rows of Debian\'s Python');
cmp_ok($python{table}[0] // 0, '>', 200, 'by table: samples');
cmp_ok($python{table}[1] // 0, '>=', 99, 'by table: complete callchains');
cmp_ok($python{fp}[1] // 100, '<', 50, 'by frame pointer: most callchains are cut');
cmp_ok($python{table}[2] // 1e9, '<', 1000, 'by table: bytes a sample');
like($out, qr/PyEval_EvalCode(?s:.*)Py_BytesMain(?s:.*?)__libc_start_main\S*\s*\n[\s|]+_start\b/,
     'and the report shows them to the end');
for my $file (@graphs) {
	ok(-s $file, "$file is there");
	system('python3', '-c', 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])', $file) == 0
		? pass('and is XML') : fail('and is XML');
}
my ($svg, $python, $live) = map { scalar `cat $_` } @graphs;
like($svg, qr/scan_partition/, 'the flame graph has the path in it');
like($svg, qr/\bread_page/, 'down to the system call');
like($python, qr/\bPy_BytesMain/, 'that of Python begins where it began');
like($python, qr/_PyEval_EvalFrameDefault/, 'and has its interpreter');
like($live, qr/\bPy_BytesMain/, 'and so does that of Python on this kernel');

done_testing();
