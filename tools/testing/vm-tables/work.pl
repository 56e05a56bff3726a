# SPDX-License-Identifier: GPL-2.0
# What a stock Perl does: match, count, sort with a block.
my %count;
for my $n (1 .. $ARGV[0]) {
	for my $i (1 .. 3000) {
		my $s = "line $i of $n: " . ($i * 7919 % 10007);
		$count{$2}++ if $s =~ /(\d+) of \d+: (\d+)$/;
	}
	my @top = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
	die if @top < 100;
}
