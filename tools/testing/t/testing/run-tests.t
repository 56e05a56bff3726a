#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# The runner of the tests: it must count truly, hide nothing and say failure
# with its status. Each case is a Makefile whose parts run prove.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Spec;
use File::Temp qw(tempdir);
use POSIX qw(WNOHANG);
use Test::More;

my $here = File::Spec->rel2abs(dirname(__FILE__) . '/../..');
my $dir = tempdir(CLEANUP => 1);
$ENV{PATH} = "$here/bin:$ENV{PATH}";
delete $ENV{$_} for qw(TAP_DIR CI MAKEFLAGS MFLAGS MAKELEVEL PERL_TEST_HARNESS_DUMP_TAP FRESH);
# Prints the word for what a run depends on: none, so that nothing is kept.
$ENV{REPLAY_KEY} = 'true';

# %PARTS: name => TAP that its test prints; a part "x/N" ends with status N.
sub run_case {
	my ($env, %parts) = @_;
	my ($mk, @names);

	for my $part (sort keys %parts) {
		my ($name, $status) = split m{/}, $part;
		push @names, $name;
		open(my $t, '>', "$dir/$name.sh") or die;
		print $t "cat <<'E'\n$parts{$part}E\nexit ", $status // 0, "\n";
		close $t;
		$mk .= "$name:\n\t" . ($parts{$part} eq 'false' ? 'false' :
			"prove -e sh $dir/$name.sh") . "\n";
	}
	open(my $f, '>', "$dir/Makefile") or die;
	print $f $mk;
	close $f;
	my $out = `cd $dir && $env $here/run-tests $dir/logs @names 2>&1`;
	my $status = $? >> 8;
	my $last = (split /\n/, $out)[-1];
	return ($last, $status, $out);
}

my ($last, $status, $out) = run_case('', a => "1..2\nok 1\nok 2 - x\n", b => "ok 1\n1..1\n");
is($last, '3 passed, 0 failed', 'all pass: one summary line, last');
is($status, 0, 'all pass: status 0');
ok(-s "$dir/logs/a.log", 'what a part printed is kept');

($last, $status, $out) = run_case('', a => "1..2\nok 1\nnot ok 2 - mine\n", b => "1..1\nok 1\n");
is($last, '2 passed, 1 failed', 'a failing part does not hide the next');
isnt($status, 0, 'a failure is the status');
like($out, qr/failed: not ok 2 - mine/, 'the failed test is named at the end');

($last, $status, $out) = run_case('', a => "1..3\n# of 1\nok 1\n# seen 7\nnot ok 2 - seven\n" .
	"# wanted 8\nok 3\n# of 3\n");
like($out, qr/all parts.*failed: not ok 2 - seven\n\s+# seen 7\n\s+# wanted 8\n[^#]*$/s,
     'what a failed test says is at the end, too, and nothing of the others');
