#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# The rules of make lint that are ours, each on a small tree that is sound and on
# the same tree with one thing wrong: the rule must name that, and only that.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

my $build = getcwd() . '/tools/build';
my $top = tempdir(CLEANUP => 1);
delete $ENV{$_} for qw(CC CFLAGS);

# A tree of the files of %$sound with those of %$wrong in their place; undef: removed.
my $nr = 0;
sub tree {
	my ($sound, $wrong) = @_;
	my %files = (%$sound, %$wrong);
	my $dir = "$top/" . ++$nr;

	for my $name (grep { defined $files{$_} } keys %files) {
		make_path(dirname("$dir/$name"));
		open(my $f, '>', "$dir/$name") or die "$dir/$name: $!\n";
		print $f $files{$name};
		close($f);
	}
	return $dir;
}

# lint RULE SOUND WRONG PATTERN NAME: PATTERN is for the whole of what it prints; undef:
# there is nothing to print.
sub lint {
	my ($rule, $sound, $wrong, $pattern, $name) = @_;
	my $dir = tree($sound, $wrong);
	my $out = `cd $dir && $build/lint $rule 2>&1`;
	if (!defined $pattern) {
		is($out, '', $name);
		is($?, 0, "$name: status") if $out eq '';
		return;
	}
	isnt($?, 0, "$name: status");
	chomp $out;
	like($out, $pattern, "$name: named");
}

my $licence = "// SPDX-License-Identifier: GPL-2.0\n";
my %layers = (
	'src/layers' => "# of the test\ntop: middle base\nmiddle: base\nbase:\n",
	'src/base/base.h' => "int base(void);\n",
	'src/middle/middle.h' => "#include \"base/base.h\"\n",
	'src/top/top.c' => "#include <stdio.h>\n#include \"base/base.h\"\n#include \"middle/middle.h\"\n",
	'src/top/part/part.c' => "#include \"base/base.h\"\n#include \"top/top.h\"\n",
	'src/top/top.h' => '',
);
lint('layers src', \%layers, {}, undef, 'layers: a sound tree');
lint('layers src', \%layers, { 'src/layers' => "top: middle base\nmiddle: base\nbase:\nside:\n",
     'src/side/s.h' => '', 'src/middle/m.c' => "\n#include \"side/s.h\"\n" },
     qr{^src/middle/m\.c:2: src/layers does not allow middle to include side$}, 'layers: an edge that is not allowed');
lint('layers src', \%layers, { 'src/other/o.c' => '' },
     qr{^src/layers: no line for other$}, 'layers: a folder that has no line');
lint('layers src', \%layers, { 'src/layers' => "top: middle base\nmiddle: base\nbase:\ngone:\n" },
     qr{^src/layers:4: there is no folder gone$}, 'layers: a line without a folder');
lint('layers src', \%layers, { 'src/middle/middle.h' => '' },
     qr{^src/layers:3: no file of middle includes base$}, 'layers: a line of more than there is');
lint('layers src', \%layers, { 'src/layers' => "top: middle base\nmiddle: base\nbase:\nbase:\n" },
     qr{^src/layers:4: base has a line already$}, 'layers: two lines for one folder');
lint('layers src', \%layers, { 'src/layers' => "top: middle base\nmiddle base\nmiddle: base\nbase:\n" },
     qr{^src/layers:2: not "FOLDER: FOLDER\.\.\."$}, 'layers: a line that is none');
lint('layers src', \%layers, { 'src/base/b.c' => "#include \"nowhere/n.h\"\n" },
     qr{^src/base/b\.c:1: nowhere/n\.h is neither below src nor beside the file$}, 'layers: an include of nothing');
# A circle, each of whose edges is allowed.
lint('layers src', \%layers, {
	'src/layers' => "top: middle base\nmiddle: base\nbase: top\n",
	'src/base/b.c' => "#include \"top/top.h\"\n",
     }, qr{^src/base/b\.c:1: folders include each other: base top base\nsrc/\S+: folders include each other: base top middle base$}, 'layers: folders in a circle');
