#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf record --call-graph live: copies of stacks that the recorder walks. What is written is a plain recording with
# whole callchains, whatever the programs are made of; no stack is in it. That each callchain is the one
# that perf report finds in the copy is tested by unit/live.c.
. "$(dirname "$0")/../../lib/record.sh"
B=$W/burn

if [ "$(uname -m)" != x86_64 ]; then
	skip 'stacks walked while recording' 'on x86-64 only'
	finish
	exit
fi
# live ARGS...: record; -v says how many callchains there are, and how many of them are cut
live() { rec -v -F 1999 --call-graph live "$@"; }
# counted MIN PERCENT: at least MIN user callchains, not more than PERCENT of them cut, nothing lost
counted() {
	local n
	mapfile -t n < <(sed -n 's/^\([0-9]*\) user callchains were walked live, \([0-9]*\) are cut$/\1\n\2/p' "$T/err")
	[ "${n[0]:-0}" -ge "$1" ] && [ $((100 * n[1])) -le $(($2 * n[0])) ] && ! grep 'Lost' "$T/err"
}
small() { # BYTES: of each sample, at most
	local n
	n=$(sed -n 's/.*(\([0-9]*\) samples) \]$/\1/p' "$T/err")
	[ $(($(stat -c %s "$T/data") / n)) -le "$1" ] || { stat -c %s "$T/data"; echo "$n samples"; return 1; }
}
plain() { # what is recorded with frame pointers has nothing else
	! "$PERF" report -D -i "$1" 2> /dev/null | grep -aE 'ustack|user regs' &&
		! header "$1" 'STACK_USER|REGS_USER|exclude_callchain_user|stack_user|regs_user|watermark'
}

# What Debian's programs do: whole callchains, in a small file, that both readers print
seq 1 40000 | shuf > numbers
printf '%s\n' '#include <map>' '#include <string>' '#include <vector>' '#include <iostream>' \
	'int main() { std::map<std::string, int> m; std::vector<std::string> v; std::cout << m["x"] << v.size(); }' > big.cc
find /usr/lib/x86_64-linux-gnu -name 'lib*.so.*' -size -2M -type f 2> /dev/null | head -n 12 | xargs cat > blob
git init -q repo && for i in 1 2 3 4 5 6; do
	seq $i 7 90000 > repo/f && git -C repo add f && git -C repo -c user.name=t -c user.email=t commit -qm $i
done
programs() { # NAME PATTERN: as whom; which of them
	local p limit
	for p in "python3 -c 'import json
for i in range(1200): json.loads(json.dumps({str(j): [j] for j in range(300)}))'" \
		"perl -e 'sub f { my \$n = shift; return \$n ? 1 + f(\$n - 1) : length join q(,), sort 1 .. 500 } for (1 .. 2000) { f(30) }'" \
		"bash -c 'for ((i = 0; i < 30000; i++)); do x=\${x:0:10}\$i; done'" \
		'sort -n numbers numbers numbers numbers numbers numbers numbers numbers numbers' 'g++ -O1 -c big.cc -o /dev/null' \
		'git -C repo log -p --stat' 'gzip -c blob'; do
		[[ $p =~ $2 ]] || continue
		# Of sort some are cut until pages of its stacks are there.
		[[ $p == sort* ]] && limit=25 || limit=1
		live -e cpu-clock:u -- sh -c "exec $p"
		ok "$1: whole callchains in a small file: ${p%% *}" eval 'counted 20 $limit && small 450'
	done
}
programs root .
ok 'both readers'		same "$T/data" 30
ok 'a plain recording'		plain "$T/data"
ok 'the header says how'	eval '"$PERF" report --header-only -i "$T/data" | grep -q "callchains : of cpu-clock:u, walked by call frame"'
if [ "$(id -u)" = 0 ]; then
	chmod 777 "$T" && find "$T" -maxdepth 2 -exec chmod a+rX {} + && chmod -R a+w repo
	perf=$(for_all "$PERF")
	rec() {
		rm -f "$T/data"
		setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$T" "$perf" record -o "$T/data" "$@" > "$T/out" 2> "$T/err"
	}
	git config --file "$T/.gitconfig" safe.directory '*' && chmod a+r "$T/.gitconfig"
	programs nobody '^(python3|sort)'
	unset -f rec
	. /dev/stdin <<< "$(sed -n '/^rec() {/,/^}/p' "$lib/record.sh")"
else
	skip 'nobody' 'only root becomes somebody else'
fi

# Two pages of this stack are never used: at first copies end there.
cat > hole.c << 'C'
static volatile long sum;
static __attribute__((noinline)) void spin(void) { for (long i = 0; i < 1000000; i++) sum += i; }
static __attribute__((noinline)) void large(long n) { char array[20000]; array[0] = n; __asm__ volatile("" :: "r" (array) : "memory"); while (n--) spin(); }
int main(void) { large(600); return 0; }
C
gcc -O1 -fomit-frame-pointer -fno-stack-clash-protection -o hole hole.c || exit 1
live -e cpu-clock:u -- ./hole
ok 'pages of the stack that were never used' counted 200 25

