#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Names of JIT code in containers whose processes have ended: perf record keeps perf-PID.map and jit-PID.dump in
# ~/.debug/.jit, without trusting what a container has in its /tmp.
. "$(dirname "$0")/../../lib/record.sh"
[ "$(id -u)" = 0 ] && unshare --pid --fork --mount true 2> "$T/err" || {
	skip 'names of JIT code in containers' 'needs root and mount and PID namespaces'
	finish
	exit
}
cat > jit.c << 'C'
/* jit WHAT DONE: make code and its names, run it until the file DONE is there. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char spin[] = { 0x48, 0xc7, 0xc0, 0, 0, 0x10, 0, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };

static void write_dump(const char *path, const void *code)
{
	unsigned int head[6] = { 0x4a695444, 1, 40, 62, 0, getpid() }, load[4] = { 0, 16 + 40 + 8 + 64 };
	unsigned long long head2[2] = { 0 }, load2[5] = { 0, (unsigned long)code, (unsigned long)code, 64, 1 };
	FILE *f = fopen(path, "w+");

	fwrite(head, sizeof(head), 1, f);
	fwrite(head2, sizeof(head2), 1, f);
	fwrite(load, sizeof(load), 1, f);
	fwrite(load2, sizeof(load2), 1, f);
	fwrite("in_dump", 8, 1, f);
	fwrite(code, 64, 1, f);
	fflush(f);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
}

/* 300 processes with code of their own, which do not run any more. */
static void others(const char *done)
{
	char path[64];
	FILE *f;
	int i;

	for (i = 0; i < 300; i++) {
		if (fork())
			continue;
		sprintf(path, "/tmp/perf-%d.map", getpid());
		f = fopen(path, "w");
		fprintf(f, "1000 40 another\n");
		fclose(f);
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		while (access(done, F_OK))
			usleep(100000);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	if (strchr(argv[1], 'p'))
		others(argv[2]);
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	int i;
	FILE *f;

	memcpy(code, spin, sizeof(spin));
	sprintf(path, "/tmp/perf-%d.map", getpid());
	if (strchr(argv[1], 'm')) {
		f = fopen(path, "w");
		fprintf(f, "%lx 40 in_map\n", (unsigned long)code);
		fclose(f);
	}
	if (strchr(argv[1], 'o') && chown(path, 12345, 12345))
		return 1;
	if (strchr(argv[1], 'l') && symlink("/tmp/other", path))
		return 1;
	if (strchr(argv[1], 'f') && mkfifo(path, 0644))
		return 1;
	if (strchr(argv[1], 's') && truncate(path, 257 << 20))
		return 1;
	sprintf(path, "/tmp/jit-%d.dump", getpid());
	if (strchr(argv[1], 'd'))
		write_dump(path, code);
	for (i = 0; access(argv[2], F_OK); i++) {
		((void (*)(void))code)();
		if (i == 300)
			close(creat("/tmp/t/started", 0644));
	}
	return 0;
}
C
gcc -O1 -o jit jit.c 2> "$T/err" || exit 1
# The container's /tmp is its own; the folder of this test remains.
cat > inside << 'S'
mount -t tmpfs none /mnt && mkdir /mnt/t && mount --bind "$T" /mnt/t && mount --move /mnt /tmp &&
	exec /tmp/t/jit "$1" /tmp/t/done
S
export T
# contained WHAT ARGS...: record it, from another mount and PID namespace, until perf holds its mount namespace
contained() {
	local what=$1
	shift
	rm -rf "$T/done" "$T/started" "$T/.debug" "$T/data"
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" "$@" -- unshare --pid --fork --mount sh "$T/inside" "$what" \
		> "$T/out" 2> "$T/err" & recorder=$!
	until_true ${waits_for:-held}
	touch "$T/done"
	wait $recorder
}
# It has run for long enough to have samples.
started() { [ -e "$T/started" ]; }
# perf record has the mount namespace of the process open
held() {
	local fd
	for fd in "/proc/$recorder/fd/"*; do
		[[ $(readlink "$fd") == mnt:* ]] && return 0
	done
	return 1
}
# The names in the code that was made, each once. Functions that libraries have no symbol of are not asked for: the
# programs that prepare the container run some, and a sample may hit them.
symbols() {
	"$PERF" script -i "$T/data" -F ip,sym,dso 2> "$T/err" | awk '/\/perf-[0-9]+\.map\)$|\(\[unknown\]\)$/ { print $2 }' | sort -u | tr '\n' ' '
}
all_named() { # NAME
	contained "$1" || return 1
	[ "$(symbols)" = "$2 " ] || { symbols; return 1; }
}
none_named() {
	contained "$1" || return 1
	[ "$(symbols)" = '[unknown] ' ] && [ -z "$(ls -A "$T/.debug/.jit" 2> "$T/ls")" ]
}
ok 'perf-PID.map of a container that has ended'	all_named m in_map
mode() { [ "$(stat -c %a "$T/.debug/.jit"/perf-*.map "$T/.debug/.jit" | tr '\n' ' ')" = '600 700 ' ]; }
ok 'the copy is ours alone'			mode
report() {
	"$PERF" report -i "$T/data" --stdio -s dso,sym 2> "$T/err" > "$T/report"
	grep JIT "$T/report"
	[ "$(awk '/JIT/ { print $NF, ($1 + 0 > 50) }' "$T/report")" = 'in_map 1' ]
}
ok 'perf report has the names'			report
theirs() { "$THEIRS" script -i "$T/data" -F ip > "$T/theirs" 2> "$T/err" && "$PERF" script -i "$T/data" -F ip | diff -q - "$T/theirs"; }
if [ -x "$THEIRS" ]; then
	ok "Debian's perf reads such a recording"	theirs
else
	skip "Debian's perf reads such a recording" 'linux-perf is not installed'
fi
ok 'jit-PID.dump of a container that has ended'	all_named d in_dump
kept_nothing() { waits_for=started contained m -N && [ "$(symbols)" = '[unknown] ' ] && [ ! -e "$T/.debug" ]; }
ok 'perf record -N keeps none'			kept_nothing
ok 'a map of another user is not copied'	none_named mo
ok 'nor what a link leads to'			none_named l
ok 'nor a FIFO, which is not opened'		none_named f
large() { contained ms && says 'too much room' && [ "$(symbols)" = '[unknown] ' ] && [ -z "$(ls -A "$T/.debug/.jit")" ]; }
ok 'nor what is too large'			large
many() {
	local n
	contained m --switch-output=signal -o "$T/files" || return 1
	for n in "$T"/files.*; do
		mv "$n" "$T/data"
		symbols | grep -q in_map || return 1
	done
}
ok '--switch-output: the last file names it'	many
# A flight recording: each file names what it needs, however many processes have something, and what did not change is not
# copied again.
dumped() { [ "$(grep -c 'Dump' "$T/err")" -ge "$1" ]; }
all_maps() { [ "$(find "$T/.debug/.jit" -name 'perf-*.map' 2> /dev/null | wc -l)" = 301 ]; }
flight() {
	local n
	rm -rf "$T"/files* "$T/done" "$T/started" "$T/.debug"
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/files" --switch-output -- unshare --pid --fork --mount sh "$T/inside" mp \
		> "$T/out" 2> "$T/err" & recorder=$!
	until_true started
	# From one file to the next until all have been seen; then five more.
	n=0
	until all_maps || [ $n = 100 ]; do
		kill -USR2 $recorder
		n=$((n + 1))
		until_true dumped $n || break
	done
	for _ in 1 2 3 4 5; do
		kill -USR2 $recorder
		n=$((n + 1))
		until_true dumped $n || break
	done
	touch "$T/done"
	wait $recorder
	all_maps || return 1
	for n in $(ls "$T"/files.* | tail -n 5); do
		mv "$n" "$T/data"
		symbols | grep -q in_map || { echo "no names in $n"; return 1; }
	done
}
ok '--switch-output: 300 processes, one copy of each map'	flight
others() {
	rm -rf "$T/done" "$T/.debug"
	mkdir "$T/.debug" "$T/elsewhere"
	ln -s "$T/elsewhere" "$T/.debug/.jit"
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" -- unshare --pid --fork --mount sh "$T/inside" m 2> "$T/err" & recorder=$!
	until_true held
	touch "$T/done"
	wait $recorder
	says "another user's" && [ -z "$(ls "$T/elsewhere")" ]
}
ok 'a cache that is a link is not used'		others
finish
