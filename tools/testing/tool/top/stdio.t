#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf top --stdio: tables of what runs now. What a refresh shows is waited for, and compared with a recording
# made meanwhile.
. "$(dirname "$0")/../../lib/record.sh"

# top ARGS...: in the background ($top), its tables in $T/out
top() {
	: > "$T/out"
	"$PERF" top --stdio "$@" > "$T/out" 2> "$T/err" & top=$!
}
end() { kill $top; wait $top; status=$?; }
tables() { grep -c '^# perf top:' "$T/out"; }
at_least() { [ "$(tables)" -ge "$1" ]; }
# more N: so many more tables than now
more() { until_true at_least $(($(tables) + $1)); }
# last: the last whole table; rows: its rows
last() { awk '/^# perf top:/ { before = this; this = "" } { this = this $0 "\n" } END { printf("%s", before) }' "$T/out"; }
rows() { last | grep -E '^ +[0-9.]+%'; }
has() { rows | grep -Eq -- "$1"; }
refused() { # STATUS TEXT ARGS...
	local want=$1 text=$2
	shift 2
	timeout 20 "$PERF" top --stdio "$@" > "$T/out" 2> "$T/err"
	[ $? = "$want" ] && says "$text" && [ ! -s "$T/out" ]
}

"$W/burn" 1000000 0 1 & burn=$!
top -p $burn -e cpu-clock -d 0.3 -n
more 3
ok 'rows of a process'			has ' burn +\[\.\] burn_user$'
ok 'most of it'				eval 'rows | sort -rn | head -n 1 | grep -Eq "([5-9][0-9]|100)\.[0-9]+% .* burn_user"'
ok 'the state'				eval 'last | grep -Eq "^# perf top: [0-9]+ samples/s, kernel [0-9.]+ %, lost 0, perf top itself [0-9.]+ % of a CPU, [0-9.]+ MB"'
# What is not sampled any more fades: 7/8 of it are left each time.
kill -STOP $burn
fades() {
	"$PERF" --version > /dev/null
	tr -d '\0' < "$T/out" | awk '/burn_user$/ { n = $2; if (was && n == int(was * 7 / 8) && n < was) good++; else good = 0; was = n } END { exit good < 3 }'
}
ok 'rows decay by an eighth'		until_true fades
kill -CONT $burn
end
ok 'a signal ends it'				test $status = 0
ok 'nothing is said'			test ! -s "$T/err"

# The same stacks as in a recording, and those of another refresh do not count with -z.
top -p $burn -e cpu-clock:u -d 0.3 -g -z
more 2
ok '-g: call graphs from the program on' until_true eval 'last | grep -A 12 burn_user | grep -q _start'
kill -STOP $burn
ok '-z: nothing stays'			until_true eval '! rows | grep -q .'
kill -CONT $burn
kill $burn
ok 'the process ends, and so does it'	wait $top

# Sums, against a recording of the same time.
perl -e 'sub f { my $x = 0; $x += $_ for 1 .. 100; $x } f() while 1' & perl=$!
top -p $perl -e cpu-clock:u -F 3999 -d 0.5 --add-up -s sym -E 1000
rec -p $perl -e cpu-clock:u -F 3999 -- sleep 2
end
"$PERF" report -i "$T/data" --stdio -s sym 2> /dev/null | grep -E '^ +[0-9.]+%' | sort -k 3 > recorded
rows | sort -k 3 > shown
sums() {
	join -1 3 -2 3 recorded shown | awk '$2 + 0 > 3 { n++; d = $2 - $4; if (d > 6 || d < -6) { print; bad = 1 } } END { exit bad || n < 3 }'
}
ok 'the sums of a recording'		sums

