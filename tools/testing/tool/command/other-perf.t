#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Commands that are not ours go to the next perf in PATH that is not this program.
. "$(dirname "$0")/../../lib/record.sh"

SYS=/usr/bin:/bin
mkdir ours copy fake empty link wrap forks odd
cp "$PERF" ours/perf && cp "$PERF" copy/perf && ln -s "$T/ours/perf" link/perf && ln ours/perf odd/hard
tools=empty	# what the fake ones need, without a perf
for p in sh bash cat grep env sleep timeout true echo; do ln -s "$(command -v $p)" $tools/$p; done
cat > fake/perf <<-'END'
	#!/bin/bash
	echo "$@" >> "$LOG"
	case $1 in
	--list-cmds) [ -z "$NO_LIST" ] || exit 1; echo 'stat trace record help special '; exit ;;
	stat) ;;
	esac
	for a in "$@"; do printf '<%s>' "$a"; done
	echo " pid $$"
	grep -E 'Sig(Ign|Blk)' /proc/self/status
	echo mistake >&2
	cat
	exit 37
END
chmod +x fake/perf
export LOG=$T/log
unset PERF_NO_DELEGATE PERF_DELEGATED

# with PATH ARGS...: the first perf of PATH; stdout, stderr, $status
with() {
	local path=$1
	shift
	: > "$LOG"
	(PATH=$path exec timeout 20 perf "$@") > out 2> err < "${IN:-/dev/null}"
	status=$?
}
F=$T/ours:$T/fake:$T/$tools
lines() { [ "$(wc -l < err)" = "$1" ]; }
first() { head -n 1 out | grep -Fq -- "$1"; }

