#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# File systems that do not answer any more, as FUSE with a server that hangs: perf record ends all the same, its file
# is whole, and it says what it could not look at. Whoever waits for such a file system cannot be killed.
. "$(dirname "$0")/../../lib/record.sh"
[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] && gcc -O1 -o fuse-stuck "$here/fuse-stuck.c" 2> "$T/err" && unshare --mount true 2> "$T/err" || {
	skip 'file systems that do not answer' 'needs root, mount namespaces and FUSE'
	finish
	exit
}
spin() { # OUT FUNCTION TIMES: the code differs, too, and so the build-id
	printf '%s\n' '#include <unistd.h>' "__attribute__((noinline)) void $2(void)" \
		'{ for (volatile long i = 0; i < '"$3"'; i++) ; }' \
		"int main(int argc, char **argv) { while (access(argv[1], F_OK)) { $2(); usleep(10000); } }" > spin.c
	gcc -O1 -fno-omit-frame-pointer -static -Wl,--build-id -o "$1" spin.c 2> "$T/err"
}
spin stuck in_stuck 2000000 && spin other in_other 2000001 && mkdir mnt box || exit 1
# serve NAMESPACE...: a file system with the program, in a mount namespace of its own or here, until the end
cat > serve << 'S'
"$T/fuse-stuck" "$T/stuck" "$T/mnt" "$T/stop" & echo $! > "$T/server.new"
until [ -x "$T/mnt/app" ]; do sleep 0.02; done
mv "$T/server.new" "$T/server"
while [ ! -e "$T/start" ]; do sleep 0.02; done
"$T/mnt/app" "$T/done" & echo $! > "$T/app"
wait
S
export T
served=
# With the server its connection ends, and with that all waiting.
unstick() {
	[ ! -e "$T/server" ] || kill "$(cat "$T/server")" 2> /dev/null
	touch "$T/start" "$T/done"
	[ -z "$served" ] || wait "$served" 2> /dev/null
	umount "$T/mnt" 2> /dev/null
	rm -f "$T/server" "$T/start" "$T/done" "$T/stop" "$T/app"
	return 0
}
cleanup_hooks+=(unstick)
serve() {
	unstick
	"$@" sh "$T/serve" < /dev/null > /dev/null 2>&1 & served=$!
	until_true test -e "$T/server"
}
runs() { # the program's mappings are there: it is in its loop
	[ -s "$T/app" ] && grep -q mnt/app "/proc/$(cat "$T/app")/maps" && [[ $(readlink "/proc/$(cat "$T/app")/exe") = *"$T/mnt/app" ]] &&
		[ "$(awk '{ print $14 }' "/proc/$(cat "$T/app")/stat")" -gt 5 ]
}
run_app() { touch "$T/start"; until_true runs; }
gone() { ! kill -0 "$recorder" 2> /dev/null; }
# It ends, and so does who reads its output. Readers are called when the file system is gone: they would wait for it.
ended() {
	until_true gone
	local status=$?
	unstick
	[ $status = 0 ] && wait "$recorder" && { [ -n "${FAKE:-}" ] || whole "$T/data"; } && has_samples
}
# The file that is being written has samples of it. (No file is looked at: there are no symbols.)
sampled() { "$PERF" script -f -i "$T/data" -F comm,time 2> /dev/null | grep -q "^ *$1 "; }
has_samples() { [ "$("$PERF" script -i "$T/data" -G -F comm,dso,ip 2> /dev/null | grep -c '^ *app .*mnt/app')" -gt 0 ]; }
interrupt() { kill -INT "$(cat "$T/perf")"; }
# record ARGS...: in the background, its output read through a pipe; its PID in the file "perf"
record() {
	rm -f "$T/data" "$T/perf"
	sh -c 'echo $$ > "$T/perf"; LD_PRELOAD=${FAKE:-} exec "$@"' sh \
		"$PERF" record --no-bpf-event -F 200 -e cpu-clock:u -o "$T/data" "$@" 2>&1 |
		cat > "$T/err" & recorder=$!
	until_true test -s "$T/data"
}
own() { serve unshare --mount; }	# a mount namespace
here() { serve env; }			# ours
hangs() { run_app && touch "$T/stop"; }
before() { # ARGS...: the program runs and its file system hangs before the recording begins
	own && hangs && record -a "$@" && until_true sampled app && interrupt && ended
}
named() { says mnt/app 'does not answer'; }
ok 'the program runs and its file system hangs'		before
ok 'what could not be looked at is named'		named
# The program begins while perf cannot look, and its file system hangs before perf can.
during() {
	own && record -a "$@" && kill -STOP "$(cat "$T/perf")" && hangs
	kill -CONT "$(cat "$T/perf")"
	# Another container's program is kept all the same.
	unshare --mount sh -c 'mount -t tmpfs none "$T/box" && cp "$T/other" "$T/box/other" && exec "$T/box/other" "$T/done"' &
	until_true held
	until_true sampled other
	interrupt
	ended
}
held() {
	local fd
	for fd in "/proc/$(cat "$T/perf")/fd/"*; do
		[[ "$(readlink "$fd")" != */other ]] || return 0
	done
	return 1
}
ok 'the program begins and its file system hangs'	during
ok 'the file that is not kept is named'			named
kept() { cmp "$T/other" "$(find "$T/.debug" -name elf -type f -path "*box/other*")"; }
ok 'the file of another container is kept'		kept
# Our own file system hangs: where callchains are cut is asked, and tables of build-ids are made, at the end.
at_end() { here && record -a "$@" && hangs && until_true sampled app && interrupt && ended; }
ok 'our own file system, -g'				at_end -g
ok 'our own file system, --no-buildid-mmap'		at_end --no-buildid-mmap
ok '--no-buildid-mmap: it is named'			named
term() { here && hangs && record -a --buildid-all && kill -TERM "$(cat "$T/perf")" && until_true gone; }
ok 'SIGTERM'						term
workload() {
	here && hangs && record -a --no-buildid-mmap -- sh -c 'until [ -e "$T/end" ]; do sleep 0.05; done' && until_true sampled app &&
		touch "$T/end" && ended
}
ok 'the end of the command'				workload
# What is looked for beside a program: the debug file that its section names, which is a link into
# the file system.
printf '%s\n' '.globl main' '.type main,@function' 'main: mov $300000000, %ecx' '1: dec %ecx' 'jnz 1b' 'xor %eax, %eax' ret \
	'.section .note.GNU-stack,"",@progbits' > linked.S
