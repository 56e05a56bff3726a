#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which unwind tables the kernel tree's perf registers: of a command, of what it starts, and of
# processes that run already. fake-tables.c stands for a kernel that takes them, and its list has
# their sizes, which must be those that our own perf unwind makes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
perf=$(realpath "$PERF") ours=$(realpath "$OURS")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C PERF_CONFIG=/dev/null HOME=$tmp
gcc -O1 -shared -fPIC -w -I"$here/../../../include/uapi" -o "$tmp/fake.so" \
	"$here/../lib/fake-tables.c" -ldl || exit 1

record() { # OPTIONS...: which files have tables is in $tmp/list
	rm -f "$tmp/list"
	TABLES_LOG=$tmp/list LD_PRELOAD=$tmp/fake.so "$perf" record -o "$tmp/data" \
		--call-graph table -e cpu-clock "$@" >"$tmp/out" 2>&1
}
size_of() { # FILE: of its table by our own tool
	"$ours" unwind -o "$tmp/table" "$1" >/dev/null 2>&1 && stat -c %s "$tmp/table"
}
has() { # FILE
	grep -qx "$(realpath "$1") $(size_of "$1") [0-9]*" "$tmp/list"
}

# Without events there is nothing to test.
if ! "$perf" record -o "$tmp/data" -e cpu-clock true >"$tmp/out" 2>&1; then
	echo '1..0 # SKIP perf_event_open() is not allowed here'
	exit 0
fi
libc=$(ldd "$(command -v perl)" | sed -n 's/.*libc\.so\.6 => \(\S*\).*/\1/p')
record -- sh -c 'perl -e 1; true'
ok $? 'a command' "$tmp/out"
grep -q '^\[vdso\] ' "$tmp/list"
ok $? 'the vDSO' "$tmp/list"
has "$(command -v sh)"
ok $? 'its program' "$tmp/list"
has "$libc"
ok $? 'the C library' "$tmp/list"
has "$(command -v perl)"
ok $? 'a program that it starts' "$tmp/list"
! sort "$tmp/list" | uniq -d | grep .
ok $? 'each file once'

sleep 1000 &
record -p $! -- true
ok $? 'a process' "$tmp/out"
has "$(command -v sleep)"
ok $? 'its program' "$tmp/list"
! has "$(command -v perl)"
ok $? 'and not what others run' "$tmp/list"
kill $!
wait $! 2>/dev/null
TABLES_REFUSE=ENOSPC record -- true && [ ! -s "$tmp/list" ]
ok $? 'a kernel that refuses them all: it records' "$tmp/out"
echo "1..$nr"
[ "$failed" = 0 ]
