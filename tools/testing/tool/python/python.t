#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Python functions in callchains (--call-graph bpf): each is the true caller, with its line. The
# program shapes.py writes the chain to each of its busy functions; check.py compares.
. "$(dirname "$0")/../../lib/record.sh"

python=$(realpath /usr/bin/python3)
comm=${python##*/}

# true_stacks NAME FILE: the samples of a recording of shapes.py
true_stacks() {
	"$PERF" script -i "$2" --comm "$comm" -F comm,tid,ip,sym,dso,srcline > stacks 2> err
	# Samples before the table is made, and those of the interpreter's own start, have none.
	ok "$1: each Python function is the true caller" python3 "$here/check.py" truth 25 < stacks
	grep '^# samples' ok.out
}

rec -F 499 -a -g -- "$python" "$here/shapes.py" 3 truth
if grep -q 'BPF' err && [ "$status" != 0 ]; then
	skip 'Python functions' "$(head -n 1 err)"
	finish
	exit
fi
true_stacks 'record -a -g' data
"$PERF" script -D -i data > dump 2> err
ok 'the record of their mapping has a time' awk '/MMAP2.*\[python\]/ { n++; bad += $1 >= 1e18 }
	END { exit !n || bad }' dump

rm -f truth
mkfifo go
exec 7<> go
"$python" "$here/shapes.py" 2 truth wait < go & program=$!
until_true grep -q _json /proc/$program/maps
begin -F 499 -g -p $program
echo >&7
wait $program
wait $recorder
true_stacks 'record -g -p' data
"$THEIRS" script -i data -F ip,sym,dso > theirs 2> err
ok "Debian's perf has the names" grep -q ' busy11 (busy.py:2) (\[python\])' theirs
ok "Debian's perf finds the records in order" [ -z "$(grep 'out of order' err)" ]

rm -f truth
"$PERF" record -F 499 -a -g -o - -- "$python" "$here/shapes.py" 2 truth 2> err > stream
true_stacks 'a pipe' stream

rm -f truth
rec -F 499 -a -g --switch-output=1s -- "$python" "$here/shapes.py" 2 truth
for f in data.2*; do
	"$PERF" script -i "$f" --comm "$comm" -F comm,tid,ip,sym,dso,srcline
done > stacks 2> err
ok 'each file of --switch-output has the names' python3 "$here/check.py" truth 25 < stacks
rm -rf data.2*

# Where Python waits: the callchain of its switch to another task.
cat > waits.py <<'END'
import time
def waits():
    time.sleep(0.005)
def middle():
    waits()
for i in range(100):
    middle()
END
rec -F 499 -g --off-cpu -- "$python" waits.py
"$PERF" script -i data --comm "$comm" -F event,ip,sym > stacks 2> err
# (Its start waits, too: for files, and for a CPU.)
waiting() {
	awk -v RS= '/^ *offcpu-time/ && /nanosleep/ { n++; all += / waits .*middle .*<module> / }
		END { print all, n; exit n < 100 || all < 0.95 * n }' stacks
}
ok 'off-CPU: the functions that wait' waiting

# A thread may have samples before it has a Python thread state.
rec -F 999 -g -- "$python" "$here/late.py" .
"$PERF" script -i data -F ip,sym > stacks 2> err
ok 'a thread has its functions from the first one on' python3 "$here/late.py" share 95 < stacks
rec -F 999 -v -g -- "$python" "$here/late.py" . copied
walked_live() { awk '/callchains were walked live/ { n = $1 } END { exit n < 300 }' err; }
ok 'samples with copies of their stacks' walked_live
"$PERF" script -i data -F ip,sym > stacks 2> script.err
ok '... have their functions' python3 "$here/late.py" share 95 < stacks

# While the recorder is held up there is no room for all new functions: the frames of those that it
# does not know say so. The next call is told.
exec 8<> go
begin -F 999 -m 8M -g -- "$python" "$here/many.py" < go
until_true test -e once
kill -STOP $recorder
until_true test -e done
kill -CONT $recorder
until_true eval "! grep -q '^State:.T' /proc/$recorder/status"
echo >&8
wait $recorder
"$PERF" script -i data -F ip,sym > stacks 2> script.err
# whole FUNCTION MOST: most samples of a caller of many...() whose callee is not known
whole() {
	awk -v RS= -v caller=" $1 .made.py" -v most="$2" '
		$0 !~ caller { next }
		{ n++ }
		/unknown Python/ { unknown++ }
		!/unknown Python| many[0-9]+ .made.py/ { bad++ }
		END { exit n < 1000 || unknown > most * n || bad > 0.02 * n }' stacks
}
ok 'no room for new functions: a frame says so' whole once 1
ok '... one line' [ "$(grep -c 'callchains have \[unknown Python function\]s' err)" = 1 ]
ok '... later they have their names' whole again 0.1

# What users see.
rec -F 499 -a -g -- "$python" "$here/shapes.py" 2 truth
"$PERF" report -i data --comm "$comm" --no-children -s sym --stdio -g none > rows 2> err
ok 'a function that burns time is a row of the report' grep -q '%.*\[\.\] busy[0-9]* (busy.py:2)' rows
# But for the samples in its first and last instructions.
ok 'the evaluator has not one in a hundred' awk '/PyEval_EvalFrameDefault/ && $1 + 0 > 1 { exit 1 }' rows
"$PERF" report -i data --comm "$comm" --no-children --folded 2> err > folded
ok 'a folded stack has the functions between those of the interpreter' \
	grep -q ';PyEval_EvalCode;.*<module> (shapes.py:1);.*deep (shapes.py:[0-9]*);.*busy11 (busy.py:2)' folded
rec -F 499 -a -g --embed -- "$python" "$here/shapes.py" 2 truth
rm -rf .debug
true_stacks 'record --embed, without ~/.debug' data

# -N writes no file: the evaluator's frames stay.
rec -F 499 -a -g -N -- "$python" "$here/shapes.py" 1 truth
"$PERF" script -i data --comm "$comm" > stacks 2> err
ok '-N: native frames alone' [ -z "$(grep -F '[python]' stacks)" ]
ok '-N leaves no file in ~/.debug' [ ! -e .debug/'[python]' ]
finish
