#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Code that no path leads to, or that is no plain mapping of a file: programs and libraries that were removed or
# replaced while they ran, programs of a memfd, code that was copied to other memory in its place, libraries that are
# mapped out of a zip file. Names and whole callchains.
. "$(dirname "$0")/../../lib/record.sh"
unset PERF_BUILDID_DIR
# The program runs until it is killed. What it does before: nothing; "remap" copies the page of spin_hot() to memory without
# a file, "whole" the whole of its code; "memfd" starts itself out of a memfd; "lib FILE OFFSET" maps a library by hand
# and runs its spin_hot(). Then it makes the file "ready".
cat > kinds.c <<'E2'
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
extern char **environ;
__attribute__((visibility("hidden"))) volatile unsigned long sink;
#define HOT __attribute__((noinline, section("hot")))
HOT __attribute__((aligned(4096))) unsigned long spin_hot(unsigned long n)
{
	unsigned long x = n;
	for (unsigned long i = 0; i < n; i++)
		x = x * 3 + sink;
	return x;
}
HOT unsigned long outer_hot(unsigned long n) { return spin_hot(n) + 1; }
/* The page's rest, and one more page of the file behind it. */
HOT __attribute__((aligned(4096))) void behind(void) { sink++; }
__attribute__((noinline)) unsigned long top_of(unsigned long (*f)(unsigned long)) { return f(300000) + 1; }
#ifndef LIB
static void copy(char *from, size_t size)
{
	char *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(to, from, size);
	mprotect(to, size, PROT_READ | PROT_EXEC);
	if (mremap(to, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) == MAP_FAILED)
		exit(2);
}
static void copy_page(char *at)
{
	char *t = malloc(4096);
	memcpy(t, at, 4096);
	if (mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		exit(2);
	memcpy(at, t, 4096);
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
}
static void copy_whole(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char perms[5], line[512];
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %4s", &start, &end, perms) == 3 && perms[2] == 'x' &&
		    (unsigned long)copy_whole >= start && (unsigned long)copy_whole < end)
			copy((char *)start, end - start);
	}
}
/* As a loader does: the mapping of each segment, at the offset of the library in its file. */
static void *map_lib(const char *file, long at)
{
	int fd = open(file, O_RDONLY);
	char *base = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	Elf64_Ehdr eh;
	Elf64_Phdr ph[16];
	pread(fd, &eh, sizeof(eh), at);
	pread(fd, ph, eh.e_phnum * sizeof(*ph), at + eh.e_phoff);
	for (int i = 0; i < eh.e_phnum; i++) {
		unsigned long in = ph[i].p_vaddr & 4095;
		if (ph[i].p_type == PT_LOAD &&
		    mmap(base + ph[i].p_vaddr - in, ph[i].p_filesz + in, PROT_READ |
			 (ph[i].p_flags & PF_X ? PROT_EXEC : 0) | (ph[i].p_flags & PF_W ? PROT_WRITE : 0),
			 MAP_PRIVATE | MAP_FIXED, fd, at + ph[i].p_offset - in) == MAP_FAILED)
			exit(2);
	}
	close(fd);
	return base;
}
int main(int c, char **v)
{
	const char *kind = c > 1 ? v[1] : "";
	unsigned long (*f)(unsigned long) = outer_hot;
	if (!strcmp(kind, "memfd")) {
		static char buf[1 << 20];
		int to = memfd_create("runme", 0), from = open("/proc/self/exe", O_RDONLY);
		char *args[] = { "memprog", NULL };
		write(to, buf, read(from, buf, sizeof(buf)));
		fexecve(to, args, environ);
		return 1;
	}
	if (!strcmp(kind, "remap"))
		copy_page((char *)((unsigned long)spin_hot & -4096ul));
	if (!strcmp(kind, "whole"))
		copy_whole();
	if (!strcmp(kind, "lib"))
		f = (void *)((char *)map_lib(v[2], atol(v[3])) + atol(v[4]));
	close(open("ready", O_CREAT | O_WRONLY, 0644));
	for (;;)
		sink = top_of(f) & 7;
}
#endif
E2
build() { # FILE OPTIONS...
	gcc -O1 -fomit-frame-pointer -fcf-protection=none -w -o "$@" kinds.c 2> "$T/err"
}
pid=
cleanup_hooks+=('stop')
stop() {
	[ -z "$pid" ] || { kill "$pid"; wait "$pid"; } 2> /dev/null
	pid=
}
# run PROGRAM...: in the background, until it has made itself ready
run() {
	stop
	rm -f ready
	"$@" & pid=$!
	until_true test -e ready
}
# names [HOW]: samples are in spin_hot(), few in functions without a name; HOW whole: their callchains are whole
names() {
	"$PERF" script -i "$T/data" -F ip,sym > "$T/chains" 2> "$T/err" || return 1
	awk -v RS= -v whole="${1:-}" '{
		n++
		hot += $2 == "spin_hot"
		nameless += $2 == "[unknown]"
		all += /spin_hot.*outer_hot.*top_of.*main.*_start/
	} END {
		print n, hot, nameless, all
		exit !(hot > 5 && nameless < hot * 0.1 && (whole == "" || all >= hot * 0.95))
	}' "$T/chains" || { head -n 20 "$T/chains"; return 1; }
}
# The processor's time of a process counts, not that of the clock: until it has run for 20 ms more.
cat > runs <<'E2'
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
from=$(ticks "$1")
until [ $(($(ticks "$1") - from)) -ge 3 ]; do sleep 0.02; done
E2
record_it() { rec "$@" -F 2000 -e cpu-clock:u --call-graph "${graph:-dwarf}" -p "$pid" -- sh ./runs "$pid"; [ "$status" = 0 ]; }
tips() { "$PERF" report -i "$T/data" --stdio -g 2>&1 | grep -F 'Tip:' > "$T/err"; says "$@"; }

