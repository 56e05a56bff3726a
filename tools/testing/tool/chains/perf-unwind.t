#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf unwind: tables of real files are what libdw says of them; made-up programs have the
# rules that they ask for; what is no such file gets its line.
. "$(dirname "$0")/../../lib/record.sh"

unwind() {
	timeout 120 "$PERF" unwind "$@" > "$T/out" 2> "$T/err"
}
# dumped FILE RULE...: the table has each of these rules
dumped() {
	local f=$1
	shift
	unwind -D "$f" || return 1
	for r; do
		awk '{ $1 = ""; print substr($0, 2) }' "$T/out" | grep -qxF -- "$r" || { echo "no rule '$r'"; return 1; }
	done
}
# checked FILE...: libdw agrees, on something
checked() {
	unwind --check "$@" && awk 'NR > 1 && !($1 > 0 && $2 == 0 && $3 == 0) { exit 1 }' "$T/out"
}

libc=$(ldd /bin/true | awk '/libc\.so/ { print $3 }')
ok 'libdw agrees on libc'	checked "$libc"
ok 'libdw agrees on the loader'	checked "$(realpath /lib64/ld-linux-x86-64.so.2)"
ok 'the loader: its entry point has no caller' dumped "$(realpath /lib64/ld-linux-x86-64.so.2)" outermost
ok 'libdw agrees on programs'	checked /bin/true /bin/bash /usr/bin/perl /usr/bin/python3 "$PERF"
ok 'libdw agrees on a compiler' checked "$(gcc -print-prog-name=cc1)"
small() { # not expressible: below 0.1 % of the code; at most 5 bytes a row
	unwind "$libc" /usr/bin/python3 "$(gcc -print-prog-name=cc1)" &&
	awk 'NR > 1 && NF > 7 && /^ *[0-9]+ +[0-9]+ / { if ($4 > 5 || $7 + 0 >= 0.1) bad = 1; n++ }
	     END { exit bad || n < 3 }' "$T/out"
}
ok 'libc, python and cc1: bytes a row, what is not expressible' small
ok 'a signal frame, the outermost frame, a return address in a register' \
	dumped "$libc" 'signal rsp+0' outermost 'cfa=rsp+0 ra=rdi'

cat > p.c <<'END'
#include <alloca.h>
#include <stdlib.h>
int ext(void *, ...);
int plain(int a) { return ext(&a) + 1; }
int with_fp(int n) { char *p = alloca(n); return ext(p) + 1; }
int realigned(int n) { char b[64] __attribute__((aligned(64))); return ext(b, alloca(n)) + 1; }
int main(int argc, char **argv) { return plain(argc) + with_fp(argc) + realigned(argc) + rand(); }
int ext(void *p, ...) { return p == 0; }
END
compile() { # OUTPUT FLAGS...
	gcc -O2 -w -fno-inline -o "$@" p.c 2> "$T/err"
}
compile lazy -fomit-frame-pointer -Wl,-z,lazy
ok 'omitted frame pointers: libdw agrees'	checked lazy
ok 'a realigned stack, alloca, lazy binding'	dumped lazy 'cfa=(rbp-8)+0 fp=(rbp+0)' \
	'cfa=rbp+16 fp=(cfa-16)' 'cfa=r10+0' 'cfa=rsp+8/plt11'
compile static -static -fomit-frame-pointer
ok 'a static program'		checked static

# .debug_frame alone: as it is, compressed in both ways; 64-bit DWARF.
for how in plain zlib zlib-gnu; do
	flags=
	[ $how = plain ] || flags=-Wl,--compress-debug-sections=$how
	compile debug-$how -g -fno-asynchronous-unwind-tables -fno-unwind-tables $flags
	ok ".debug_frame, $how"	checked debug-$how
	ok ".debug_frame, $how: a rule of main" dumped debug-$how 'cfa=(rbp-8)+0 fp=(rbp+0)'
done
compile dwarf64 -g -gdwarf64 -fno-asynchronous-unwind-tables -fno-unwind-tables
ok 'a program with 64-bit DWARF'	checked dwarf64

