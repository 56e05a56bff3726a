#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make check, make hooks and make compile_commands.json, and what .editorconfig says.
# The first two run in a small repository that has the scripts of this tree; a make of the
# test's own writes down what it is called for, and fails when the test wants that.
. "$(dirname "$0")/../../lib/tap.sh"
here=$(cd "$(dirname "$0")/../../../build" && pwd)
top=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR PERL_TEST_HARNESS_DUMP_TAP GIT_DIR GIT_INDEX_FILE
real_make=${MAKE:-make}
shown=("$tmp/out" "$tmp/ran")
has() { grep -qE -- "$1" "$tmp/out"; ok $? "$2"; }
ran() { grep -qE -- "$1" "$tmp/ran"; ok $? "$2"; }
not_ran() { ! grep -qE -- "$1" "$tmp/ran"; ok $? "$2"; }

repo=$tmp/repo
mkdir -p "$repo"/tools/{build,perf/{base,cmd},testing/{bin,tool/{unit,golden},t/{build,docs}}} "$repo/kernel/unwind" "$tmp/bin"
cp "$here"/{check,pre-commit,lint} "$repo/tools/build/"
cp "$top/.clang-format" "$repo/"
c_file() { # FILE [LINE]
	printf '// SPDX-License-Identifier: GPL-2.0\n/*\n * A file of the test.\n */\n#include "base/a.h"\n\nint %s(void)\n{\n%s\n}\n' \
		"$(basename "$1" .c)" "${2-	return 0;}" >"$repo/$1"
}
c_file tools/perf/base/a.c
c_file tools/perf/cmd/b.c
c_file kernel/unwind/k.c
echo 'int a(void);' >"$repo/tools/perf/base/a.h"
printf 'base:\ncmd: base\n' >"$repo/tools/perf/layers"
echo '#include "base/a.h"' >"$repo/tools/testing/tool/unit/base.c"
echo '#include "hist/a.h"' >"$repo/tools/testing/tool/unit/hist.c"
for t in tools/testing/tool/golden/{dump,script,x}.t tools/testing/t/{build/thing,docs/rst}.t; do
	printf '#!/bin/sh\necho "%s" >>"%s/ran"\necho 1..1\necho "[ok] $0" >&2\nexec cat "%s/tap"\n' "$t" "$tmp" "$tmp" >"$repo/$t"
	chmod +x "$repo/$t"
done
echo 'ok 1' >"$tmp/tap"
printf '#!/bin/sh\ntrue\n' >"$repo/tools/build/thing.sh"
echo text >"$repo/README.rst"
cat >"$tmp/bin/make" <<-'END'
	#!/bin/bash
	echo "make $*" >>"$TEST_TMP/ran"
	[[ " $* " != *" $(cat "$TEST_TMP/fails" 2>/dev/null || echo none) "* ]] || { echo "it fails"; exit 2; }
END
chmod +x "$tmp/bin/make"
export TEST_TMP=$tmp
: >"$tmp/ran"
g() { git -C "$repo" -c user.name=t -c user.email=t@localhost "$@"; }
g init -q -b main . && g add -A && g commit -q -m first
check() {
	: >"$tmp/ran"
	(cd "$repo" && MAKE=$tmp/bin/make O=$tmp/build PATH=$tmp/bin:$PATH tools/build/check "$@") >"$tmp/out" 2>&1
	status=$?
}
clean() { g checkout -q main && g reset -q --hard && g clean -qfd; rm -f "$tmp/fails"; echo 'ok 1' >"$tmp/tap"; }

check
ok $status 'nothing changed'
has '^check: nothing changed since ' 'and it says so'

