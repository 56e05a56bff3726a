#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Symbols and DWARF chains of real programs, recorded here and now, against what
# Debian's perf prints for the same recordings.
use strict;
use warnings;
use File::Basename qw(dirname);
use Test::More;

exec(dirname($0) . '/../../lib/thrice', $0) unless $ENV{RECORDED};

my $perf = $ENV{PERF} // 'build/perf';
my $out = ($ENV{O} // 'build') . '/test/symbols';

$ENV{LC_ALL} = 'C';
$ENV{DEBUGINFOD_URLS} = '';
$ENV{PERF_CONFIG} = '/dev/null';
$ENV{HOME} = $out;
system('mkdir', '-p', $out) == 0 or die;

sub check {
	my ($good, $name, @notes) = @_;

	ok($good, $name);
	print "# $_\n" for @notes;
}

sub skip_all {
	my ($why) = @_;

	plan(skip_all => $why) unless ($ENV{CI} // '') eq 'true';
	fail("recording on this machine: $why");
	done_testing();
	exit 1;
}

sub lines_of {
	my ($cmd) = @_;

	open(my $f, '-|', 'sh', '-c', "$cmd 2>>$out/stderr") or die;
	my @lines = <$f>;
	close($f);
	chomp @lines;
	return @lines;
}

# While another recorder of this machine asks for build-ids, its kernel flags device numbers as
# build-ids for 6.1, too. Where that number is above 20, what reads the map dies of a smashed stack ("assertion
# failed at util/build-id.c"): its script, and its record unless -B keeps it from reading. So a
# recording with such a map is made once more; our perf reports it.
sub record {
	my ($args) = @_;
	my ($data) = $args =~ /-o (\S+)/;

	for (1 .. 20) {
		# Its thread for BPF's records ends late, mostly 0.8 s after the program.
		system("perf record -q -B --no-bpf-event -e cpu-clock $args >/dev/null 2>>$out/stderr") == 0
			or return print "# perf record $args: status $?\n";
		return if `$perf report --stats -i $data 2>&1 >/dev/null` !~ /a build-id of/;
	}
}

sub write_file {
	my ($name, $text) = @_;

	open(my $f, '>', "$out/$name") or die;
	print $f $text;
	close($f);
}

# Functions with every kind of alias and gap; C++ names; a chain that is known.
write_file('alias.s', join('', map {
	my ($label, @names) = @$_;
	".p2align 6\n" . join('', map {
		my ($n, $bind, $type, $size) = @$_;
		($bind eq 'local' ? '' : ".$bind $n\n") .
		($type eq 'notype' ? '' : ".type $n, \@$type\n") . "$n:\n"
	} @names) . "mov \$12000000, %ecx\n1: dec %ecx\nnop\nnop\njnz 1b\nret\n" .
	join('', map { $_->[3] ? ".size $_->[0], .-$_->[0]\n" : '' } @names) . ".skip 32, 0xcc\n"
} (
	['a1', ['a1_global', 'globl', 'function', 1], ['a1_weak_longer', 'weak', 'function', 1]],
	['a2', ['a2_local', 'local', 'function', 1], ['a2_weak_longer', 'weak', 'function', 1],
	 ['a2_start', 'globl', 'notype', 0]],
	['a3', ['__a3', 'globl', 'function', 1], ['_a3x', 'globl', 'function', 1],
	 ['a3_start', 'globl', 'function', 1]],
	['a4', ['a4_start', 'globl', 'function', 0], ['a4_l', 'local', 'function', 1]],
	['a5', ['a5_start', 'globl', 'notype', 0]],
	['a6', ['a6_start', 'weak', 'function', 1], ['a6_x_longer', 'weak', 'function', 1]],
)) . ".globl aliases\n.type aliases, \@function\naliases:\n" . "sub \$8, %rsp\n" .
	join('', map { "call $_\n" } qw(a1_global a2_start a3_start a4_start a5_start a6_start)) .
	"add \$8, %rsp\nret\n.size aliases, .-aliases\n" .
	".section .note.GNU-stack, \"\", \@progbits\n");
# As vfork() does: the return address waits in a register.
write_file('popped.s', <<'S');
	.globl popped
	.type popped, @function
popped:	.cfi_startproc
	pop %rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %rdi
	mov $400000000, %ecx
1:	dec %ecx
	jnz 1b
	push %rdi
	.cfi_adjust_cfa_offset 8
	ret
	.cfi_endproc
	.size popped, .-popped
	.section .note.GNU-stack, "", @progbits
S
write_file('chain.cc', <<'C');
namespace demo {
struct Work {
	template<class T> __attribute__((noinline)) T leaf(T n)
	{
		volatile T x = 0;
		for (T i = 0; i < n; i++)
			x = x + i;
		return x;
	}
	__attribute__((noinline)) long middle(long n) { return leaf<long>(n) + 1; }
};
}
extern "C" __attribute__((noinline)) long top(long n) { return demo::Work().middle(n) + 1; }
extern "C" void aliases(void);
extern "C" void popped(void);
int main()
{
	long n = top(400000000);
#ifdef ALIASES
	aliases();
	popped();
#endif
	return n == 1;
}
C

system("g++ -O2 -g -fomit-frame-pointer -DALIASES -o $out/chain $out/chain.cc $out/alias.s $out/popped.s") == 0
	or die 'g++';
# Names of what chooses a function when libc is loaded, in it and in its debug file.
sub ifuncs {
	my ($libc) = glob '/usr/lib/x86_64-linux-gnu/libc.so.6 /lib64/libc.so.6';
	my ($id) = defined $libc ? `readelf -n $libc 2>/dev/null` =~ /Build ID: ([0-9a-f]+)/ : ();
	my %at = map { (split)[3] // '' => 1 } grep { /IRELATIV/ } defined $libc ? `readelf -rW $libc 2>/dev/null` : ();
	my @nm = defined $libc ? `nm -D $libc 2>/dev/null` : ();

	push @nm, `nm /usr/lib/debug/.build-id/$1/$2.debug 2>/dev/null` if defined $id && $id =~ /^(..)(.*)/;
	return map { /^0*([0-9a-f]+) \w ([^@\s]+)/ && $at{$1} ? ($2 => 1) : () } @nm;
}

my %ifuncs = ifuncs();
sub is_ifunc {
	my ($name) = @_;

	return $name =~ /^\*ABS\*\+0x[0-9a-f]+$/ || $ifuncs{$name};
}

if (system("perf record -q -B -e cpu-clock -o $out/probe.data true >/dev/null 2>>$out/stderr") != 0) {
	skip_all('perf record is not allowed here');
}

my %programs = (
	chain => "$out/chain",
	sort => "sh -c 'seq 200000 | sort -R | md5sum'",
	python => q{python3 -c 'import json,re
for i in range(150): json.loads(json.dumps({str(k):[k]*9 for k in range(200)})); re.sub("a+","b","caaat"*200)'},
	perl => q{perl -e 'my %h; $h{$_%1000}.=chr(65+$_%26) for 1..200000; print scalar keys %h'},
	cxx => "g++ -O1 -c -o /dev/null $out/chain.cc",
);

# One name for each sample. What 6.1 cannot name, ours may: by kind, and counted. Linker's names:
# 6.1 leaves out the parameters, 7.2 and ours show them (unit/symbol.c).
for my $name (sort keys %programs) {
	my $data = "$out/$name.data";

	record("-F 5000 -o $data -- $programs{$name}");
	my $fields = '--no-demangle -F comm,tid,time,ip,sym,symoff,dso';
	my @theirs = lines_of("perf script -i $data $fields");
	my @ours = lines_of("$perf script -i $data $fields");
	my ($same, %kinds, @bad) = (0);

	s/\s+/ /g for @theirs, @ours;
	# A copy that it made now.
	s{/tmp/perf-vdso\.so-\w+}{[vdso]} for @theirs;
	for my $i (0 .. $#theirs) {
		my ($t, $o) = ($theirs[$i], $ours[$i] // '');

		if ($t eq $o) {
			$same++;
		} elsif ($t =~ /\[unknown\]/ && $o =~ /\@plt\+0x/) {
			$kinds{'stubs of .plt.got, which 6.1 does not name'}++;
		} elsif ($t =~ / \@plt\+0x/ && $t eq $o =~ s/ [^ ]+\@plt\+/ \@plt+/r) {
			$kinds{'stubs that only the dynamic loader resolves, which 6.1 does not name'}++;
		} elsif ($o =~ / \.plt\+0x/ && ($t =~ s/ [^ ]+\+0x[0-9a-f]+ \(/ (/r) eq
			 ($o =~ s/ [^ ]+\+0x[0-9a-f]+ \(/ (/r)) {
			$kinds{'the head of .plt, which 6.1 counts to the function before it'}++;
		} elsif ($t =~ / \[unknown\] \(\[vdso\]\)/ && $t eq $o =~ s/ [^ ]+ (\(\[vdso\]\))/ [unknown] $1/r) {
			$kinds{"the vdso's functions, which 6.1 names only out of its build-id cache"}++;
		} elsif ($t =~ /\@plt\+0x/ && $o =~ / (\S+)\@plt\+0x/ && is_ifunc($1)) {
			$kinds{'stubs of IFUNCs: 6.1 has none or another name'}++;
		} elsif ($o =~ / \.plt\+0x/) {
			$kinds{'the head of .plt, which 6.1 takes for the end of the function before'}++;
		} elsif ($t =~ /\[unknown\]/ && $o =~ / _GLOBAL__/) {
			$kinds{'static constructors, which 6.1 does not name'}++;
		} else {
			push @bad, "theirs: $t", "ours:   $o";
		}
	}
	check(@theirs > 20 && @theirs == @ours && !@bad, "$name: symbols of " . @theirs . ' samples',
	   (map { "$kinds{$_} $_" } sort keys %kinds), @bad[0 .. ($#bad < 9 ? $#bad : 9)]);
}

# sample -> its user frames, by name and offset
sub chains {
	my ($key, %c);

	for (@_) {
		if (/^\s*(\d+)\s+([\d.]+):/) {
			$key = "$1 $2";
			$c{$key} = [];
		} elsif (/^\s+([0-9a-f]+) (.*)$/) {
			my ($ip, $what) = ($1, $2);

			# 6.1 goes on from the return address 0 of the first frame.
			push @{$c{$key}}, $what if $ip !~ /^ffffffff[89a-f]/ && $ip ne 'f' x 16;
		}
	}
	return %c;
}

# What 6.1 has no name for, ours may have; stubs of IFUNCs it calls by another's name.
sub same_frame {
	my ($t, $o) = @_;

	return $t eq $o || $t eq '[unknown]' || $o =~ /^\.plt\+/ || ($t =~ /\@plt\+/ && $o =~ /^(\S+)\@plt\+/ && is_ifunc($1)) ||
		# It counts the head of .plt to the function before it.
		($t =~ /\+0x/ && $o =~ /^\.plt\+0x/) ||
		# It has no name for stubs whose target only the dynamic loader finds out.
		($t =~ /^\@plt\+/ && $t eq $o =~ s/^[^ ]+\@plt/\@plt/r);
}

# Whether all of @$a stands in @$b, in order.
sub within {
	my ($a, $b) = @_;
	my $i = 0;

	for (@$b) {
		$i++ if $i < @$a && same_frame($a->[$i], $_);
	}
	return $i == @$a;
}

for my $name (qw(chain sort python cxx)) {
	my $data = "$out/$name.dwarf.data";
	my $fields = '--no-inline --no-demangle -F tid,time,ip,sym,symoff';

	record("-F 999 --call-graph dwarf -o $data -- $programs{$name}");
	my %theirs = chains(lines_of("perf script -i $data $fields"));
	my %ours = chains(lines_of("$perf script -i $data $fields"));
	my ($same, $more, $lost, $popped, $back, @bad, $in_leaf, $whole) = (0, 0, 0, 0, 0);

	for my $k (sort keys %theirs) {
		my ($t, $o) = ($theirs{$k}, $ours{$k} // []);

		$same++, next if "@$t" eq "@$o";
		$more++, next if within($t, $o);
		# Its way was lost where it ends early, in a caller that was none.
		$lost++, next if @$t < @$o && same_frame($t->[0], $o->[0]);
		push @bad, "$k theirs: " . join(' ', @$t), "$k ours:   " . join(' ', @$o);
	}
	check(%theirs > 5 && !@bad,
	      "$name: DWARF chains of " . keys(%theirs) . ' samples hold all that 6.1 finds',
	   "$same the same, $more with frames that 6.1 skips or does not reach, " .
	   "$lost longer where 6.1 took a wrong turn",
	   @bad[0 .. ($#bad < 5 ? $#bad : 5)]);
	if ($name eq 'chain') {
		for (values %ours) {
			my $c = join(' ', map { s/\+0x[0-9a-f]+$//r } @$_);

			if ($c =~ /^popped/) {
				$popped++;
				$back++ if $c =~ /^popped main __libc_start_call_main /;
			}
			next if $c !~ /^_ZN4demo4Work4leaf/;
			$in_leaf++;
			$whole++ if $c =~ /^_ZN4demo4Work4leafIl\S* _ZN4demo4Work6middle\S* top main __libc_start_call_main __libc_start_main\S* _start$/;
		}
		check(($in_leaf // 0) > 50 && $whole == $in_leaf, 'chain: whole from leaf to _start',
		   ($whole // 0) . ' of ' . ($in_leaf // 0));
		check($popped > 10 && $back == $popped, 'chain: a return address in a register',
		   "$back of $popped");
	}
}
done_testing();
