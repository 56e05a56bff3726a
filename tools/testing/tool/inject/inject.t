#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf inject, on every golden recording: perf script prints of the result what it prints of the
# recording, Debian's perf 6.1 (which refuses the recordings themselves) shows the same
# callchains, no record is missing, also through pipes, compressed, and of the other byte order.
# And made-up recordings: records that would become too large, damage, outputs that cannot be
# written, options.
. "$(dirname "$0")/../../lib/peer.sh" inject
golden=$lib/../golden/c
export HOME=$out	# no cache of symbols of this machine
args="--symfs $golden/symfs --kallsyms $golden/kallsyms"

# same A B NAME: two files are equal, and not empty
same() {
	[ -s "$1" ] && diff "$1" "$2" > diff.txt
	ok $? "$3" diff.txt
}

# joined A B NAME: the same, but callers of joined halves are return addresses in A, less one in B
joined() {
	[ -s "$1" ] && perl -e '
		my ($a, $b) = map { open(my $f, "<", $_) or die; [<$f>] } @ARGV;
		@$a == @$b or die "numbers of lines\n";
		for my $i (0 .. $#$a) {
			my ($x, $y) = ($a->[$i], $b->[$i]);
			next if $x eq $y;
			s/(^\t +|\+0x)\K([0-9a-f]+)(?= \(| )/sprintf "%x", hex($2) - 1/ge for $x;
			$x eq $y or die "$i: $a->[$i] $y";
		}' "$1" "$2" > diff.txt 2>&1
	ok $? "$3" diff.txt
}

is_stream() { [ "$(od -An -tu8 -j8 -N8 "$1" | tr -d ' ')" = 16 ]; }

# Debian's perf reads streams from a pipe only.
peer_reads() {
	local f=$1
	shift
	if is_stream "$f"; then "$peer" "$1" -i - "${@:2}" < "$f"; else "$peer" "$1" -i "$f" "${@:2}"; fi
}

# A cookie without a record has no place in a plain callchain. 401000 is what a program has as its
# user half whose sample was taken inside execve: the record came when the new program
# was mapped, the sample is of a time when it was not.
ours() {
	"$perf" script --no-inline -i "$1" $args 2>&1 |
		sed -E '/\(cookie\) \(\[unknown\]\)$/d; s/^\t +401000 .*/\t401000/'
}

# perf 6.1 prints other columns, and offsets in the file for user addresses that have a symbol.
symbols() { sed -E 's/^\s+//; s/\s+$//; s/^[0-9a-f]+ (.*)$/\1/; s/^([0-9]+)\s+/\1 /'; }
frames() {
	local f=tid,time,ip,sym
	case $1 in *threads.defer*) f=tid,ip,sym ;; esac
	echo "-F $f --no-inline"
}
chains() { grep -E '^\.\.\. FP chain|^\.\.\.\.\. +[0-9]+:' | sed 's/ (PERF_CONTEXT_.*//'; }

# How many records of each type there are, but for those that have done their work.
counts() {
	"$perf" report -D -i "$1" 2>/dev/null | sed -nE '/^Aggregated stats/,/^[^ ].* stats:$/p' |
		grep -v 'TOTAL\|CALLCHAIN_DEFERRED\|COMPRESSED' | sed 's/ *([ 0-9.]*%)$//'
}

