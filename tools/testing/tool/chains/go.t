#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Callchains of Go: functions of its runtime that call on another stack (runtime.systemstack) have
# their goroutine above them where it can be read, and nothing else. Stripped programs have names,
# lines and frames in .gopclntab.
. "$(dirname "$0")/../../lib/record.sh"

cat > go.go <<'END'
package main

import "fmt"

type tree struct{ l, r *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func main() {
	n := 0
	for i := 0; i < 40; i++ {
		if grow(15).l != nil {
			n++
		}
	}
	fmt.Println(n)
}
END
export GO111MODULE=off
build() { # OPTION... of go build
	go build "$@" go.go || exit 1
}
build -o go

# the outermost function of each callchain: NUMBER FUNCTION
shown() {
	"$PERF" script -i "$T/data" --comms go -F ip,sym | sed 's/\.abi0//' |
		awk -v RS= '{ n[$NF]++ } END { for (c in n) print n[c], c }' | sort -rn > shown
}
# ended REGEX: how many callchains have one of these outermost
ended() { awk -v r="^($1)$" '$2 ~ r { n += $1 } END { print n + 0 }' shown; }
starts='runtime[.](goexit|mstart|rt0_go|clone|mcall|morestack|sigreturn)|_rt0_amd64_linux'
share() { # NUMBER OUTERMOST: in that many of a hundred callchains
	[ $((100 * $(ended "$2"))) -ge $(($1 * $(ended '.*'))) ] || { cat shown; return 1; }
}
# (The few that end otherwise: calls of the vDSO, signal handlers, first instructions of a thread.)
for mode in bpf live dwarf; do
	rec -q -N -F 1999 -e cpu-clock:u --call-graph $mode ./go
	shown
	ok "$mode: recorded"	test "$(ended '.*')" -ge 100
	if [ $mode != dwarf ]; then
		ok "$mode: the goroutine is there"	share 90 'runtime[.]goexit'
		ok "$mode: or another start"	share 97 "$starts"
		ok "$mode: no callchain ends at systemstack" \
			test $((100 * $(ended 'runtime[.]systemstack'))) -le "$(ended '.*')"
	else
		# (a copy of one stack has not the other)
		ok "$mode: ends at the switch, or the goroutine's start"	share 97 "$starts|runtime[.]systemstack"
	fi
done
# (what .debug_frame leaves out is no difference)
ok 'the table is that of libdw' "$PERF" unwind --check ./go

# A stripped program, one that is position-independent, and one whose table is in .data.rel.ro, with
# the address of its code in a relocation, as linkers for C leave it.
sed 's/^import "fmt"/import "C"\n&/' go.go > cgo.go
build -ldflags='-s -w' -o stripped
build -ldflags='-s -w' -buildmode=pie -o pie
go build -ldflags='-s -w' -buildmode=pie -o cgopie cgo.go || exit 1
for p in stripped pie cgopie; do
	for mode in bpf live dwarf fp; do
		rec -q -N -F 999 -e cpu-clock:u --call-graph $mode ./$p
		"$PERF" script -i data --comms $p -F ip,sym,srcline > lines
		ok "$p, $mode: functions have names and lines" \
			awk '$2 == "main.grow" { n++; getline; ok += $1 ~ /^c?go.go:[0-9]/ }
				END { exit n < 100 || ok < n }' lines
		ok "$p, $mode: the callchains are whole" awk -v RS= '
			{ n++; ok += /goexit|mcall|mstart|morestack|systemstack|rt0_go/ }
			END { exit n < 50 || 100 * ok < 95 * n }' lines
	done
done
# the rules of .debug_frame are those of .gopclntab, but for functions that have no caller
for arch in amd64 arm64; do
	GOARCH=$arch build -o full.$arch
	GOARCH=$arch build -ldflags='-s -w' -o stripped.$arch
	for p in full stripped; do
		"$PERF" unwind -D $p.$arch | grep '(' | sort > $p.rules
	done
	ok "$arch: unwind rules of a stripped program" test "$(wc -l < stripped.rules)" -gt 2000
	ok "$arch: they are those of .debug_frame" test "$(comm -13 full.rules stripped.rules | wc -l)" = 0
done
gcc -nostdlib -static -s -o later "$lib/elf/gopclntab.s"
ok 'the table of Go 1.20' diff <("$PERF" unwind -D later | sed -n 's/^ *\(1...\)  /\1 /p') - << 'END'
1000 cfa=rsp+8
1001 cfa=rsp+16 fp=(rbp+0)
1002 cfa=rsp+24 fp=(rbp+0)
1003 cfa=rsp+16 fp=(rbp+0)
1004 cfa=rsp+8
1006 outermost
100c unknown
END
build -ldflags='-s -w -buildid=' -o no-id
ok 'a program without an ID has unwind rules' test "$("$PERF" unwind -D no-id | grep -c '(')" -gt 1000
finish