c_file tools/perf/base/a.c '	return 1;'
check
ok $status 'a file of the tool'
ran '^make --no-print-directory perf$' 'is built'
ran ' lint-format LINT_TOOL_C=tools/perf/base/a\.c LINT_KERNEL_C=$' 'goes through clang-format, it alone'
ran ' lint-tool lint-kernel LINT_TOOL_C=tools/perf/base/a\.c ' 'through checkpatch'
ran ' lint-cppcheck LINT_CPPCHECK=tools/perf/base/a\.c$' 'through cppcheck'
ran ' lint-compilers LINT_CC_SRC=tools/perf/base/a\.c$' 'through both compilers'
ran ' test-unit TOOL_UNIT=[^ ]*/test/unit/base$' 'with the unit test that includes its folder, and no other'
not_ran 'golden' 'and no golden recordings'
has '^check: before it is handed in: make test-tool$' 'what else there is'
g commit -q -a -m second
check
has '^check: nothing changed' 'committed on the base: nothing'
check HEAD~1
ran ' test-unit TOOL_UNIT=[^ ]*/test/unit/base$' 'BASE: what changed since'
check nowhere
[ $status = 2 ]; ok $? 'BASE that there is not'
has '^check: BASE=nowhere: no such commit$' 'and it says so'

g checkout -q -b topic
c_file tools/perf/cmd/b.c '	return 1;'
g commit -q -a -m third
echo 'int c(void);' >"$repo/tools/perf/cmd/c.h"
check
ran 'LINT_TOOL_C=tools/perf/cmd/b\.c tools/perf/cmd/c\.h' 'on a branch: its commits, and a file that is new'
not_ran 'test-unit' 'a folder without a unit test'
ran 'golden/dump' 'takes the golden recordings'
ran '^make --no-print-directory perf workloads \S*/.tool-test-packages$' 'and what tests of the tool need'
echo 'not ok 1' >"$tmp/tap"
check
[ $status = 1 ]; ok $? 'a test fails: the status'
has '^  tests +FAILED$' 'and which part it was'
clean

for fails in perf test-unit lint-compilers; do
	c_file tools/perf/base/a.c '	return 3;'
	echo $fails >"$tmp/fails"
	check
	[ $status = 1 ]; ok $? "$fails fails: the status"
	has '^    it fails$' "$fails fails: its output"
	clean
done
echo '#include "cmd/c.h"' >>"$repo/tools/perf/base/a.h"
echo 'int c(void);' >"$repo/tools/perf/cmd/c.h"
check
[ $status = 1 ]; ok $? 'an include that layers does not allow'
has 'does not allow base to include cmd' 'and which'
clean
c_file tools/perf/base/a.c "	return 4; /* $(printf '%0100d' 1) */"
check
[ $status = 1 ]; ok $? 'a line that is too long'
has '^    tools/perf/base/a\.c:9: more than 100 columns$' 'and which'
g commit -q -a -m long && c_file tools/perf/base/a.c "	return 5; /* $(printf '%0100d' 1) */" && g commit -q -a -m again
echo 'int d(void);' >>"$repo/tools/perf/base/a.h"
check HEAD
has '^  columns +ok' 'one that was there before is left'
g reset -q --hard HEAD~2
clean
echo '#' >>"$repo/tools/build/thing.sh"
check
ran '^tools/testing/t/build/thing\.t$' 'a script: the test that has its name'
ran ' lint-scripts LINT_SCRIPTS=tools/build/thing\.sh$' 'and shellcheck'
clean
echo 1 >"$repo/VERSION"
check
has '^check: before it is handed in: make test-habits$' 'what takes minutes is left to its target'
not_ran 'dist' 'and not run'
clean
echo more >>"$repo/README.rst"
check
ran '^tools/testing/t/docs/rst\.t$' 'a document: the test of documents'
clean
echo >>"$repo/kernel/unwind/k.c"
check
has 'not built yet' 'a file of the kernel: said when there is no kernel to build it in'
mkdir -p "$tmp/build/src-6.12/o-vm" && touch "$tmp/build/src-6.12/o-vm/.config"
check
ran '^make --no-print-directory kernel-objects$' 'and built where there is one'
clean