lint('layers src', \%layers, { 'src/top/top.h' => "#include \"top/a.h\"\n", 'src/top/a.h' => "#include \"top/top.h\"\n" },
     qr{^src/top/a\.h:1: headers include each other: top/a\.h top/top\.h top/a\.h$}, 'layers: headers in a circle');
lint('layers src', \%layers, { 'src/top/other/o.c' => "#include \"top/part/part.h\"\n", 'src/top/part/part.h' => '' },
     qr{^src/top/other/o\.c:1: src/layers does not allow top/other to include top/part$}, 'layers: folders beside each other');
lint('layers src', \%layers, { 'src/top/top.c' => "#include \"top/part/part.h\"\n#include \"middle/middle.h\"\n", 'src/top/part/part.h' => '' },
     qr{^src/top/top\.c:1: folders include each other: top top/part top\n\S+ src/layers does not allow top to include top/part$}, 'layers: a folder and the one below it');

my %includes = (
	'src/one.h' => "struct one {\n\tint a;\n};\nint one(struct one *o);\n",
	'src/two.h' => "#include <stddef.h>\n#include \"one.h\"\nstruct two {\n\tstruct one inner;\n\tsize_t n;\n};\n",
	'src/use.c' => "#include <stdio.h>\n#include \"one.h\"\n#include \"two.h\"\nint f(struct two *t) { return one(&t->inner); }\n",
	'src/one.c' => "#include \"one.h\"\n",
);
lint('includes src', \%includes, {}, undef, 'includes: a sound tree');
lint('includes src', \%includes, { 'src/two.h' => "#include \"one.h\"\nstruct two {\n\tstruct one inner;\n\tsize_t n;\n};\n" },
     qr{^src/two\.h: does not compile alone: .*size_t}, 'includes: a header that needs another');
lint('includes src', \%includes, { 'src/use.c' => "#include \"one.h\"\n#include \"two.h\"\nstruct one *g; /* struct two { n } */\nconst char *s = \"two n\";\n" },
     qr{^src/use\.c: uses nothing that two\.h declares$}, 'includes: one that nothing needs but a comment and a string');
lint('includes src', \%includes, { 'src/use.c' => "#include \"one.h\"\n#include \"two.h\"\nstruct one *g; size_t n;\n" },
     undef, "includes: one for the system's header in it");
lint('includes src', \%includes, { 'src/three.h' => "#include \"one.h\"\nint three(void);\n" },
     qr{^src/three\.h: uses nothing that one\.h declares$}, 'includes: a header that hands one on and does not say so');
lint('includes src', \%includes, { 'src/three.h' => "#include \"one.h\" /* IWYU pragma: export */\nint three(void);\n" },
     undef, 'includes: a header that says that it hands one on');
lint('includes src', \%includes, { 'src/use.c' => "#include \"two.h\"\n#include \"one.h\"\nint f(struct two *t) { return one(&t->inner); }\n" },
     qr{^src/use\.c: one\.h does not stand in alphabetical order}, 'includes: not in order');
lint('includes src', \%includes, { 'src/use.c' => "#include \"one.h\"\n#include \"one.h\"\nint f(struct one *o) { return one(o); }\n" },
     qr{^src/use\.c: one\.h does not stand in alphabetical order, or twice$}, 'includes: twice');