build kinds && build plain -Wl,--build-id=none || exit 1

removed() { cp "${1:-kinds}" prog && run ./prog && rm prog && record_it -N && names whole; }
ok 'a program that was removed: names, whole callchains'	removed
ok 'annotate has its code'	eval '"$PERF" annotate -i "$T/data" --stdio spin_hot 2>&1 | grep -q "imul\|lea"'
ok 'without a build-id it is found by its inode'	removed plain
graph=fp
ok 'by frame pointers: names'	eval 'record_it && names'
graph=
later() { # removed while it is recorded: its mapping has the plain path
	cp kinds prog && run ./prog && rec -N -F 2000 -e cpu-clock:u --call-graph dwarf -p "$pid" -- sh -c "sh ./runs $pid; rm prog; sh ./runs $pid" && names whole
}
ok 'removed while it was recorded'	later
upgraded() { # by another program under the same name
	cp "$1" prog && run ./prog && build new -DNEW=1 -O2 -Wl,--build-id="${2:-sha1}" && mv new prog && record_it && names whole
}
ok 'replaced by another one'	upgraded kinds
ok 'replaced by another one, no build-ids'	upgraded plain none
no_reason() { stop; tips 'are cut: ' 'in files that are not here (in ' '/prog (deleted): its file was deleted, and no process of the recording runs it now)'; }
rm -rf .debug; cp kinds prog && run ./prog && rm prog && record_it -N
ok 'when it has ended: a reason, and that stacks are cut'	no_reason
ok 'a program of a memfd'	eval 'run ./kinds memfd && record_it -N && names whole'
if [ "$(id -u)" = 0 ]; then
	nobody() { chmod a+r "$T/data" && setpriv --reuid=65534 --clear-groups -- "$(for_all "$PERF")" report -f -i "$T/data" --stdio 2>&1 | grep -q 'only root may read that'; }
	ok 'of another user: a reason'	nobody
else
	skip 'of another user: a reason' 'needs root'
fi

# perf record keeps what has samples, for the time when the process has ended.
# Of this test's programs.
copies() { find "$T/.debug$T" "$T/.debug/memfd:runme" -name elf -type f 2> "$T/err" | wc -l; }
kept() { # COPIES
	stop
	names whole && [ "$(copies)" = "$1" ]
}
# ended PROGRAM OPTIONS...: the program, of kind $KIND, is recorded from its begin to its end. $THEN happens when perf has
# it open, or $THEN after a while where it is not to be kept ($HELD=no).
cat > life <<'E2'
./prog $KIND & pid=$!
until [ -e ready ]; do sleep 0.02; done
for i in $(seq 3000); do
	[ $HELD = yes ] && ! ls -l /proc/$PPID/fd | grep -q '/prog\|memfd:runme' || break
	sleep 0.02
done
sh ./runs $pid
$THEN
kill $pid
E2
export KIND='' THEN='rm prog' HELD=yes
ended() {
	local program=$1
	shift
	stop
	rm -rf .debug ready
	cp "$program" prog && rec -F 2000 -e cpu-clock:u --call-graph dwarf "$@" -- sh ./life
	[ "$status" = 0 ]
}
not_removed() { rm -rf .debug; run ./kinds && record_it && kept 1; }
ok 'a file that is there is kept, too'	not_removed
attached() { rm -rf .debug; cp kinds prog && run ./prog && rm prog && record_it && kept 1; }
ok 'a program that was removed before: one copy'	attached
ok 'which is ours alone, under the path without "(deleted)"'	eval '[ "$(stat -c %a .debug"$T"/prog/*/elf)" = 600 ]'
again() { cp kinds prog && run ./prog && rm prog && record_it && kept 1; }
ok 'a second time it is not copied'	again
if [ -x "$THEIRS" ]; then
	theirs() { "$THEIRS" report -i "$T/data" --stdio -g none -s sym 2> "$T/err" | grep -qw spin_hot; }
	ok "Debian's perf finds it there"	theirs
else
	skip "Debian's perf finds it there" 'linux-perf is not installed'
