#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Stack copies of arm64, walked on any machine: the callchain at each instruction of a program that
# golden/arm64/steps.py stepped through, with signed return addresses, against the calls counted there.
. "$(dirname "$0")/../../lib/record.sh"
golden=$(realpath "$lib/../golden/arm64")

cat > chains.py <<'END'
"""The output of perf script -F comm,ip, a callchain a line."""
import sys
for sample in sys.stdin.read().split('\n\n'):
    lines = sample.split('\n')[1:]
    if lines:
        print(' '.join(line.split()[0] for line in lines if line))
END
chains() { # FILE ARGS...: callchains in $T/got
	"$PERF" script -F comm,ip -i "$@" 2> "$T/err" | python3 chains.py > got
	[ ! -s "$T/err" ]
}
equal() { chains "$@" && cmp got "$golden/calls.chains"; }
# changed WHAT [FUNCTION...]: the recording, with
#   wide	signatures from bit 39 on, as with an address space of that size
#   N		stack copies of N bytes at most
#   few		no registers but x29, x30, sp and pc
#   jit		these functions in a file that is not there
#   returning	those at the trampoline's system call within it: the interrupted x0 to x30 are back
#   vdso	the same, and the trampoline in the vDSO
cat > changed.py <<'END'
import struct, sys
d = bytearray(open(sys.argv[1], 'rb').read())
what = sys.argv[2]
at, size = struct.unpack_from('<QQ', d, 40)
end = at + size
TEXT, NR, UC_REGS = range(0x400000, 0x401000), 33, 128 + 184
symbols = [line.split() for line in open('symbols')]
code = {f[7]: (int(f[1], 16), int(f[2])) for f in symbols if len(f) == 8 and f[3] == 'FUNC'}
restore = code['restore'][0]
interrupted = sum(code['system_call']) - 4
# The trampoline, the instruction before it and one behind it.
hidden = [(restore - 4, 16, b'[vdso]')] if what == 'vdso' else []
hidden += [(*code[f], b'/jit') for f in sys.argv[3:]]
few = 1 << 29 | 1 << 30 | 1 << 31 | 1 << 32
out = bytearray()
while at < end:
    kind, _, n = struct.unpack_from('<IHH', d, at)
    r = d[at:at + n]
    at += n
    if kind == 9:
        regs = 8 + 24 + 24 + 8
        stack = regs + 8 * NR + 8
        length, = struct.unpack_from('<Q', r, stack - 8)
        for word in range(regs, stack + length, 8):
            v, = struct.unpack_from('<Q', r, word)
            is_code = v & (1 << 39) - 1 in TEXT and v != interrupted
            if what == 'wide' and word not in (regs + 8 * 32, stack - 8) and is_code:
                struct.pack_into('<Q', r, word, v & (1 << 39) - 1 | 0x5a5a << 39)
        if what.isdigit() and length > int(what):
            length = int(what)
            r = r[:stack - 8] + struct.pack('<Q', length) + r[stack:stack + length] + struct.pack('<Q', length)
        if what == 'few':
            r = r[:regs] + b''.join(r[regs + 8 * i:regs + 8 * i + 8] for i in range(NR) if few >> i & 1) + r[stack - 8:]
        struct.pack_into('<H', r, 6, len(r))
        pc, sp = (struct.unpack_from('<Q', r, regs + 8 * i)[0] for i in (32, 31))
        if what in ('returning', 'vdso') and pc == restore + 4:
            r[regs:regs + 8 * 31] = r[stack + UC_REGS:stack + UC_REGS + 8 * 31]
            for place in (8, regs - 16, regs + 8 * 32):
                struct.pack_into('<Q', r, place, pc + 4)
    out += r
    if kind == 10:
        for start, length, name in hidden:
            mapping = r[:72] + name.ljust(16, b'\0') + r[-16:]
            struct.pack_into('<QQ', mapping, 16, start, length)
            struct.pack_into('<H', mapping, 6, len(mapping))
            out += mapping
# sample_regs_user is in the attribute, which stands before the data.
start, = struct.unpack_from('<Q', d, 40)
if what == 'few':
    at = d.index(struct.pack('<Q', (1 << 33) - 1), 0, start)
    struct.pack_into('<Q', d, at, few)
