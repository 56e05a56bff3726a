#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The names and source lines of a JIT compiler's code out of a jit-PID.dump: both byte orders, memory that is used again, code
# that was moved, files that are damaged, gone or another user's.
. "$(dirname "$0")/../../lib/record.sh"

# make_dump FILE [LE|BE]: functions in the order in which they were made
make_dump() {
	python3 - "$@" << 'P'
import struct, sys
e = '>' if sys.argv[2:] == ['BE'] else '<'
def rec(id, body):
    return struct.pack(e + 'IIQ', id, 16 + len(body), 1) + body
def load(addr, size, name, code=True):
    return rec(0, struct.pack(e + 'IIQQQQ', 7, 7, addr, addr, size, 1) + name + b'\0' + b'\x90' * (size if code else 0))
def move(a, b, size):
    return rec(1, struct.pack(e + 'IIQQQQQ', 7, 7, b, a, b, size, 1))
out = struct.pack(e + 'IIIIIIQQ', 0x4a695444, 1, 40 + 8, 62, 0, 7, 1, 0) + b'later...'
out += rec(4, b'\0' * 40)					# unwinding information
out += load(0x10000, 0x100, b'old') + load(0x10100, 0x100, b'kept')
out += load(0x10080, 0x40, b'within_old')			# takes memory of the first
out += rec(2, b'\0' * 64)					# debug information
out += load(0x10200, 0x40, b'_ZN3jit5thirdEv')
out += load(0x10300, 0x40, b'moved') + move(0x10300, 0x10400, 0x40)
out += load(0x10500, 0x40, b'no_code', code=False)
out += load(0x10600, 0x40, b'large') + load(0x10700, 0, b'empty') + rec(99, b'12345678')
out += load(0x10800, 0x40, b'')
out += load(0x10900, 0x40, b'cut off')[:50]
open(sys.argv[1], 'wb').write(out)
P
}
# make_data PATH: samples of a process that has mapped the file at PATH
make_data() {
	PYTHONPATH=$lib python3 - "$1" "$T/data" << 'P'
import sys
from perfdata import *
PID = 4000123
def mmap(start, size, name, prot=5):
    return record(10, ii(PID, PID) + q(start, size, 0) + ii(0, 0) + q(0, 0) + ii(prot, 2) + string(name) + ii(PID, PID) + q(5), misc=2)
data = record(3, ii(PID, PID) + string('jit') + ii(PID, PID) + q(1))
data += mmap(0x900000, 0x1000, sys.argv[1]) + mmap(0x10000, 0x1000, '//anon')
for i, ip in enumerate((0x10010, 0x10090, 0x10110, 0x10210, 0x10310, 0x10410, 0x10510, 0x10610, 0x10810, 0x10910)):
    data += record(9, q(ip) + ii(PID, PID) + q(100 + i), misc=2)
open(sys.argv[2], 'wb').write(perf_file([attr(IP | TID | TIME)], data))
P
}
names() { # EXPECTED: the symbols of the samples
	"$PERF" script ${2:-} -i "$T/data" -F ip,sym 2> "$T/err" | awk '{ $1 = ""; printf "%s%s", s, $0; s = ";" }' > "$T/got"
	[ "$(cat "$T/got")" = "$1" ] || { cat "$T/got"; return 1; }
}
expected=' [unknown]; within_old; kept; jit::third(); moved; moved; no_code; large; [unknown]; [unknown]'

make_dump "$T/jit-4000123.dump"
make_data "$T/jit-4000123.dump"
ok 'functions, moved ones, the last in a place'	names "$expected"
quiet() { [ ! -s "$T/err" ]; }
ok 'without a message'				quiet
report() {
	"$PERF" report -i "$T/data" --stdio -s sym 2> "$T/err" > "$T/out"
	grep -q ' within_old$' "$T/out" && grep -q 'jit::third()$' "$T/out" && ! grep -q 'perf-PID.map' "$T/out"
}
ok 'perf report has them, too'			report
make_dump "$T/jit-4000123.dump" BE
ok 'a dump of the other byte order'		names "$expected"
mkdir -p "$T/root$T"
mv "$T/jit-4000123.dump" "$T/root$T"
ok '--symfs'					names "$expected" "--symfs=$T/root"

unknown=$(printf ' [unknown];%.0s' $(seq 9))' [unknown]'
gone() { names "$unknown" && says 'No such file or directory'; }
says_why() { "$PERF" report -i "$T/data" --stdio 2> "$T/err" | grep -q 'Tip:.*jit-PID.dump cannot be read'; }
ok 'a dump that is gone'			gone
ok 'the report says so'				says_why
echo 'no dump at all, but a text of some forty bytes or more' > "$T/jit-4000123.dump"
wrong() { names "$unknown" && says 'is no jitdump file'; }
ok 'another file of that name'			wrong
make_dump "$T/jit-4000123.dump"
ln -s jit-4000123.dump "$T/jit-5.dump"
make_data "$T/jit-5.dump"
link() { names "$unknown" && says 'symbolic link'; }
ok 'no symbolic link is followed'		link
make_data "$T/jit-4000123.dump"
if [ "$(id -u)" = 0 ]; then
	chown 12345 "$T/jit-4000123.dump"
	other() { names "$unknown" && says 'belongs to another user' && names "$expected" -f; }
	ok "another user's: only with -f"	other