($last, $status, $out) = run_case('', a => "not ok 1\n1..1\n" . join('', map { "# $_\n" } 1..99));
like($out, qr/all parts.*not ok 1\n(\s+# \d+\n){50}[^#]*$/s, 'but fifty lines of it at most');

($last) = run_case('', a => "1..3\nok 1\nok 2 # SKIP no such thing\nnot ok 3 # TODO later\n");
is($last, '2 passed, 0 failed, 1 skipped', 'skip and todo');
($last, $status) = run_case('', a => "1..0 # SKIP nothing here\n");
is($last, '0 passed, 0 failed, 1 skipped', 'a whole file skipped');
is($status, 0, 'skipped is not failed');
($last, $status) = run_case('CI=true', a => "1..2\nok 1\nok 2 # SKIP no such thing\n");
is($last, '1 passed, 1 failed', 'with CI a skip is a failure');
isnt($status, 0, 'with CI a skip is in the status');

($last) = run_case('', a => "1..3\nok 1\nok 2\n");
is($last, '2 passed, 1 failed', 'a plan not kept');
($last) = run_case('', 'a/1' => "1..1\nok 1\n");
is($last, '1 passed, 1 failed', 'a test that ends badly behind good results');
($last) = run_case('', a => 'false', b => "1..1\nok 1\n");
is($last, '1 passed, 1 failed', 'a part that never came to its tests');
($last) = run_case('', a => "");
is($last, '0 passed, 1 failed', 'a test that says nothing');
($last) = run_case('', a => "1..1\n    ok 1 - inner\n    not ok 2 - inner\nok 1 - outer\n");
is($last, '1 passed, 0 failed', 'a subtest is one result with its parent');
($last) = run_case('', a => "1..2\nok 1\nBail out! disk full\n");
is($last, '1 passed, 2 failed', 'bail out');

# AGAIN: a test that fails beside others runs once more alone; one that is broken fails twice.
sub again {
	my ($n, %tests) = @_;
	my $files = '';

	for my $name (sort keys %tests) {
		unlink "$dir/$name.ran";
		open(my $t, '>', "$dir/$name.sh") or die;
		print $t "ran=$dir/$name.ran\n$tests{$name}";
		close $t;
		$files .= " $dir/$name.sh";
	}
	open(my $f, '>', "$dir/Makefile") or die;
	print $f "a:\n\tAGAIN=$n prove -j2 -e sh$files\n";
	close $f;
	my $out = `cd $dir && $here/run-tests $dir/logs a 2>&1`;
	return ((split /\n/, $out)[-1], $? >> 8, $out);
}
my $good = "echo ok 1; echo 1..1\n";
my $broken = "echo not ok 1 - broken; echo 1..1\n";
my $unstable = "[ -e \$ran ] || { > \$ran; echo not ok 1 - of two; echo '# seen 7'; echo 1..1; exit 1; }\n$good";
($last, $status, $out) = again(2, good => $good, unstable => $unstable);
is($last, '2 passed, 0 failed', 'AGAIN: the second run counts');
is($status, 0, 'AGAIN: and is the status');
like($out, qr/all parts.*unstable: .*unstable.sh failed in its first run.*unstable: not ok 1 - of two.*unstable: seen 7/s,
     'AGAIN: what the first run said is shown at the end');
($last, $status, $out) = again(2, broken => $broken, good => $good);
is($last, '1 passed, 1 failed', 'AGAIN: a broken test fails');
isnt($status, 0, 'AGAIN: and is the status, too');
($last) = again(1, broken => $broken, unstable => $unstable);
is($last, '0 passed, 2 failed', 'AGAIN: more failures than it says: no second run');
($last) = again(1, dies => "[ -e \$ran ] || { > \$ran; exit 3; }\n$good");
is($last, '1 passed, 0 failed', 'AGAIN: a test that printed nothing');

key('echo one');
$ENV{REPLAY_KEY} = "$dir/key";
again(2, good => $good, unstable => $unstable);
$out = `cd $dir && $here/run-tests $dir/logs a 2>&1`;
like($out, qr/all parts.*\na .* replayed\n.*unstable: seen 7.*2 passed, 0 failed/s, 'AGAIN: replayed, with what the first run said');
$ENV{REPLAY_KEY} = 'true';

# Parts with "+" that follow each other run at the same time: each waits for a file of the other. What they
# build is built before, once.
unlink glob("$dir/met.*"), "$dir/built";
my $meet = sub { "[ -e $dir/built ] && : > $dir/met.$_[0]; for i in \$(seq 300); do [ -e $dir/met.$_[1] ] && " .
	"{ echo ok 1; break; }; sleep 0.1; done; echo 1..1\n" };
for (['a', 'b'], ['b', 'a'], ['c', '']) {
	open(my $t, '>', "$dir/$_->[0].sh") or die;
	print $t $_->[1] ? $meet->(@$_) : "[ \$(cat $dir/built) = once ] && echo ok 1; echo 1..1\n";
}
open(my $mk, '>', "$dir/Makefile") or die;
print $mk "built:\n\techo once >> $dir/built\n", map { "$_:\n\tprove -e sh $dir/$_.sh\n" } qw(a b c);
close $mk;
$out = `cd $dir && $here/run-tests --build built $dir/logs +a +b c 2>&1`;
like($out, qr/^3 passed, 0 failed\n\z/m, 'beside: two parts with "+" at a time, one that follows them alone');
like($out, qr/== a\n(?:(?!\n==).)*Result: PASS\n== a /s, 'beside: output of a part is together');
open($mk, '>', "$dir/Makefile") or die;
print $mk "a b:\n\techo \$\$\$\$ >> $dir/pids; sleep 300\n";
close $mk;
my $pid = fork // die;
if (!$pid) {
	open(STDOUT, '>', "$dir/out");
	chdir $dir;
	exec "$here/run-tests", "$dir/logs", '+a', '+b';
}
select(undef, undef, undef, 0.05) until -e "$dir/pids" && `wc -l < $dir/pids` == 2 || waitpid($pid, WNOHANG);
kill TERM => $pid;
waitpid $pid, 0;
is($? >> 8, 130, 'beside: a signal ends the run');
my $left = 1;
for (1 .. 200) {
	$left = grep { kill 0 => $_ } split ' ', `cat $dir/pids`;
	last unless $left;
	select(undef, undef, undef, 0.05);
}
is($left, 0, 'beside: and the parts');

# --ahead runs beside the first part, and has ended when the second begins: it and the first wait for each other.
my $wait = sub { "for i in \$(seq 300); do [ -e $dir/$_[0] ] && break; sleep 0.1; done; " };
for (['first', $wait->('early') . "[ -e $dir/early ] && echo ok 1; : > $dir/go; echo 1..1\n"],
     ['second', "[ -e $dir/late ] && echo ok 1; echo 1..1\n"]) {
	open(my $t, '>', "$dir/$_->[0].sh") or die;
	print $t $_->[1];
}
open($mk, '>', "$dir/Makefile") or die;
print $mk "ahead:\n\t: > $dir/early; ", $wait->('go') =~ s/\$/\$\$/gr, "sleep 0.5; : > $dir/late\n",
	map { "$_:\n\tprove -e sh $dir/$_.sh\n" } qw(first second);
close $mk;
$out = `cd $dir && $here/run-tests --ahead ahead $dir/logs first second 2>&1`;
like($out, qr/^2 passed, 0 failed\n\z/m, 'ahead: beside the first part, done before the second');

# What passed is replayed while nothing has changed, and only then.
sub key {
	open(my $f, '>', "$dir/key") or die;
	print $f "#!/bin/sh\n$_[0]\n";
	close $f;
	chmod 0755, "$dir/key";
}
my @kept = ("REPLAY_KEY=$dir/key", a => "1..1\nok 1\n", b => "1..2\nok 1\nok 2 # SKIP no such thing\n");
key('echo one');
run_case(@kept);
($last, $status, $out) = run_case(@kept);
is($last, '2 passed, 0 failed, 1 skipped', 'replay: the results are counted');
is($status, 0, 'replay: status 0');
like($out, qr/== a\n# replayed: inputs unchanged.*FRESH=1/, 'replay: it is said');
like($out, qr/all parts.*\na .* replayed\nb .* s\n/s, 'replay: at the end, too; what was skipped runs again');
($last, $status, $out) = run_case("FRESH=1 $kept[0]", @kept[1 .. 4]);
unlike($out, qr/replayed/, 'replay: FRESH=1 runs everything');
key('echo two');
($last, $status, $out) = run_case(@kept);
unlike($out, qr/replayed/, 'replay: something has changed');
($last, $status, $out) = run_case($kept[0], a => "1..1\nnot ok 1\n");
like($out, qr/replayed/, 'replay: the part itself is not looked at');
key('echo three');
($last) = run_case($kept[0], a => "1..1\nnot ok 1\n");
($last, $status, $out) = run_case($kept[0], a => "1..1\nok 1\n");
unlike($out, qr/replayed/, 'replay: no failure is kept');
open(my $packages, '>>', "$dir/logs/passed/a/packages") or die;
print $packages "zzz-gone\t1.0\n";
close $packages;
($last, $status, $out) = run_case($kept[0], a => "1..1\nok 1\n");
unlike($out, qr/replayed/, 'replay: a package of that time is not there');
key('date +%N');
run_case($kept[0], a => "1..1\nok 1\n");
key("cat $dir/logs/passed/a/passed 2>/dev/null || echo none");
($last, $status, $out) = run_case($kept[0], a => "1..1\nok 1\n");
unlike($out, qr/replayed/, 'replay: the tree changed while the part ran');

# A part with inputs is recorded in a file that is committed. Its hash is of the inputs alone.
SKIP: {
	skip('this tree is no git repository', 12) if !-e "$here/../../.git";
	system("cd $dir && git init -q && echo 1 >input && mkdir -p folder && echo 1 >folder/file && echo 1 >other") == 0 or die;
	key('echo four');
	$ENV{REPLAY_KEY} = "$dir/key";
	my ($pass, $fail) = ("ok 1\n1..1", "not ok 1\n1..1");
	sub part { # ENV TAP [ARGUMENT]
		my ($env, $tap, $arg) = (@_, 'a: input folder');

		open(my $t, '>', "$dir/a.sh") or die;
		print $t "cat <<'E'\n$tap\nE\n";
		close $t;
		open(my $f, '>', "$dir/Makefile") or die;
		print $f "a:\n\tprove -e sh $dir/a.sh\n";
		close $f;
		my $out = `cd $dir && rm -rf logs && $env $here/run-tests --passed $dir/record $dir/logs '$arg' 2>&1`;
		return ((split /\n/, $out)[-1], $? >> 8, $out);
	}
	($last) = part('', $fail);
	ok(!-e "$dir/record", 'recorded: no failure');
	part('', "ok 1 # SKIP none\n1..1");
	ok(!-e "$dir/record", 'recorded: nothing that skipped a test');
	part('', $pass, 'a');
	ok(!-e "$dir/record", 'recorded: no part without inputs');
	part('', $pass);
	ok(-s "$dir/record", 'recorded: what passed');
	($last, $status, $out) = part('', $fail);
	is($last, '0 passed, 0 failed', 'recorded: not run again, and no result is counted');
	is($status, 0, 'recorded: status 0');
	like($out, qr/all parts.*\na +not run: passed with these inputs on [\d-]+ .*FRESH=1/s, 'recorded: it is said at the end');
	($last) = part('FRESH=1', $fail);
	is($last, '0 passed, 1 failed', 'recorded: FRESH=1 runs it');
	system("echo 2 >$dir/other");
	($last) = part('', $fail);
	is($last, '0 passed, 0 failed', 'recorded: other files do not matter');
	system("echo 2 >$dir/folder/file");
	($last) = part('', $fail);
	is($last, '0 passed, 1 failed', 'recorded: a changed input does');
	part('', $pass);
	system("echo new >$dir/folder/new");
	($last) = part('', $fail);
	is($last, '0 passed, 1 failed', 'recorded: and so does a new one');
	is(`wc -l <$dir/record`, "1\n", 'recorded: one line a part');
}
$ENV{REPLAY_KEY} = 'true';

# The key itself: a variable that a test may know changes it, where it runs does not.
my $real = sub { scalar `cd $here && env @_ ./replay-key` };
SKIP: {
	skip('this tree is no git repository', 3) if !$real->();
	is($real->('SHLVL=7', 'TERM=x'), $real->(), 'replay: the terminal does not matter');
	isnt($real->('SETTING_OF_THIS_TEST=1'), $real->(), 'replay: any other variable does');
	isnt($real->('CI=true'), $real->(), 'replay: and so does CI');
}

# Two checkouts' copies of bin/prove in PATH, as when a test runs make in another one.
my $copy = "$dir/copy/tools/testing/bin";
system("mkdir -p $copy && cp $here/bin/prove $copy/prove") == 0 or die;
like(`PATH=$copy:$here/bin:\$PATH timeout 20 prove --version`, qr/Harness/, 'no copy of prove calls another');

# Signals that are ignored when tests begin (nohup, a shell's background) are not in what they
# start: with make's prove no test's, with any other no test's that uses one of the libraries.
my $ignored = sub { `bash -c "trap '' HUP INT QUIT PIPE; $_[0]" 2>&1` };
my $sh = "[ -z \"\$(trap -p)\" ] && echo ok 1 || echo not ok 1\necho 1..1\n";
my $py = "import os, sys, signal\nsys.path.insert(0, '$here/lib')\nimport tap\n" .
	"print(signal.getsignal(signal.SIGHUP) == signal.getsignal(signal.SIGINT) == signal.SIG_DFL)\n";
for ([plain => $sh], [with => ". $here/lib/tap.sh\n$sh"], [python => $py]) {
	open(my $f, '>', "$dir/$_->[0]") or die;
	print $f $_->[1];
	close $f;
}
like($ignored->("PATH=$here/bin:\$PATH prove -e bash $dir/plain"), qr/^Result: PASS/m, 'no signal is ignored in tests');
like($ignored->("cd $dir; bash with"), qr/^ok 1$/m, 'nor in those that use tap.sh');
like($ignored->("python3 $dir/python"), qr/^True$/m, 'nor tap.py');

# A test of record.sh that ends early leaves no process.
my $job = `bash -c '. $here/lib/record.sh; sleep 1000 >/dev/null 2>&1 & echo \$!' $dir/job 2>/dev/null` + 0;
$left = 200;
select(undef, undef, undef, 0.05) while kill(0, $job) && --$left;
ok($job && $left, 'what a test has in the background ends with it');
kill KILL => $job if $job && !$left;

# limit: a test that hangs is ended with all it started, and what it waited for is said.
my $hang = `$here/limit 1 sh -c 'sleep 1001 & echo \$!; sleep 1002; echo ok' 2>&1`;
is($? >> 8, 124, 'limit: a test that hangs fails');
like($hang, qr/sh: ended, since it still ran after 1 s;.*^#\s+\d+ .* sleep 1002$/ms, 'limit: what it waited for is said');
ok($hang =~ /^(\d+)$/m && !kill(0, $1), 'limit: what it started is ended, too');
is(`$here/limit 60 sh -c 'exit 3'; echo \$?`, "3\n", 'limit: the status is that of the test');

# mounted: without the right to mount, as in a container, the tests run all the same.
SKIP: {
	my $bare = "unshare --mount --propagation private sh -c 'while umount -l /dev/pts 2>/dev/null; do :; done; ";

	skip 'no mount namespaces here', 1 if $> || system("$bare true' 2>/dev/null");
	$bare .= 'setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin';
	is(`$bare $here/mounted echo run' 2>/dev/null`, "run\n", 'mounted: without the right to mount');
}

done_testing();
