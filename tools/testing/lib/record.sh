# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of perf record share: TAP, a scratch folder, and two readers:
# our own script and Debian's perf.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
O=$(realpath "${O:-$lib/../../../build}")
PERF=$(realpath "${PERF:-$O/perf}")
W=$(realpath "$O/test/workloads")
THEIRS=/usr/bin/perf
# debian script|report ARGS...: Debian's perf without names of kernel functions, whose reading
# is five sixths of its time
debian() { "$THEIRS" "$1" --kallsyms /dev/null "${@:2}"; }
T=$(mktemp -d) || exit 1
# for_all FILE: path of a copy that all users may run, whoever may enter the folder of the tree
for_all() { chmod a+rx "$T" && install -m 755 -D -t "$T/for-all" "$1" && echo "$T/for-all/${1##*/}"; }
export LC_ALL=C HOME=$T PERF_CONFIG=/dev/null DEBUGINFOD_URLS=
cd "$T" || exit 1
cleanup_hooks=()
cleanup() {
	local h
	for h in "${cleanup_hooks[@]:-}"; do eval "$h"; done
	kill $(jobs -p) 2> /dev/null
	cd / && rm -rf "$T"
}
trap cleanup EXIT
# On a busy machine the kernel lowers the limit, and nothing raises it again.
max_rate=/proc/sys/kernel/perf_event_max_sample_rate
[ "$(cat $max_rate)" -ge 100000 ] || { echo 100000 > $max_rate; } 2> /dev/null || :

# ok DESCRIPTION COMMAND...: passes when the command does; shows $T/err when not
ok() {
	local what=$1
	shift
	nr=$((nr + 1))
	if "$@" > "$T/ok.out" 2>&1; then
		echo "ok $nr - $what"
	else
		echo "not ok $nr - $what"
		failed=$((failed + 1))
		echo "# failed: $*"
		head -n 5 "$T/ok.out" | sed 's/^/# /'
		[ ! -e "$T/err" ] || head -n 8 "$T/err" | sed 's/^/# stderr: /'
	fi
}

finish() {
	if [ "$not_dumped" -gt 0 ]; then
		skip "$not_dumped comparisons of raw dumps" 'this perf report has no -D'
	fi
	plan
}

# rec ARGS...: perf record -o $T/data; its stderr in $T/err, its status in $status
rec() {
	rm -rf "$T/data"
	"$PERF" record -o "$T/data" "$@" > "$T/out" 2> "$T/err"
	status=$?
	return 0
}

# begin ARGS...: the same in the background ($recorder). When it returns all events are
# open, signals end it orderly, and the file has its head. What stands in $BEFORE comes
# before perf: "prlimit ...".
begin() {
	rm -rf "$T/data"
	${BEFORE:-} "$PERF" record -o "$T/data" "$@" > "$T/out" 2> "$T/err" & recorder=$!
	until_true test -s "$T/data"
}

# until_true COMMAND...: what another process will do; at most a minute
until_true() {
	for _ in $(seq 1200); do
		"$@" && return
		sleep 0.05
	done
	echo "not within a minute: $*" >&2
	return 1
}

# paranoid_lock: from here to paranoid_unlock, or the end, kernel.perf_event_paranoid is this
# test's: tests run side by side, other trees' too, and one that is not root sees it.
sysctl=/proc/sys/kernel/perf_event_paranoid
paranoid_lock() {
	exec 9< $sysctl
	flock 9
	was=$(cat $sysctl)
}
paranoid_unlock() {
	[ ! -w $sysctl ] || echo "$was" > $sysctl
	exec 9>&-
}

# may_trace: tracepoints can be used here; perf mounts tracefs for root
may_trace() {
	[ "$(id -u)" = 0 ] || [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]
}

# attr EVENT LINE...: --dry-run -vv of -e EVENT shows each LINE (blanks squeezed)
attr() {
	local l
	"$PERF" record --dry-run -vv -e "$1" true 2>&1 | tr -s ' ' | sed 's/^ //' > "$T/attr"
	shift
	for l in "$@"; do
		grep -Fxq -- "$l" "$T/attr" || { echo "no line '$l' in:"; cat "$T/attr"; return 1; }
	done
}

