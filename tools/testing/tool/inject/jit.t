#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf inject --jit: an ELF file for each function in a jit-PID.dump, and mappings of them, so that perf 6.1 shows the
# names that our report finds in the recording itself.
. "$(dirname "$0")/../../lib/record.sh"

# make KIND: $T/jit-4000123.dump and $T/data. KIND has "late" (functions in one place after another, times of one clock), or not.
make() {
	PYTHONPATH=$lib python3 - "$T" "$@" << 'P'
import struct, sys
from perfdata import *
folder, kind = sys.argv[1], sys.argv[2:]
late = 'late' in kind
PID = 4000123
path = folder + '/jit-4000123.dump'
def rec(id, body, time=1):
    return struct.pack('<IIQ', id, 16 + len(body), time) + body
def load(addr, size, name, index, time=1):
    return rec(0, struct.pack('<IIQQQQ', 7, 7, addr, addr, size, index) + name + b'\0' + b'\x90' * (size - 1) + b'\xc3', time)
def lines(addr, *of):
    return rec(2, struct.pack('<QQ', addr, len(of)) + b''.join(
        struct.pack('<QII', addr + at, line, 0) + name + b'\0' for at, line, name in of))
def unwind(size, first):
    cie = struct.pack('<IIB', 20, 0, 1) + b'zR\0' + b'\x01\x78\x10\x01\x1b\x0c\x07\x08\x90\x01\0\0'
    at = (size + 7) // 8 * 8 + (20 if first else 0)
    fde = struct.pack('<IIiI', 20, len(cie) + 4, -(at + len(cie) + 8), size) + b'\0' * 8
    frame, hdr = cie + fde + bytes(4), struct.pack('<BBBBiIiI', 1, 0x1b, 3, 0x3b, 16 if first else -len(cie + fde) - 8, 0, 0, 0)
    return rec(4, struct.pack('<QQQ', len(frame + hdr), len(hdr), 0) + (hdr + frame if first else frame + hdr))
dump = struct.pack('<IIIIIIQQ', 0x4a695444, 1, 40, 62, 0, 7, 1, 1 if 'ticks' in kind else 0)
if late:
    dump += load(0x10000, 0x100, b'first', 1, 200) + load(0x10000, 0x100, b'second', 2, 300)
    dump += load(0x10200, 0x100, b'moves', 3, 400) + rec(1, struct.pack('<IIQQQQQ', 7, 7, 0x10400, 0x10200, 0x10400, 0x100, 3), 500)
else:
    dump += load(0x10000, 0x100, b'old', 1)
    dump += lines(0x10100, (0x40, 6, b'\xff'), (0x20, 5, b'/src/b.js'), (0, 4, b'/src/a.js')) + load(0x10100, 0x100, b'kept', 2)
    dump += load(0x10080, 0x40, b'within_old', 1) + unwind(0x103, True) + load(0x10300, 0x103, b'unwound', 5)
    dump += unwind(0x40, False) + load(0x10500, 0x40, b'_ZN3jit7unwoundEv', 6)
    dump += load(0x10600, 0x40, b'moved', 7) + rec(1, struct.pack('<IIQQQQQ', 7, 7, 0x10700, 0x10600, 0x10700, 0x40, 7))
    dump += load(0x500010, 0x40, b'in_a_file', 8) + load(0x10900, 0x40, b'cut off', 9)[:50]
if 'wrong' in kind:
    dump = b'no dump, but a text of some forty bytes or more'
open(path, 'wb').write(dump)

def mmap(start, size, name, time, prot=5):
    return record(10, ii(PID, PID) + q(start, size, 0) + ii(0, 0) + q(0, 0) + ii(prot, 2) + string(name) + ii(PID, PID) + q(time), misc=2)
def sample(ip, time):
    return record(9, q(ip) + ii(PID, PID) + q(time), misc=2)
data = record(3, ii(PID, PID) + string('jit') + ii(PID, PID) + q(1), misc=0)
data += mmap(0x10000, 0x1000, '//anon', 5) + mmap(0x500000, 0x1000, '/usr/bin/nothing', 6) + mmap(0x900000, 0x1000, path, 10)
if late:
    for t in (150, 250):
        data += sample(0x10010, t)
    data += mmap(0x10000, 0x1000, '//anon', 260)
    for ip, t in (0x10010, 270), (0x10010, 350), (0x10210, 450), (0x10410, 460), (0x10410, 550):
        data += sample(ip, t)
else:
    for t, ip in enumerate((0x10010, 0x10090, 0x10110, 0x10130, 0x10310, 0x10510, 0x10610, 0x10710, 0x500020, 0x10910)):
        data += sample(ip, 100 + t)
a = attr(IP | TID | TIME, flags=('sample_id_all', 'mmap', 'mmap2', 'comm', 'use_clockid') if late else ('sample_id_all', 'mmap', 'mmap2', 'comm'))
open(folder + '/data', 'wb').write(perf_file([a[:92] + struct.pack('<i', 1) + a[96:] if late else a], data))
P
	rm -f "$T"/jitted-*
}
names() { # READER FILE: the symbols of the samples
	$1 script -i "$2" -F ip,sym 2> "$T/err" | awk '{ $1 = ""; printf "%s%s", s, $0; s = ";" } END { print "" }'
}
same() { # READER: shows on the output what our script shows on the input
	[ "$(names "$1" "$T/jit")" = "$want" ] || { names "$1" "$T/jit"; echo "$want"; return 1; }
}
inject() { "$PERF" inject --jit -i "$T/data" -o "$T/jit" "$@" 2> "$T/err"; }

