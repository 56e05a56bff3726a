#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record by unwind tables: what is said on a kernel that takes none; and, on one that seems
# to (fake-tables.c), which files are registered, and when.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn
gcc -shared -fPIC -I"$lib/../../../include/uapi" -o "$T/fake.so" "$lib/fake-tables.c" || exit 1
log=$T/log
export TABLES_LOG=$log

# faked ARGS...: perf record on the kernel that takes tables; what is registered stands in $log
faked() {
	rm -f "$log" "$T/data"
	: > "$log"
	FAKE=$T/fake.so timeout 60 sh -c 'LD_PRELOAD=$FAKE exec "$@"' sh "$PERF" record -o "$T/data" "$@" \
		> "$T/out" 2> "$T/err"
	status=$?
}
names() { sed -E 's/( [0-9]+){2}$//' "$log"; }
# registered FILE...: each has a table, and only one
registered() {
	local f
	for f; do
		[ "$(names | grep -cxF -- "$f")" = 1 ] || { echo "not once: $f"; cat "$log"; return 1; }
	done
}
not_registered() { ! grep -qF -- "$1" "$log"; }
# A container may have another file of that name.
once() { [ "$(sort "$log" | uniq -d | wc -l)" = 0 ] || { sort "$log"; return 1; }; }
lines() { [ "$(wc -l < "$T/err")" = "$1" ] || { cat "$T/err"; return 1; }; }
attr_is() { # PATTERN ARGS...: in the attributes, blanks squeezed
	local p=$1
	shift
	"$PERF" record --dry-run -vv "$@" true 2>&1 | tr -s ' ' | grep -qE -- "$p"
}

# The kernel here takes none: what else is recorded, and one line that says so
if ! "$PERF" record --dry-run -vv -g -e cpu-clock true 2>&1 | grep -q 'as --call-graph table'; then
	rec -e cpu-clock --call-graph table -- "$B" 60
	ok 'no tables: dwarf is recorded'	header "$T/data" 'STACK_USER'
	ok 'no tables: the command is measured'	test "$status" = 3
	ok 'no tables: why, and what instead'	says 'this kernel takes no unwind tables: recording as dwarf, with 8192 bytes'
	ok 'no tables: one line'		test "$(grep -c 'unwind tables' "$T/err")" = 1
	ok 'no tables: an event of its own'	attr_is 'sample_stack_user 8192' -e cpu-clock/call-graph=table/
	printf '[call-graph]\n\trecord-mode = table\n\tdump-size = 4096\n' > config
	setting() { PERF_CONFIG=$T/config attr_is 'sample_stack_user 4096' -e cpu-clock -g; }
	ok 'no tables: call-graph.record-mode, dump-size' setting
	rec -e cpu-clock -g -- "$B" 60
	ok 'no tables: -g goes without a word'	lines 2
	rec -v -e cpu-clock -g --dry-run true
	ok 'no tables: -v says what -g means'	says '-g: this kernel takes no unwind tables'
else
	skip 'a kernel without tables' 'this one takes them'
fi
rec --call-graph table,defer true
ok '--call-graph table,defer: refused'	says "'defer' works with 'fp' only"
rec --call-graph table,8192 true
ok '--call-graph table,SIZE: refused'	says "'table,8192' is not one of table, bpf"

# A command: its files before it runs
libc=$(realpath "$(ldd /bin/true | awk '/libc\.so/ { print $3 }')")
loader=$(realpath /lib64/ld-linux-x86-64.so.2)
faked -v -e cpu-clock -g -- /usr/bin/perl -e 'print 1'
ok 'a command: recorded'		test "$status" = 0
ok 'a command: itself, loader, libraries, vDSO' registered "$(realpath /usr/bin/perl)" "$loader" "$libc" '[vdso]'
before() { # they are there when the first sample may come
	local at
	at=$(grep -nE '^[0-9]+ unwind tables of' "$T/err" | cut -d: -f1)
	[ -n "$at" ] && head -n "$at" "$T/err" | grep -qF "unwind table of $(realpath /usr/bin/perl): registered"
}
ok 'a command: before its first sample'	before
ok 'a command: no file twice'		once
ok 'a command: not perf itself'		not_registered "$PERF"
faked -e cpu-clock --call-graph fp -- /bin/true
ok '--call-graph fp registers none'	test ! -s "$log"
faked -e cpu-clock --call-graph fp,defer -- /bin/true
ok '--call-graph fp,defer registers none' test ! -s "$log"
advised() { # TEXT: what record advises where the chains are cut
	grep -q "are cut: .*Record with $1 \]$" "$T/err"
}
faked -e cpu-clock -F 4999 --call-graph fp -- /usr/bin/perl -e '1 for 1..1e6'
ok 'with fp: record advises tables' advised '--call-graph table'
"$PERF" record -o "$T/data" -e cpu-clock -F 4999 --call-graph fp -- /usr/bin/perl -e '1 for 1..1e6' 2> "$T/err"
[ -e /proc/sys/kernel/unwind_table_max_kb ] || ok 'and live on this kernel' advised '--call-graph live'
faked -e cpu-clock:k -g --kernel-callchains -- /bin/true
ok 'kernel callchains alone: none'	test ! -s "$log"
printf '#!/usr/bin/env perl\nprint 1;\n' > script; chmod 755 script
faked -v -e cpu-clock -g -- ./script
ok 'a script: what its #! line names, and env finds' registered "$(realpath /usr/bin/env)" "$(realpath /usr/bin/perl)"
ok 'a script: before its first sample'	before