# same FILE [AT-LEAST]: both readers print the same samples, and not too few:
# who, when and what by script; addresses and callchains by the raw dump, for the
# perf that Debian has prints some of them relative to their maps. The order of
# samples is not compared: one time may be that of two. Nor are names, unless
# FIELDS says so: for samples behind a task's exit the two differ on purpose.
same() {
	local min=${2:-1} n
	local fields=${FIELDS:-pid,tid,time,event}
	debian script -i "$1" -G -F $fields 2> "$T/theirs.err" | squeeze > "$T/theirs.txt"
	"$PERF" script -i "$1" -G -F $fields 2> "$T/ours.err" | squeeze > "$T/ours.txt"
	n=$(wc -l < "$T/theirs.txt")
	[ "$n" -ge "$min" ] || { echo "$n samples, at least $min were expected"; head -n 3 "$T/theirs.err"; return 1; }
	diff "$T/theirs.txt" "$T/ours.txt" || { head -n 3 "$T/ours.err"; return 1; }
	raw debian "$1" > "$T/theirs.raw"
	raw "$PERF" "$1" > "$T/ours.raw"
	if [ ! -s "$T/ours.raw" ] && [ "$n" -gt 0 ]; then
		not_dumped=$((not_dumped + 1))
		return
	fi
	diff "$T/theirs.raw" "$T/ours.raw"
}
not_dumped=0
squeeze() {
	tr -s ' \t' ' ' | sed -e 's/^ //' -e 's/ $//' -e '/^$/d' | sort
}
# A line per sample: its place and contents, its callchain behind it.
raw() {
	"$1" report -D -i "$2" 2>/dev/null | awk '
		function out() { if (line != "") print line; line = "" }
		/PERF_RECORD_SAMPLE/ { out(); line = substr($0, index($0, "0x")); next }
		/^\.+ +[0-9]+: [0-9a-f]+/ && line != "" { line = line " " $3; next }
		/PERF_RECORD_/ { out() }
		END { out() }' | sort
}

# no_complaint FILE: Debian's perf reads it without a word. 6.1 fails at BPF programs that other
# tests load (-a needs --no-bpf-event), 6.12 does not come back from another process's mount
# namespace in a chroot, and says so.
no_complaint() {
	debian report -D -i "$1" > "$T/dump" 2> "$T/dump.err" || return 1
	! grep -vE '^$|kptr|kallsyms|util/namespaces.c' "$T/dump.err"
}

# whole FILE: the same, but losses are reported, and no fault of the file
whole() {
	no_complaint "$1" | grep -vE 'Warning:|Processed|Check IO' > "$T/left"
	cat "$T/left"
	[ ! -s "$T/left" ]
}

# says TEXT...: the recording's stderr has each of these
says() {
	local t
	for t in "$@"; do
		grep -Fq -- "$t" "$T/err" || { echo "not said: $t"; return 1; }
	done
}

header() { # FILE PATTERN: a line of the header matches
	"$THEIRS" report --header-only -I -i "$1" 2>/dev/null | grep -aEq -- "$2"
}

records() { # FILE TYPE: how many records of a type
	# perf 6.12 in a chroot does not come back from the mount namespace of another process.
	{ debian report -D -i "$1" 2>"$T/records.err" || ! grep -q 'assertion failed at util/namespaces.c' "$T/records.err" ||
		echo lost-namespace; } >"$T/records"
	[ "$(tail -n 1 "$T/records")" != lost-namespace ] || "$PERF" report -D -i "$1" >"$T/records" 2>/dev/null
	grep -ac "PERF_RECORD_$2[ :(]\|PERF_RECORD_$2$" "$T/records"
}

script_has() { # FILE PATTERN [perf script's options...], as READER prints it, or Debian's perf
	local f=$1 p=$2
	shift 2
	"${READER:-debian}" script -i "$f" "$@" 2>/dev/null | grep -aEq -- "$p"
}

# late_libraries N: ./late, which opens, runs and closes the libraries that it is given, and ./lib1.so to ./lib3.so,
# whose function spin has inner1 to inner3 loop N times
late_libraries() {
	local i

	cat > late.c <<- C
	#include <dlfcn.h>
	int main(int argc, char **argv)
	{
		for (int i = 1; i < argc; i++) {
			void *h = dlopen(argv[i], RTLD_NOW);
			void (*f)(int) = (void (*)(int))dlsym(h, "spin");

			f($1);
			dlclose(h);
		}
		return 0;
	}
	C
	for i in 1 2 3; do
		echo "volatile long x$i; static void inner$i(int n) { while (n--) x$i += n * $i; } void spin(int n) { inner$i(n); }" > lib$i.c
		gcc -O1 -fno-inline -fno-optimize-sibling-calls -fomit-frame-pointer -shared -fPIC -o lib$i.so lib$i.c || exit 1
	done
	gcc -O1 -fomit-frame-pointer -o late late.c || exit 1
}

# Are callchains of all three libraries in $T/data?
in_libraries() {
	local i
	for i in 1 2 3; do
		"$PERF" script -i "$T/data" -F ip,sym,dso 2> /dev/null | tr '\n\t' '  ' | grep -q "inner$i (.*lib$i.so) *[0-9a-f]* spin (.*lib$i.so) *[0-9a-f]* main" || return 1
	done
}
