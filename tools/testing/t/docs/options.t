#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# The manual pages and the commands' own -h name the same options, both ways,
# and "perf help" the same commands. Needs $O/perf, and looks at its commands alone.
use strict;
use warnings;
use Test::More;

my $O = $ENV{O} // 'build';
$ENV{PERF_NO_DELEGATE} = 1;

# "**-e**, **--event** *event*" -> -e --event; the lines that begin a definition
sub options_of_manual {
	my ($page) = @_;
	my %options;

	open(my $f, '<', "Documentation/man/$page.rst") or return ();
	my $text = do { local $/; <$f> };
	close($f);
	while ($text =~ /^(\*\*-.*)\n +/mg) {
		my $term = $1;
		$options{$1}++ while $term =~ /\*\*(-[^*]+)\*\*/g;
	}
	return %options;
}

# "    -e, --event <event>   ..." -> -e --event
sub options_of_help {
	my ($command) = @_;
	my %options;

	for my $line (`$O/perf $command -h 2>&1`) {
		next if $line !~ /^ {4,8}(-\S+(?: --\S+)?)/;
		my $names = $1;
		$options{$1}++ while $names =~ /(?:^|, ?)(--?[a-zA-Z0-9][\w-]*)/g;
	}
	return %options;
}

my @commands = grep { !/^(help|version)$/ } map { /^   ([a-z]+) / ? $1 : () } `$O/perf help`;
ok(@commands > 0, 'perf help lists commands');
my %in_perf_1;
open(my $f, '<', 'Documentation/man/perf.rst') or die;
while (<$f>) {
	$in_perf_1{$1}++ if /perf-([a-z]+)\(1\)/;
}
is_deeply([sort keys %in_perf_1], [sort @commands], 'perf(1) names these commands');

for my $command (@commands) {
	my %manual = options_of_manual("perf-$command");
	my %help = options_of_help($command);

	ok(%help > 0 || $command eq 'config', "perf $command -h lists options");
	my @not_in_manual = grep { !$manual{$_} } sort keys %help;
	my @not_in_help = grep { !$help{$_} } sort keys %manual;
	is_deeply(\@not_in_manual, [], "perf-$command(1) has every option of perf $command -h");
	is_deeply(\@not_in_help, [], "perf $command -h has every option of perf-$command(1)");
	my @twice = grep { $manual{$_} > 1 } sort keys %manual;
	is_deeply(\@twice, [], "perf-$command(1) has each once");
}

done_testing();