with "$F" stat -e 'a b' '' --  'x
y' '*'
args() { [ "$(head -n 2 out | sed 's/ pid.*//')" = '<stat><-e><a b><><--><x
y><*>' ]; }
ok 'arguments'			args
ok 'status'			test $status = 37
ok 'stderr'			grep -Fxq mistake err
ok 'nothing else on it'		lines 1
IN=out2; echo 'from standard input' > out2
with "$F" trace
ok 'standard input'		grep -Fxq 'from standard input' out
unset IN
same_signals() {
	local a b
	a=$(trap '' XFSZ USR1; PATH=$T/fake:$T/$tools perf stat 2> /dev/null < /dev/null | grep Sig)
	b=$(trap '' XFSZ USR1; PATH=$F perf stat 2> /dev/null < /dev/null | grep Sig)
	[ "$a" = "$b" ] || return 1
	a=$(PATH=$T/fake:$T/$tools perf stat 2> /dev/null < /dev/null | grep Sig)
	b=$(PATH=$F perf stat 2> /dev/null < /dev/null | grep Sig)
	[ "$a" = "$b" ]
}
ok 'ignored and blocked signals'	same_signals
same_process() {
	PATH=$F perf stat > out 2> err < /dev/null & local pid=$!
	wait $pid
	first "pid $pid"
}
ok 'the same process'		same_process
closed() { PATH=$F perf stat <&- 2>&1 | grep -q 'cat: .*: Bad file descriptor'; }
ok 'a closed standard input remains closed'	closed
killed() {
	mkfifo fifo
	PATH=$F perf stat > out 2> err < fifo & local pid=$!
	exec 8> fifo
	until_true grep -q SigIgn out
	kill -TERM $pid
	wait $pid
	[ $? = 143 ]
}
ok 'a signal ends it'		killed
exec 8>&-
with "$F" --no-pager --debug verbose=2 stat x
ok 'options in front go along'	first '<--no-pager><--debug><verbose=2><stat><x>'
with "$F" help stat
ok 'perf help stat'		first '<help><stat>'
with "$F" stat --help
ok 'perf stat --help'		first '<stat><--help>'
with "$F" special
ok 'a command that only it lists'	first '<special>'

with "$F" reocrd
ok 'mistyped: the nearest'	grep -q "^perf: 'reocrd' is not a perf command; nearest: record" err
ok 'mistyped: status'		test $status = 1
ok 'mistyped: not handed on'	test "$(cat "$LOG")" = --list-cmds
with "$F" stta
ok 'mistyped, a command of the other one'	grep -q 'nearest: stat' err
with "$F" speical
ok 'mistyped, one that only it has'	grep -q 'nearest: special' err
with "$F" help reprot
ok 'mistyped behind help'	grep -q "'reprot' is not a perf command; nearest: report" err
with "$F" --no-pagr stat
ok 'a mistyped option in front'	grep -q "'--no-pagr'.*nearest: --no-pager" err
ok 'and its status'		test $status = 129
NO_LIST=1 with "$F" whatever
ok 'a perf that lists no commands gets those that we do not have'	first '<whatever>'

# A recording that the other one cannot read.
cat > odd/perf <<-'END'
	#!/bin/bash
	[ "$1" != --list-cmds ] || exit 1
	[ "$1" != --version ] || echo perf version 5.4
	[ "$1" = --version ] || ! grep -q NEW "${@: -1}" || { echo too new >&2; exit 255; }
	echo read "$@"
END
chmod +x odd/perf
O=$T/ours:$T/odd:$T/$tools
printf PERFILE2NEW > perf.data
printf PERFILE2OLD > old.data
printf NEW > text
for c in 'evlist -i perf.data' 'evlist -v --input=perf.data' 'kwork report perf.data' evlist 'sched latency'; do
	with "$O" $c
	ok "cannot read, $c: who and why"	grep -Fq "perf: 'perf ${c%% *}': $T/odd/perf (perf version 5.4) cannot read perf.data: too new;" err
	ok "cannot read, $c: one line"		lines 1
	ok "cannot read, $c: status"		test $status = 1
done
for c in 'evlist -i old.data' 'lock report old.data' 'sched record -o perf.data' 'stat cat perf.data' 'evlist -i text'; do
	with "$O" $c
	ok "passed on: $c"	grep -Eq '^(read|too new)' out err
done
rm perf.data

# Where there is none.
N=$T/ours:$T/$tools
with "$N" stat
ok 'no other perf: status'	test $status = 1
ok 'no other perf: one line'	lines 1
ok 'no other perf: what to do'	grep -q "^perf: 'perf stat' .*none in PATH.*linux-perf.*Fedora" err
with "$N" reocrd
ok 'no other perf, mistyped'	grep -q 'nearest: record' err
with "$N" help
ok 'no other perf: perf help says so'	grep -q 'none in PATH' out
ok 'and lists ours'		grep -q '^   record ' out
PERF_NO_DELEGATE=1 with "$F" stat
ok 'PERF_NO_DELEGATE: status'	test $status = 1
ok 'PERF_NO_DELEGATE: the reason'	grep -q 'PERF_NO_DELEGATE' err
ok 'PERF_NO_DELEGATE: nothing was run'	test ! -s "$LOG"
PERF_NO_DELEGATE=1 with "$F" help
ok 'PERF_NO_DELEGATE: perf help'	grep -q 'PERF_NO_DELEGATE' out
PERF_NO_DELEGATE=1 with "$F" --list-cmds
ok 'PERF_NO_DELEGATE: --list-cmds'	test "$(cat out)" = 'record report diff top annotate script inject data list unwind archive buildid-cache buildid-list config help version '

with "$F" help
ok 'perf help: ours'		grep -q '^   record ' out
ok 'perf help: the other one'	grep -Fq "Passed to $T/fake/perf:" out
ok 'perf help: its commands'	grep -qE '^   stat +Count events' out
once() { [ "$(grep -c '^   record ' out)" = 1 ]; }
ok 'perf help: each once'	once
with "$F" --help
ok 'perf --help is perf help'	grep -Fq "Passed to $T/fake/perf:" out
with "$F" --list-cmds
ok 'perf --list-cmds: both'	grep -q '^record .* version stat trace special $' out

# Whatever PATH has of this program is passed over.
with "$T/ours:$T/copy:$T/link:$T/fake:$T/$tools" stat
ok 'a copy and a symbolic link'	first '<stat>'
with "$T/link:$T/ours:$T/copy:$T/fake:$T/$tools" stat
ok 'begun by the link'		first '<stat>'
with "$T/ours:$T/copy:$T/fake:$T/$tools" help
ok 'perf help with a copy'	grep -Fq "Passed to $T/fake/perf:" out
with "$T/ours:$T/copy:$T/link:$T/$tools" stat
ok 'nothing but copies: status'	test $status = 1
ok 'nothing but copies: one line'	lines 1
ok 'nothing but copies: the reason'	grep -q 'none in PATH' err
with "$T/ours:$T/copy:$T/$tools" reocrd
ok 'nothing but copies, mistyped'	grep -q 'nearest: record' err
mkdir hard && ln ours/perf hard/perf
with "$T/hard:$T/ours:$T/fake:$T/$tools" stat
ok 'a hard link'		first '<stat>'
cd fake || exit 1
(PATH=:$T/$tools exec "$T/ours/perf" stat) > "$T/out" 2> "$T/err" < /dev/null
cd "$T" || exit 1
ok 'an empty entry of PATH is the current folder'	first '<stat>'
(PATH=ours:copy:fake:$tools exec perf stat) > out 2> err < /dev/null
ok 'relative entries'		first '<stat>'
cd ours || exit 1
(PATH=:../copy::../fake:$T/$tools exec ./perf stat) > "$T/out" 2> "$T/err" < /dev/null
cd "$T" || exit 1
ok 'this program in an empty entry'	first '<stat>'
mkdir -p folder/perf plain && echo > plain/perf
with "$T/ours:$T/folder:$T/plain:$T/nowhere:$T/fake:$T/$tools" stat
ok 'folders and files that are not executable are passed over'	first '<stat>'
printf '\177ELF' > plain/perf && chmod +x plain/perf
with "$T/ours:$T/plain:$T/$tools" stat
ok 'one that cannot be run: status'	test $status = 1
ok 'one that cannot be run: the reason'	grep -q "cannot run $T/plain/perf: " err

# Scripts that run this program.
printf '#!/bin/sh\nexec %s/ours/perf "$@"\n' "$T" > wrap/perf
printf '#!/bin/sh\n%s/ours/perf "$@"\n' "$T" > forks/perf
chmod +x wrap/perf forks/perf
with "$T/wrap:$T/fake:$T/$tools" stat
ok 'a script that becomes this perf'	first '<stat>'
with "$T/wrap:$T/$tools" stat
ok 'and nothing else: it ends'	grep -q 'none in PATH' err
with "$T/wrap:$T/fake:$T/$tools" help
ok 'perf help with it'		grep -Fq "Passed to $T/fake/perf:" out
with "$T/forks:$T/fake:$T/$tools" stat
ok 'a script that starts this perf: it ends'	grep -q 'passed on 16 times' err
ok 'with a status'		test $status = 1

if [ -x $THEIRS ]; then
	with "$T/ours:$SYS" stat -x, -e task-clock true
	ok 'perf stat'		grep -q task-clock err
	with "$T/ours:$SYS" stat -x, -e task-clock perf stat -x, -e page-faults true
	both() { grep -q task-clock err && grep -q page-faults err; }
	ok 'perf stat of perf stat'	both
	# Debian's perf by itself ends with 0 in some of a hundred runs on a busy machine.
	for _ in 1 2 3 4 5; do
		with "$T/ours:$SYS" stat sh -c 'exit 5'
		[ $status = 5 ] && break
	done
	ok 'its status'		test $status = 5
	ok 'no PATH: that of the system'	env -u PATH "$T/ours/perf" stat true
else
	skip 'perf stat' "no $THEIRS"
fi

# Mistyped options, here for all commands.
nearest() { # PATTERN ARGS...
	local p=$1
	shift
	"$PERF" "$@" > out 2> err
	[ $? = 129 ] && [ "$(wc -l < err)" = 1 ] && grep -Eq -- "$p" err
}
ok 'option: the nearest'	nearest "unknown option '--call-grph'; nearest: --call-graph;" record --call-grph fp true
ok 'option: with =value'	nearest "nearest: --call-graph;" record --call-grph=fp true
ok 'option: of report'		nearest "nearest: --flamegraph;" report --flamgraph
ok 'option: --no-'		nearest "nearest: --no-inherit;" record --no-inhert true
ok 'option: ambiguous'		nearest "ambiguous option '--c'; nearest: --c[a-z-]+, --c[a-z-]+" record --c true
ok 'option: nothing near'	nearest "unknown option '--nosuchoption': -h lists" record --nosuchoption true
# (where no scripts are installed)
export PERF_EXEC_PATH=$T
ok 'perf script flamegraph'	nearest 'use perf report --flamegraph' script flamegraph
ok 'perf script report flamegraph'	nearest 'use perf report --flamegraph' script report flamegraph
ok 'perf script stackcollapse'	nearest 'use perf report --folded' script stackcollapse

# Manual pages: those of this program, by whatever name it has.
export MANPAGER=cat PERF_NO_DELEGATE=1
mkdir -p prefix/bin prefix/share/man/man1 tree/man pages/man1
page() { printf '.TH X 1\n.SH NAME\nx \\- THE PAGE %s\n' "$2" > "$1"; }
cp "$PERF" prefix/bin/perf && cp "$PERF" prefix/bin/perf-deferred && cp "$PERF" tree/perf
page prefix/share/man/man1/perf-record.1 one
page prefix/share/man/man1/perf-deferred-record.1 two
gzip prefix/share/man/man1/perf-deferred-record.1
page prefix/share/man/man1/perf.1 three
page tree/man/perf-report.1 four
page pages/man1/perf-script.1 five
shows() { # PAGE PERF ARGS...
	local want=$1
	shift
	"$@" < /dev/null > out 2> err && grep -q "THE PAGE $want" out
}
if command -v man > /dev/null; then
	ok 'perf help record'		shows one prefix/bin/perf help record
	ok 'perf record --help'		shows one prefix/bin/perf record --help
	ok 'perf --help record'		shows one prefix/bin/perf --help record
	ok 'perf --no-pager record --help'	shows one prefix/bin/perf --no-pager record --help
	ok 'by the name of the program'	shows two prefix/bin/perf-deferred help record
	ok 'perf help version'		shows three prefix/bin/perf help version
	ok 'in the tree'		shows four tree/perf help report
	ok 'by MANPATH'			shows five env MANPATH="$T/pages" tree/perf help script
else
	skip 'manual pages' 'no man'
fi
options() { "$@" > out 2> err && grep -q -- '--call-graph' out && lines 1; }
ok 'no page: the options'	options tree/perf help record
ok 'no man: the options'	options env PATH="$T/$tools" prefix/bin/perf record --help
shows_options() { "$PERF" record -h > out 2> err && grep -q -- '--call-graph' out && lines 0; }
ok 'perf record -h'		shows_options
finish