# A library that is loaded while it runs, from wherever it is
cat > plugin.c <<'END'
int plugin(int n) { volatile int v = n; while (v > 0) v--; return v; }
END
gcc -O2 -shared -fPIC -o plugin.so plugin.c
cat > loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_NOW);
	if (!lib)
		return 9;
	int (*f)(int) = (int (*)(int))dlsym(lib, "plugin");
	if (argc > 2 && !strcmp(argv[2], "unlink"))
		unlink(argv[1]);
	/* Until the log has it, or a minute is over. */
	for (int i = 0; i < 600; i++) {
		char line[512];
		FILE *log = fopen(argc > 3 ? argv[3] : "/dev/null", "r");
		int found = 0;
		while (log && fgets(line, sizeof(line), log))
			found |= line[0] == '/' && __builtin_strstr(line, argv[1]) != 0;
		if (log)
			fclose(log);
		if (found)
			return f(1000);
		usleep(100000);
	}
	return 8;
}
END
gcc -O2 -o loads loads.c -ldl
cp plugin.so late.so
faked -e cpu-clock -g -- ./loads "$T/late.so" keep "$log"
ok 'dlopen: registered while it runs'	test "$status" = 0
ok 'dlopen: once'			registered "$T/late.so"

# A file is looked for once, not in each process, and once more below another root
faked -v -e cpu-clock -g -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
few() { # MOST
	local n
	n=$(sed -n 's/^\([0-9]*\) mappings were searched for unwind tables$/\1/p' "$T/err")
	[ "$n" -ge 5 ] && [ "$n" -le "$1" ] || { echo "$n mappings"; return 1; }
}
ok '300 processes with the same files'	few 100
ok '300 processes: no file twice'	once

# Running processes
cp plugin.so running.so
./loads "$T/running.so" & pid=$!
until_true grep -q running.so /proc/$pid/maps 2>/dev/null
faked -e cpu-clock -g -p $pid -- true
ok '-p: what it has mapped'		registered "$T/running.so" "$T/loads" "$libc"
ok '-p: no file twice'			once
faked -e cpu-clock -g -p $pid --synth=no -- true
ok '-p, --synth=no: all the same'	registered "$T/running.so"
faked -e cpu-clock -g -p $pid --tail-synthesize -- true
ok '-p, --tail-synthesize: all the same' registered "$T/running.so"
faked -e cpu-clock -g --no-buildid-mmap -p $pid -- true
ok '-p, --no-buildid-mmap: all the same' registered "$T/running.so"
kill $pid; wait $pid 2>/dev/null
if [ "$(id -u)" = 0 ]; then
	cp plugin.so gone.so
	./loads "$T/gone.so" unlink & pid=$!
	until_true grep -q 'gone.so (deleted)' /proc/$pid/maps 2>/dev/null
	faked -v -a -e cpu-clock -g -- sh -c 'i=0; until grep -q gone.so "$1" && grep -q /loads "$1" || [ $((i += 1)) = 600 ]; do
		sleep 0.1; done' sh "$log"
	ok '-a: a deleted library'	registered "$T/gone.so (deleted)" "$T/loads"
	ok '-a: the command is not kept waiting for what sleeps' test \
		"$(sed -n '/unwind tables of .* bytes are registered/,$p' "$T/err" | grep -cF "unwind table of $T/loads: registered")" = 1
	ok '-a: no file twice'		once
	ok '-a: what others run'	test "$(wc -l < "$log")" -ge 6
	kill $pid; wait $pid 2>/dev/null
	mkdir -p jail/lib64 jail/lib
	for f in $(ldd ./loads | grep -o '/[^ ]*'); do cp --parents "$(realpath "$f")" jail; cp -L --parents "$f" jail 2>/dev/null; done
	cp loads plugin.so jail
	chroot jail /loads /plugin.so & pid=$!
	until_true grep -q plugin.so /proc/$pid/maps 2>/dev/null
	faked -e cpu-clock -g -p $pid -- true
	ok 'a chroot: its own files'	registered "$T/jail/plugin.so" "$T/jail/loads"
	kill $pid; wait $pid 2>/dev/null
	cp -r jail jail2
	faked -e cpu-clock -g -- sh -c '
		chroot jail /loads /plugin.so & a=$!
		chroot jail2 /loads /plugin.so & b=$!
		i=0
		while [ $i -lt 600 ] && ! { grep -q jail/plugin.so "$1" && grep -q jail2/plugin.so "$1"; }; do
			sleep 0.1
			i=$((i + 1))
		done
		kill $a $b' sh "$log"
	ok 'two roots with copies of a file' registered "$T/jail/plugin.so" "$T/jail/loads" "$T/jail2/plugin.so" "$T/jail2/loads"
	mkdir ns
	if unshare -m sh -c "mount -t tmpfs none '$T/ns'" 2>/dev/null; then
		unshare -m sh -c "mount -t tmpfs none '$T/ns' && cp plugin.so loads ns && exec ns/loads '$T/ns/plugin.so'" & pid=$!
		until_true grep -q plugin.so /proc/$pid/maps 2>/dev/null
		faked -e cpu-clock -g -p $pid -- true
		# the name that the kernel prints for it is below that mount's root
		ok 'another mount namespace: its own files' test "$(grep -c '/plugin.so \|/loads ' "$log")" = 2
		kill $pid; wait $pid 2>/dev/null
	else
		skip 'another mount namespace' 'none can be made'
	fi
