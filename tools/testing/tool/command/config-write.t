#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf config writes: nothing of the file is lost, whatever fails; values that no command would
# take are refused, and where a file has one, the line says how to repair it.
. "$(dirname "$0")/../../lib/tap.sh"
perf=$(realpath "${PERF:-build/perf}")
tmp=$(mktemp -d) || exit 1
hooks=()
cleanup() {
	local h
	for h in "${hooks[@]:-}"; do eval "$h"; done
	cd / && rm -rf "$tmp"
}
trap cleanup EXIT
export LC_ALL=C HOME=$tmp PERF_CONFIG=$tmp/d/config
umask 022
mkdir "$tmp/d" && cd "$tmp/d" || exit 1
shown=("$tmp/err")

config() {
	"$perf" config "$@" > "$tmp/out" 2> "$tmp/err"
	status=$?
}
# refused TEXT: status 1, one line, with this text
refused() {
	[ "$status" = 1 ] && [ "$(wc -l < "$tmp/err")" = 1 ] && grep -qF -- "$1" "$tmp/err"
}
# only NAME...: there is nothing else in the folder
only() { diff <(printf '%s\n' "$@" | sort) <(ls -A | sort); }
got() { diff <("$perf" config "$1" 2>&1) <(printf '%s=%s\n' "$1" "$2"); }