else
	skip "another user's: only with -f" 'not root'
fi
# make_lines FILE LE|BE HEAD: functions with source lines, whose addresses HEAD was added to
make_lines() {
	python3 - "$@" << 'P'
import struct, sys
e, head = '<>'[sys.argv[2] == 'BE'], int(sys.argv[3])
def rec(id, body):
    return struct.pack(e + 'IIQ', id, 16 + len(body), 1) + body
def load(addr, size, name):
    return rec(0, struct.pack(e + 'IIQQQQ', 7, 7, addr, addr, size, 1) + name + b'\0' + b'\x90' * size)
def debug(addr, *lines, nr=None):
    return rec(2, struct.pack(e + 'QQ', addr, nr or len(lines)) + b''.join(
        struct.pack(e + 'QII', addr + head + at, line, 5) + name + b'\0' for at, line, name in lines))
out = struct.pack(e + 'IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, 7, 1, 0)
out += debug(0x10000, (0, 1, b'gone.js')) + load(0x10000, 0x100, b'old')
out += debug(0x10080, (0, 2, b'/src/a.js'), (0x20, 3, b'\xff')) + load(0x10080, 0x40, b'within_old')
out += debug(0x10100, (0x30, 6, b'\xff'), (8, 5, b'/src/b\033[2J.js'), (0, 4, b'/src/a.js')) + load(0x10100, 0x100, b'kept')
out += debug(0x10200, (0, 9, b'other.js')) + load(0x10201, 0x40, b'not_its_lines')
out += debug(0x10300, (0, 7, b'/src/c.js')) + load(0x10300, 0x40, b'moved')
out += rec(1, struct.pack(e + 'IIQQQQQ', 7, 7, 0x10400, 0x10300, 0x10400, 0x40, 1))
out += load(0x10500, 0x40, b'no_lines')
out += debug(0x10600, (0, 8, b'/src/d.js'), nr=1 << 60) + load(0x10600, 0x40, b'many')
out += debug(0x10900, (0, 9, b'/src/e.js'))[:-4]
open(sys.argv[1], 'wb').write(out)
P
}
lines() {
	"$PERF" report -i "$T/data" --stdio -s sym,srcline "$@" 2> "$T/err" |
		sed -n 's/^ .*%  \[.\] //p' | sed 's/  */ /; s/ *$//' | sort > "$T/got"
	printf '%s\n' 'kept b?[2J.js:5' 'many d.js:8' 'moved c.js:7' 'moved c.js:7' 'no_lines no_lines+16' \
		'not_its_lines not_its_lines+15' 'within_old a.js:2' | sort > "$T/want"
	grep -v '^0x' "$T/got" | diff "$T/want" -
}
rm -f "$T/jit-4000123.dump"
for order in LE BE; do
	make_lines "$T/jit-4000123.dump" $order 0
	ok "source lines of code, $order"		lines
	make_lines "$T/jit-4000123.dump" $order 64
	ok "source lines as V8 writes them, $order"	lines
done
# A function with many lines that is moved many times: not its lines for each place
python3 - "$T/jit-4000123.dump" << 'P'
import struct, sys
def rec(id, body):
    return struct.pack('<IIQ', id, 16 + len(body), 1) + body
lines = struct.pack('<QII', 0x10100, 5, 1) + b'f\0' + (struct.pack('<QII', 0x10100, 6, 1) + b'\xff\0') * 19999
out = struct.pack('<IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, 7, 1, 0) + rec(2, struct.pack('<QQ', 0x10100, 20000) + lines)
out += rec(0, struct.pack('<IIQQQQ', 7, 7, 0x10100, 0x10100, 0x20, 1) + b'kept\0' + b'\x90' * 0x20)
for i in range(20000):
    out += rec(1, struct.pack('<IIQQQQQ', 7, 7, 0x20000 + 64 * i, 0x10100, 0x20000 + 64 * i, 0x20, 1))
open(sys.argv[1], 'wb').write(out)
P
flood() {
	(ulimit -v 1000000; "$PERF" report -i "$T/data" -j 1 --stdio -s sym,srcline) > "$T/out" 2> "$T/err" &&
		grep -q '\] kept' "$T/out"
}
ok 'many lines, moved often: memory'		flood
make_dump "$T/jit-x.dump"
make_data "$T/jit-x.dump"
other_name() { names "$unknown" && quiet; }
ok 'only the names that runtimes choose'	other_name
finish
