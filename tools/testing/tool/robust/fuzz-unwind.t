#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Damaged copies of small programs through the making of unwind tables, under the sanitizers.
# Built by make test-tool.
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
O=$(realpath "${O:-build}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16:max_allocation_size_mb=512
export UBSAN_OPTIONS=print_stacktrace=1
cd "$tmp" || exit 1
cp "$lib"/elf/sframe-[23].so .
for f in sframe-2 sframe-3; do
	objcopy --remove-section=.eh_frame $f.so $f-alone.so || exit 1
done
cat > p.c <<'END'
#include <alloca.h>
#include <stdlib.h>
int ext(void *p, ...) { return p == 0; }
int plain(int a) { return ext(&a) + 1; }
int with_fp(int n) { char *p = alloca(n); return ext(p) + 1; }
int realigned(int n) { char b[64] __attribute__((aligned(64))); return ext(b, alloca(n)) + 1; }
int main(int argc, char **argv) { return plain(argc) + with_fp(argc) + realigned(argc) + rand(); }
END
gcc -O2 -w -fno-inline -s -o eh p.c -Wl,-z,lazy || exit 1
for how in none zlib; do
	gcc -O2 -w -g -fno-inline -fno-asynchronous-unwind-tables -o p p.c -Wl,--compress-debug-sections=$how &&
	objcopy --remove-section=.eh_frame --remove-section='.debug_[ails]*' p debug-$how || exit 1
done
# one without section headers
cp eh bare
head -c 8 /dev/zero | dd of=bare bs=1 seek=40 conv=notrunc 2> /dev/null &&
	head -c 6 /dev/zero | dd of=bare bs=1 seek=58 conv=notrunc 2> /dev/null || exit 1
gcc -nostdlib -static -s -o go "$lib/elf/gopclntab.s" || exit 1
cp "$lib/../golden/arm64/calls" .
exec "$O/test/fuzz-unwind" calls go bare sframe-*.so eh debug-none debug-zlib
