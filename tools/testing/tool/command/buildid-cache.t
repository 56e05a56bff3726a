#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Files by build-id: perf record keeps those with samples, perf report finds them after a rebuild, buildid-list,
# buildid-cache and archive show and move them; all of it as Debian's perf does, which shares the cache.
. "$(dirname "$0")/../../lib/record.sh"
C=$HOME/.debug

build() { # FILE FUNCTION
	printf 'volatile long x;\n__attribute__((noinline)) void %s(void) { for (long i = 0; i < 30000000; i++) x++; }\nint main(void) { %s(); return 0; }\n' \
		"$2" "$2" > app.c && gcc -O1 -w -Wl,--build-id -o "$1" app.c 2> "$T/err"
}
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
has() { "$1" report --stdio -i "$T/data" 2> "$T/err" | grep -q "\[\.\] $2"; }
says() { grep -qF -- "$1" "$T/err"; }
build app first_build || exit 1
first=$(build_id app)
cp app app.first

# The story: recorded, rebuilt, looked at.
rec -e cpu-clock:u ./app
build app second_build
ok 'after a rebuild perf report has the names of before'	has "$PERF" first_build
ok "so has Debian's perf, out of our cache"	has "$THEIRS" first_build
ok 'the copy is the owner'\''s alone, and whole'	eval '[ "$(stat -c %a "$C$T/app/$first/elf")" = 600 ] && cmp "$C$T/app/$first/elf" app.first'
ok 'annotate has the code of before'	eval '"$PERF" annotate --stdio -i "$T/data" first_build 2> "$T/err" | grep -q "add\|inc"'
theirs() { rm -rf "$C"; "$THEIRS" record -q -e cpu-clock:u -o "$T/data" ./app 2> "$T/err"; build app third_build; has "$PERF" second_build; }
ok "a file that Debian's perf has kept"	theirs
rebuilt_meanwhile() {
	rm -rf "$C"
	build app first_build
	rec -e cpu-clock:u -- sh -c './app; mv app.first app'
	build app second_build
	cp "$C$T/app/$first/elf" app.first && has "$PERF" first_build
}
ok 'a file that was replaced while it was recorded'	rebuilt_meanwhile

# A file without build-id: by path and inode, and not if it was changed in place after the recording
plain() { # FUNCTION: ./plain, without build-id
	build made "$1" && objcopy --remove-section=.note.gnu.build-id made new 2> "$T/err" && [ -z "$(build_id new)" ]
}
replaced() { # COMMAND...: ./plain is recorded, made again and put in place by the command
	plain first_build && rm -f plain && cp new plain && rec -e cpu-clock:u ./plain &&
		plain second_build && "$@"
}
ok 'no build-id: the names of before'	eval 'replaced mv new plain && has "$PERF" first_build'
ok 'and the code'	eval '"$PERF" annotate --stdio -i "$T/data" first_build 2> "$T/err" | grep -q "add\|inc"'
in_place() {
	replaced cp new plain && has "$PERF" first_build && cp -p "$T/data" before || return 1
	rec -e cpu-clock:u ./plain && rm plain && has "$PERF" second_build || return 1
	mv before "$T/data" && ! has "$PERF" '[a-z_]*_build'
}
ok 'no build-id: changed in place and recorded again'	in_place
cat > goes.go << 'GO'
package main

var sink int

type box struct{ v int }

func (b *box) step(i int) {
	for k := 0; k < 16; k++ {
		sink += i*b.v ^ k
	}
}

//go:noinline
func (b *box) spin(n int) {
	for i := 0; i < n; i++ {
		b.step(i)
	}
}

func main() {
	b := &box{3}
	b.spin(20000000)
}
GO
if command -v go > /dev/null; then
	export GOCACHE=$O/test/go-cache GOFLAGS=-mod=mod GO111MODULE=off
	goes() {
		go build -o goes goes.go 2> "$T/err" && rec -g -e cpu-clock:u ./goes &&
			sed -i 's/\<spin\>/other/; s/b.spin/b.other/' goes.go && go build -o goes goes.go 2> "$T/err" &&
			"$PERF" report --stdio -g caller -i "$T/data" > rows 2> "$T/err" &&
			grep -qF 'main.(*box).spin' rows && grep -qF 'main.(*box).step (inlined)' rows && grep -qF runtime.main rows
	}
	ok 'Go: names, callers and inlined functions of before'	goes
else
	skip 'Go' 'no go'
fi

