#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Callchains are true: programs whose every function has one caller, at one line (program.py), are
# recorded in every mode and of every target, and each sample's chain is compared by function, line
# and inlined functions (check.py).
#
# Without TRUTH_ALL=1 a command is recorded by all modes, other targets by every other one, and of a
# command alone all outputs are compared. With it (make test-all) all are, of more builds. Builds
# take their turn.
. "$(dirname "$0")/../../lib/record.sh"

clang='--cc clang --cxx clang++'
builds=('--cxx g++' "$clang" '--cxx g++ --level=-O0 --static' "$clang --level=-O3 --static"
	'--cxx g++ --level=-O3 --no-plt' "$clang --level=-O0" '--arch i386 --unnamed')
fp_builds=('--fp' '--fp --cc clang --level=-O3' '--fp --level=-O0 --static')
if [ -n "${TRUTH_ALL:-}" ]; then
	builds+=("$clang --static" '--cxx g++ --static' '--arch i386 --unnamed --level=-O0' '--cxx g++ --level=-O0'
		"$clang --level=-O3 --no-plt" '--arch i386 --unnamed --level=-O3 --static')
	fp_builds+=('--fp --cc clang' '--fp --level=-O3' '--fp --cc clang --level=-O0 --static')
fi
export TRUTH_COMM=truth$$
build() { # NAME SEED OPTION...
	mkdir "$T/$1" && python3 "$here/program.py" --seed "$2" "${@:3}" "$T/$1" || return
	mv "$T/$1/truth" "$T/$1/$TRUTH_COMM"
	[[ " ${*:3} " != *' i386 '* ]] || touch "$T/$1/i386"
}
for i in "${!builds[@]}"; do
	eval "build b$i $i ${builds[i]}" & pids+=($!)
	[ $((i % 2)) = 0 ] || wait -n
done
for i in "${!fp_builds[@]}"; do
	eval "build f$i $i ${fp_builds[i]}" & pids+=($!)
	[ $((i % 2)) = 0 ] || wait -n
done
for p in "${pids[@]}"; do wait "$p" || { ok 'the programs are built' false; finish; exit 1; }; done

modes=(live dwarf,32768 bpf fp)
E=(-v -e cpu-clock:u -c 1000000)

# record TARGET MODE FOLDER: $T/data. The program ends by itself, after so much processor time.
ms=600
start() { # FOLDER COMMAND...: by a command that executes it
	"${@:2}" "$T/$1/$TRUTH_COMM" $ms & running=$!
	until_true grep -q $TRUTH_COMM "/proc/$running/comm"
}
# until it ends
beside() {
	begin "$@"
	wait "$running"
	kill -INT "$recorder"
	wait "$recorder"
}
record() {
	local m=$2 p=$T/$3/$TRUTH_COMM
	case $1 in
	command)	rec "${E[@]}" --call-graph "$m" -- "$p" $ms;;
	-a)		rec "${E[@]}" -m 16M -a --call-graph "$m" -- "$p" $ms;;
	-p)		start "$3"; rec "${E[@]}" -p "$running" --call-graph "$m"; wait "$running";;
	-t)		start "$3"; rec "${E[@]}" -t "$running" --call-graph "$m"; wait "$running";;
	-u)		start "$3"; beside "${E[@]}" -m 16M -u "$(id -u)" --call-graph "$m";;
	-u-nobody)	chmod -R a+rX "$T"
			start "$3" setpriv --reuid 65534 --clear-groups
			beside "${E[@]}" -m 16M -u 65534 --call-graph "$m";;
	cgroup)		"$T/$3/$TRUTH_COMM" $ms & running=$!
			echo $running > "$cgroup/cgroup.procs"
			beside "${E[@]}" -m 16M -a -G "${cgroup##*/}" --call-graph "$m";;
	--threads)	rec "${E[@]}" -m 16M -a --threads --call-graph "$m" -- "$p" $ms;;
	-z)		rec "${E[@]}" -z --call-graph "$m" -- "$p" $ms;;
	pipe)		"$PERF" record "${E[@]}" -o - --call-graph "$m" -- "$p" $ms 2> "$T/err" | cat > "$T/data";;
	switch-output)	rec "${E[@]}" --switch-output=250ms --call-graph "$m" -- "$p" $ms;;
	inject)		rec "${E[@]}" --call-graph "$m" -- "$p" $ms
			"$PERF" inject --convert-callchain -i "$T/data" -o "$T/data2" 2>> "$T/err"
			mv "$T/data2" "$T/data";;
	# (of a process that runs already: its mappings are not lost)
	lost)		start "$3"; rec -v -e cpu-clock:u -c 40000 -m 1 -p "$running" --call-graph "$m"
			wait "$running";;
	# (one sample at a tick of the kernel's, which are 4 ms)
	ptrace)		rec --sampler ptrace -F 1000 -- "$p" $((4 * ms));;
	wall)		rec --wall -F 1000 -- "$p" $((4 * ms));;
	kernel)		rec -v -e cpu-clock -c 1000000 --call-graph "$m" -- "$p" $ms;;
	esac
}
fields=comm,tid,ip,sym,symoff,dso,srcline
script() { # the recording's text; of several files all
	local f
	for f in "$T"/data "$T"/data.2*; do
		[ ! -e "$f" ] || "$PERF" script -i "$f" -F $fields "${comms[@]}" 2>> "$T/err" || return 1
	done
}

