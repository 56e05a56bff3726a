#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Check the model of deferred unwinding with Spin: it holds in each of its
# configurations, and each of its mutants, broken in one place, is caught.
# MODEL_FULL=1: larger bounds, minutes and gigabytes. SPIN_JOBS: at a time.
set -u
here=$(dirname "$(readlink -f "$0")")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

small='-DNMIS=1'
cancel='-DCANCEL -DNMIS=1 -DIRQS=0 -DENTRIES=1'
sync='-DSYNC -DNMIS=0 -DIRQS=0 -DOPS=2'
events='-DEVENTS=1 -DNMIS=0 -DIRQS=0'
# EXPECTED ERRORS|NAME|DEFINES
runs=(
	"0|an NMI and an interrupt over two entries|$small"
	"0|two NMIs in an entry with two requests of the task|-DNMIS=2 -DIRQS=0 -DENTRIES=1 -DOPS=2"
	"0|a client cancelled, its bit given away, while an NMI requests|$cancel"
	"0|the same beside an interrupt that requests or flushes|-DCANCEL -DNMIS=0 -DENTRIES=1"
	"0|events in callbacks and behind the last look at the flags|-DEVENTS=2 -DNMIS=0 -DIRQS=0 -DOPS=2"
	"0|the same beside an NMI|-DEVENTS=1 -DNMIS=1 -DIRQS=0"
	"0|events that fire at every pass|$sync"
	"1|mutant: the cookie is stored without cmpxchg|$small -DMUTANT=1"
	"1|mutant: the state is stored without cmpxchg|$small -DMUTANT=2"
	"1|mutant: a completion leaves the bits set|$small -DMUTANT=3"
	"1|mutant: task work clears UNWIND_QUEUED last|$small -DMUTANT=4"
	"1|mutant: reset forgets a pending request|$small -DMUTANT=5"
	"1|mutant: exec does not queue the work again|$small -DMUTANT=6"
	"1|mutant: exit completes before PF_EXITING|$small -DMUTANT=7"
	"1|mutant: cancel does not wait for callbacks|$cancel -DMUTANT=8"
	"1|mutant: cancel does not wait for requests|$cancel -DMUTANT=9"
	"1|mutant: requests count after the completion for the return|$sync -DMUTANT=11"
	"1|mutant: a request behind the last look at the flags brings no irq_work|$events -DMUTANT=12"
	"1|mutant: requests count behind a signal, with the cookie from before|-DOPS=3 -DIRQS=0 -DNMIS=0 -DMUTANT=13"
	"1|mutant: walks while a signal changes the registers|-DOPS=2 -DIRQS=2 -DNMIS=0 -DENTRIES=1 -DMUTANT=14"
)
[ -z "${MODEL_FULL:-}" ] ||
	runs+=("0|two requests of the task in each of two entries|-DNMIS=1 -DOPS=2"
	       "0|two NMIs and an interrupt|-DNMIS=2 -DENTRIES=1")

one() { # NUMBER RUN
	local expected name defines dir=$tmp/$1 errors
	IFS='|' read -r expected name defines <<<"$2"
	mkdir "$dir" && cd "$dir" || return
	if ! { spin $defines -a "$here/deferred.pml" &&
	       gcc -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=1024 -o pan pan.c; } >log 2>&1; then
		echo "not ok $1 - $name: the model does not build"
		sed 's/^/# /' log
		return
	fi
	./pan -m1000000 >log 2>&1
	errors=$(sed -n 's/.*errors: \([0-9]*\)$/\1/p' log)
	if grep -q 'search not completed\|max search depth' log && [ "$expected" = 0 ]; then
		errors=incomplete
	fi
	if [ "$errors" = "$expected" ]; then
		echo "ok $1 - $name ($(sed -n 's/ *\([0-9e+.]*\) states, stored.*/\1/p' log) states)"
	else
		echo "not ok $1 - $name: $errors errors, $expected expected"
	fi
	sed -n 's/^pan:1: /# /p' log
}
export -f one
export here tmp

for i in "${!runs[@]}"; do
	printf '%d\0%s\0' $((i + 1)) "${runs[i]}"
done | xargs -0 -n 2 -P "${SPIN_JOBS:-$(nproc)}" bash -c 'one "$1" "$2" >"$tmp/$1.tap"' -
for i in "${!runs[@]}"; do
	cat "$tmp/$((i + 1)).tap"
done
echo "1..${#runs[@]}"