# What is kept, and what is not.
nothing() { rm -rf "$C"; build app first_build; rec "$@" -e cpu-clock:u ./app; [ "$status" = 0 ] && [ ! -e "$C" ]; }
ok '-N: nothing is kept'	nothing -N
ok '-B: nothing is kept'	nothing -B
printf '[record]\n\tbuild-id = no-cache\n' > config
ok 'record.build-id = no-cache: nothing is kept'	eval 'PERF_CONFIG=$T/config nothing'
package() {
	rec -e cpu-clock:u -- /usr/bin/perl -e 'for (1..2000000) { $x .= chr(65 + $_ % 26) if $_ % 7 }'
	local kept=("$C"/usr/bin/perl*/*/elf)

	# No bytes are copied where the file system is one and root may link, unless it can clone.
	if [ "$(id -u)" = 0 ] && [ "$(stat -c %d /usr/bin/perl)" = "$(stat -c %d "$T")" ] &&
	   ! cp --reflink=always "$(readlink -f /usr/bin/perl)" clone 2> "$T/err"; then
		[ "${kept[0]}" -ef /usr/bin/perl ] || return 1
	fi
	cmp "${kept[0]}" /usr/bin/perl
}
ok 'a file of a package'	package
if [ "$(id -u)" = 0 ]; then
	rec -e cpu-clock -- sh -c 'for i in 1 2 3 4 5 6 7 8; do grep -rq xyz /proc/self/status; cat /proc/kallsyms; done' > out
	kernel=$("$PERF" buildid-list -k)
	ok "the kernel's symbols, for the owner alone"	eval '[ "$(stat -c %a "$C/[kernel.kallsyms]/$kernel/kallsyms")" = 600 ] && grep -q " vfs_read$" "$C/.build-id/${kernel:0:2}/${kernel:2}/kallsyms"'
	# Another kernel runs, and lies elsewhere: nothing but the cache has the symbols. The recorded one's id is changed in both
	# places, and its functions have names and addresses that the running one does not have.
	other=$(printf '%s' "$kernel" | tr 0-9a-f 1-9a-f0)
	kernel_rows() { "$PERF" report --stdio --no-children -g none -F overhead,sym -i "$T/data" 2> "$T/err" | grep '\[k\]' | sed 's/before_//'; }
	reboot() {
		kernel_rows > now && grep -q '\[k\] [a-z_]' now &&
		sed -i 's/ \([tT]\) / \1 before_/' "$C/[kernel.kallsyms]/$kernel/kallsyms" &&
		mkdir -p "$C/.build-id/${other:0:2}" && mv "$C/[kernel.kallsyms]/$kernel" "$C/[kernel.kallsyms]/$other" &&
			ln -s "../../[kernel.kallsyms]/$other" "$C/.build-id/${other:0:2}/${other:2}" &&
			python3 -c 'import sys; d = open(sys.argv[1], "rb").read(); open(sys.argv[1], "wb").write(d.replace(bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])))' \
				"$T/data" "$kernel" "$other" &&
			kernel_rows | diff now - && "$PERF" report --stdio -i "$T/data" 2> "$T/err" | grep '\[k\]' > rows &&
			! grep -v 'before_\|\] 0x' rows
	}
	ok 'after a boot of another kernel the names of the recorded one'	reboot
else
	skip "the kernel's symbols" 'needs root'
fi
at_once() {
	local i

	rm -rf "$C"
	for i in 1 2 3 4; do "$PERF" record -q -e cpu-clock:u -o "$T/data.$i" ./app > "$T/out.$i" 2>&1 & done
	wait
	cat out.? > "$T/err"
	find "$C"
	[ ! -s "$T/err" ] && [ "$(find "$C$T" -name elf | wc -l)" = 1 ] && ! find "$C" -name '.tmp*' | grep .
}
ok 'four perfs at once'	at_once
printf '[buildid]\n\tcache-size = 40K\n\tdir = %s/other\n' "$T" > config
bounded() {
	local i

	export PERF_CONFIG=$T/config
	for i in one two three four; do build app "build_$i" && rec -e cpu-clock:u ./app; done
	build app nothing
	has "$PERF" build_four && ! "$PERF" buildid-list -i "$T/data" | grep -q "$first" &&
		[ "$("$PERF" buildid-cache -l | grep -c "$T/app")" -lt 4 ]
}
ok 'buildid.cache-size: the oldest go; buildid.dir: elsewhere'	eval '(bounded)'
no_folder() { : > file; PERF_BUILDID_DIR=$T/file rec -e cpu-clock:u ./app; [ "$status" = 0 ] && says 'no files are kept'; }
ok 'no folder can be made: one line, and a recording'	no_folder

# Two perfs that link one file of a package: the second finds the first one's link, and leaves nothing of its own.
linked_before() {
	rm -rf "$C"
	rec -e cpu-clock:u -- /usr/bin/perl -e 'for (1..2000000) { $x .= chr(65 + $_ % 26) if $_ % 7 }'
	local kept=("$C"/usr/bin/perl*/*/elf)

	cache_of() { "$PERF" buildid-cache -u /usr/bin/perl > "$T/out" 2> "$T/err"; }
	cache_of && cache_of && cmp "${kept[0]}" /usr/bin/perl && ! find "$C" -name '.tmp*' | grep .
}
ok 'a link to a file that has the link already'	linked_before

