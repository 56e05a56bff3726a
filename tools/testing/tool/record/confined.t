#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Files of other users while root records: the process that records opens and reads none of them.
# What is parsed is parsed by a walker, a process without rights, which may die at any time.
. "$(dirname "$0")/../../lib/record.sh"
[ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ] || {
	skip 'files of other users' 'needs root and x86-64'
	finish
	exit
}
chmod 755 "$T"
# spin FILE OFFSET LENGTH CUT-AFTER SECONDS: has return addresses that lie in FILE, mapped as code,
# and shortens it after a while
cat > spin.c << 'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR), cut = atoi(argv[4]), seconds = atoi(argv[5]), i;
	unsigned long off = strtoul(argv[2], NULL, 16), len = strtoul(argv[3], NULL, 0);
	unsigned long *s = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long *sp = s + 1000, n;
	time_t began = time(NULL);
	struct stat st;
	char *m;

	if (fstat(fd, &st))
		return 1;
	m = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	while (time(NULL) - began < seconds) {
		for (i = 0; i < 1100; i++)
			s[1000 + i] = (unsigned long)m + off + 64 + (unsigned long)rand() * 8 % len;
		if (cut && time(NULL) - began >= cut && ftruncate(fd, 100))
			return 1;
		n = 3000000;
		__asm__ volatile("mov %%rsp, %%r12\n mov %0, %%rsp\n lea 1f(%%rip), %%rdx\n mov %1, %%rcx\n jmp spin\n1: mov %%r12, %%rsp\n"
				 :: "r" (sp), "r" (n) : "rcx", "rdx", "r12", "memory");
	}
	return 0;
}
C
printf '%s\n' '.text' '.globl spin' '.type spin,@function' 'spin: .cfi_startproc' '1: dec %rcx' 'jnz 1b' 'jmp *%rdx' '.cfi_endproc' \
	'.size spin,.-spin' '.section .note.GNU-stack,"",@progbits' > spin.S
gcc -O1 -o spin spin.c spin.S || exit 1
# library NAME LINE...: with these lines as its only function
library() {
	local name=$1
	shift
	printf '%s\n' '.text' '.globl big' '.type big,@function' "$@" '.section .note.GNU-stack,"",@progbits' > lib.S
	gcc -shared -nostdlib -o "$name" lib.S && chown nobody "$name"
}
code_of() { readelf -SW "$1" | sed -n 's/.* \.text  *PROGBITS *[0-9a-f]* \([0-9a-f]*\).*/\1/p'; }
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
# begin_spin LIBRARY LENGTH SECONDS: as nobody ($spinner)
begin_spin() {
	setpriv --reuid=65534 --regid=65534 --clear-groups ./spin "$T/$1" "$(code_of "$1")" "$2" 0 "$3" & spinner=$!
}
# The recording ends orderly, by our ^C.
ended() {
	local status

	kill -INT "$recorder"
	wait "$recorder"
	status=$?
	[ $status = 130 ] || { echo "status $status"; return 1; }
}

# A library that its owner shortens: what maps it dies.
functions=$((40000 * 64 - 128))
shortened() { # CFA ARGS...
	local cfa=$1
	shift
	library short.so '.rept 40000' '.balign 64' '.cfi_startproc' $cfa '.skip 64' '.cfi_endproc' '.endr' 'big: ret' &&
	begin -N -a -F 199 "$@" && nobody ./spin "$T/short.so" "$(code_of short.so)" $functions 2 4 && ended
}
ok 'a shortened library, live'		shortened '' --call-graph live
ok 'a shortened library, bpf'		shortened '.cfi_def_cfa%r12,8' -g

# A function whose description takes libdw 0.1 s for each address
library slow.so '.balign 64' '.cfi_startproc' '.rept 80000' '.cfi_escape 0x0a, 0x0b' '.endr' 'big: .skip 1<<22' '.cfi_endproc'
slow() {
	begin -N -a -F 199 --call-graph live
	begin_spin slow.so $(((1 << 22) - 256)) 300
	until_true grep -q 'slow.so: left out' "$T/err"
	kill $spinner
	ended && says 'slow.so: left out'
}
ok 'call frame information that takes too long' slow

# The table of another user's file is kept for files of that user.
library theirs.so '.balign 64' 'big:' '.cfi_startproc' '.skip 1<<16' '.cfi_endproc'
kept() { find home/.debug -name "*.65534.v*" 2> /dev/null | grep -q .; }
owner() {
	mkdir home
	begin_spin theirs.so 65000 300
	HOME=$T/home begin -F 199 --call-graph bpf -p $spinner
	until_true kept && ended && kill $spinner
}
ok 'a table is kept for files of their owner'	owner

