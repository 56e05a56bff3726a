#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# make install, make uninstall, the bash completion, make deb. Needs $O with
# perf and the pages built, and bash-completion for its loader.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Find;
use File::Temp qw(tempdir);
use Test::More;

my $O = $ENV{O} // getcwd() . '/build';
my $make = ($ENV{MAKE} // 'make') . ' --no-print-directory';
my $dir = tempdir(CLEANUP => 1);
delete $ENV{$_} for qw(MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR);

sub files_below {
	my ($top) = @_;
	my @found;

	return () if !-d $top;
	find({ no_chdir => 1, wanted => sub { push @found, s{^\Q$top\E/?}{}r } }, $top);
	return sort grep { length } @found;
}

sub run {
	my ($what, $cmd) = @_;
	my $out = `$cmd 2>&1`;

	is($?, 0, $what) or diag($out);
	return $out;
}

# Into a staging area, and away again.
my $stage = "$dir/stage";
run('install with DESTDIR and PREFIX', "$make install DESTDIR=$stage PREFIX=/opt/x");
my @files = grep { -f "$stage/$_" } files_below($stage);
ok(-x "$stage/opt/x/bin/perf", 'perf is there');
ok((grep { m{^opt/x/share/man/man1/perf-record\.1$} } @files), 'manual pages are there');
my $comp = "$stage/opt/x/share/bash-completion/completions/perf";
ok(-f $comp, 'the completion is there');
like(run('the installed perf runs', "$stage/opt/x/bin/perf version"), qr/^perf version /, 'and names its version');
# The perf behind it in PATH keeps its commands, and is asked for their options.
mkdir "$dir/behind";
open(my $behind, '>', "$dir/behind/perf") or die;
print $behind "#!/bin/sh\necho \"behind: \$*\"\necho ' Usage: perf x [<options>] {record|map}' >&2\necho '    -a, --all-behind   of the perf behind' >&2\nexit 7\n";
close $behind;
chmod 0755, "$dir/behind/perf";
is(`PATH=$stage/opt/x/bin:$dir/behind:\$PATH perf stat -e x 2>$dir/err`, "behind: stat -e x\n", 'perf stat is that of the perf behind it');
is($? >> 8, 7, 'with its status');
like(run('man finds the page', "MANPATH=$stage/opt/x/share/man man perf-record | cat"),
     qr/call-graph/, 'and shows it');
# The units name what is installed, and nothing enables them.
for my $unit (qw(perf-fleet.service perf-fleet.timer perf-unwind.service)) {
	ok(-f "$stage/opt/x/lib/systemd/system/$unit", "$unit is there");
}
ok(!(grep { m{\.wants/} } @files), 'and not enabled');
my ($exec) = `cat $stage/opt/x/lib/systemd/system/perf-fleet.service` =~ /^ExecStart=(\S+)$/m;
is($exec, '/opt/x/lib/perf/perf-fleet', 'it starts the script of this prefix');
ok(-x "$stage$exec", 'which is there');
like(`cat $stage/opt/x/lib/systemd/system/perf-unwind.service`, qr{^ExecStart=/opt/x/bin/perf unwind --serve$}m,
     'perf-unwind.service starts the perf of this prefix');
run('uninstall', "$make uninstall DESTDIR=$stage PREFIX=/opt/x");
is_deeply([files_below($stage)], [], 'uninstall leaves nothing');

# A prefix that others use: their files and folders are not touched.
my $prefix = "$dir/prefix";
system("mkdir -p $prefix/bin $prefix/share/man/man1; touch $prefix/share/man/man1/theirs.1");
my @before = files_below($prefix);
run('install into a prefix in use', "$make install PREFIX=$prefix");
SKIP: {
	skip 'no systemd-analyze', 1 if system('command -v systemd-analyze >/dev/null');
	run('systemd takes the units', "systemd-analyze verify --man=no $prefix/lib/systemd/system/perf-*");
}
run('uninstall from it', "$make uninstall PREFIX=$prefix");
is_deeply([files_below($prefix)], \@before, 'only ours is taken away');

# The completion, called as bash calls it: the line up to the cursor.
sub complete {
	my ($file, $perf, $line) = @_;
	my $script = <<'END';
source "$1"
COMP_LINE=$3; COMP_POINT=${#COMP_LINE}
# bash's own word splitting: blanks separate, ':' and '=' are words
mapfile -t COMP_WORDS < <(grep -oE '[^ :=]+|[:=]' <<<"$COMP_LINE")
[[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
fn=$(complete -p "$2" | sed -E 's/.* -F ([^ ]+) .*/\1/')
"$fn" 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
END
	open(my $f, '>', "$dir/complete.sh") or die;
	print $f $script;
	close $f;
	local $ENV{PATH} = "$dir/bin:$dir/behind:$ENV{PATH}";
	return map { chomp; $_ } `cd $dir/cwd && bash $dir/complete.sh '$file' '$perf' '$line'`;
}
mkdir "$dir/bin";
mkdir "$dir/cwd";
symlink("$O/perf", "$dir/bin/perf");
system("mkdir -p $dir/exec/scripts/python/bin; touch $dir/exec/scripts/python/bin/flat-report");
$ENV{PERF_EXEC_PATH} = "$dir/exec";
symlink("$O/perf", "$dir/bin/perf-deferred");
system("touch $dir/cwd/mine.data $dir/cwd/minor");
my $src = getcwd() . '/tools/build/completion/perf.bash';
my %words = (
	'perf re' => [qw(record report)],
	'perf record --call-g' => ['--call-graph'],
	'perf record --call-graph fp' => ['fp', 'fp,defer'],
	'perf record --call-graph=fp' => ['fp', 'fp,defer'],
	'perf record --call-graph ' => [qw(bpf dwarf fp fp,defer lbr live no table)],
	'perf top --call-graph ' => [qw(bpf dwarf fp lbr live no)],
	'perf report -i mi' => ['mine.data', 'minor'],
	'perf record -e cpu-clo' => ['cpu-clock'],
	'perf record -e cpu-clock,task-clo' => ['cpu-clock,task-clock'],
	'perf record -g -o x.data bas' => qr/^bash$/,
	'perf record -g cat mi' => ['mine.data', 'minor'],
	'perf report -s dso_f' => ['dso_from'],
	'perf report --sort comm,parall' => ['comm,parallelism'],
	'perf top --fields overhead_chi' => ['overhead_children'],
	'perf script -F comm,code_p' => ['comm,code_page_size'],
	'perf stat --all-b' => ['--all-behind'],
	'perf sched ma' => ['map'],
	'perf diff -s dso_f' => ['dso_from'],
	'perf diff --symf' => ['--symfs'],
	'perf diff mi' => ['mine.data', 'minor'],
	'perf script fla' => ['flat'],
	'perf report --no-chi' => qr/^--no-children$|^$/,
);
for my $line (sort keys %words) {
	my @got = complete($src, 'perf', $line);
	my $want = $words{$line};

	if (ref $want eq 'ARRAY') {
		is_deeply([sort @got], $want, "complete '$line'");
	} else {
		ok((grep { /$want/ } @got), "complete '$line'") or diag("@got");
	}
}

# The package.
run('make deb', "$make deb");
my ($deb) = glob("$O/deb/perf-deferred_*.deb");
ok($deb && -s $deb, 'a package was written');
my @paths = map { s{^\.}{}r } map { (split)[5] } `dpkg-deb -c $deb`;
ok((grep { $_ eq '/usr/bin/perf-deferred' } @paths), 'with the tool in it');
for my $file (qw(/usr/lib/perf-deferred/perf-deferred-fleet /usr/lib/systemd/system/perf-deferred-fleet.service
		 /usr/lib/systemd/system/perf-deferred-fleet.timer
		 /usr/lib/systemd/system/perf-deferred-unwind.service)) {
	ok((grep { $_ eq $file } @paths), "with $file");
}
my @collide = grep { !m{/$} && m{(^|/)perf(-(record|report|script|config|list))?(\.1\.gz)?$} } @paths;
is_deeply(\@collide, [], 'no file that linux-perf has');
like(`dpkg-deb -f $deb Depends`, qr/libelf1/, 'its libraries are depended on');
run('it unpacks', "dpkg-deb -x $deb $dir/deb");
like(`cat $dir/deb/usr/lib/systemd/system/perf-deferred-fleet.service`,
     qr{^ExecStart=/usr/lib/perf-deferred/perf-deferred-fleet\nEnvironment=PERF_FLEET_PERF=/usr/bin/perf-deferred$}m,
     'its service runs its own script and tool');
like(`cat $dir/deb/usr/lib/systemd/system/perf-deferred-unwind.service`,
     qr{^ExecStart=/usr/bin/perf-deferred unwind --serve$}m, 'and so does that of unwind tables');
# Its scripts, in a system of their own: without linux-perf, and with it.
run('its scripts unpack', "dpkg-deb -e $deb $dir/scripts");
for my $linux_perf (0, 1) {
	my $root = "$dir/root$linux_perf";
	my $how = $linux_perf ? ' beside linux-perf' : '';

	system("mkdir -p $root/usr/bin $root/var/log $root/etc/alternatives $root/var/lib/dpkg/alternatives; " .
	       "cp -a $dir/deb/usr $root/; " . ($linux_perf ? "echo theirs >$root/usr/bin/perf" : 'true'));
	run("configure$how", "DPKG_ROOT=$root $dir/scripts/postinst configure");
	if ($linux_perf) {
		is(`cat $root/usr/bin/perf`, "theirs\n", 'perf is that of linux-perf');
	} else {
		is(readlink("$root/usr/bin/perf"), '/etc/alternatives/perf', 'perf is an alternative');
		is(readlink("$root/etc/alternatives/perf"), '/usr/bin/perf-deferred', 'and ours');
		ok(-l "$root/usr/share/man/man1/perf.1.gz", 'with its page');
	}
	run("upgrade$how", "DPKG_ROOT=$root $dir/scripts/prerm upgrade 1; DPKG_ROOT=$root $dir/scripts/postinst configure 1");
	run("remove$how", "DPKG_ROOT=$root $dir/scripts/prerm remove");
	is(!!-e "$root/etc/alternatives/perf", !!0, 'the alternative is gone');
	is(!!-l "$root/usr/bin/perf", !!0, 'and no link is left') if !$linux_perf;
	is(`cat $root/usr/bin/perf`, "theirs\n", 'perf is still theirs') if $linux_perf;
}
my $page = `zcat $dir/deb/usr/share/man/man1/perf-deferred-record.1.gz`;
like($page, qr/perf-deferred record/, 'its pages tell its own name');
unlike($page, qr/\bperf record\b/, 'and no other');
is_deeply([complete("$dir/deb/usr/share/bash-completion/completions/perf-deferred",
		    'perf-deferred', 'perf-deferred re')],
	  [qw(record report)], 'its completion serves its name');

# The tarball: nothing to load, wherever it lies.
run('make tarball', "$make tarball");
my $version = `$O/perf version` =~ s/^perf version (.*)\n/$1/r;
my ($tarball) = glob("$O/dist/perf-deferred-$version-linux-*.tar.gz");
ok($tarball, 'a tarball was written') or diag(`ls $O/dist`);
mkdir "$dir/away";
run('it unpacks', "tar -C $dir/away --strip-components=1 -xzf $tarball");
is(`$dir/away/bin/perf version`, `$O/perf version`, 'its perf is this version');
my $elf = `readelf -ld $dir/away/bin/perf`;
unlike($elf, qr/INTERP|NEEDED/, 'which loads no library');
ok(-s "$dir/away/share/man/man1/perf-record.1", 'its pages are there');
my $golden = getcwd() . '/tools/testing/golden/c';
my $of = "-i $golden/deepsys.defer.data --symfs $golden/symfs --kallsyms $golden/kallsyms";
is(`$dir/away/bin/perf script $of`, `$O/perf script $of`, 'it reads as the other one does');
like(`DEBUGINFOD_URLS=http://127.0.0.1:9 HOME=$dir $dir/away/bin/perf report -i $golden/deepsys.defer.data 2>&1 >/dev/null`,
     qr/self-contained/, 'it says that it cannot fetch');
is(`$dir/away/bin/perf record --dry-run -u nosuchuser 2>&1`, `$O/perf record --dry-run -u nosuchuser 2>&1`,
   'and knows who is no user');
is(system("$dir/away/bin/perf record --dry-run -u root"), 0, 'and who is');

done_testing();