lint('includes src', \%includes, { 'src/use.c' => "#include \"one.h\"\n#include <stdio.h>\nint f(struct one *o) { return one(o); }\n" },
     qr{^src/use\.c: #include <stdio\.h> stands behind}, "includes: the system's behind ours");

my %names = (
	'src/a.h' => "struct a {\n\tint x;\n};\n\nint a_get(struct a *a);\nextern int a_count;\n" .
		     "typedef int a_function(int n);\na_function a_next;\n",
	'src/a.c' => "int a_count;\n\nint a_next(int n)\n{\n\treturn n;\n}\n\nint a_get(struct a *a)\n{\n\treturn a->x;\n}\n\nstatic int compare(void)\n{\n\treturn 0;\n}\n",
	'src/b.c' => "struct b { int x; };\n\nstatic int compare(int (*f)(void), struct a *a)\n{\n\treturn f();\n}\n\n" .
		     "static const char *const table[] = {\n\t\"struct a {\",\n};\n/* struct a { */\n",
);
lint('names src', \%names, {}, undef, 'names: a sound tree; static ones may be alike');
lint('names src', \%names, { 'src/c.c' => "static union {\n\tstruct a {\n\t\tint y;\n\t} a;\n} u;\n" },
     qr{^src/a\.h:1: struct, union or enum a is also at src/c\.c:2$}, 'names: a struct twice');
lint('names src', \%names, { 'src/c.c' => "static long a_get(long (*f)(int), int n)\n{\n\treturn f(n);\n}\n" },
     qr{^src/a\.c:8: extern a_get is also at src/c\.c:1$}, 'names: a static function with an extern name');
lint('names src', \%names, { 'src/c.c' => "static int a_count[3] = { 1 };\n" },
     qr{^src/a\.c:1: extern a_count is also at src/c\.c:1$}, 'names: a static variable with an extern name');

my $head = "/*\n * Does this and that.\n */\n";
my %heads = ('src/a/a.c' => "$licence${head}#include <stdio.h>\n", 'src/b/b.c' => "$licence$head", 'src/b/b.h' => '');
lint('heads src', \%heads, {}, undef, 'heads: a sound tree');
lint('heads src', \%heads, { 'src/b/b.c' => "$licence#include <stdio.h>\n$head" },
     qr{^src/b/b\.c: no comment}, 'heads: none before the first line of C');
lint('heads src', \%heads, { 'src/b/b.c' => "$licence/* b.c */\n" },
     qr{^src/b/b\.c: no comment}, 'heads: one that is the name of the file');
lint('heads src', \%heads, { 'src/b/b.c' => $head },
     qr{^src/b/b\.c: no comment}, 'heads: no licence line');

# Calls are found by symbols, so the trees are compiled. A variable counts as a function does; a
# function that is handed over is called by nobody but who gets it.
my %circles = (
	'src/a/top.c' => "extern int middle(int (*)(void)), own(void);\nint own(void) { return 1; }\nint top(void) { return middle(own); }\n",
	'src/a/middle.c' => "extern int value;\nint middle(int (*f)(void)) { return f() + value; }\n",
	'src/a/base.c' => "int value;\n", 'src/b/top.c' => "extern int top(void);\nint main(void) { return top(); }\n",
);
sub circles {
	my ($wrong, $pattern, $name) = @_;

	lint('circles src $(for c in src/*/*.c; do cc -c -o ${c%.c}.o $c && echo ${c%.c}.o; done)', \%circles,
	     $wrong, $pattern, $name);
}
circles({}, undef, 'circles: a sound tree');
circles({ 'src/a/base.c' => "extern int top(void);\nint value;\nint base(void) { return top(); }\n" },
	qr{^a: files call each other in a circle: base -> top \(top\), top -> middle \(middle\), middle -> base \(value\)$},
	'circles: three files');
circles({ 'src/a/top.c' => "int n;\nextern int value;\nint top(void) { return value; }\n",
	  'src/a/base.c' => "extern int n;\nint value;\nint base(void) { return n; }\n" },
	qr{^a: files call each other in a circle: base -> top \(n\), top -> base \(value\)$}, 'circles: variables');
circles({ 'src/b/top.c' => "extern int top(void);\nint own(void) { return top(); }\n",
	  'src/a/top.c' => "extern int own(void);\nint top(void) { return own(); }\n" }, undef, 'circles: between folders');

done_testing();