else
	skip '-a, chroot, mount namespaces' 'not root'
fi

# Limits of the kernel, and the cache
TABLES_REFUSE=ENOSPC faked -v -e cpu-clock -g -- true
ok 'refused: goes on'			test "$status" = 0
ok 'refused: why'			says 'kernel.unwind_table_max_kb'
rm -rf .debug
faked -e cpu-clock -g -- /usr/bin/perl -e 1
ok 'the cache is filled'		test "$(find .debug/.unwind -type f | wc -l)" -ge 3
faked -N -e cpu-clock -g -- /usr/bin/perl -e 1
ok 'and found again: the same tables'	registered "$(realpath /usr/bin/perl)" "$libc"
rm -rf .debug
faked -N -e cpu-clock -g -- true
ok '-N leaves ~/.debug alone'		test ! -e .debug
# How callchains end, in a line when it matters
cat > calls.c <<'END'
volatile unsigned long x;
#define N __attribute__((noinline, noclone))
N unsigned long leaf(unsigned long n) { unsigned long a = 0; while (n--) a += x; return a; }
N unsigned long middle(unsigned long n) { return leaf(n) + leaf(n + 1) + x; }
int main(void) { for (int i = 0; i < 40; i++) x += middle(1000000); return 0; }
END
gcc -O2 -fomit-frame-pointer -o without calls.c
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -mno-omit-leaf-frame-pointer -o with calls.c
rec -e cpu-clock:u -F 2000 --call-graph fp ./without
ok 'cut callchains: how many, where, what helps' says ' %) are cut: ' "in $T/without" '--call-graph live'
ok 'cut callchains: one line'		test "$(grep -c 'are cut' "$T/err")" = 1
rec -q -e cpu-clock:u -F 2000 --call-graph fp ./without
ok '-q: none'				test ! -s "$T/err"
whole() { ! grep 'are cut' "$T/err"; }
rec -e cpu-clock:u -F 2000 --call-graph fp ./with
ok 'frame pointers: nothing to say'	whole
rec -e cpu-clock:u -F 2000 --call-graph dwarf ./without
ok 'dwarf: nothing to say'		whole
sed 's/^N unsigned long middle(unsigned long n) {/& volatile char a[4096]; a[n % 4096] = 1;/' calls.c > large.c
gcc -O2 -fomit-frame-pointer -o large large.c
rec -e cpu-clock:u -F 2000 --call-graph dwarf,512 ./large
ok 'dwarf, copies that end before the stack' says ' %) are cut: ' "in $T/large" '512 bytes of each stack' '--call-graph dwarf,'
rec -e cpu-clock:u -F 2000 --call-graph dwarf ./large
ok 'dwarf, larger copies'		whole
# (this kernel walks by frame pointers, and copies the stack each time)
faked -e cpu-clock:u -F 2000 --call-graph table ./without
ok 'tables that are not used: copies'	whole
faked -e cpu-clock:u -F 2000 --call-graph table --user-regs=ip ./without
ok 'tables that are not used, no copies: where'	says "in $T/without"
TABLES_REFUSE=EFBIG faked -e cpu-clock:u -F 2000 --call-graph table --user-regs=ip ./without
ok 'tables that were refused: why'	says "in $T/without: its table is larger than kernel.unwind_table_file_max_kb allows"
finish