make
want=$(names "$PERF" "$T/data")
known() { [ "$want" = ' [unknown]; within_old; kept; kept; unwound; jit::unwound(); moved; moved; [unknown]; [unknown]' ]; }
ok 'what our script finds in the dump'		known
ok 'perf inject --jit'				inject
says_numbers() { says '10 samples, 7 functions of JIT compilers in 6 files'; }
ok 'it says how many'				says_numbers
# The old function is not hidden where another one took a part of its memory: mappings have times.
want=${want/ \[unknown\]; within/ old; within}
want=${want/jit::unwound()/jit::unwound}
rm "$T/jit-4000123.dump"
plain() { "$PERF" script --no-demangle -i "$T/jit" -F ip,sym 2> "$T/err" | grep -q _ZN3jit7unwoundEv; }
ours() { [ "$(names "$PERF" "$T/jit")" = "${want/jit::unwound/jit::unwound()}" ] || { names "$PERF" "$T/jit"; echo "$want"; return 1; }; }
ok 'the names, by our script, without the dump'	ours
ok 'names as the compiler wrote them'		plain
theirs() { [ "$(names "$THEIRS" "$T/jit" | sed 's/unwound()/unwound/')" = "$want" ] || { names "$THEIRS" "$T/jit"; echo "$want"; return 1; }; }
if [ -x "$THEIRS" ]; then
	ok "by Debian's perf"			theirs
else
	skip "by Debian's perf" 'linux-perf is not installed'
fi
source_lines() {
	"$PERF" report -i "$T/jit" --stdio -s sym,srcline 2> "$T/err" | grep -q 'kept *a.js:4' &&
		"$PERF" report -i "$T/jit" --stdio -s sym,srcline 2> "$T/err" | grep -q 'kept *b.js:5'
}
ok 'source lines'				source_lines
elf() {
	local f
	readelf -aW "$T"/jitted-*.so > "$T/elf" 2> "$T/elf.err" && [ ! -s "$T/elf.err" ] || { cat "$T/elf.err"; return 1; }
	for f in 5 6; do
		readelf --debug-dump=frames "$T/jitted-4000123-$f.so" | grep -q "FDE.*pc=0000000000000080" || return 1
	done
	readelf --debug-dump=decodedline "$T/jitted-4000123-2.so" | grep -q 'b.js *5 *0xa0'
}
ok 'files that readelf takes, with .eh_frame and .debug_line'	elf
numbers() { [ -e "$T/jitted-4000123-1.so" ] && [ "$(ls "$T"/jitted-*.so | wc -l)" = 6 ]; }
ok 'a number that two functions have is used once'	numbers