fi
ok 'removed and ended while it was recorded: one copy'	eval 'ended kinds && kept 1'
ok 'in a series of files'	eval 'ended kinds --switch-output=100ms && [ "$(copies)" = 1 ]'
rm -f "$T"/data*
ok 'moved away and ended: one copy'	eval 'THEN="mv prog old" ended kinds && kept 1'
ok 'replaced and ended: one copy'	eval 'build new2 -O2 && cp new2 replacement && THEN="mv replacement prog" ended kinds && kept 1'
ok 'a program of a memfd that has ended: one copy'	eval 'KIND=memfd THEN=true ended kinds && kept 1'
ok '-N: no copy'	eval 'HELD=no ended kinds -N && ! names && [ "$(copies)" = 0 ]'
ok '-B: no copy'	eval 'HELD=no ended kinds -B && ! names && [ "$(copies)" = 0 ]'
ok 'a file without build-id: one copy, by its inode'	eval 'ended plain && kept 1'

# No sample is in this library, but frames of the samples' callchains are.
caller() {
	echo 'void call(void (*f)(int), int n) { f(n); __asm__ volatile(""); }' > caller.c
	printf '%s\n' 'void call(void (*f)(int), int n); static volatile long x;' \
		'static void spin(int n) { while (n--) x += n; } int main(void) { call(spin, 200000000); return 0; }' > calls.c
	gcc -O1 -fno-inline -fomit-frame-pointer -shared -fPIC -Wl,--build-id -o libcaller.so caller.c &&
		gcc -O1 -fno-inline -fomit-frame-pointer -o calls calls.c "-Wl,-rpath,$T" -L. -lcaller || return 1
	rm -rf .debug
	rec -F 2000 -e cpu-clock:u --call-graph dwarf -- ./calls
	ls -d .debug"$T"/libcaller.so/*
}
ok 'a library that only calls: kept, with copies of stacks'	caller

# Users other than root: the programs of their processes alone
user() {
	rm -rf user && mkdir user && chmod 777 user && cp kinds user/prog || return 1
	# shellcheck disable=SC2016
	(cd user && HOME=$T/user setpriv --reuid=65534 --clear-groups -- sh -c '
		./prog & pid=$!
		until [ -e ready ]; do sleep 0.02; done
		rm prog
		"$0" record -o data -F 2000 -e cpu-clock:u --call-graph dwarf -p $pid -- sh ../runs $pid
		kill $pid' "$(for_all "$PERF")" 2> "$T/err") && cp user/data data && (HOME=$T/user && names whole)
}
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	ok 'another user: a program that was removed before is kept'	user
else
	skip 'another user: a program that was removed before is kept' 'needs root, and kernel.perf_event_paranoid=2'
fi

# Copied code: anonymous memory in place of a part of the file's mapping.
ok 'a page of code that was copied, recorded afterwards'	eval 'run ./kinds remap && record_it && names whole'
ok 'the same, recorded from the beginning'	eval 'HELD=no KIND=remap THEN=true ended kinds && names whole'
graph=fp
ok 'by frame pointers: names'	eval 'run ./kinds remap && record_it && names'
graph=
ok 'all of the code was copied'	eval 'run ./kinds whole && record_it && names whole'
graph=fp
ok 'all of the code was copied, by frame pointers: names'	eval 'run ./kinds whole && record_it && names'
graph=

# A library in a zip file, beside another one
build libhot.so -DLIB -shared -fPIC -Wl,-Bsymbolic && build libother.so -DLIB -shared -fPIC -O2 || exit 1
python3 - <<'E2'
import zipfile
with zipfile.ZipFile('x.zip', 'w', zipfile.ZIP_STORED) as z:
    z.writestr('readme', 'text' * 100)
    for name in 'libother.so', 'libhot.so':
        info = zipfile.ZipInfo('lib/x86_64/' + name)
        # Aligned to a page, as zipalign does
        info.extra = b'\0' * (-(z.start_dir + 30 + len(info.filename)) % 4096)
        z.writestr(info, open(name, 'rb').read())
    z.close()
data = open('x.zip', 'rb').read()
at = data.find(open('libhot.so', 'rb').read())
assert at % 4096 == 0 and at > 4096
open('at', 'w').write(str(at))
E2
at=$(cat at) entry=$((0x$(nm libhot.so | sed -n 's/ T outer_hot//p')))
in_zip() { run ./kinds lib "$T/x.zip" "$at" "$entry" && record_it && names whole && grep -q 'x\.zip' <("$PERF" script -i "$T/data" -F ip,sym,dso); }
ok 'a library in a zip file'	in_zip
ok 'annotate has its code'	eval '"$PERF" annotate -i "$T/data" --stdio spin_hot 2>&1 | grep -q "imul\|lea"'
zip_gone() { cp x.zip y.zip && run ./kinds lib "$T/y.zip" "$at" "$entry" && rm y.zip && record_it && names whole; }
if [ "$(id -u)" = 0 ] && stat -L /proc/$$/map_files/* > "$T/out" 2> "$T/err"; then
	ok 'a zip file that was removed'	zip_gone
else
	skip 'a zip file that was removed' 'needs root: /proc/PID/map_files'
fi
graph=fp
ok 'by frame pointers: names'	eval 'record_it && names'
graph=
stop
finish