head, tail = d[:start], d[end:]
struct.pack_into('<Q', head, 48, len(out))
# Feature sections follow the data: their index has offsets.
moved = len(out) - size
for i in range(bin(int.from_bytes(head[72:104], 'little')).count('1')):
    off, = struct.unpack_from('<Q', tail, 16 * i)
    struct.pack_into('<Q', tail, 16 * i, off + moved)
open('changed.data', 'wb').write(head + out + tail)
END
readelf -sW "$golden/calls" > symbols
changed() { python3 changed.py "$golden/calls.data" "$@"; }

ok 'the callchain at each instruction'	equal "$golden/calls.data" --symfs "$golden"
converted() {
	"$PERF" inject --convert-callchain -i "$golden/calls.data" -o plain.data --symfs "$golden" 2> "$T/err" &&
		[ "$(stat -c %s plain.data)" -lt $(($(stat -c %s "$golden/calls.data") / 5)) ] && equal plain.data --symfs "$golden"
}
ok 'inject --convert-callchain keeps them'	converted
ok 'from a pipe'	equal - --symfs "$golden" < "$golden/calls.data"
reported() {
	"$PERF" report --stdio -g caller --symfs "$golden" -i "$golden/calls.data" > "$T/out" 2> "$T/err" && [ ! -s "$T/err" ] &&
		grep -q 'many_registers' "$T/out" && ! grep -qi 'incomplete' "$T/out"
}
ok 'report: no callchain is incomplete'	reported
changed wide
ok 'an address space of 39 bits'	equal changed.data --symfs "$golden"
changed few
ok 'x29, x30, sp and pc suffice'	equal changed.data --symfs "$golden"
changed jit with_record
ok 'code that nothing describes and that has frame records'	equal changed.data --symfs "$golden"
within() {
	chains changed.data --symfs "$golden" &&
		sed "s/^$(printf %x $((0x$1 + 4))) /$(printf %x $((0x$1 + 8))) /" "$golden/calls.chains" > want &&
		cmp got want
}
restore=$(awk '$8 == "restore" { sub(/^0*/, "", $2); print $2 }' symbols)
changed returning
ok 'in the system call that returns from a signal'	within "$restore"
changed vdso
ok '... in the vDSO'	within "$restore"
# The frame of one function is larger than the copy; each callchain ends early or is the same.
shorter() { chains changed.data --symfs "$golden" && awk 'NR == FNR { want[FNR] = $0 " "; next }
	index(want[FNR], $0 " ") != 1 { exit 1 } $0 " " != want[FNR] { n++ }
	END { exit !n }' "$golden/calls.chains" got; }
for n in 8 96 512; do
	changed $n
	ok "copies of $n bytes"	shorter
done
# Where the stack pointer is not known, callers of code without a frame record are not.
for f in 'with_record with_another' leaf; do
	changed jit $f
	ok "undescribed: $f"	shorter
done
# By frame records: callers of functions without one are missing, and nothing else is there.
records() {
	chains "$golden/calls.data" --symfs /nonexistent && awk 'NR == FNR { split($0, a); for (i in a) known[FNR, a[i]]; next }
	{ for (i = 1; i <= NF; i++) if (!((FNR, $i) in known)) exit 1; if (NF > 2) n++ } END { exit n < 100 }' "$golden/calls.chains" got
}
ok 'without the program: by frame records'	records

# The tables of the program: libdw agrees; what nothing describes is found.
table() {
	"$PERF" unwind --check "$golden/calls" > "$T/out" 2> "$T/err" && awk 'NR > 1 && !($1 > 0 && $2 == 0 && $3 == 0) { exit 1 }' "$T/out" &&
		"$PERF" unwind -D "$golden/calls" > "$T/out" && grep -q ' outermost$' "$T/out" && grep -q ' signal sp+128$' "$T/out" &&
		grep -q ' cfa=x29+[0-9]* fp=(cfa-[0-9]*) ra=(cfa-[0-9]*)$' "$T/out" && grep -q ' cfa=sp+[0-9]* ra=x30$' "$T/out"
}
ok 'its unwind table'	table
finish
