#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Programs that run perf as a command: the options that they give, and the sentences that they look for.
# perf2bolt gets what it gets of Debian's perf. Documentation/compatibility.rst has the list of programs.
. "$(dirname "$0")/../../lib/record.sh"
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1

cat > prog.c <<'END'
volatile unsigned long sink;
__attribute__((noinline)) void leaf(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void mid(unsigned long n) { leaf(n); sink++; }
int main(void) { mid(60000000); return 0; }
END
gcc -O2 -no-pie -Wl,--emit-relocs -o prog prog.c || { echo 'Bail out! gcc'; exit 1; }
rec -q -F 500 -e cpu-clock:u ./prog
mv data plain.data
# Taken branches of the loop and of the call, and a recording with hardware traces
python3 - <<'END' || { echo 'Bail out! no recordings'; exit 1; }
import os, re, subprocess
from perfdata import *
def run(*cmd): return subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=True).stdout
prog = os.path.realpath('prog')
off, start, size = (int(x, 16) for x in
                    re.search(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E', run('readelf', '-lW', prog)).groups())
code = [(int(a, 16), t.split()) for a, t in
        re.findall(r'^ +(\w+):\t(.*)$', run('objdump', '-d', '--no-show-raw-insn', prog), re.M)]
def to(target, *words): return [(a, int(t[1], 16)) for a, t in code if t[0].startswith(words) and re.match(target, t[-1])]
back = [(a, b) for a, b in to('<leaf', 'j') if b < a][-1]
call = to('<leaf>', 'call', 'jmp')[-1]
ids = ii(10, 10)
data = record(3, ids + string('prog') + ids + q(1), 1 << 13)
data += record(10, ids + q(start & ~0xfff, (size + 0x1fff) & ~0xfff, off & ~0xfff) + ii(8, 1) + q(1234, 0) +
               ii(5, 2) + string(prog) + ids + q(1), 2)
branches = [back] * 8 + [call]
for i in range(50):
    data += record(9, q(back[0]) + ids + q(10 + i, len(branches), *(x for b in branches for x in (*b, 0x10))), 2)
flags = ('sample_id_all', 'mmap', 'mmap2', 'comm', 'comm_exec')
with open('branches.data', 'wb') as f:
    f.write(perf_file([attr(IP | TID | TIME | BRANCH_STACK, flags=flags, type=0, branch=1 | 8)], data))
with open('traces.data', 'wb') as f:
    f.write(perf_file([attr(flags=flags)], record(70, ii(1, 0)) + record(3, ids + string('prog') + ids + q(1)) +
                      record(9, q(back[0]) + ids + q(2), 2)))
END

# Options of mainline's that mean something for hardware traces alone: nothing to do without any
same_output() { # COMMAND OPTION: the option changes nothing
	"$PERF" $1 -i plain.data > want 2> "$T/err" && "$PERF" $1 -i plain.data $2 > got 2> "$T/err" &&
		[ -s want ] && cmp want got
}
for c in script 'report --stdio' 'annotate --stdio' inject; do
	for o in --no-itrace --itrace --itrace=i1us; do
		ok "$c $o"	same_output "$c" $o
	done
done
ok 'annotate --stdio2'	same_output 'annotate --stdio' '--stdio2'
ok 'annotate --skip-empty'	same_output 'annotate --stdio' '--skip-empty'
ok 'annotate --ignore-vmlinux'	same_output 'annotate --stdio' '--ignore-vmlinux'
ok 'annotate --percent-type local-period'	same_output 'annotate --stdio' '--percent-type local-period'
ok 'annotate --addr2line x'	same_output 'annotate --stdio' '--addr2line x'
ok 'script --max-blocks'	same_output script '--max-blocks 3'
ok 'script --no-xed'		same_output script --no-xed
refused() { # STATUS TEXT ARGS...: one line with the text
	local want=$1 text=$2 got
	shift 2
	"$PERF" "$@" > out 2> "$T/err"
	got=$?
	[ $got = "$want" ] && [ ! -s out ] && [ "$(wc -l < "$T/err")" = 1 ] && says "$text"
}
for c in script 'report --stdio' 'annotate --stdio' inject; do
	ok "$c --itrace of traces"	refused 1 "has hardware traces, which this perf does not decode (--itrace)" $c -i traces.data --itrace
done
as_recorded() { "$PERF" script --no-itrace -i traces.data > out 2> "$T/err" && [ "$(wc -l < out)" = 1 ]; }
ok 'script --no-itrace of traces'	as_recorded
"$PERF" record -q -o - -e cpu-clock:u true 2> /dev/null > pipe.data
{ head -c 16 pipe.data; python3 -c 'import sys; from perfdata import *
sys.stdout.buffer.write(record(70, ii(1, 0)))'; tail -c +17 pipe.data; } > traces.pipe
of_pipe() { "$PERF" script --itrace -i - < traces.pipe > out 2> "$T/err"; [ $? = 1 ] && says 'has hardware traces'; }
ok 'script --itrace of a pipe with traces'	of_pipe

# A field that the recording lacks, in mainline's words
lacks() { # FIELD ATTRIBUTE FILE
	refused 1 "Samples for 'cpu-clock:u' event do not have $2 attribute set. Cannot print '$1' field." script -i plain.data -F "pid,$1"
}
for f in addr:ADDR cpu:CPU data_src:DATA_SRC weight:WEIGHT ins_lat:WEIGHT_STRUCT retire_lat:WEIGHT_STRUCT iregs:IREGS \
	 uregs:UREGS phys_addr:PHYS_ADDR cgroup:CGROUP data_page_size:DATA_PAGE_SIZE code_page_size:CODE_PAGE_SIZE; do
	ok "script -F ${f%:*}"	lacks ${f%:*} ${f#*:}
done
# Branches are printed where there are some, as in mainline.
no_branches() { "$PERF" script -i plain.data -F pid,ip,$1 2> "$T/err" | cmp - <("$PERF" script -i plain.data -F pid,ip) && says "nothing is printed for $1"; }
for f in brstack brstacksym brstackoff; do
	ok "script -F $f"	no_branches $f
done
blank() { "$PERF" script -i plain.data --time "0, $1" 2> "$T/err" | cmp - <("$PERF" script -i plain.data --time "0,$1" 2> /dev/null); }
ok 'script --time with a blank'		blank 100000
ok 'script --time with a blank, two'	blank '0.5 1,100000'

# perf2bolt, with this perf as perf in PATH, and with Debian's
bolt=/usr/lib/llvm-19/bin/llvm-bolt
mkdir bin && ln -s "$PERF" bin/perf && ln -s $bolt perf2bolt
fdata() { # NAME ARGS...: what it makes of a recording, by both
	local name=$1
	shift
	PATH=$T/bin:$PATH ./perf2bolt "$@" -o ours.$name ./prog > ours.log 2>&1 || { tail -n 3 ours.log; return 1; }
	PATH=/usr/bin:/bin ./perf2bolt "$@" -o theirs.$name ./prog > theirs.log 2>&1
	cmp theirs.$name ours.$name && diff <(grep -v 'binary build-id\|spawning\|wrote\|waiting' theirs.log) \
		<(grep -v 'binary build-id\|spawning\|wrote\|waiting' ours.log)
}
if [ -x $bolt ] && [ -x $THEIRS ]; then
	with_samples() { fdata plain -nl -p plain.data && grep -q ' leaf ' ours.plain; }
	ok 'perf2bolt -nl'	with_samples
	ok 'perf2bolt of a recording without branches'	fdata none -p plain.data
	with_branches() { fdata branches -p branches.data && grep -q 'leaf.*leaf.* 400$' ours.branches; }
	ok 'perf2bolt'		with_branches
	rec -q -d -F 500 -e cpu-clock:u ./prog
	ok 'perf2bolt -nl of a recording with addresses'	fdata addr -nl -p data
	ok 'perf2bolt --itrace'	fdata itrace --itrace=i1us -p branches.data
else
	skip perf2bolt "no bolt-19 or no $THEIRS"
fi
finish
