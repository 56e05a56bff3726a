#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Stubs of functions that are chosen when the program starts (IFUNC) have the name at what chooses,
# as perf 7.2.13 shows them: in a program with a dynamic symbol table and in a static one.
. "$(dirname "$0")/../../lib/scratch.sh"

cat > chosen.c <<'C'
static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*choose_one(void))(void) { return one; }
static int (*choose_two(void))(void) { return two; }
int first(void) __attribute__((ifunc("choose_one")));
static int second(void) __attribute__((ifunc("choose_two")));
int main(void) { return first() + second(); }
C
gcc -O1 -o dynamic chosen.c && gcc -O1 -static -o static chosen.c || { echo "Bail out! gcc"; exit 1; }

# A sample at each stub of .plt; the second argument is the stubs' size.
cat > stubs.py <<'P'
import subprocess, sys
from perfdata import *
program, size = sys.argv[1], int(sys.argv[2])
def lines(*cmd):
    return [l.replace('[ ', '[').split() for l in subprocess.run(cmd, capture_output=True, text=True, check=True).stdout.splitlines()]
off, va, length = next((int(w[1], 16), int(w[2], 16), int(w[5], 16))
                       for w in lines('readelf', '-lW', program) if w[:1] == ['LOAD'] and 'E' in w[6:8])
d = record(3, ii(1, 1) + string('x') + ii(1, 1) + q(0))
d += record(10, ii(1, 1) + q(va & ~4095, (length + (va & 4095) + 4095) & ~4095, off & ~4095) + ii(0, 0) + q(0, 0) +
            ii(5, 2) + string(program) + ii(1, 1) + q(0), 2)
plt = next(w for w in lines('readelf', '-SW', program) if w[1:2] == ['.plt'])
for i in range(0, int(plt[5], 16), size):
    d += record(9, q(int(plt[3], 16) + i) + ii(1, 1) + q(1 + i), 2)
open(program.rsplit('/', 1)[-1] + '.data', 'wb').write(perf_file([attr(IP | TID | TIME, ('sample_id_all', 'mmap', 'comm', 'mmap2'))], d))
P
python3 stubs.py "$tmp/dynamic" 16 && PYTHONPATH=$lib python3 stubs.py "$tmp/static" 8 ||
	{ echo "Bail out! cannot make recordings"; exit 1; }

"$perf" script -i dynamic.data -F ip,sym > out 2> err
grep -q ' first@plt' out && grep -q ' choose_two@plt' out && ! grep -q 'ABS' out
ok $? 'a dynamic program: by name' out
"$perf" script -i static.data -F ip,sym > out 2> err
grep -q ' first@plt' out && grep -q ' choose_two@plt' out &&
	[ "$(grep -c '@plt' out)" = "$(readelf -rW static | grep -c IRELATIV)" ]
ok $? "a static program: $(grep -c '@plt' out) stubs" out
plan