printf 'x.debug\0\1\2\3\4' > link
gcc -o linked linked.S && strip linked &&
	objcopy --add-section .gnu_debuglink=link linked 2> "$T/err" && ln -s mnt/app x.debug || exit 1
alone() { until_true gone && unstick && wait "$recorder" && whole "$T/data"; }
linked() { here && hangs && record --call-graph live ./linked && alone; }
ok 'a debug file'					linked
# Many programs at paths of it, and another one, which is walked.
mkdir n1 n2 n3 n4 n5 n6 n7 n8 n9
many() {
	local i
	here && hangs && record -a --call-graph live
	for i in 1 2 3 4 5 6 7 8 9; do
		cp other n$i/n$i && "n$i/n$i" "$T/done" &
		until_true test -x n$i/n$i
	done
	sleep 0.2
	for i in 1 2 3 4 5 6 7 8 9; do ln -sf ../mnt/app n$i/n$i; done
	for i in 1 2 3 4 5 6 7 8 9; do until_true sampled n$i; done
	cp other good && ./good "$T/done" &
	until_true sampled good
	interrupt
	alone && "$PERF" script -i "$T/data" --comm good -F ip,sym 2> /dev/null | grep -q main
}
ok 'nine programs, and another one is walked'		many
# Not a file system, but pages of a stack that never come
printf '%s\n' '#define _GNU_SOURCE' '#include <fcntl.h>' '#include <linux/userfaultfd.h>' '#include <sys/ioctl.h>' '#include <sys/mman.h>' \
	'#include <sys/syscall.h>' '#include <unistd.h>' 'int main(void) {' \
	'char *s = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *sp = s + (1 << 19) - 256;' \
	'for (int i = 0; i < 256; i++) sp[i] = 1;' 'int u = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);' \
	'struct uffdio_api a = { .api = UFFD_API };' \
	'struct uffdio_register r = { .range = { (unsigned long)s, 1 << 20 }, .mode = UFFDIO_REGISTER_MODE_MISSING };' \
	'if (u < 0 || ioctl(u, UFFDIO_API, &a) || ioctl(u, UFFDIO_REGISTER, &r)) return 1;' \
	'for (;;) { unsigned long n = 30000000; __asm__ volatile("mov %%rsp, %%r12\n mov %0, %%rsp\n1: dec %1\n jnz 1b\n mov %%r12, %%rsp"' \
	': "+r" (sp), "+r" (n) :: "r12", "memory"); } }' > pages.c
gcc -O1 -o pages pages.c || exit 1
pages() {
	local pages
	unstick
	record -a --call-graph live
	./pages & pages=$!
	until_true sampled pages
	sleep 1
	interrupt
	until_true gone && kill $pages && alone
}
if ./pages & p=$!; sleep 0.2; kill $p 2> /dev/null; then
	ok 'pages of a stack'				pages
else
	skip 'pages of a stack' 'no userfaultfd'
fi
# A kernel that takes unwind tables (fake-tables.c): those of what runs are waited for before the first sample, those of
# what begins are not.
gcc -shared -fPIC -I"$lib/../../../include/uapi" -o fake.so "$lib/fake-tables.c" 2> "$T/err" || exit 1
export TABLES_LOG=$T/log
has_table() { grep -q "$1" "$TABLES_LOG" && ! grep -q mnt/app "$TABLES_LOG"; }
# (Debian's perf does not know what is recorded then.)
tables() {
	local -x FAKE=$T/fake.so
	: > "$TABLES_LOG"
	own && hangs && record --call-graph table -p "$served,$(cat "$T/app")" && until_true sampled app && interrupt &&
		ended && has_table libc.so
}
ok 'unwind tables of what runs'				tables
tables_later() {
	local -x FAKE=$T/fake.so
	: > "$TABLES_LOG"
	own && record --call-graph table -p "$served,$$" && kill -STOP "$(cat "$T/perf")" && hangs
	kill -CONT "$(cat "$T/perf")"
	"$T/other" "$T/done" &
	until_true has_table other && until_true sampled app && interrupt && ended
}
ok 'unwind tables of what begins'			tables_later
finish
