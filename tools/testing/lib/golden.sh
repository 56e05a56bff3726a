#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# golden.sh PERF OUTDIR KIND...: print each golden recording in the ways of
# ../golden/c/expected and compare with what mainline's perf printed, in TAP. KIND
# is a shell pattern: "script*", "report-D", "header", "report-g-*".
#
# Comparisons that are not byte for byte are in ../golden/c/differences.txt (and in the
# file that GOLDEN_DIFFERENCES names), each with its reason; GOLDEN_SKIP is a recording
# that is left out. GOLDEN is another folder than ../golden/c, and GOLDEN_ARGS more options for
# all kinds but report-D and header. A failing test's difference is left in
# OUTDIR/NAME.KIND.diff and its first lines are shown. What mainline's perf printed is corrected by
# joined.patch beside the recordings, unless GOLDEN_AS_MAINLINE is set.
set -u
here=$(cd "$(dirname "$0")" && pwd)
golden=${GOLDEN:-$here/../golden/c}
tables=("$golden/differences.txt" ${GOLDEN_DIFFERENCES:+"$GOLDEN_DIFFERENCES"})

[ $# -ge 3 ] || { echo "usage: golden.sh PERF OUTDIR KIND..." >&2; exit 129; }
perf=$(realpath "$1") out=$2
shift 2
mkdir -p "$out/expected"
out=$(cd "$out" && pwd)
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null HOME=$out

for a in "$golden"/expected/*.tar.xz; do
	tar -C "$out/expected" -xJf "$a" || exit 1
done
if [ -e "$golden/joined.patch" ] && [ -z "${GOLDEN_AS_MAINLINE:-}" ]; then
	patch -s -p1 -d "$out/expected" < "$golden/joined.patch" || exit 1
fi

# What generate-expected.sh ran for each kind.
run() {
	local f=$1 args="--symfs symfs --kallsyms kallsyms"

	[ "$2" = report-D ] || args+=${GOLDEN_ARGS:+ $GOLDEN_ARGS}
	case $2 in
	header)			"$perf" report --header-only -i "$f" ;;
	report-D)		"$perf" report -D -i "$f" $args ;;
	script)			"$perf" script -i "$f" $args ;;
	script-no-merge)	"$perf" script --no-merge-callchains -i "$f" $args ;;
	script-fields)		"$perf" script -i "$f" $args -F comm,pid,tid,time,event,ip,sym,dso ;;
	script-hide-callgraph)	"$perf" script -i "$f" $args -G ;;
	script-plus)		"$perf" script -i "$f" $args -F +pid,+misc ;;
	script-max)		"$perf" script -i "$f" $args --max-stack 2 ;;
	script-task-mmap)	"$perf" script -i "$f" $args --show-task-events \
					--show-mmap-events --show-lost-events ;;
	report-default)		report "$f" ;;
	report-no-children)	report "$f" --no-children ;;
	report-g-none)		report "$f" -g none ;;
	report-g-caller)	report "$f" -g caller ;;
	report-g-callee)	report "$f" -g callee --no-children ;;
	report-g-flat)		report "$f" -g flat --no-children ;;
	report-g-folded)	report "$f" -g folded --no-children ;;
	report-sort)		report "$f" -g none --sort comm,dso,sym ;;
	report-sort-pid)	report "$f" -g none --sort pid,cpu ;;
	report-limit)		report "$f" --percent-limit 5 --no-children ;;
	report-n)		report "$f" -n -g none --no-children ;;
	report-tasks)		"$perf" report --tasks -i "$f" ;;
	report-cpu-util)	report "$f" -g none --show-cpu-utilization ;;
	report-total)		report "$f" -g none -s dso --show-total-period --no-children ;;
	*)			echo "golden.sh: no command is known for $2" >&2; return 125 ;;
	esac
}

report() {
	local f=$1
	shift
	"$perf" report --stdio -i "$f" $args "$@"
}

# Paragraphs as lines, sorted: a set of samples, of records or of callchains.
as_set() {
	awk 'BEGIN { RS = ""; FS = "\n" } { $1 = $1; gsub(/\n/, "\001"); print }' OFS='\001' | sort
}

# Filters that the table names ("status:N" is the exit status that is wanted instead of 0). Each reads stdin; $1 is "ours" or "theirs".
filter() {
	case $1 in
	identical)	cat ;;
	set)		as_set ;;
	lines)		sort ;;
	*)		sed -E "${1#sed:}" ;;
	esac
}

# The rules of the tables for NAME KIND, one a line: FILTER # reason
rules() {
	while read -r n k how; do
		case $n in ''|'#'*) continue ;; esac
		# shellcheck disable=SC2053
		[[ $1 == $n && $2 == $k ]] && echo "$how"
	done < <(cat "${tables[@]}")
}

tests=()
for kind in "$@"; do
	for e in "$out"/expected/*; do
		b=${e##*/}
		for d in "$golden"/*.data; do
			n=${d##*/} n=${n%.data}
			case $b in "$n".*) ;; *) continue ;; esac
			[ "$n" != "${GOLDEN_SKIP:-}" ] || continue
			k=${b#"$n".}
			# shellcheck disable=SC2053
			[[ $k == $kind ]] && tests+=("$n $k")
		done
	done
done
[ ${#tests[@]} -gt 0 ] || { echo "Bail out! no expectation matches $*"; exit 1; }

echo "1..${#tests[@]}"
cd "$golden" || exit 1
nr=0 failed=0
for t in "${tests[@]}"; do
	n=${t% *} k=${t#* } b=$n.$k
	nr=$((nr + 1))
	run "$n.data" "$k" < /dev/null > "$out/$b.out" 2> "$out/$b.err"
	status=$?
	cp "$out/expected/$b" "$out/$b.theirs"
	# report's own account and the random tip: see ../golden/c/README.md
	sed -e '/^# Deferred callchains:/d' -e '/^# (Tip: /d' "$out/$b.out" > "$out/$b.ours"
	why= want=0
	while IFS= read -r rule; do
		how=${rule%% # *}
		why="$why # ${rule#* # }"
		case $how in status:*) want=${how#status:}; continue ;; esac
		for side in ours theirs; do
			filter "$how" < "$out/$b.$side" > "$out/$b.tmp" && mv "$out/$b.tmp" "$out/$b.$side"
		done
	done < <(rules "$n" "$k")
	if diff -u "$out/$b.theirs" "$out/$b.ours" > "$out/$b.diff" && [ $status = $want ]; then
		rm -f "$out/$b".{diff,ours,theirs,out,err}
		echo "ok $nr - $n $k${why/ #/:}"
	else
		failed=$((failed + 1))
		echo "not ok $nr - $n $k"
		echo "# status $status; $out/$b.diff:"
		sed -n '3,12s/^/# /p' "$out/$b.diff"
		head -n 3 "$out/$b.err" | sed 's/^/# stderr: /'
	fi
done
[ $failed = 0 ]