make late
inject
"$PERF" inject -z --jit -i "$T/data" -o "$T/packed" 2> "$T/err"
"$PERF" inject --jit -i - < "$T/data" 2> "$T/err" | cat > "$T/stream"
rm "$T/jit-4000123.dump"	# our script would find it
timed=' [unknown]; first; first; second; moves; [unknown]; moves'
mono() { [ "$(names "$PERF" "$T/jit")" = "$timed" ] || { names "$PERF" "$T/jit"; return 1; }; }
mono_theirs() { [ "$(names "$THEIRS" "$T/jit")" = "$timed" ] || { names "$THEIRS" "$T/jit"; return 1; }; }
ok 'with -k mono, functions from their times on; mappings of all memory do not hide them'	mono
[ ! -x "$THEIRS" ] || ok "the same by Debian's perf"	mono_theirs
ordered() { "$PERF" script --show-mmap-events -F ip -i "$T/jit" 2> "$T/err" | grep -c 'jitted-' | grep -qx 4; }
ok 'four mappings'				ordered
piped() { [ "$(names "$PERF" - < "$T/stream")" = "$timed" ] && [ "$(names "$PERF" "$T/packed")" = "$timed" ]; }
ok 'into a pipe, and compressed'		piped
make late ticks
ticks() { inject && rm "$T/jit-4000123.dump" && [ "$(names "$PERF" "$T/jit")" = ' second; second; second; second; moves; moves; moves' ]; }
ok 'times of another clock are not used'	ticks

make
victim() {
	echo mine > "$T/victim"
	ln -s "$T/victim" "$T/jitted-4000123-1.so"
	inject && [ "$(cat "$T/victim")" = mine ] && [ ! -L "$T/jitted-4000123-1.so" ]
}
ok 'nothing is written through a link'		victim
no_room() {
	(ulimit -f 1; exec "$PERF" inject --jit -i "$T/data" -o /dev/null 2> "$T/err"); [ $? = 1 ] && says 'File too large' &&
		[ -z "$(find "$T" -name 'jitted-*' -size 1024c)" ]
}
make
ok 'no room: no half of a file'			no_room
refused() { inject; [ $? = 1 ] && says "$1" && [ "$(names "$PERF" "$T/jit" | sed 's/ \[unknown\];*//g')" = '' ]; }
make wrong
ok 'a file that is no dump: the status is 1, the output is there'	refused 'is no jitdump file'
make
rm "$T/jit-4000123.dump"
ok 'a dump that is gone'			refused 'No such file'
if [ "$(id -u)" = 0 ]; then
	make
	chown 12345 "$T/jit-4000123.dump"
	ok "another user's dump"		refused 'belongs to another user'
else
	skip "another user's dump" 'not root'
fi
rm -f "$T/jit-4000123.dump"	# it is another user's
make
PYTHONPATH=$lib python3 - "$T" << 'P'
import sys
from perfdata import *
mmap = ii(4000123, 4000123) + q(0x900000, 0x1000, 0) + string(sys.argv[1] + '/jit-4000123.dump')
with open(sys.argv[1] + '/data', 'wb') as f:
    f.write(b'PERFILE2' + q(16) + record(1, mmap, misc=2))
P
no_event() { inject; [ $? = 1 ] && says 'jit-4000123.dump: it is mapped before the stream describes an event'; }
ok 'a stream that maps a dump before it describes an event'	no_event
without_events() { "$PERF" script --show-mmap-events -i "$T/data" > "$T/out" 2> "$T/err" && [ ! -s "$T/err" ]; }
ok 'perf script of a stream without events'	without_events
none() { rec -e cpu-clock:u -- true && "$PERF" inject --jit -i "$T/data" -o "$T/jit" 2> "$T/err" && says '0 functions of JIT compilers in 0 files'; }
ok 'a recording without JIT code'		none
finish
