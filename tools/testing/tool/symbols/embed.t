#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Names in a recording (perf record --embed, perf inject --embed): perf shows the same with nothing but the recording as
# with all files; other perfs pass over them; damage costs the names, and nothing else.
. "$(dirname "$0")/../../lib/record.sh"
as_root=()
[ "$(id -u)" = 0 ] || as_root=(unshare --map-root-user)
loader=/l/$(basename "$(readelf -p .interp "$PERF" | grep -o "/.*")")
bare() { PERF_PAGER='cat' "${as_root[@]}" chroot "$T/jail" "$loader" --library-path /l /l/perf "$@"; }
mkdir -p jail/l && cp "$PERF" jail/l/perf && ldd "$PERF" | grep -o "/[^ ]*" | xargs cp -L -t jail/l && bare --version > "$T/out" 2> "$T/err" || {
	skip 'names in a recording' "no chroot with perf and its libraries: $(head -n 1 "$T/err")"
	plan
	exit
}

# Templates and inlined calls; code made at run time; a file that is removed while it runs.
cat > work.cc <<'EOF'
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
volatile long sink;
template<class T> struct Box {
	T v;
	inline __attribute__((always_inline)) void step(long i) {
		for (int k = 0; k < 16; k++)
			sink += i * v ^ k;
	}
	__attribute__((noinline)) long spin(long n) {
		for (long i = 0; i < n; i++)
			step(i);
		return sink;
	}
};
static __attribute__((noinline)) long middle(long n) { Box<int> b{3}; return b.spin(n) + 1; }
static void made_code() {
	static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };	/* dec %rdi; jnz; ret */
	void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	std::memcpy(p, loop, sizeof(loop));
	std::snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if (FILE *f = std::fopen(path, "w")) {
		std::fprintf(f, "%lx %lx made_at_run_time\n", (long)p, (long)sizeof(loop));
		std::fclose(f);
	}
	((void (*)(long))p)(300000000);
	std::puts(path);
}
int main(int argc, char **argv) {
	if (argc > 1)
		unlink(argv[0]);
	else
		made_code();
	return middle(4000000) == 0;
}
EOF
g++ -O2 -g -o work work.cc 2> "$T/err" || exit 1
# The same in a container, whose file no path leads to.
mkdir box
contained=
if why=$(unshare --mount mount -t tmpfs none box 2>&1); then
	contained="unshare --mount sh -c 'mount -t tmpfs none box && cp work box/contained && box/contained x';"
fi
rec --embed -g -e cpu-clock -F 1000 -- sh -c "./work; cp work gone; ./gone unlink; $contained"' for i in 1 2 3 4 5; do cat /proc/kallsyms /proc/self/maps; done > kernel.out'
map=$(head -n 1 "$T/out")
cleanup_hooks+=('rm -f "$map"')
cp "$T/data" named
# without FILE TO: the same recording without its names
without() { python3 -c 'import sys; d = bytearray(open(sys.argv[1], "rb").read()); d[72 + 30] &= ~2; open(sys.argv[2], "wb").write(d)' "$1" "$2"; }
without named plain
cp named jail/x
ok 'perf record --embed'	eval '[ "$status" = 0 ] && "$PERF" report --header-only -i named | grep -q "contains names"'