# Tasks that come and go
live -e cpu-clock:u -- python3 -c 'import threading
for i in range(4): threading.Thread(target=sorted, args=(range(400000),), kwargs=dict(key=lambda x: -x)).start()'
ok 'threads'			counted 10 1
live -F 5000 -e cpu-clock:u -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (for j in 1 2 3 4 5 6 7 8 9 10; do /bin/true & done; wait); done'
ok 'a storm of processes'	counted 10 2
late_libraries 20000000
live -e cpu-clock:u -- ./late ./lib1.so ./lib2.so ./lib3.so
ok 'libraries that come and go'	in_libraries
ok 'libraries: whole'		counted 10 1

# A buffer has room for few copies: root's recorder runs before what it measures.
if [ "$(id -u)" = 0 ]; then
	live -e cpu-clock:u -- sh -c 'awk "{ print \$19 }" /proc/$$/stat /proc/$PPID/task/*/stat'
	priorities() { head -n 1 "$T/out" | grep -qx "$(awk '{ print $19 }' /proc/self/stat)" && [ "$(grep -cx -- -20 "$T/out")" = 2 ]; }
	ok 'the priority of the recorder, not of the command'	priorities
fi

# What is written, and how
live -e cpu-clock -z -- "$B" 300
ok '-z'				eval 'counted 10 5 && same "$T/data" 10 && plain "$T/data"'
"$PERF" record -F 1999 --call-graph live -e cpu-clock -o - -- "$B" 300 > "$T/data" 2> "$T/err"
# Theirs prints addresses relative to the map, also that behind the last system call, which has no
# symbol.
lines() {
	"$1" script --no-inline -i - -F tid,time,ip,sym < "$T/data" | squeeze |
		sed 's/^[0-9a-f]* \([[a-z_]\)/\1/' | sort
}
piped() {
	lines "$THEIRS" > theirs
	lines "$PERF" | diff theirs - && [ "$(wc -l < theirs)" -gt 40 ]
}
ok 'a pipe'			piped
live -e cpu-clock -m 64 --switch-output=20K -- "$B" 800
switched() { local n=("$T"/data.*) f; [ ${#n[@]} -gt 1 ] || return 1; for f in "${n[@]}"; do plain "$f" && same "$f" || return 1; done; }
ok '--switch-output'		switched
live -e cpu-clock --overwrite -- "$B" 300
ok '--overwrite'		eval 'same "$T/data" 5 && plain "$T/data"'
mkfifo control answer
"$B" 60000 & burner=$!
live -e cpu-clock:u -D -1 --control "fifo:$T/control,$T/answer" -p $burner & recorder=$!
exec 7> control 8< answer
ran() { cut -d' ' -f14 "/proc/$burner/stat"; }	# in hundredths of a second
controlled() {
	local word answer until
	for word in ping enable snapshot disable enable disable stop; do
		echo $word >&7 && read -r -t 60 -u 8 answer && [ "$answer" = ack ] || return 1
		[ $word = enable ] || continue
		until=$(($(ran) + 10))
		while [ "$(ran)" -lt $until ]; do sleep 0.02; done
	done
	wait $recorder && counted 20 5 && same "$T/data" 20 && plain "$T/data"
}
ok '--control: enable, disable, stop' controlled
exec 7>&- 8<&-
kill $burner
live -e cpu-clock -m 16 -F 20000 -- "$B" 500
ok 'lost records'		eval 'says Lost && same "$T/data" 5 && plain "$T/data"'
live -e cpu-clock:k -- "$B" 100
ok 'events of the kernel alone: frame pointers' eval '! grep -q live "$T/err"'
if may_trace; then
	sleeps='import time; [time.sleep(0.001) for i in range(50)]'
	live -e sched:sched_switch -e cpu-clock -- python3 -c "$sleeps"
	ok 'tracepoints'	eval 'counted 50 2 && same "$T/data" 5 && plain "$T/data"'
	live --off-cpu -e cpu-clock -- python3 -c "$sleeps"
	ok '--off-cpu'		eval 'counted 50 2 && plain "$T/data"'
fi
rec -v -e cpu-clock -F 1999 -g -- perl -e 'for (1 .. 400) { $s = join q(,), sort 1 .. 1000 }'
chosen() {
	grep -q 'as --call-graph table' "$T/err" || {
		says 'as --call-graph bpf' && ! grep -E 'are cut:|Lost' "$T/err" &&
			[ "$(sed -n 's/^\([0-9]*\) user callchains were walked by BPF.*/\1/p' "$T/err")" -ge 20 ]
	}
}
[ "$(id -u)" = 0 ] || chosen() { says 'as --call-graph live' && counted 20 5; }
ok '-g means bpf for root, else live, where the kernel takes no tables' chosen
rec -vv -e cpu-clock -g --overwrite --dry-run true
ok '-g: fp, and why'		says 'not live, as --overwrite keeps few copies of stacks'
printf '[call-graph]\n\trecord-mode = live\n' > config
PERF_CONFIG=$T/config rec -v -e cpu-clock -g -- "$B" 50
ok 'call-graph.record-mode = live' says 'walked live'
rec --call-graph live,99999 true
ok '--call-graph live,SIZE: too large' says "'99999' is no size of a stack dump"
rec --call-graph live,1024 -v -e cpu-clock -F 1999 -- python3 -c 'sorted(range(3000000), key=lambda x: -x)'
ok '--call-graph live,SIZE: cut where the copy ends' says 'where the copy of the stack ends' '--call-graph live,8192'
rec --call-graph live --user-regs=ip -e cpu-clock -- "$B" 50
ok 'with --user-regs: frame pointers, and said so' says '--user-regs has the registers in the file: recording as fp'
finish