# Before a commit: only what is staged, nothing is built.
hook() { (cd "$repo" && MAKE=$tmp/bin/make O=$tmp/build PATH=$tmp/bin:$PATH "$@") >"$tmp/out" 2>&1; status=$?; }
hook tools/build/pre-commit --install
ok $status 'make hooks'
[ -x "$repo/.git/hooks/pre-commit" ]; ok $? 'has written the hook'
hook tools/build/pre-commit --install
ok $status 'again'
commit() { : >"$tmp/ran"; hook git -c user.name=t -c user.email=t@localhost commit -q -m "$1"; }
if command -v clang-format >/dev/null; then
	c_file tools/perf/base/a.c '  return 4;'
	c_file tools/perf/cmd/b.c '  return 4;'
	g add tools/perf/base/a.c
	commit bad
	[ $status != 0 ]; ok $? 'a commit that is not indented as it must be is refused'
	has 'a\.c:9: indented by' 'with the line'
	! grep -q 'b\.c' "$tmp/out"; ok $? 'of what is staged'
else
	for name in refused line staged; do skip "clang-format: $name" 'it is not installed'; done
fi
c_file tools/perf/base/a.c '	return 4;'
g add tools/perf/base/a.c
commit good
ok $status 'a good one is made'
not_ran 'perf$|test-unit|lint-compilers' 'and nothing was built for it'
clean
g rm -q tools/build/pre-commit && g commit -q --no-verify -m 'a branch without the script'
echo more >>"$repo/README.rst"; g add README.rst
commit plain
ok $status 'on a branch without the script commits are made'
g reset -q --hard HEAD~2
echo '#!/bin/sh' >"$repo/.git/hooks/pre-commit"
hook tools/build/pre-commit --install
[ $status = 1 ]; ok $? 'the hook of somebody else'
[ "$(cat "$repo/.git/hooks/pre-commit")" = '#!/bin/sh' ]; ok $? 'is left alone'
rm -rf "$repo/.git"
hook tools/build/pre-commit --install
[ $status = 2 ]; ok $? 'no repository: no hooks'
check
[ $status = 2 ]; ok $? 'and no check'

# compile_commands.json: each entry is a command that compiles its file.
(cd "$top" && $real_make -s --no-print-directory compile_commands.json) >"$tmp/out" 2>&1
ok $? 'make compile_commands.json'
python3 - "$top" >"$tmp/out" 2>&1 <<-'END'
	import glob, json, subprocess, sys
	entries = {e['file']: e for e in json.load(open(sys.argv[1] + '/compile_commands.json'))}
	missing = [f for f in glob.glob('tools/perf/**/*.c', root_dir=sys.argv[1], recursive=True) if f not in entries]
	assert not missing, missing
	for name in ('tools/perf/base/hash.c', 'tools/perf/bpf/walk.bpf.c', 'tools/testing/tool/unit/base.c'):
	    e = entries[name]
	    subprocess.run(e['arguments'] + ['-fsyntax-only'], cwd=e['directory'], check=True)
END
ok $? 'has every file of the tool, and commands that compile'
mkdir -p "$tmp/kernel/kernel/unwind"
# shellcheck disable=SC2016
printf '%s\n' "savedcmd_kernel/unwind/k.o := ccache gcc -I./include -DNAME='\"k \$\$x\"' -DN=\\\"1\\\" -c -o kernel/unwind/k.o ../kernel/unwind/k.c ; ./tools/objtool/objtool kernel/unwind/k.o" \
	>"$tmp/kernel/kernel/unwind/.k.o.cmd"
"$here/compile-commands" /top "$tmp/kernel" kernel/unwind/k.c kernel/unwind/new.c -- gcc >"$tmp/out" 2>&1
python3 - "$tmp" >>"$tmp/out" 2>&1 <<-'END'
	import json, sys
	(e,) = json.load(open(sys.argv[1] + '/out'))
	assert e['file'] == '/top/kernel/unwind/k.c' and e['directory'] == sys.argv[1] + '/kernel', e
	assert e['arguments'] == ['gcc', '-I./include', '-DNAME="k $x"', '-DN="1"', '-c', '-o', 'kernel/unwind/k.o', e['file']], e
END
ok $? 'a file of the kernel: the command that built its copy, without what follows'

# What editors do is what clang-format wants.
: >"$tmp/ran"
cat "$top/.editorconfig" >"$tmp/out"
[ "$(sed -n 's/^IndentWidth: //p' "$top/.clang-format")" = "$(sed -n '/^\[\*\]/,/^$/s/^indent_size = //p' "$top/.editorconfig")" ]
ok $? '.editorconfig indents as .clang-format does'
plan