for from in "$golden"/*.data; do
	f=${from##*/}
	"$perf" inject -i "$from" -o "$f" 2> err.txt
	ok $? "$f is rewritten" err.txt
	ours "$from" > a.txt; ours "$f" > b.txt
	joined a.txt b.txt "$f: perf script prints what it prints of the recording"
	"$perf" script -i "$f" $args $(frames "$f") 2>/dev/null | symbols > a.txt
	peer_reads "$f" script $args $(frames "$f") 2>/dev/null | symbols > b.txt
	case $f in
	*.dwarf.data)	ok 0 "$f: unwound by each perf itself, see below" ;;
	*)		same a.txt b.txt "$f: perf 6.1 shows the same callchains" ;;
	esac
	case $f in
	nocallchain.data | pipe.*) ;;
	*)	"$perf" report -D -i "$f" 2>/dev/null | chains > a.txt
		peer_reads "$f" report -D 2>/dev/null | chains > b.txt
		same a.txt b.txt "$f: word by word, too" ;;
	esac
	counts "$from" > a.txt; counts "$f" > b.txt
	same a.txt b.txt "$f: no record is missing, none is added"
	"$perf" report --header-only -I -i "$f" > header.txt
	! grep -q defer_ header.txt
	ok $? "$f: no event says that it is deferred"

	"$lib/swap-perfdata" "$from" be.data
	"$perf" inject -i be.data -o be.out 2> err.txt
	case $f in
	multi.* | sleepers.* | system.*)	# raw data of tracepoints stays in the order that its formats say
		ours "$f" > a.txt; ours be.out > b.txt
		same a.txt b.txt "$f: of the other byte order" ;;
	*)	cmp be.out "$f" >> err.txt 2>&1
		ok $? "$f: of the other byte order, the same bytes come out" err.txt ;;
	esac

	ours "$f" > a.txt
	"$perf" script -i "$f" $args $(frames "$f") 2>/dev/null | symbols > c.txt
	cat "$from" | "$perf" inject 2>/dev/null | cat > pipe.data
	ours pipe.data > b.txt
	same a.txt b.txt "$f: through pipes"
	peer_reads pipe.data script $args $(frames "$f") 2>/dev/null | symbols > d.txt
	[[ $f == *.dwarf.data ]] || same c.txt d.txt "$f: perf 6.1 reads that from a pipe"
	"$perf" inject -z -i "$from" -o z.data 2>/dev/null; ours z.data > b.txt
	same a.txt b.txt "$f: compressed"
	peer_reads z.data script $args $(frames "$f") 2>/dev/null | symbols > d.txt
	[[ $f == *.dwarf.data ]] || same c.txt d.txt "$f: perf 6.1 reads the compressed file"
	"$perf" inject -i z.data -o back.data 2>/dev/null; cmp back.data "$f" > diff.txt 2>&1
	ok $? "$f: compressed and rewritten once more it is as it was" diff.txt
done