# .sframe as binutils write it: what .eh_frame says, for what a version can describe.
alone() { # FILE MISSING...: without .eh_frame the same rows but these
	local f=$lib/elf/$1
	shift
	unwind -D "$f" && cp "$T/out" with && objcopy --remove-section=.eh_frame "$f" alone &&
	unwind -D alone && diff with "$T/out" | sed -n 's/^[<>] *[0-9a-f]*  //p' > differ
	[ "$(cat differ)" = "${1:-}" ]
}
ok '.sframe, version 3'		alone sframe-3.so
ok '.sframe, version 2: no outermost frame' alone sframe-2.so outermost
ok '.sframe beside .eh_frame: libdw agrees' checked "$lib/elf/sframe-3.so" "$lib/elf/sframe-2.so"

# The vDSO of this machine, by its image in memory.
cat > vdso.py <<'END'
for line in open('/proc/self/maps'):
    if line.rstrip().endswith('[vdso]'):
        start, end = (int(x, 16) for x in line.split()[0].split('-'))
        with open('/proc/self/mem', 'rb') as mem:
            mem.seek(start)
            open('vdso.so', 'wb').write(mem.read(end - start))
END
python3 vdso.py
ok 'the vDSO'			checked vdso.so

# The table that -o writes is the one whose figures are printed.
wrote() {
	unwind -o table lazy && [ "$(stat -c %s table)" = "$(awk 'NR == 2 { print $3 }' "$T/out")" ] &&
	[ "$(head -c 4 table)" = UwTb ]
}
ok '-o'				wrote
same() { unwind -D lazy && cp "$T/out" "$T/one" && objcopy --strip-all lazy stripped && unwind -D stripped && cmp "$T/out" "$T/one"; }
ok 'stripped: the same rows'	same

