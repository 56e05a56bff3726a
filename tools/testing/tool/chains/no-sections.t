#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Files without section headers: names of dynamic symbols and callchains, by the program headers.
. "$(dirname "$0")/../../lib/record.sh"

cat > lib.c <<'END'
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink++;
}
__attribute__((noinline)) void middle(unsigned long n)
{
	char b[100];

	sink += (long)b;
	leaf(n);
	sink++;
}
END
cat > main.c <<'END'
void middle(unsigned long);
int main(void) { middle(200000000); return 0; }
END
# Without the headers, and what is behind the segments
cat > strip.py <<'END'
import struct
import sys

with open(sys.argv[1], 'r+b') as f:
    d = bytearray(f.read())
    at, nr = struct.unpack_from('<Q', d, 32)[0], struct.unpack_from('<H', d, 56)[0]
    ends = [sum(struct.unpack_from('<Q', d, at + 56 * i + o)[0] for o in (8, 32)) for i in range(nr)]
    struct.pack_into('<Q', d, 40, 0)
    struct.pack_into('<HHH', d, 58, 0, 0, 0)
    f.seek(0)
    f.write(d[:max(ends)])
    f.truncate()
END
for hash in sysv gnu; do
	gcc -O2 -fomit-frame-pointer -shared -fPIC -Wl,--hash-style=$hash -o lib.so lib.c &&
	gcc -O2 -fomit-frame-pointer -rdynamic -o p main.c lib.so -Wl,-rpath,"$T" &&
	"$PERF" unwind -D lib.so | grep cfa > with &&
	python3 strip.py lib.so && python3 strip.py p || exit 1
	"$PERF" unwind -D lib.so | grep cfa > without
	ok "$hash: the unwind table"	cmp with without
	for mode in live bpf dwarf; do
		rec -q -F 499 -e cpu-clock:u --call-graph $mode ./p
		"$PERF" script -i data -F ip,sym > stacks
		ok "$hash, $mode: names and callchains" awk -v RS= '
			{ n++; ok += / leaf\n.* middle\n.* main\n.* _start$/ }
			END { print n, ok; exit n < 20 || 100 * ok < 95 * n }' stacks
	done
done
finish
