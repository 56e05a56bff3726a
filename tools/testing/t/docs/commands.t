#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Every command that README.rst and Documentation/ print is run. A command is a
# line of a literal block that begins with "$ " (a user's), "# " (root's) or a
# program of the list below. What stands in Documentation/commands.txt is run
# as that file says; everything else is run here, on this machine, in a
# folder that has a perf.data, and must succeed.
#
# Needs $O/perf, and root where a command is marked with "# ".
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use Test::More;

my $top = getcwd();
my $O = $ENV{O} // "$top/build";
my $make = ($ENV{MAKE} // 'make') . ' --no-print-directory';
my $programs = qr/(?:make|perf|perf-deferred|git|apt-get|sudo|man|dpkg|grub-reboot|modprobe|sysctl|reboot|tar|quilt)/;
my $dir = tempdir(CLEANUP => 1);
mkdir "$dir/bin";
symlink("$O/perf", "$dir/bin/perf") or die;
delete $ENV{$_} for qw(MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR PERL_TEST_HARNESS_DUMP_TAP);
$ENV{HOME} = $dir;
$ENV{PATH} = "$dir/bin:$ENV{PATH}";
$ENV{PERF_PAGER} = $ENV{MANPAGER} = $ENV{PAGER} = 'cat';
$ENV{MANPATH} = "$O/manpath:";
system("mkdir -p $O/manpath && ln -sfn ../man $O/manpath/man1");

# Blocks: in rst what is indented behind a "::"; in CONTRIBUTING what is indented.
sub commands_of {
	my ($file) = @_;
	my ($block, $literal, @found) = (undef, $file !~ /rst$/, ());

	open(my $f, '<', $file) or die "$file: $!\n";
	while (my $line = <$f>) {
		chomp $line;
		if ($line =~ /^(\s*)\S/) {
			my $indent = length($1 =~ s/\t/        /gr);
			if (defined $block && $indent > $block) {
				my $c = $line =~ s/^\s+//r;
				if ($c =~ s/^([\$#]) // || $c =~ /^$programs /) {
					my $root = ($1 // '') eq '#' && $c =~ /^(\/|$programs\b)/;
					next if ($1 // '') eq '#' && !$root;
					while ($c =~ s/\s*\\$//) {
						my $more = <$f> // '';
						chomp $more;
						$c .= ' ' . ($more =~ s/^\s+//r);
					}
					# What is explained behind the command is no part of it.
					$c =~ s/\s+# .*//;
					$c =~ s/\s{3,}\S.*//;
					push @found, [$c, "$file:$."];
				}
				next;
			}
			$block = $literal ? 0 : $line =~ /::$/ ? $indent : undef;
			$block = undef if $line =~ /^\s*\.\. (?!code-block)/;
		}
	}
	close($f);
	return @found;
}

# PATTERN<TAB>HOW[<TAB>ARGUMENT]
my (@rules, %used);
open(my $r, '<', 'Documentation/commands.txt') or die "Documentation/commands.txt: $!\n";
while (<$r>) {
	chomp;
	next if /^#/ || /^\s*$/;
	my ($pattern, $how, $arg) = split /\t+/;
	push @rules, { pattern => $pattern, re => qr/^$pattern$/, how => $how, arg => $arg // '' };
}
close($r);

my $testable = join(' ', '', `$make -pnrR help 2>/dev/null` =~ /^TEST_(?:ALL_)?TARGETS :?= (.*)$/mg, '');

sub run {
	my ($command, $where, $cwd) = @_;
	my $out = `cd '$cwd' && { timeout 300 bash -o pipefail -c '${\ ($command =~ s/'/'\\''/gr)}' </dev/null; } 2>&1`;

	is($?, 0, "$command ($where)") or diag($out =~ s/^(.{0,2000}).*/$1/sr);
}

mkdir "$dir/work";
system("cd $dir/work && cp $top/tools/testing/golden/c/deepsys.defer.data deferred.data && cp $top/tools/testing/golden/c/deepsys.dwarf.data dwarf.data && perf record -q -g -o perf.data ls >/dev/null") == 0
	or diag('no perf.data for the commands');
my %seen;
for my $file (qw(README.rst CONTRIBUTING), sort(glob('Documentation/*.rst Documentation/*/*.rst'))) {
	for (commands_of($file)) {
		my ($command, $where) = @$_;

		next if $seen{$command}++;
		my ($rule) = grep { $command =~ $_->{re} } @rules;
		my $how = $rule ? $rule->{how} : $command =~ /^make / ? 'top' : 'run';
		$used{$rule->{pattern}}++ if $rule;
		if ($how eq 'run') {
			run($command, $where, "$dir/work");
		} elsif ($how eq 'top') {
			run($command, $where, $top);
		} elsif ($how eq 'as') {
			run($rule->{arg} =~ s/\$DIR/$dir/gr, "$where, for: $command", $top);
		} elsif ($how eq 'dry') {
			run($command =~ s/^make /make -n /r, $where, $top);
		} elsif ($how eq 'test') {
			# The make target must exist, and the test that runs it too.
			my $known = 1;
			if ($command =~ /^(?:sudo )?make (.*)/) {
				my @words = grep { /./ && !/=/ } split / /, $1 =~ s/\w+='[^']*'//gr =~ s/-C \S+//r;
				for my $target (@words) {
					$known &&= `grep -lE '^$target:' Makefile tools/*/*.mk Documentation/*.mk` ne '';
				}
			}
			ok($known && $testable =~ / \Q$rule->{arg}\E /,
			   "$command ($where): by $rule->{arg}");
		} elsif ($how eq 'machine') {
			note("not run, it changes the machine ($rule->{arg}): $command ($where)");
		} else {
			fail("Documentation/commands.txt: what is '$how'?");
		}
	}
}
is_deeply([grep { !$used{$_} } map { $_->{pattern} } @rules], [], 'no rule for a command that is not printed');

done_testing();