# The cache: made once, by what it is made from; what cannot be trusted is made again.
dir=$HOME/.debug/.unwind
said() { # TEXT FILE...
	local text=$1
	shift
	unwind --cache "$@" && grep -q "^$text" "$T/out"
}
entry() { echo "$dir"/*.v1; }
# The second name, by inode and times, has tests of its own below: files that others may write have none.
chmod g+w lazy
ok 'the cache: made'		said '1 tables made, 0 there' lazy
ok 'the cache: found'		said '0 tables made, 1 there' lazy
kept() { unwind -o table lazy && cmp table <(head -c -8 "$(entry)") && [ -z "$(ls "$dir"/.tmp* 2>/dev/null)" ]; }
ok 'the cache has the table'	kept
modes() { [ "$(stat -c %a "$dir")" = 700 ] && [ "$(stat -c %a "$(entry)")" = 600 ]; }
ok 'the cache is private'	modes
cp "$(entry)" good
# One byte of the table, of the sum, cut off, nothing left, another's, a link: not used.
again() {
	said '1 tables made, 0 there' lazy && cmp good "$(entry)" && said '0 tables made, 1 there' lazy
}
# A file of a time before the machine started, and one from the future, are looked at again.
looked_at() { said '0 tables made, 1 there' lazy; }
touch -d '@1000000000.123456789' "$(entry)"
ok 'the cache: of another time'	looked_at
python3 -c "
import sys
d = bytearray(open('good', 'rb').read()); d[100] ^= 1; open(sys.argv[1], 'wb').write(d)" "$(entry)"
touch -r good "$(entry)"
ok 'the cache: damaged, with the time of another' again
# As after a loss of power: the time that it was given, and not all of the content.
said '0 tables made, 1 there' lazy
cp -p "$(entry)" marked
python3 -c "
import os, sys
n = os.stat('marked').st_mtime_ns % 10**9
d = bytearray(open('good', 'rb').read()); d[100] ^= 1; open(sys.argv[1], 'wb').write(d)
os.utime(sys.argv[1], ns=(n + 10**18, n + 10**18))" "$(entry)"
ok 'the cache: damaged, marked before the machine started' again
for at in 100 -1; do
	python3 -c "
import sys
d = bytearray(open('good', 'rb').read()); d[$at] ^= 1; open(sys.argv[1], 'wb').write(d)" "$(entry)"
	ok "the cache: byte $at is wrong"	again
done
truncate -s -1 "$(entry)"
ok 'the cache: cut off'		again
truncate -s 0 "$(entry)"
ok 'the cache: empty'		again
chmod 666 "$(entry)"
ok 'the cache: others may write the file' again
e=$(entry)
ln -sf "$T/good" "$e"
linked() { said '1 tables made, 0 there' lazy && [ -f "$e" ] && [ ! -L "$e" ] && [ -s good ]; }
ok 'the cache: a link'		linked
chmod 777 "$dir"
others() { ! unwind --cache lazy && grep -q 'can be written by others' "$T/err"; }
ok 'the cache: others may write the folder' others
chmod 700 "$dir"
mkdir -m 700 "$T/elsewhere" && mv "$dir" "$T/cache" && ln -s "$T/elsewhere" "$dir"
astray() { ! unwind --cache lazy && [ -s "$T/err" ] && [ -z "$(ls -A "$T/elsewhere")" ]; }
ok 'the cache: its folder is a link'	astray
rm "$dir" && mv "$T/cache" "$dir"
# The same build id; if its sections lie elsewhere, a table of its own.
two() { said '1 tables made, 0 there' stripped || said '0 tables made, 1 there' stripped; }
ok 'the cache: a stripped copy'	two
# Anyone can copy a build id and the places of sections: a table goes by the bytes of the rules.
forged() {
	cp -p lazy forged && python3 - forged $(readelf -SW forged | sed -n 's/.* \.eh_frame  *[A-Z0-9_]*  *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p') <<- 'P' || return
	import struct, sys
	name, at, size = sys.argv[1], int(sys.argv[2], 16), int(sys.argv[3], 16)
	b, end = bytearray(open(name, 'rb').read()), at + size
	while at < end:
	    n, cie = struct.unpack_from('<II', b, at)
	    if not n:
	        break
	    if cie:
	        start = at + 17 + b[at + 16]
	        b[start:at + 4 + n] = bytes(at + 4 + n - start)
	    at += 4 + n
	open(name, 'wb').write(b)
	P
	rm -f "$dir"/* && said '1 tables made, 0 there' forged && ! cmp -s good "$(entry)" &&
	said '1 tables made, 0 there' lazy && [ "$(ls "$dir" | wc -l)" = 2 ]
}
ok 'the cache: the build id of another'	forged
# Found by inode and times, without reading the file, where only root or this user can change it.
quick() { # what may be changed without a look: the file's own bytes are not read
	strace -qq -f -e trace=openat,pread64,mmap -P "$T/own" "$PERF" unwind --cache own > "$T/out" 2> "$T/calls" &&
	grep -q '^0 tables made, 1 there' "$T/out" && ! grep -vE 'O_PATH|^---|^\+\+\+' "$T/calls"
}
cp lazy own && chmod 755 own && touch -d @1000000000 own stamp
sleep 0.2
ok 'the cache: by inode: made'			said '0 tables made, 1 there' own
if command -v strace > /dev/null; then
	ok 'the cache: by inode: the file is not read'	quick
else
	skip 'the cache: by inode: the file is not read' 'no strace'
fi
other() { cat forged > own && touch -r stamp own && rm -f "$dir"/* && said '1 tables made, 0 there' lazy && said '1 tables made, 0 there' own; }
ok 'the cache: by inode: changed in place, with its size and time'	other
sleep 0.2
writable() { rm -f "$dir"/* && chmod g+w own && sleep 0.2 && said '1 tables made' own && [ "$(stat -c %h "$(entry)")" = 1 ] &&
	chmod g-w own && sleep 0.2 && said '0 tables made, 1 there' own && [ "$(ls "$dir" | wc -l)" = 2 ]; }
ok 'the cache: by inode: not where others may write'	writable
if [ "$(id -u)" = 0 ] && mkdir users && mount -t tmpfs -o nosuid users users 2> "$T/err"; then
	cleanup_hooks+=('umount "$T/users"')
	cp -p own users && sleep 0.2
	of_users() { rm -f "$dir"/* && said '1 tables made' users/own && [ "$(ls "$dir" | wc -l)" = 1 ]; }
	ok 'the cache: by inode: not on what users may mount'	of_users
	rm -f "$dir"/* && said '1 tables made' own
else
	skip 'the cache: by inode: not on what users may mount' "no mount: $(tail -n 1 "$T/err")"
fi
bad_second() { for f in "$dir"/*.v1; do truncate -s 50 "$f"; done; said '1 tables made, 0 there' own && said '0 tables made, 1 there' own; }
ok 'the cache: by inode: damaged'	bad_second
rm -f "$dir"/*
many() { said '5 tables made' /bin/true /bin/cat /bin/ls /bin/sort /bin/grep && said '0 tables made, 5 there' /bin/true /bin/cat /bin/ls /bin/sort /bin/grep; }
ok 'the cache: on all cores'	many
both() { # two perfs at once
	rm -f "$dir"/*
	"$PERF" unwind --cache /usr/bin/python3 "$libc" lazy static > /dev/null & 
	"$PERF" unwind --cache /usr/bin/python3 "$libc" lazy static > /dev/null && wait $! &&
	said '0 tables made, 4 there' /usr/bin/python3 "$libc" lazy static && ! ls "$dir"/.tmp* 2> /dev/null
}
ok 'the cache: two perfs at once' both
printf '[unwind]\n\tcache-size = 0\n' > "$T/config"
trimmed() { PERF_CONFIG=$T/config said '4 tables made\|0 tables made, 4 there' /usr/bin/python3 "$libc" lazy static && [ -z "$(ls "$dir")" ]; }
ok 'unwind.cache-size'		trimmed
printf '[unwind]\n\tcache-size = much\n' > "$T/config"
nonsense() { ! PERF_CONFIG=$T/config unwind --cache lazy && grep -q "cache-size: 'much' is not" "$T/err"; }
ok 'unwind.cache-size: nonsense' nonsense

# refused TEXT FILE...: one line with this text and the file's name, status 1
refused() {
	local text=$1
	shift
	unwind "$@"
	[ $? = 1 ] && [ "$(wc -l < "$T/err")" = 1 ] && grep -q "$text" "$T/err" && grep -qF "$1" "$T/err"
}
ok 'no such file'		refused 'No such file' ./absent
ok 'a folder'			refused 'not an ELF file' ./
: > empty
ok 'an empty file'		refused 'not an ELF file' ./empty
mkfifo fifo
ok 'a FIFO'			refused 'not an ELF file' ./fifo
gcc -c -o object.o p.c -w
ok 'an object file'		refused 'not a program or shared library' ./object.o
objcopy --only-keep-debug debug-plain only.debug
ok 'a debug file'		refused 'debug information only' ./only.debug
if gcc -m32 -w -o m32 p.c 2> /dev/null; then
	ok 'a 32-bit program'	refused 'not a program of 64-bit x86' ./m32
else
	skip 'a 32-bit program' 'gcc -m32 does not link'
fi
# Few bytes that stand for much: 34 million rows in one function, and a section of nothing but the same
cat > rows.s << 'END'
.globl _start
_start: .fill 67108864, 1, 0x90
.ifdef PACKED
.section .debug_frame, "", @progbits
.else
.section .eh_frame, "a", @progbits
.endif
.long 2f - 1f
.ifdef PACKED
1: .long -1
.else
1: .long 0
.endif
.byte 1, 0, 1, 0x78, 16, 0xc, 7, 8, 0x90, 1
.balign 8, 0
2: .long 4f - 3f
.ifdef PACKED
3: .long 0
.else
3: .long . - 1b + 4
.endif
.quad _start, 67108864
.incbin "rows.bin"
.balign 8, 0
4:
END
rows() { # N: two rows each, how many times
	python3 -c 'import sys; sys.stdout.buffer.write(bytes((0x41, 0x0e, 0x10, 0x41, 0x0e, 0x18)) * int(sys.argv[1]))' "$1" > rows.bin
}
rows 17000000 && as -o rows.o rows.s && ld -o rows rows.o
ok 'too many rows'		refused 'more than 32 million' ./rows
rows 400000 && as --defsym PACKED=1 -o rows.o rows.s && ld -o rows rows.o
ok 'no more than that'		unwind ./rows
objcopy --compress-debug-sections=zlib rows
ok 'a section that packs too well' refused 'cannot be unpacked' ./rows
rm -f rows rows.o rows.bin
# binutils 2.40 makes version 1, later ones a newer one; the version is the third byte.
as --gsframe -o old.o <(printf 'f: .cfi_startproc\nret\n.cfi_endproc\n') && ld -shared -o old.so old.o &&
	objcopy --dump-section .sframe=old.sframe old.so && printf '\1' | dd of=old.sframe bs=1 seek=2 conv=notrunc status=none &&
	objcopy --update-section .sframe=old.sframe old.so && objcopy --remove-section=.eh_frame old.so old-alone.so
ok '.sframe, version 1'		refused 'a version other than 2 and 3' ./old-alone.so
ok '.sframe, version 1, and .eh_frame' checked ./old.so
objcopy --remove-section=.eh_frame stripped none
ok 'nothing described'		refused 'nothing in it describes its code' ./none
python3 - <<'END'
import struct
d = bytearray(open('lazy', 'rb').read())
# The last entry of .eh_frame says that it is longer than the section.
shoff, = struct.unpack_from('<Q', d, 40)
entsize, num, strndx = struct.unpack_from('<HHH', d, 58)
sh = [struct.unpack_from('<IIQQQQIIQQ', d, shoff + i * entsize) for i in range(num)]
names = sh[strndx][4]
eh = next(s for s in sh if d[names + s[0]:].startswith(b'.eh_frame\0'))
at = off = eh[4]
while struct.unpack_from('<I', d, off)[0]:
    at, off = off, off + 4 + struct.unpack_from('<I', d, off)[0]
struct.pack_into('<I', d, at, 0x10000)
open('cut', 'wb').write(d)
END
ok 'a damaged section: its line, and what was readable' refused 'incomplete: an entry extends' ./cut
ok 'what was readable'		grep -q '/cut$' "$T/out"
usage() { unwind; [ $? = 129 ] && grep -q 'no file named' "$T/err"; }
ok 'no file'			usage
# The registers in its samples would be taken for others.
foreign() {
	python3 - "$lib/../golden/c/deepsys.dwarf.data" > foreign.data <<-'P' || return 1
	import sys
	d = open(sys.argv[1], 'rb').read()
	at = d.rindex(b'x86_64\0\0')
	sys.stdout.buffer.write(d[:at] + b'riscv64\0' + d[at + 8:])
	P
	"$PERF" script -i foreign.data > "$T/out" 2> "$T/err" && grep -q 'recorded on riscv64: copies of user stacks' "$T/err" &&
		grep -q 'kernel.kallsyms' "$T/out" && ! grep -q '/deepsys' "$T/out"
}
ok 'stacks that were copied on another architecture' foreign
kept() { "$PERF" inject --convert-callchain -i foreign.data -o o.data 2> "$T/err"; [ $? = 1 ] && [ ! -e o.data ] && grep -q 'would be lost' "$T/err"; }
ok 'perf inject does not lose them' kept
usage2() { unwind -o x lazy static; [ $? = 129 ] && grep -q 'only one' "$T/err"; }
ok '-o and two files'		usage2
sums() { unwind lazy static && awk 'NR > 1 && $NF ~ /lazy|static/ { n += $1 } $NF == "all" { all = $1 } END { exit n != all || !n }' "$T/out"; }
ok 'the sum of two files'	sums
# The service (tools/testing/vm-tracers) needs a kernel that takes tables.
says() { # STATUS TEXT OPTIONS...
	local want=$1 text=$2 status
	shift 2
	unwind "$@"
	status=$?
	cat "$T/err"
	[ $status = "$want" ] && [ "$(wc -l < "$T/err")" = 1 ] && grep -q -- "$text" "$T/err"
}
[ -e /proc/sys/kernel/unwind_table_max_kb ] ||
	ok '--serve without such a kernel: its line'	says 1 'this kernel takes no unwind tables' --serve
ok '--status without a service: its line'		says 1 '--serve does not run' --status
ok '--serve and a file'					says 129 'no FILE' --serve lazy
ok '--limit: no size'					says 129 "'much' is no size" --serve --limit much
finish