# Where there is nothing to join, all but the size of attributes stays byte for byte.
python3 - "$golden/deepsys.fp.data" deepsys.fp.data <<-'EOF' > diff.txt 2>&1
	import struct, sys
	def parts(name):
	    d = open(name, 'rb').read()
	    h = struct.unpack_from('<13Q', d)
	    at, features = h[5] + h[6], {}
	    for bit in range(256):
	        if h[9 + bit // 64] >> bit % 64 & 1:
	            o, n = struct.unpack_from('<QQ', d, at)
	            features[bit] = d[o:o + n]
	            at += 16
	    return d[104:h[3]], d[h[3]:h[3] + 128], d[h[5]:h[5] + h[6]], features
	a, b = parts(sys.argv[1]), parts(sys.argv[2])
	size = struct.pack('<I', 128)
	assert b[1] == a[1][:4] + size + a[1][8:], 'attributes'
	assert a[0] == b[0] and a[2] == b[2] and a[3] == b[3], 'ids, data, features'
	EOF
ok $? "deepsys.fp.data: data, ids and features byte for byte" diff.txt

# Copies of stacks.
"$perf" inject --convert-callchain --symfs "$golden/symfs" -i "$golden/deepsys.dwarf.data" -o conv.data 2> err.txt
ok $? "--convert-callchain" err.txt
grep -q '4 stacks converted, 0 without one' err.txt; ok $? "counts them" err.txt
ours "$golden/deepsys.dwarf.data" > a.txt; ours conv.data > b.txt
same a.txt b.txt "perf script prints the same, from callchains"
"$perf" script -i conv.data $args $(frames conv) | symbols > a.txt
"$peer" script -i conv.data $args $(frames conv) 2>/dev/null | symbols > b.txt
same a.txt b.txt "so does perf 6.1"
"$perf" report -D -i conv.data > dump.txt
! grep -q 'ustack\|user regs' dump.txt; ok $? "no stack and no registers are in it" dump.txt
[ "$(stat -c %s conv.data)" -lt "$(stat -c %s "$golden/deepsys.dwarf.data")" ]; ok $? "it is smaller"
"$perf" inject --convert-callchain -i "$golden/deepsys.fp.data" -o none.data 2> err.txt
[ $? = 1 ] && [ ! -e none.data ] && grep -q 'no event of it has copies of stacks' err.txt
ok $? "a recording without any is refused" err.txt

# Made-up recordings.
python3 - <<-'EOF' || { echo "Bail out! no recordings"; exit 1; }
	import os, struct
	from perfdata import *
	ALL = IP | TID | TIME | CALLCHAIN | RAW
	DEFER = ('sample_id_all', 'mmap', 'comm', 'defer_callchain', 'defer_output')
	KERNEL, USER, COOKIE = -128, -512, -640
	def sample(time, raw, *chain, tid=11):
	    body = q(0xffffffff81000010) + ii(10, tid) + q(time, len(chain), *chain) + ii(len(raw)) + raw
	    return record(9, body + bytes(-len(body) % 8), 1)
	def half(time, cookie, *ips, tid=11):
	    return record(22, q(cookie, len(ips), *ips) + ii(10, tid) + q(time), 2)
	def write(name, *a, **k):
	    with open(name, 'wb') as f: f.write(perf_file(*a, **k))
	k = (KERNEL, 0xffffffff81000010)
	# 8190 words and some is what a record holds: 8000 of a stack, 1000 of raw data.
	data = (sample(1000000, b'x' * 8004, *k, COOKIE, 7) + half(2000000, 7, *range(0x1000, 0x1000 + 8000)) +
	        sample(3000000, b'y' * 4, *k, COOKIE, 8) + half(4000000, 8, *range(0x1000, 0x1000 + 100)))
	write('large.data', [attr(ALL, DEFER)], data, {3: feature_string('h')})
	# Same cookie, another thread; a record that could not be read; records that were lost.
	data = (sample(1, b'abcd', *k, COOKIE, 7, tid=11) + sample(2, b'abcd', *k, COOKIE, 7, tid=12) +
	        half(3, 7, 0x1111, tid=12) + sample(4, b'abcd', *k, COOKIE, 9, tid=12) + half(5, 9, tid=12) +
	        sample(6, b'abcd', *k, COOKIE, 10, tid=13) + record(2, q(0, 5) + ii(10, 13) + q(7)) +
	        sample(8, b'abcd', *k, USER, 0x2222, tid=13) + sample(9, b'abcd', tid=13) + sample(10, b'abcd', *k, COOKIE, 11, tid=14))
	write('kinds.data', [attr(ALL, DEFER)], data)
	# AUXTRACE records behind a sample that grows and a record that goes.
	aux = lambda size, fill: record(71, q(size, 0, 0) + ii(0, 11, 0, 0)) + fill * size
	head = sample(1, b'abcd', *k, COOKIE, 7) + half(2, 7, 0x1111, 0x2222, 0x3333)
	at = 104 + 128 + 16 + len(head)
	data = head + aux(16, b'A') + aux(32, b'B')
	write('aux.data', [attr(ALL, DEFER)], data,
	      {18: q(2, at, 64, at + 64, 80)})
	# A file of this machine with a sample in it, and another one without.
	u = os.uname()
	def mmap2(addr, name):
	    return record(10, ii(10, 11) + q(addr, 0x100000, 0) + ii(0, 0) + q(0, 0) + ii(5, 2) + string(name) + ii(10, 11) + q(1), 2)
	data = mmap2(0x400000, os.path.realpath('/usr/bin/perl')) + mmap2(0x800000, os.path.realpath('/usr/bin/env'))
	data += record(9, q(0x400100) + ii(10, 11) + q(2), 2)
	write('ids.data', [attr(IP | TID | TIME)], data, {3: feature_string(u.nodename), 4: feature_string(u.release)})
	write('ids-other.data', [attr(IP | TID | TIME)], data, {3: feature_string('other'), 4: feature_string('other')})
	EOF

"$perf" inject -i large.data -o large.out 2> err.txt
grep -q '2 samples, 2 joined, .*, 1 callchains cut by 818 frames' err.txt
ok $? "frames that have no room in a record are left out and counted" err.txt
"$perf" script -i large.out -F time,ip --max-stack 9000 2>&1 | awk '/^ *0.001000:/ { on = 1 } /^ *0.003000:/ { on = 0 } on && /\t/ { n++; last = $1 } END { print n, last }' > n.txt
[ "$(cat n.txt)" = "7183 2c0d" ]; ok $? "they are the outermost ones" n.txt

"$perf" inject -i kinds.data -o kinds.out 2> err.txt
grep -q '7 samples, 1 joined, 4 without their half (1 never returned, 2 lost, 1 unreadable)' err.txt
ok $? "why samples are without their half" err.txt
"$perf" script -i kinds.data -F tid,time,ip,sym 2>/dev/null | sed '/(cookie)$/d' > a.txt
"$perf" script -i kinds.out -F tid,time,ip,sym 2>/dev/null > b.txt
same a.txt b.txt "halves go to the thread whose they are; what is complete stays"

"$perf" inject -i aux.data -o aux.out 2> err.txt
python3 - <<-'EOF' > diff.txt 2>&1
	import struct
	d = open('aux.out', 'rb').read()
	h = struct.unpack_from('<13Q', d)
	o, n = struct.unpack_from('<QQ', d, h[5] + h[6])
	nr, a, _, b, _ = struct.unpack_from('<5Q', d, o)
	for at, fill in (a, b'A' * 16), (b, b'B' * 32):
	    t, m, size = struct.unpack_from('<IHH', d, at)
	    assert (t, size) == (71, 48) and d[at + 48:at + 48 + len(fill)] == fill, at
	EOF
ok $? "the table of AUXTRACE records has their new places" diff.txt

"$perf" inject -b -i ids.data -o ids.out 2> err.txt
"$peer" buildid-list -i ids.out > list.txt 2>/dev/null
readelf -n "$(realpath /usr/bin/perl)" | sed -n "s|.*Build ID: \(.*\)|\1 $(realpath /usr/bin/perl)|p" > want.txt
same want.txt list.txt "-b: the build-id of the file that has a sample"
"$perf" inject -b -i - < ids.data 2> err.txt | cat > ids.pipe
"$perf" report -D -i ids.pipe > list.txt 2>&1
[ "$(grep -c PERF_RECORD_BUILD_ID list.txt)" = 1 ] && grep -aq "$(realpath /usr/bin/perl)" ids.pipe
ok $? "-b: a record of a stream" list.txt
"$perf" inject -b -i ids-other.data -o none.data 2> err.txt
[ $? = 1 ] && [ ! -e none.data ] && grep -q 'on another machine or kernel' err.txt
ok $? "-b: not for what was recorded elsewhere" err.txt

# Damage: what can be read is kept, and one line says where it ends.
head -c 9000 "$golden/forker.defer.data" > cut.data
"$perf" inject -i cut.data -o cut.out 2> err.txt
[ $? = 1 ] && [ "$(grep -c 'offset 0x' err.txt)" = 1 ] && [ "$(wc -l < err.txt)" = 2 ]
ok $? "a file that was cut: one line with the offset, and the sum" err.txt
ours cut.data | grep -v '^perf:' > a.txt; ours cut.out > b.txt
joined a.txt b.txt "what was readable is there"
echo kept > old.data
head -c 100 "$golden/forker.defer.data" > short.data
"$perf" inject -i short.data -o old.data 2> err.txt
[ $? = 1 ] && [ "$(wc -l < err.txt)" = 1 ] && [ "$(cat old.data)" = kept ]
ok $? "a file without a whole header: nothing is replaced" err.txt
(ulimit -f 8; exec "$perf" inject -i "$golden/sleepers.defer.data" -o old.data) 2> err.txt
[ $? = 1 ] && grep -q '^perf: old.data: offset 0x.*limit of file sizes' err.txt && [ "$(cat old.data)" = kept ] &&
	[ "$(wc -l < err.txt)" = 1 ] && [ -z "$(compgen -G 'old.data.*')" ]
ok $? "an output that cannot be written: one line, and nothing is replaced" err.txt
"$perf" inject -i "$golden/forker.defer.data" -o /nonexistent/x 2> err.txt
[ $? = 1 ] && [ "$(wc -l < err.txt)" = 1 ]; ok $? "a folder that is not there" err.txt
cp "$golden/forker.defer.data" place.data
"$perf" inject -i place.data -o place.data 2> err.txt; cmp place.data forker.defer.data > diff.txt 2>&1
ok $? "a recording can be its own output" diff.txt
[ -z "$(compgen -G 'place.data.*')" ]; ok $? "nothing else is left there"

# ^C ends the reading of a pipe; what has come is written.
python3 - "$perf" "$golden/pipe.defer.data" <<-'EOF' > diff.txt 2>&1
	import os, signal, subprocess, sys, time
	r, w = os.pipe()
	p = subprocess.Popen([sys.argv[1], 'inject', '-o', 'int.data'], stdin=r, stderr=subprocess.PIPE)
	os.close(r)
	os.write(w, open(sys.argv[2], 'rb').read())
	# Interrupted when it waits for more: the pipe is empty then.
	while not os.path.exists('/proc/%d/wchan' % p.pid) or open('/proc/%d/syscall' % p.pid).read().split()[0] != '7':
	    time.sleep(0.01)
	p.send_signal(signal.SIGINT)
	err = p.communicate(timeout=60)[1]
	assert p.returncode == 0 and b'14 samples, 14 joined' in err, (p.returncode, err)
	EOF
ok $? "^C: what had come through the pipe is written" diff.txt
cmp int.data pipe.defer.data > diff.txt 2>&1; ok $? "all of it" diff.txt

for o in --strip -s --vm-time-correlation --known-build-ids=x --buildid-all; do
	"$perf" inject $o -i forker.defer.data -o none.data 2> err.txt
	[ $? = 129 ] && [ "$(wc -l < err.txt)" = 1 ] && grep -q 'is not part of this perf: ' err.txt
	ok $? "$o: one line says what to do" err.txt
done
plan