# With all files, and with none.
same_bare() { # ARGS...
	cp -p plain x && "$PERF" "$@" -i x > here 2> "$T/err" && cp -p named x && "$PERF" "$@" -i x > both 2> "$T/err" &&
		bare "$@" -i x > there 2> "$T/err" && [ -s here ] && sed -i '/^# (Tip/d' here both there && diff here both && diff here there
}
lines() { same_bare script -F comm,ip,sym,symoff,dso,srcline --full-source-path && grep -q "work.cc:[0-9]" there; }
ok 'script: symbols, lines and inlined functions'	lines
has() { local i; for i; do grep -q -- "$i" there || { echo "no $i"; return 1; }; done; }
ok 'of templates, inlined functions, code made at run time, a removed file'	has 'Box<int>::spin(long)+0x' 'Box<int>::step(long)+0x' 'made_at_run_time+0x' '/gone)'
ok 'script --no-inline --no-demangle'	same_bare script --no-inline --no-demangle -F ip,sym,dso,dsoff,srcline
ok 'report'		same_bare report --stdio
ok 'report by source line'	same_bare report --stdio --no-children -s sym,srcline,dso -g caller,srcline --inline
ok 'flame graph'	same_bare report --flamegraph=-
ok 'data convert'	same_bare data convert --to-folded -
ok 'annotate: the name, and why there is no code'	eval 'bare annotate --stdio -i x "Box<int>::spin(long)" > there 2>&1; has "Box<int>::spin(long)"'
if [ -n "$contained" ]; then
	ok 'a container'	eval 'bare script -F comm,ip,sym,srcline,dso -i x 2> "$T/err" | grep -A 1 "Box.*contained)" > there; has "work.cc:[0-9]"'
else
	skip 'a container' "$why"
fi
[ "$(id -u)" != 0 ] || ok 'the kernel'	eval 'bare report --stdio -i x 2> "$T/err" > there; has "\[k\] [a-z_]"'

# Which names are used.
mv work work.old
printf 'int main(void) { return 0; }\n' | gcc -x c -o work - 2> "$T/err"
ok 'a program that was replaced'	eval '"$PERF" report --stdio -i named > there 2> "$T/err" && has "Box<int>::spin" && ! [ -s "$T/err" ]'
mv work.old work
ok 'another perf-PID.map'	eval 'cp "$map" map && echo "0 ffffffffffff wrong" > "$map" && "$PERF" report --stdio -i named > there 2> "$T/err" && has made_at_run_time'
cp map "$map"
ok '--symfs: what is there, and nothing else'	eval '"$PERF" --buildid-dir "$T/none" report --stdio --symfs "$T/jail" -i named > there 2> "$T/err"; ! has "Box<int>::spin"'

# Other perfs.
other() { debian script -F comm,time,ip -i named > theirs 2> "$T/err" && debian script -F comm,time,ip -i plain 2> "$T/err" | diff theirs - && whole named; }
ok "Debian's perf passes over it"	other

# perf inject
ok 'inject --embed'	eval '"$PERF" inject --embed -i plain -o later 2> "$T/err" && cp later jail/x && bare report --folded -i x 2> "$T/err" | diff - <("$PERF" report --folded -i plain 2> "$T/err")'
ok 'inject copies names'	eval '"$PERF" inject -i named -o copy 2> "$T/err" && cp copy jail/x && bare report --folded -i x 2> "$T/err" | diff - <("$PERF" report --folded -i plain 2> "$T/err")'
again() { cp named jail/x && bare inject --embed -i x -o y 2> "$T/err" && bare script -i y 2> "$T/err" | diff - <("$PERF" script -i plain 2> "$T/err"); }
ok 'again, where there is no file'	again
# Many names: their records in a stream are several.
piped() {
	"$PERF" inject -i named 2> "$T/err" > stream && cat stream | bare report --folded -i - 2> "$T/err" | diff - <("$PERF" report --folded -i plain 2> "$T/err") &&
		cat stream | "$PERF" inject --embed 2> "$T/err" | bare script -F ip,sym,srcline -i - 2> "$T/err" | diff - <("$PERF" script -F ip,sym,srcline -i plain 2> "$T/err")
}
ok 'through pipes'	piped
theirs_piped() { debian report --stdio -i - < stream > out 2> "$T/err" && grep -q "work" out && ! grep -E 'wrong|failed|skip' "$T/err"; }
ok "a stream, which Debian's perf reads"	theirs_piped
ok 'record -o - | inject --embed'	eval '"$PERF" record -g -e cpu-clock -o - ./work 2> "$T/err" > stream < /dev/null && theirs_piped && cat stream | "$PERF" inject --embed 2> "$T/err" | bare report --stdio -i - > there 2> "$T/err" && has "Box<int>::spin(long)"'

