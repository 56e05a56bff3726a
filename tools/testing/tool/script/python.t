#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Scripts in Python: they print what they print when Debian's perf runs them, which embeds an
# interpreter: those that it has installed, and some that use what perf-script-python(1) names.
. "$(dirname "$0")/../../lib/record.sh"
scripts=/usr/lib/perf-core/scripts/python

"$PERF" record -e cpu-clock -g -o clock -- sort /usr/bin/sort > out 2> err
if ! "$PERF" record -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -e sched:sched_process_exec \
	-o calls -- ls / > out 2> err; then
	skip 'scripts for tracepoints' "$(head -n 1 err)"
	finish
	exit
fi

cat > handlers.py <<'END'
import os
import sys
sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')
from perf_trace_context import *
from Core import *

def trace_begin():
    print('begin', sys.argv, __name__)

def trace_end():
    print('end')

# All arguments, those of scripts of 2012 (without callchain and sample), any number.
def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
                            common_comm, common_callchain, id, args, perf_sample_dict):
    d = perf_sample_dict
    print(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm, id, args,
          common_pc(context), common_flags(context), common_callchain, sorted(d['sample'])[:2],
          d['raw_buf'], d['attr'][:8])

def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
                           common_comm, id, ret):
    print(event_name, common_pid, id, ret)

def sched__sched_process_exec(*args):
    print(args[0], args[2:7], args[8:11])
END
cat > events.py <<'END'
def process_event(d):
    s = d['sample']
    print(d['ev_name'], d['comm'], s['pid'], s['tid'], s['time'], s['ip'], s['period'],
          [c['ip'] for c in d['callchain']])
END
cat > unhandled.py <<'END'
def trace_unhandled(event_name, context, fields, perf_sample_dict):
    print(event_name, sorted(fields.items()))

def process_event(d):
    print('not for tracepoints')
END
mine() { "$PERF" script -i "$1" -s "${@:2}" > mine 2> err < /dev/null; echo $?; }
theirs() { debian script -i "$1" -s "${@:2}" 2> /dev/null < /dev/null > theirs; echo $?; }
same() { # RECORDING SCRIPT...
	rm -f /dev/shm/perf.db
	[ "$(mine "$@")" = 0 ] || return
	rm -f /dev/shm/perf.db
	[ "$(theirs "$@")" = 0 ] && [ -s mine ] && diff mine theirs
}
# (Debian's perf aborts at handlers with fewer arguments, and gives none to those with any number.)
sed '/^def raw_syscalls__sys_exit/,$d' handlers.py > fixed.py
ok 'handlers of tracepoints, arguments of the script'	same calls "$T/fixed.py" one two
ours_alone() {
	[ "$(mine calls handlers.py)" = 0 ] && grep -q "^sched__sched_process_exec .*bin/ls" mine &&
		grep -q "^raw_syscalls__sys_exit [0-9]* [0-9]* -*[0-9]*$" mine
}
ok 'any number of arguments, and fewer'	ours_alone
ok 'process_event()'		same clock events.py
ok 'trace_unhandled()'		same calls unhandled.py
for s in syscall-counts syscall-counts-by-pid failed-syscalls-by-pid event_analyzing_sample \
	mem-phys-addr futex-contention check-perf-trace net_dropmonitor; do
	ok "Debian's $s.py"	same calls $scripts/$s.py
done
"$PERF" script -i clock -s $scripts/stackcollapse.py > out 2> err
ok "Debian's stackcollapse.py"	eval '[ -s out ] && ! grep -v ";" out | grep -v "^[^ ;]* [0-9]*$"'

"$PERF" script -g python -i calls > out 2> err
ok '-g python'	eval 'grep -qx "generated Python script: perf-script.py" out && same calls perf-script.py'
# Names that Python has other uses for, or that stand twice
names() { # SYSTEM EVENT FIELD...: a recording with an event
	PYTHONPATH=$lib python3 - "$@" <<- 'END'
	import sys
	from perfdata import *
	system, event, *fields = sys.argv[1:]
	places = [('int ' + f, 8 + 4 * i, 4) for i, f in enumerate(fields)]
	text = tracepoint_format(event, 77, places, '"x"')
	raw = struct.pack('<HBBi', 77, 0, 0, 5) + ii(*range(10, 10 + len(fields)))
	raw += b'\0' * (-(4 + len(raw)) % 8)
	data = record(9, q(0x1000) + ii(1, 1) + q(1000) + ii(len(raw)) + raw, misc=2)
	formats = tracing_data(text).replace(b'sys\0', system.encode() + b'\0')
	with open('names', 'wb') as f:
	    f.write(perf_file([attr(IP | TID | TIME | RAW, type=2, config=77)], data, {1: formats}))
	END
}
generated() { # HANDLER VALUES: they are printed by the script that -g writes
	"$PERF" script -g python -i names > out 2> err &&
		"$PERF" script -s perf-script.py -i names > out 2> err && [ ! -s err ] &&
		grep -q "^$1  *[-0-9]* 00000.000001000 .* $2$" out && ! grep -q '{' out
}
names sys keywords from pass None class
ok '-g python: fields that are keywords'	generated sys__keywords 'from=10 pass=11 None=12 class=13'
names sys taken context common_callchain perf_sample_dict print
ok '-g python: fields with names of arguments' \
	generated sys__taken 'context=10 common_callchain=11 perf_sample_dict=12 print=13'