# No byte changes but those of the value.
printf '# mine \xff\n\n; also mine\n[Colors]   # red?\r\n  Top=red, default\t; because\r\n\n[call-graph] record-mode = fp\n\n# the end of it\n[x "Y z"]\n\tflag\n\ta = 1\n\ta = "2 # 3" # four\n# last' > config
cp config first
config colors.top=blue
passes 'a value is changed' diff <(sed 's/Top=red, default/Top=blue/' first) config
cp config second
config Call-Graph.Record-Mode=dwarf
passes 'a setting behind its section, whatever its case' diff <(sed 's/record-mode = fp/record-mode = dwarf/' second) config
cp config third
config 'x.Y z.a= 5 '
passes 'of several settings the last one, with its comment' diff <(sed 's/"2 # 3" # four/" 5 " # four/' third) config
cp config fourth
config 'x.Y z.flag=no'
passes 'a name without a value' diff <(sed 's/\tflag/\tflag = no/' fourth) config
cp config fifth
config colors.new=1
passes 'a new setting comes behind the last one of its section' diff <(sed $'s/^  Top=.*/&\\\n\tnew = 1/' fifth) config
cp config sixth
config new.section.it=1
passes 'a new section, behind a line without an end' diff <(cat sixth; printf '\n[new "section"]\n\tit = 1\n') config
long=$(printf '%09000d' 7)
printf '[a]\n\tlong = %s\n\tb = 1\n' "$long" > config
config a.c=2
passes 'a long line' diff <(printf '[a]\n\tlong = %s\n\tb = 1\n\tc = 2\n' "$long") config
passes 'a long value' got a.long "$long"
printf '[a]\n\tb = one \\\n\ttwo\n\tc = 3\n' > config
config a.b=1
passes 'a value of two lines' diff <(printf '[a]\n\tb = 1\n\tc = 3\n') config
rm ./*

for v in ' a' 'a ' '#x' 'x;y' 'say "yes"' 'back\slash' 'end\' $'a\tb' '' '"' '=' 'a=b'; do
	config "r.v=$v"
	passes "'$v' is read as it was written" got r.v "$v"
done
cp config old
config $'r.v=a\nb = c'
passes 'a value of two lines is refused' refused 'one line'
for k in 'a b.c' .x x. 'a.b c' 'a].b' 'a.b#' $'a.x\ny.b' 'a.x"y.b' nodot; do
	config "$k=1"
	passes "no setting can be called '${k@Q}'" refused 'SECTION.NAME'
done
passes 'what was refused is not written' cmp old config

# What cannot be read is not replaced.
printf '[precious]\n\tthing = 1\n' > config
chmod 640 config
cp -p config ../old
kept() { cmp ../old config && [ "$(stat -c %a:%u config)" = "$(stat -c %a:%u ../old)" ]; }
rm old
mkdir dir && mkfifo fifo && ln -s loop loop
PERF_CONFIG=dir config a.b=1;	passes 'a folder' refused 'dir'
passes 'a folder: still one' test -d dir
PERF_CONFIG=fifo config a.b=1;	passes 'a fifo' refused 'no regular file'
passes 'a fifo: still one' test -p fifo
PERF_CONFIG=loop config a.b=1;	passes 'a loop of links' refused 'loop'
PERF_CONFIG=no/config config a.b=1; passes 'no folder' refused 'no/config'
printf '[a]\n\tb = 1\n\0\n' > nul && cp nul ../nul
PERF_CONFIG=nul config a.b=2;	passes 'bytes that are no text' refused 'no text'
passes 'bytes that are no text: they are kept' cmp nul ../nul
rmdir dir && rm fifo loop nul
if [ "$(id -u)" = 0 ]; then
	if mknod null c 1 3 2>/dev/null; then
		PERF_CONFIG=null config a.b=1
		passes 'a device' refused 'no regular file'
		passes 'a device: still one' test -c null
		rm null
	fi
	chmod 755 "$tmp" && chmod 777 . && cp "$perf" perf
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups ./perf config "$@" > "$tmp/out" 2> "$tmp/err"; status=$?; }
	as_nobody a.b=1;	passes 'a file of somebody else that cannot be read' refused 'Permission denied'
	passes 'a file of somebody else: unchanged' kept
	as_nobody -l
	passes 'a file that cannot be read is reported' grep -q "config: Permission denied: its settings are not used" "$tmp/err"
	chmod 666 config && cp -p config ../old
	as_nobody a.b=1;	passes 'a file whose owner cannot be kept' refused 'cannot be written and is unchanged'
	passes 'a file whose owner cannot be kept: unchanged' kept
	rm perf && chmod 755 .
	chown 65534:65533 config && chmod 4604 config && cp -p config ../old
	config a.b=1
	passes 'mode and owner are kept' test "$(stat -c %a:%u:%g config)" = 4604:65534:65533
	chown 0:0 config
	cp -p ../old config
else
	chmod 000 config
	config a.b=1;		passes 'a file that cannot be read' refused 'Permission denied'
	chmod 444 config
	config a.b=1;		passes 'a file that may not be written' refused 'Permission denied'
	chmod 640 config
	config a.b=1
	passes 'the mode is kept' test "$(stat -c %a config)" = 640
	cp -p ../old config
fi
if python3 -c 'import os; os.setxattr("config", "user.why", b"because")' 2>/dev/null; then
	config a.b=1
	passes 'extended attributes are kept' python3 -c 'import os; assert os.getxattr("config", "user.why") == b"because"'
else
	skip 'extended attributes are kept' 'this file system has none for users'
fi
rm -f config

# Symbolic links are kept, their targets change.
mkdir ../real ../links
printf '[a]\n\tb = 1\n' > ../real/file
ln -s ../real/file ../links/one && ln -s "$tmp/links/one" config
config a.b=2
link() { [ -L config ] && [ -L ../links/one ] && diff ../real/file <(printf '[a]\n\tb = 2\n'); }
passes 'a link to a link' link
rm ../real/file
config a.b=3
new() { [ -L config ] && [ -f ../real/file ] && ! [ -L ../real/file ] && got a.b 3 && [ "$(stat -c %a ../real/file)" = 644 ]; }
passes 'a link to nothing: the file is made there' new
rm -rf config ../real ../links

# What fails while it is written.
gcc -shared -fPIC -o "$tmp/fault.so" "$lib/fault.c" -ldl || exit 1
with() { # FAULT ARGS...
	FAULT=$1 LD_PRELOAD=$tmp/fault.so "$perf" config "${@:2}" > "$tmp/out" 2> "$tmp/err"
	status=$?
}
{ echo '[precious]'; for i in $(seq 1000); do echo "	n$i = $i # a comment"; done; } > config
cp -p config ../old
for f in read:1:EIO read:2:EIO write:1:ENOSPC write:1+:ENOSPC write:1:EDQUOT write:1:EIO fsync:1:EIO \
	close:1:EIO rename:1:EIO; do
	with $f precious.n1=x
	passes "$f: one line" refused 'config: '
	passes "$f: unchanged" kept
	passes "$f: nothing is left" only config
done
for f in read:1:short write:1:short; do
	with $f precious.n1=1
	passes "$f" kept
done
for f in read:1 read:2 write:1 fsync:1 close:1 rename:1; do
	with $f:exit precious.n1=x
	passes "stopped in front of $f: unchanged" kept
	passes "stopped in front of $f: it was" test $status = 99
	find . -name 'config.*' -delete
done
with fsync:2:exit precious.n1=x
passes 'stopped behind the rename: changed' diff <(sed 's/n1 = 1 /n1 = x /' ../old) config
cp -p ../old config
(ulimit -f 1; "$perf" config precious.n1=x 2> "$tmp/err")
status=$?
passes 'a limit of file sizes: one line' refused 'File too large'
passes 'a limit of file sizes: unchanged' kept
passes 'a limit of file sizes: nothing is left' only config
rm config
for f in read:1:EIO write:1:ENOSPC fsync:1:EIO; do
	with $f a.b=1
	passes "$f: a new file is not left empty" test -z "$(ls -A)"
done
if mkdir ../small && mount -t tmpfs -o size=16k none ../small 2>/dev/null; then
	hooks+=("umount $tmp/small")
	cp -p ../old ../small/config 2>/dev/null || head -c 12000 ../old > ../small/config
	dd if=/dev/zero of=../small/fill bs=1k 2>/dev/null
	cp ../small/config ../was
	PERF_CONFIG=$tmp/small/config config precious.n1=x
	passes 'a full disk: one line' refused 'No space left'
	passes 'a full disk: unchanged' cmp ../was ../small/config
else
	skip 'a full disk' 'no tmpfs can be mounted'
fi

# Several at once: none loses what another has set. The file is not there yet.
pids=()
for i in $(seq 40); do
	"$perf" config "many.n$i=$i" & pids+=($!)
done
wait "${pids[@]}"
passes '40 at once' diff <(seq 40) <("$perf" config -l | sed 's/.*=//' | sort -n)
passes '40 at once: nothing is left' only config

# Values that no command would take.
rm config
for kv in call-graph.record-mode=bogus call-graph.record-mode=dwarf,defer call-graph.record-mode=fp,x \
	call-graph.record-mode= call-graph.dump-size=0 call-graph.dump-size=1M record.build-id=maybe; do
	config a.b=1 "$kv" a.c=2
	case $kv in
	*mode*) want='table, bpf, live[,size], fp, fp,defer, dwarf[,size], lbr, no' ;;
	*size*) want='bytes of user stack, 1 to 65528' ;;
	*)	want='cache; no-cache; skip; mmap' ;;
	esac
	passes "$kv: refused" refused "${kv%%=*}: '${kv#*=}' is not one of its values: $want"
done
passes 'with one that is refused none is written' test ! -e config
for kv in call-graph.record-mode=fp call-graph.record-mode=table call-graph.record-mode=fp,defer call-graph.record-mode=dwarf \
	call-graph.record-mode=dwarf,4096 call-graph.record-mode=bpf call-graph.record-mode=live \
	call-graph.record-mode=no \
	call-graph.dump-size=4096 record.build-id=cache record.build-id=no-cache record.build-id=skip \
	record.build-id=mmap nosuch.thing=bogus; do
	config "$kv"
	passes "$kv: allowed" got "${kv%%=*}" "${kv#*=}"
done
dry() {
	"$perf" record --dry-run -e cpu-clock "$@" true > "$tmp/out" 2> "$tmp/err"
	status=$?
}
# bad LINE KEY VALUE: record's one line has the place, what is allowed, and what repairs it
bad() {
	local l="perf: $PERF_CONFIG:$1: $2: '$3' is not one of its values: "

	[ $status = 129 ] && [ "$(wc -l < "$tmp/err")" = 1 ] && [[ $(cat "$tmp/err") == "$l"*"; 'perf config $2=$4' repairs it" ]]
}
printf '# mine\n[call-graph]\n\trecord-mode = lbr\n\trecord-mode = bogus\n\tdump-size = 1M\n' > config
dry -g;		passes 'a bad mode in the file: record -g says where' bad 4 call-graph.record-mode bogus fp
dry;		passes 'a bad mode in the file: without -g it does not matter' test $status = 0
dry --call-graph fp; passes 'a bad mode in the file: --call-graph has its own' test $status = 0
dry --call-graph dwarf; passes 'a bad size in the file' bad 5 call-graph.dump-size 1M 8192
dry --call-graph dwarf,4096; passes 'a bad size in the file: not where one is given' test $status = 0
config call-graph.record-mode=fp call-graph.dump-size=8192
dry -g;		passes 'repaired' test $status = 0
dry --call-graph dwarf; passes 'repaired: the size' test $status = 0
passes 'repaired: the rest stays' diff <(printf '# mine\n[call-graph]\n\trecord-mode = lbr\n\trecord-mode = fp\n\tdump-size = 8192\n') config
printf '[record]\n\n\tbuild-id = maybe\n' > config
dry;		passes 'a bad build-id' bad 3 record.build-id maybe cache
plan