# compare FOLDER MODE FORMAT < TEXT: $T/figures. No chain is wrong; one that is cut has its reason:
# - a frame of 100,000 bytes does not fit into the copy of a stack
# - the copy ends at a page of a frame that was never touched
# - the kernel has nothing but frame pointers
compare() {
	local fp=() cut=nothing
	case $2 in
	fp)		fp=(--fp) cut='no frame pointer';;
	live | dwarf*)	cut='ends at [^ ]*(huge|page)';;
	# (walked as a copy, which is asked for until a file's table is there)
	bpf)		! grep -Eq 'walked live, [1-9][0-9]* are cut' "$T/err" || cut='ends at [^ ]*huge';;
	esac
	# (a BPF program asks for copies of its stacks)
	[ ! -e "$T/$1/i386" ] || cut="ends at [^ ]*(huge|page)"
	[ "$2" != bpf ] || ! grep -q 'are cut: the buffers had no room' "$T/err" || cut='ends at'
	python3 "$here/check.py" "${fp[@]}" --cut "$cut" "${@:3}" "$T/$1/truth.json" > "$T/figures"
}
# output FORMAT TARGET: what perf prints of the recording
output() {
	# (another test's program has functions of these names)
	local comms=(--comms $TRUTH_COMM)
	[ "$2" != lost ] || comms=()
	case $1 in
	script)			script;;
	folded)			"$PERF" report -i "$T/data" --folded;;
	graph | callee)		"$PERF" report -i "$T/data" --stdio --no-children --percent-limit 0 \
					-g "graph,0,${1/graph/caller},srcline,count";;
	json | jsonl)		"$PERF" data convert -i "$T/data" "--to-$1" - --comms $TRUTH_COMM;;
	pprof)			"$PERF" data convert -i "$T/data" --to-pprof "$T/pprof.gz" --comms $TRUTH_COMM &&
					go tool pprof -raw "$T/pprof.gz";;
	annotate)		"$PERF" annotate -i "$T/data" -n --percent-limit 0 "${comms[@]}";;
	esac 2>> "$T/err"
}
n=0
check() { # TARGET MODE FOLDER
	local i=${3#?} what=${builds[${3#?}]:-} f status options

	[[ $3 != f* ]] || what=${fp_builds[i]}
	record "$@"
	if [ "$1" = --threads ] && [[ $2 != dwarf* && $2 != fp ]]; then
		ok "$1, $2: said to be recorded as fp"	says "recording as"
		return
	fi
	for f in script folded graph callee json jsonl pprof annotate; do
		[ $f = script ] || [ "$1" = command ] || [ -n "${TRUTH_ALL:-}" ] || break
		[ $f = script ] || [ -e "$T/data" ] || break	# --switch-output
		options=()
		case $f in
		graph | callee)	options=(--least 10);;	# chains, not samples
		# (without samples in libraries)
		annotate)	options=(--least 30 --script "$T/script");;
		esac
		output $f "$1" > "$T/$f"
		compare "$3" "$2" "${options[@]}" $f < "$T/$f"
		status=$?
		ok "$1, $2, $what: $f: $(head -n 1 "$T/figures")" test $status = 0
		[ $f != script ] && [ $status = 0 ] || sed '1d; s/^/# /; s/^\(.\{400\}\).*/\1/' "$T/figures"
	done
	rm -rf "$T"/data*
}
targets=(command -a -p -t -u -u-nobody --threads -z pipe switch-output inject kernel cgroup lost)
# One that perf events can be in; its processes end before it does.
cgroup=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/truth$$
mkdir "$cgroup" 2> /dev/null || cgroup=
cleanup_hooks+=('[ -z "$cgroup" ] || rmdir "$cgroup"')
for t in "${!targets[@]}"; do
	for m in "${!modes[@]}"; do
		[ -n "${TRUTH_ALL:-}" ] || [ $t = 0 ] || [ $((m % 2)) = $((t % 2)) ] || continue
		if [ "${targets[t]}" = cgroup ] && [ -z "$cgroup" ]; then
			skip "cgroup, ${modes[m]}" 'no cgroup can be made here'
			continue
		fi
		if [ "${targets[t]}" = -u-nobody ] && [ "$(id -u)" != 0 ]; then
			skip "-u-nobody, ${modes[m]}" 'only root may be another user'
			continue
		fi
		[ "${targets[t]}" != lost ] || [ "${modes[m]}" = bpf ] || continue
		# What inject converts has copies.
		[ "${targets[t]}" != inject ] || [[ ${modes[m]} = dwarf* ]] || continue
		folder=b$((n % ${#builds[@]}))
		[ "${modes[m]}" != fp ] || folder=f$((n % ${#fp_builds[@]}))
		n=$((n + 1))
		check "${targets[t]}" "${modes[m]}" $folder
	done
done
# (one mode; the threads that it stops are at any instruction)
for i in "${!builds[@]}"; do
	check ptrace live b$i
	[ -z "${TRUTH_ALL:-}" ] && [ $((i % 3)) != 0 ] || check wall live b$i
done
finish
