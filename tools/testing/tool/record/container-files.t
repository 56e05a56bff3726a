#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Symbols of programs in containers: perf record copies those with samples to ~/.debug, where perf report
# of any version finds them after the container has ended, and trusts nothing that a container says.
. "$(dirname "$0")/../../lib/record.sh"
[ "$(id -u)" = 0 ] && unshare --mount true 2> "$T/err" || {
	skip 'programs in containers' 'needs root and mount namespaces'
	finish
	exit
}
unset PERF_BUILDID_DIR
# spin WHERE NAME: a program WHERE, with a function NAME, which runs until the file "done" is there
spin() {
	printf '%s\n' '#include <unistd.h>' "__attribute__((noinline)) void $2(void)" \
		'{ for (volatile long i = 0; i < 2000000; i++) ; }' \
		"int main(void) { while (access(\"$T/done\", F_OK)) $2(); }" > spin.c
	gcc -O1 -fno-omit-frame-pointer -static -Wl,--build-id"${3:-}" -o "$1" spin.c 2> "$T/err"
}
mkdir box
spin inner in_container || exit 1
spin outer on_host || exit 1
spin bare without_id =none || exit 1
# As a container: a file system of its own over one of ours.
cat > inside << 'S'
mount -t tmpfs none "$T/box" && cp "$T/inner" "$T/box/app" && cp "$T/bare" "$T/box/bare" || exit
exec "$T/box/$1"
S
export T
# contained PROGRAM OPTIONS...: record it until perf has its file open, or for a while, and read when it has ended
contained() {
	local program=$1
	shift
	rm -rf "$T/done" "$T/data"
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" "$@" -- unshare --mount sh "$T/inside" "$program" > "$T/out" 2> "$T/err" &
	recorder=$!
	if [ "${holds:-1}" = 1 ]; then until_true held; else sleep 1.5; fi
	touch "$T/done"
	wait $recorder
}
held() {
	local fd
	for fd in "/proc/$recorder/fd/"*; do
		[[ "$(readlink "$fd")" != */@(app|bare) ]] || return 0
	done
	return 1
}
has() { # NAME: most samples are in that function
	"$PERF" report -i "$T/data" --stdio -s sym 2> "$T/err" | grep -E "^ +[5-9][0-9].*|^ +100" | grep -qw "$1"
}
# copies [FILE]: of the container's program, or of another one
copies() { find "$T/.debug" -name elf -type f -exec cmp -s {} "${1:-inner}" \; -print 2> /dev/null | wc -l; }
named() { rm -rf "$T/.debug"; contained app "$@" && has in_container; }
ok 'a program of a container that has ended has its symbols'	named -g
one() { [ "$(copies)" = 1 ] && [ "$(stat -c %a "$(find "$T/.debug$T/box" -name elf -type f)")" = 600 ]; }
ok 'one copy, which is ours alone'			one
layout() {
	local id
	id=$(readelf -n inner | sed -n 's/.*Build ID: //p')
	[ "$(readlink "$T/.debug/.build-id/${id:0:2}/${id:2}")" = "../..$T/box/app/$id" ] &&
		cmp inner "$T/.debug/.build-id/${id:0:2}/${id:2}/elf"
}
ok 'where every perf looks for it'			layout
if [ -x "$THEIRS" ]; then
	theirs() { "$THEIRS" report -i "$T/data" --stdio -s sym 2> "$T/err" | grep -qw in_container; }
	ok "Debian's perf finds it there"		theirs
else
	skip "Debian's perf finds it there" 'linux-perf is not installed'
