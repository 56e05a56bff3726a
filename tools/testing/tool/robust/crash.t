#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every recording in crash/ through everything that reads, from a file and from a pipe, with the
# ordinary program and with the one built with AddressSanitizer and UndefinedBehaviorSanitizer
# (built by make test-tool): no report of the sanitizers, a status of 0 or 1, one line of error at
# most, and the same output from both programs.
#
# A file that once broke the tool is dropped into crash/ and tested from then on. crash/README says
# what each of them is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
O=$(realpath "${O:-build}")
perf=$(realpath "${PERF:-build/perf}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# libtraceevent loses memory on formats that it cannot parse.
echo leak:libtraceevent > "$tmp/suppressions"
# 77: nothing else ends with it.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:exitcode=77
export LSAN_OPTIONS=suppressions=$tmp/suppressions:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:exitcode=77
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null
cd "$here/crash" || exit 1
commands=(
	"script" "script --show-task-events --show-mmap-events --show-lost-events --show-round-events"
	"script --header" "report --stdio" "report --stdio --jobs 4" "report --stdio --children -g caller"
	"report -D" "report --stats" "report --tasks --mmaps" "report --folded"
)

# run PROGRAM OUT COMMAND...: the status
run() {
	local program=$1 out=$2
	shift 2
	timeout 120 "$program" "$@" --symfs /nonexistent > "$out" 2> "$out.err"
}

# Why the command in $@ is wrong, nothing if it is right. Standard input is the recording.
try() {
	local status other
	run "$O/test/perf-san" "$tmp/san" "$@" < <(cat "$f")
	status=$?
	run "$perf" "$tmp/plain" "$@" < <(cat "$f")
	other=$?
	if [ $status -gt 1 ] || grep -qa 'Sanitizer\|runtime error' "$tmp/san.err"; then
		echo "perf $*: status $status with the sanitizers"
		head -20 "$tmp/san.err"
	elif [ $other != $status ]; then
		echo "perf $*: status $other, $status with the sanitizers"
	# A stream has no time of its own: it was captured when it was read.
	elif ! cmp -s <(grep -av "^# captured on" "$tmp/san") <(grep -av "^# captured on" "$tmp/plain"); then
		echo "perf $*: other output with the sanitizers"
		diff "$tmp/plain" "$tmp/san" | head -10
	elif [ "$(grep -ca '^perf: ' "$tmp/san.err")" -gt $((status + $(grep -ca '^perf: warning: ' "$tmp/san.err"))) ]; then
		echo "perf $*: more than one line, or one with status 0"
		head -20 "$tmp/san.err"
	fi
}

set -- *.data
. "$lib/tap.sh"
for f; do
	for from in "$f" -; do
		for c in "${commands[@]}"; do
			# shellcheck disable=SC2086 # options are words
			try $c -i "$from"
		done > "$tmp/why"
		case $from in -) what="$f from a pipe" ;; *) what=$f ;; esac
		[ ! -s "$tmp/why" ]
		ok $? "$what" "$tmp/why"
	done
done
plan