# buildid-list
rm -rf "$C"
build app first_build
rec -e cpu-clock:u ./app
lists() { # ARGS...
	"$PERF" buildid-list "$@" | sort > ours && "$THEIRS" buildid-list "$@" | sort > theirs && [ -s ours ] && diff ours theirs
}
ok "buildid-list as Debian's perf"	lists -i "$T/data"
ok '-H'			lists -H -i "$T/data"
ok 'of an ELF file'	lists -i ./app
"$THEIRS" record -q -e cpu-clock:u -o theirs.data ./app 2> "$T/err"
ok "of a recording of Debian's perf, which has a table"	lists -i theirs.data
ok '-k'			lists -k
[ "$(id -u)" != 0 ] || ok '-m'	lists -m
ok 'a file that is none'	eval '! "$PERF" buildid-list -i /etc/passwd > "$T/out" 2> "$T/err" && says /etc/passwd'

# buildid-cache
cache() { "$PERF" buildid-cache "$@" > "$T/out" 2> "$T/err"; }
ok '-a'			eval 'cache -a /bin/ls,./app && "$THEIRS" buildid-cache -l | grep -q "$(build_id /bin/ls) .*/bin/ls"'
ok "-l as Debian's perf, and the vdso"	eval '"$PERF" buildid-cache -l | grep -v vdso | sort > ours; "$THEIRS" buildid-cache -l | sort > theirs; diff ours theirs'
ok '-a of no ELF file'	eval '! cache -a /etc/passwd,/none && says /etc/passwd && says /none'
ok '-r'			eval 'cache -r /bin/ls && ! "$PERF" buildid-cache -l | grep -q /bin/ls && [ -e "$C$T/app" ]'
ok '-r of a file that is not there'	eval '! cache -r /bin/ls && says "it is not there"'
ok '-u'			eval 'cp "$C$T/app/$first/elf" x && : > "$C$T/app/$first/elf" && cache -u ./app && cmp app "$C$T/app/$first/elf"'
ok '-M: nothing is missing'	eval 'cache -M "$T/data" && [ ! -s "$T/out" ]'
purge() { build app second_build && cache -a ./app && [ "$(ls "$C$T/app" | wc -l)" = 2 ] && cache -p ./app && [ ! -e "$C$T" ]; }
ok '-p: every build'	purge
ok '-M: what is missing'	eval 'cache -M "$T/data" && grep -q "^$first $T/app$" "$T/out"'
ok '-P'			eval 'cache -a /bin/ls && cache -P && [ -z "$("$PERF" buildid-cache -l)" ] && ! find "$C" -name elf | grep -q .'
ok 'nothing to do'	eval '! cache && says "-l lists"'
ok 'a file without an option'	eval '! cache /bin/ls && says /bin/ls'

# archive
build app first_build
rec -N -e cpu-clock:u --call-graph fp ./app
packs() {
	"$PERF" archive "$T/data" > "$T/out" 2> "$T/err" && mkdir -p elsewhere && rm -rf elsewhere/.debug && mkdir elsewhere/.debug &&
		tar xf "$T/data.tar.bz2" -C elsewhere/.debug && build app second_build
}
ok 'archive packs what is not in the cache yet, too'	packs
ok 'perf report elsewhere'	eval 'HOME=$T/elsewhere has "$PERF" first_build && HOME=$T/elsewhere has "$THEIRS" first_build'
unpacks() {
	mkdir -p third/work && "$PERF" archive --all "$T/data" > "$T/out" 2> "$T/err" && cd third/work &&
		HOME=$T/third "$PERF" archive --unpack "$T/data.tar.bz2" > "$T/out" 2> "$T/err" && cmp data "$T/data" &&
		HOME=$T/third has "$PERF" first_build
}
ok '--all, --unpack'	eval '(unpacks)'
gone() { rm -rf "$C"; "$PERF" archive "$T/data" > "$T/out" 2> "$T/err"; says "$first $T/app: it is neither in"; }
ok 'a file that is nowhere any more is named'	gone
ok 'no recording'	eval '! "$PERF" archive /none > "$T/out" 2> "$T/err" && says /none'
ok 'no archive'		eval '! "$PERF" archive --unpack /none > "$T/out" 2> "$T/err" && says /none'
echo text > text.tar.bz2
ok 'no archive, but a file'	eval '! "$PERF" archive --unpack text.tar.bz2 > "$T/out" 2> "$T/err" && says text.tar.bz2'
finish