ok 'trace_unhandled(): a field common_callchain' \
	eval '[ "$(mine names unhandled.py)" = 0 ] && grep -q "^sys__taken .*(.common_callchain., 11)" mine'
names sys twice x y x x_
ok '-g python: fields that stand twice'	generated sys__twice 'x=12 y=11 x=12 x_=13'
names 9p 9p_client_req x
ok '-g python: a system that begins with a digit'	generated 9p__9p_client_req 'x=10'
lists() {
	"$PERF" script -l > out &&
		grep -q '^  failed-syscalls-by-pid \[comm\] *system-wide failed syscalls, by pid$' out
}
ok '-l'		lists
"$PERF" script record syscall-counts -o data -- ls / > out 2> err
ok 'record NAME'	[ -s data ]
"$PERF" script report syscall-counts -i data > out 2> err
ok 'report NAME'	grep -q '^[a-z_0-9]* *[1-9][0-9]*$' out
"$PERF" script stackcollapse -g sort -o sorted "$PERF" > out 2> err
ok 'NAME: recorded and reported at once'	eval 'grep -q "^sort;.* [0-9]*$" out && ! grep -q "gone" err'

# Names are somebody's, and a script prints them.
"$PERF" record -e sched:sched_switch -o escape -- \
	bash -c 'printf "\033[31mred" > /proc/$BASHPID/comm; read -t 0.1 < <(sleep 1)' > out 2> err
printf 'def trace_unhandled(name, context, d, sample):\n    print(d["prev_comm"])\n' > comms.py
printable() {
	"$PERF" script -i escape -s comms.py > out && grep -q '\[31mred' out &&
		! grep -q "$(printf '\033')" out
}
ok 'names are printable'	printable

# Modules of the current folder are not the driver's; a script has those beside it.
mkdir there && printf 'open("ran", "w")\n' | tee json.py inspect.py re.py types.py > /dev/null
printf 'import beside\ndef trace_begin():\n    print(beside.x)\n' > there/s.py
echo 'x = "beside"' > there/beside.py
beside() { "$PERF" script -i calls -s there/s.py > out 2> err && grep -qx beside out && [ ! -e ran ]; }
ok 'modules'	beside
rm -f json.py inspect.py re.py types.py

# fails STATUS LINE ARGS...
fails() {
	"$PERF" script -i calls "${@:3}" > out 2> err
	[ $? = "$1" ] && { [ -z "$2" ] || grep -q "$2" err; }
}
printf 'x = (\n' > wrong.py
printf 'def trace_begin():\n    raise SystemExit(3)\n' > ends.py
ok 'a script with an error'	fails 1 'SyntaxError' -s wrong.py
ok 'a script that ends early'	fails 3 '' -s ends.py
ok 'a script that is not there'	fails 1 '^perf: -s: no.py: No such file' -s no.py
ok 'a script in Perl'		fails 129 '^perf: -s x.pl: scripts in Perl are not run' -s x.pl
ok 'a name without a script'	fails 129 '^perf: perf script nosuch: there is no such script; perf script -l' nosuch
ok '-g python: a link is not followed'	eval 'ln -sf clock perf-script.py
	fails 1 "^perf: -g: perf-script.py: " -g python && rm perf-script.py'
without_python() {
	echo mine > perf-script.py
	PATH=/nowhere "$PERF" script -g python -i calls > out 2> err
	[ $? = 127 ] && grep -q 'python3 cannot be run' err && [ "$(cat perf-script.py)" = mine ]
}
ok '-g python without python3: the earlier script stays'	without_python

# What perf script says of a recording, so it does with a script.
as_script() { # STATUS LINE RECORDING ARGS...
	"$PERF" script -i "${@:3}" > /dev/null 2> err.script
	[ $? = "$1" ] || return
	"$PERF" script -i "${@:3}" -s events.py > out 2> err
	[ $? = "$1" ] && grep -q "$2" err && diff err.script err
}
ok 'a filter that nothing passes'	as_script 1 nobody clock --comms nobody
PYTHONPATH=$lib python3 - << 'END'
from perfdata import *
sample = ii(1, 1) + q(1000)
chains = [[-512, *range(0x1000 + 0x8000 * i, 0x9000 + 0x8000 * i, 16)] for i in range(500)]
for name, data in (
        ('lost', record(2, q(0, 77) + sample) + record(9, q(0x1000) + sample, misc=2)),
        ('deep', b''.join(record(9, q(c[1]) + sample + q(len(c), *c), misc=2) for c in chains))):
    with open(name, 'wb') as f:
        f.write(perf_file([attr(IP | TID | TIME | (CALLCHAIN if name == 'deep' else 0))], data))
END
ok 'records that were lost'		as_script 0 '^perf: .*77 records were lost' lost
printf 'def process_event(d):\n    pass\n' > silent.py
forgotten() { # a million took 118 MB
	python3 - "$PERF" script -i deep -s silent.py <<- 'END'
	import os, sys
	_, status, usage = os.wait4(os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
	print(status, usage.ru_maxrss)
	sys.exit(status != 0 or usage.ru_maxrss > 64 << 10)
	END
}
ok 'frames are forgotten'		forgotten
finish