# The processes and their rights
"$W/burn" 10000000 & burner=$!
children() { cat /proc/$recorder/task/*/children; }
status_is() { # PID NAME VALUE
	[ "$(sed -n "s/^$2:[ \t]*\([0-9a-f]*\).*/\1/p" "/proc/$1/status")" = "$3" ]
}
confined() {
	status_is "$1" Uid 65534 && status_is "$1" Gid 65534 && status_is "$1" NoNewPrivs 1 &&
		status_is "$1" Seccomp 2 && status_is "$1" CapEff 0000000000000000
}
walkers() { local p; for p in $(children); do ! confined "$p" || echo "$p"; done; }
has_walker() { [ -n "$(walkers)" ]; }
no_files() { # nothing of ours, nothing that can be written but the sockets and /dev/null
	local fd
	for fd in "/proc/$1/fd/"*; do
		[[ "$(readlink "$fd")" =~ ^(socket:|/dev/null$|/proc/) ]] ||
			[ $(($(sed -n 's/^flags:\t//p' "/proc/$1/fdinfo/${fd##*/}") & 3)) = 0 ] || return 1
	done
	[[ "$(readlink "/proc/$1/root")" != / ]]
}
begin -N -F 500 --call-graph live -p $burner
until_true has_walker
walker=$(walkers)
ok 'the walker: nobody, no rights, a filter'	confined "$walker"
ok 'the walker: no file system'		no_files "$walker"
# Others have our rights and no file of another user open.
openers() {
	local p n=0
	for p in $(children); do confined "$p" || { status_is "$p" Uid 0 && n=$((n + 1)); }; done
	[ $n -le 4 ]
}
ok 'openers are few'			openers
died() { # COMMAND...: then there is another one
	local before
	before=$(walkers)
	"$@" "$before" && until_true another "$before"
}
another() { local now; now=$(walkers); [ -n "$now" ] && [ "$now" != "$1" ]; }
ten_deaths() {
	local i
	for i in 1 2 3; do
		died kill -KILL && died kill -SEGV && died kill -BUS || return
	done
	# (It is killed when the recorder has waited for it.)
	died kill -STOP
}
ok 'the walker dies ten times'		ten_deaths
ok 'the recording goes on, and ends'	ended
ok 'it is whole'			whole "$T/data"
ok 'it says that they died'		says 'the process that walks stacks died 10 times'
last_chains() { "$PERF" script -i "$T/data" -F ip,sym 2> /dev/null | tr '\n' ' ' | tr -s ' \t' ' ' | grep -q 'main'; }
ok 'callchains after the last death'	last_chains

# What is called, in a file for each process. strace says which has given up its rights.
if command -v strace > "$T/out"; then
	library own.so '.rept 40000' '.balign 64' '.cfi_startproc' '.skip 64' '.cfi_endproc' '.endr' 'big: ret'
	begin_spin own.so $functions 60
	for mode in -g '--call-graph live'; do
		strace -ff -y -o "trace$mode" -e signal=none "$PERF" record -N -a $mode -F 99 -o "$T/data" sleep 2 2> "$T/err"
	done
	kill $spinner
	walkers=$(grep -l PR_SET_SECCOMP trace*)
	others=$(grep -L PR_SET_SECCOMP trace*)
	allowed=$(tr -s '\n\t ' ' ' < "$lib/../../../Documentation/security.rst" |
		sed 's/.*These system calls it makes, all others fail with EPERM: //; s/\. Files are read.*//; s/ ([^)]*)//g; s/,//g; s/ and / /g')
	listed() {
		local f c
		[ -n "$walkers" ] || return 1
		while read -r f; do
			for c in $(sed '1,/PR_SET_SECCOMP/d; / = -1 EPERM /d; s/(.*//; /^[+ ]/d' "$f" | sort -u); do
				[[ " $allowed " == *" $c "* ]] || { echo "not in the list: $c"; return 1; }
			done
		done <<< "$walkers"
	}
	ok 'a walker makes the system calls of security.rst alone'	listed
	# After the first page of another user's file
	strangers() {
		local f
		while read -r f; do
			awk '!/own\.so/ { next }
				/^mmap\(/ && !/, 4096, / { print; bad = 1 }
				/^(p?read(v|64)?|splice)\(/ && !/, (18|4096), 0\) / {
					print; bad = 1
				}
				END { exit bad }' "$f" || return 1
		done <<< "$others"
	}
	seen() { grep -q 'own\.so' trace*; }
	ok "another user's file was recorded"	seen
	ok 'nobody with rights reads more than its first page'	strangers
else
	skip 'system calls' 'no strace'
fi

# A program at a path at which the recorder, and nobody else, has a FIFO. Somebody waits until it is
# opened.
if nobody unshare -Urm true 2> "$T/err" && unshare -m true 2> "$T/err"; then
	mkdir fifo && cp "$W/burn" burn && chmod 755 fifo burn
	cat > with-fifo <<- 'S'
		mount --make-rprivate / && mount -t tmpfs none fifo || exit
		mkfifo -m 666 fifo/burn
		( (echo > fifo/burn; echo yes > opened) & echo $! > writer )
		exec "$@"
	S
	BEFORE='unshare -m sh with-fifo' begin -N -a --call-graph live -F 199
	nobody unshare -Urm sh -c "mount -t tmpfs none '$T/fifo' && cp '$T/burn' '$T/fifo/burn' && exec '$T/fifo/burn' 1000"
	not_opened() {
		ended && [ ! -e opened ] &&
			"$PERF" script -i "$T/data" --comm burn -F ip,sym 2> /dev/null | grep -q main
	}
	ok 'a FIFO at the path of a program is not opened'	not_opened
	kill "$(cat writer)"
else
	skip 'a FIFO' 'no namespaces'
fi
finish