fi
again() {
	local holds=0
	local kept=("$T/.debug$T"/box/app/*/elf)

	touch -d '2001-01-01' "${kept[0]}" && contained app && has in_container && [ "$(copies)" = 1 ] &&
		[ "$(stat -c %Y "${kept[0]}")" = "$(date -d 2001-01-01 +%s)" ]
}
ok 'a second time it is not copied'			again
switched() {
	# Each file of a series has its copies made at its end: none is open for long.
	local holds=0
	rm -rf "$T/.debug"
	contained app --switch-output=500ms -o "$T/many" && [ "$(copies)" = 1 ]
}
ok 'with --switch-output'				switched
rm -f "$T"/many*
compressed() { named -z; }
ok 'of a compressed recording'				compressed
other_dir() {
	rm -rf "$T/.debug"
	export PERF_BUILDID_DIR=$T/dir
	contained app && has in_container && [ ! -e "$T/.debug" ] && ls "$T"/dir/.build-id/*/*/elf
	local status=$?
	unset PERF_BUILDID_DIR
	return $status
}
ok 'PERF_BUILDID_DIR'					other_dir
none() { local holds=0; rm -rf "$T/.debug"; contained app "$@" && ! has in_container && [ ! -e "$T/.debug" ]; }
ok '-N: no copy'					none -N
ok '-B: no copy'					none -B
without() { rm -rf "$T/.debug"; contained bare && has without_id && [ "$(copies bare)" = 1 ]; }
ok 'a file without build-id: one copy, by its inode'	without
host() {
	rm -rf "$T/.debug" "$T/done"
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" -- "$T/outer" 2> "$T/err" & sleep 1
	touch "$T/done"; wait $!
	has on_host && [ "$(copies outer)" = 1 ]
}
ok 'a file of this file system is kept, too'		host
rooted() {
	rm -rf "$T/.debug" root && mkdir -p "root$T" && cp inner root/app || return 1
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" -- chroot "$T/root" /app 2> "$T/err" &
	recorder=$!
	until_true held || return
	touch "root$T/done"
	wait $recorder
	has in_container && [ "$(copies)" = 1 ]
}
ok 'a program below another root (chroot)'		rooted
# Programs that have ended when perf gets to read of them: it is stopped while they run.
printf '%s\n' '__attribute__((noinline)) void in_brief(void) { for (volatile long i = 0; i < 3000000; i++) ; }' \
	'int main(void) { for (int i = 0; i < 30; i++) in_brief(); }' > brief.c
gcc -O1 -fno-omit-frame-pointer -static -Wl,--build-id -o brief brief.c 2> "$T/err" || exit 1
cat > box.sh << 'S'
mount -t tmpfs none "$T/box" && cp "$T/brief" "$T/box/brief" && "$T/box/brief"
S
cat > stays << 'S'
touch "$T/ready"
until [ -e "$T/go" ]; do sleep 0.05; done
. "$T/box.sh"
touch "$T/ran"
until [ -e "$T/done" ]; do sleep 0.05; done
S
cat > goes << 'S'
touch "$T/ready"
until [ -e "$T/go" ]; do sleep 0.05; done
unshare --mount sh "$T/box.sh"
touch "$T/ran"
S
stopped() { # COMMAND...: it runs the program while perf is stopped
	rm -rf "$T/.debug" "$T/ready" "$T/go" "$T/ran" "$T/done" "$T/data"
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" -- "$@" > "$T/out" 2> "$T/err" & recorder=$!
	until_true ${waits_for:-holds_namespace}
	kill -STOP $recorder
	touch "$T/go"
	until_true test -e "$T/ran"
	kill -CONT $recorder
	touch "$T/done"
	wait $recorder
}
holds_namespace() { readlink "/proc/$recorder/fd/"* | grep -q '^mnt:'; }
brief() { stopped unshare --mount sh "$T/stays" && has in_brief && ! says 'no path leads'; }
ok 'a program that has ended, of a container that has not'	brief
lost() { waits_for="test -e $T/ready" stopped sh "$T/goes" && says '1 files with samples are not kept' box/brief; }
ok 'a program that has ended with its container is named'	lost
# In a folder /.build-id/XX of a container, a file whose build-id is the last 19 bytes of another's would be that one's copy.
foreign() {
	local id=00112233445566778899aabbccddeeff001122
	rm -rf "$T/.debug" root && mkdir -p "root$T" root/.build-id && spin root/.build-id/ab in_container =0x$id || return 1
	"$PERF" record -F 500 -e cpu-clock:u -o "$T/data" -- chroot "$T/root" /.build-id/ab 2> "$T/err" &
	sleep 1.5
	touch "root$T/done"
	wait $!
	"$PERF" script -i "$T/data" -F ip,dso 2> "$T/err" | grep -q /.build-id/ab && [ ! -e "$T/.debug/.build-id/ab/$id" ]
}
ok 'nothing in the place of another file'		foreign
# What is in the cache is no way out of it.
links() {
	local holds=0
	rm -rf "$T/.debug" "$T/away" && mkdir -p "$T/.debug" "$T/away" && ln -s "$T/away" "$T/.debug/${T:1:3}" &&
		contained app && says "can't be kept" && [ -z "$(ls -A "$T/away")" ]
}
ok 'a link in the cache is not followed'		links
full() {
	rm -rf "$T/.debug" && mkdir "$T/.debug" && mount -t tmpfs -o size=64k none "$T/.debug" || return 1
	contained app && says "can't be kept" && says 'No space' && [ -z "$(find "$T/.debug" -type f)" ]
	local status=$?
	umount "$T/.debug"
	return $status
}
ok 'no room: a warning, and nothing half'		full
finish