# What cannot be done.
refuses() { local text=$1; shift; ! "$PERF" "$@" > "$T/out" 2> "$T/err" && says "$text" && [ "$(wc -l < "$T/err")" = 1 ]; }
ok 'record --embed -o -'		refuses 'perf inject --embed' record --embed -o - true
ok 'record --embed --switch-output'	refuses 'perf inject --embed' record --embed --switch-output -o x true
ok 'inject --embed --jit'		refuses 'perf inject --embed' inject --embed --jit -i named -o x

# Damage: a line with the offset, no names but all samples, status 1.
cat > damage.py <<'EOF'
import struct, sys
d = open('plain', 'rb').read()
doff, size = struct.unpack_from('<QQ', d, 40)
at = doff + size
bits = [b for b in range(256) if d[72 + b // 8] >> b % 8 & 1]
def frame(raw, rle=0):
    """A zstd frame that compresses nothing, and a block of zeroes, rle times."""
    blocks = [(raw[i:i + 65536], 0) for i in range(0, len(raw), 65536)] + [(b'\0', 1)] * rle
    out = struct.pack('<IBB', 0xfd2fb528, 0, 0x70)
    for i, (b, kind) in enumerate(blocks):
        n = 131072 if kind else len(b)
        out += struct.pack('<I', (i + 1 == len(blocks)) | kind << 1 | n << 3)[:3] + b
    return out
def names(packed, version=1, size=None):
    return struct.pack('<II', version, len(packed) if size is None else size) + packed
def num(v):
    out = b''
    while v >= 128:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])
def n(*v):
    return b''.join(map(num, v))
one = n(2) + b'/bin/x\0f\0' + n(1)                            # strings, one file
cases = {
    'empty': b'', 'cut off': names(frame(one), size=1000), 'another version': names(frame(one), version=9),
    'no zstd': names(b'nothing of the kind'),
    'a bomb': names(frame(one, 4000)),
    'no strings': names(frame(n(1 << 40))), 'no end of a string': names(frame(n(1) + b'abc')),
    'no such string': names(frame(one + n(0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
    'too many symbols': names(frame(one + n(0, 0, 0, 0, 0, 0, 0, 0, 1 << 30, 0, 0, 0))),
    'too many places': names(frame(one + n(0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 31, 0, 0))),
    'a number without end': names(frame(one + b'\xff' * 30)),
    'too many inlined functions': names(frame(one + n(0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 5, 0, 1 << 20, 0, 0))),
}
for i, (what, section) in enumerate(cases.items()):
    head = bytearray(d[:at])
    head[72 + 30] |= 2
    table, blob, pos = b'', b'', at + 16 * (len(bits) + 1)
    for k, b in enumerate(bits + [241]):
        if b == 241:
            s = section
        else:
            o, n_ = struct.unpack_from('<QQ', d, at + 16 * k)
            s = d[o:o + n_]
        table += struct.pack('<QQ', pos + len(blob), len(s))
        blob += s
    open('bad.%d' % i, 'wb').write(bytes(head) + table + blob)
    print(what, hex(pos + len(blob) - len(section)), sep='\t')
EOF
python3 damage.py > cases
"$PERF" script -F comm,time,ip -i plain > good 2> "$T/err"
damaged() { # FILE OFFSET
	(ulimit -v 4000000; "$PERF" script -F comm,time,ip -i "$1" > there 2> "$T/err")
	[ $? = 1 ] && [ "$(wc -l < "$T/err")" = 1 ] && says "$1: offset $2: the names in it" && diff good there
}
i=0
while IFS=$'\t' read -r what offset; do
	ok "damaged names: $what"	damaged bad.$i "$offset"
	i=$((i + 1))
done < cases
finish