# Which rows
top -p $perl -e cpu-clock -d 0.3 --comms perl --symbols Perl_pp_add -E 1000
more 2
ok '--symbols'				until_true eval 'has Perl_pp_add && [ "$(rows | wc -l)" = 1 ]'
end
top -p $perl -e cpu-clock -d 0.3 -E 2
more 2
ok '-E'					test "$(rows | wc -l)" = 2
end
top -p $perl -e cpu-clock -d 0.3 -U --comms none
more 2
ok '--comms: no such task'		eval '! rows | grep -q .'
end
top -C 0 -e cpu-clock -d 0.3 -K -s cpu,comm -E 1000
more 2
ok '-C'					eval 'has "^ +[0-9.]+% +000 " && ! has "% +00[1-9] "'
end
top -t $perl -e cpu-clock -c 3000000 -z -d 0.3 --show-total-period -s comm
more 2
ok '-t, -c, a column more'		eval 'rows | awk "\$2 % 3000000 == 0 && \$3 == \"perl\" { good = 1 } END { exit !good }"'
end
kill $perl
if may_trace; then
	# Sleeps of 50 ms: the sum of a second cannot be more than a second, and hardly half of it.
	python3 -c 'import time
while True: time.sleep(0.05)' & sleeper=$!
	top -p $sleeper --off-cpu-only -d 1 -z -s comm --show-total-period
	more 3
	slept() { rows | awk '$2 > 300000000 && $2 < 30000000000 && $3 == "python3" { good = 1 } END { exit !good }'; }
	ok '--off-cpu-only: how long it waits'	until_true slept
	end
	kill $sleeper
else
	skip '--off-cpu-only' 'no tracepoints here'
fi
if grep -q cgroup2 /proc/filesystems; then
	top -C 0 -e cpu-clock -d 0.3 -s cgroup,comm
	more 2
	ok '-s cgroup: they are recorded'	has '% +/'
	end
	own=$(awk -F: '$1 == 0 { print $3 }' /proc/self/cgroup)
	"$W/burn" 1000000 0 1 & burn=$!
	top -p $burn -e cpu-clock -d 0.3 --cgroups "$own" -s cgroup,comm
	more 2
	ok '--cgroups'			eval 'has "% +$own +burn"'
	end
	top -p $burn -e cpu-clock -d 0.3 --cgroups nosuchgroup
	more 2
	ok '--cgroups: another one'	eval '! rows | grep -q .'
	end
	kill $burn
fi

# Its reader goes away.
ok 'a reader that has gone'		timeout 60 bash -c '"$0" top --stdio -d 0.1 -e cpu-clock | head -n 1 > /dev/null; [ "${PIPESTATUS[0]}" = 0 ]' "$PERF"

ok 'no such process'			refused 1 'there is no process 2147483647' -p 2147483647
ok 'no such event'			refused 129 'nonsense' -e nonsense
ok 'no such key'			refused 1 'nonsense' -s nonsense -e cpu-clock
ok '-d 0'				refused 129 '-d needs seconds' -d 0
ok '-z and --add-up'			refused 129 '-z and --add-up exclude each other' -z --add-up
ok '--max-memory'			refused 129 '--max-memory needs a size' --max-memory 1K
ok '--call-graph table'			refused 129 'bpf and live are as complete' --call-graph table
ok 'an operand'				refused 129 'runs no command' true
ok 'an option of mainline'		refused 129 'perf annotate' --sym-annotate main

if [ "$(id -u)" = 0 ]; then
	paranoid_lock
	echo 2 > $sysctl
	: > "$T/out"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$(for_all "$W/burn")" 1000000 0 1 & burn=$!
	until_true grep -q '^Uid:.*65534' /proc/$burn/status
	# The walkers of root's recorder are that user's, too, who may not measure them.
	"$PERF" record -q -o "$T/root" -e cpu-clock --call-graph live -p $burn & root=$!
	walks() { grep -l '^Uid:.*65534' $(printf '/proc/%s/status ' $(pgrep -P $root)) 2> /dev/null; }
	until_true walks
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$T" "$(for_all "$PERF")" top --stdio -d 0.3 -s comm,sym > "$T/out" 2> "$T/err" & top=$!
	more 2
	ok 'not root: own processes'	eval 'has " burn +\[\.\] burn_user" && says "only processes of this user"'
	end
	kill $root $burn
	paranoid_unlock
else
	skip 'another user' 'needs root'
fi
finish
