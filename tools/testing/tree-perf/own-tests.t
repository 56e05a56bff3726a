#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The series' own tests (perf test), in the tree's way: the unit test here, and the shell
# test, which records, as far as the kernel that runs here goes.
set -u
patches=$(cd "$(dirname "$0")/../../../patches/perf-6.12" && pwd)
perf=$(realpath "$PERF")
pic=$(mktemp -d) || exit 1
trap 'rm -rf "$pic"' EXIT
export PERF_CONFIG=/dev/null
cd "$SRC/tools/perf" || exit 1
nr=0 failed=0
result() {
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then echo "ok $nr - $2"; else echo "not ok $nr - $2"; failed=1; fi
}

n=$("$perf" test list 2>&1 | sed -n 's/^ *\([0-9]*\): Deferred callchains$/\1/p')
"$perf" test -v "${n:-none}" >"$O/test/tree-perf/unit.log" 2>&1
sed 's/^/# /' "$O/test/tree-perf/unit.log"
for t in 'Merge by thread, cookie and time' 'Hold what is later' 'Bound of what is held' \
	 'Malformed records' 'Synthesized records' 'One event has the records'; do
	grep -q "$t *: Ok" "$O/test/tree-perf/unit.log"
	result $? "$t"
done

n=$("$perf" test list 2>&1 | sed -n 's/^ *\([0-9]*\): Unwind tables$/\1/p')
"$perf" test -v "${n:-none}" >"$O/test/tree-perf/tables.log" 2>&1
sed 's/^/# /' "$O/test/tree-perf/tables.log"
for t in 'Rules of a known function' 'Malformed files'; do
	grep -q "$t *: Ok" "$O/test/tree-perf/tables.log"
	result $? "$t"
done

# On a kernel without the feature it ends with 2 when the fallback is right.
PATH=$(dirname "$perf"):$PATH tests/shell/record_deferred_callchain.sh >"$O/test/tree-perf/shell.log" 2>&1
status=$?
sed 's/^/# /' "$O/test/tree-perf/shell.log"
if grep -q 'Skipped: cannot record' "$O/test/tree-perf/shell.log"; then
	nr=$((nr + 1))
	echo "ok $nr - record # SKIP perf_event_open() is not allowed here"
else
	[ $status = 0 ] || { [ $status = 2 ] && grep -q 'all but the fallback' "$O/test/tree-perf/shell.log"; }
	result $? 'record_deferred_callchain.sh'
fi

# Wrong input, in one line, and what was readable before it.
result_of() { "$perf" record -o /dev/null --call-graph "$1" true 2>&1; }
result_of 'fp,defer' | grep -q 'Captured'
result $? '--call-graph fp,defer'
! result_of 'dwarf,defer' | grep -q 'Captured'
result $? '--call-graph dwarf,defer is refused'
result_of table | grep -q 'Captured'
result $? '--call-graph table'
! result_of table,8 | grep -q 'Captured'
result $? '--call-graph table,8 is refused'

# The tree's defaults build a Python module, too, which this perf is built without: a shared object
# with all of perf in it. The files that the series adds, compiled once more, must go into one.
for c in $(sed -n '/^--- \/dev\/null/{n;s,^+++ b/tools/perf/\(.*\)\.c$,\1,p}' "$patches"/*.patch); do
	command=$(sed -n 's/^cmd_[^ ]* := //p' "$(dirname "$perf")/${c%/*}/.${c##*/}.o.cmd" | sed 's/-Wp,-M[DT],[^ ]*//g; s/$(pound)/#/g')
	eval "$command -fPIC -o '$pic/${c//\//-}.o'"
done >"$pic/log" 2>&1
[ "$(find "$pic" -name '*.o' | wc -l)" -ge 5 ] && gcc -shared -o "$pic/all.so" "$pic"/*.o >>"$pic/log" 2>&1
result $? 'what is added can be part of a shared object'
sed 's/^/# /' "$pic/log"

PERF_CONFIG=$O/test/tree-perf/config
printf '[call-graph]\n\trecord-mode = fp,defer\n' >"$PERF_CONFIG"
PERF_CONFIG=$PERF_CONFIG "$perf" record -vv -g -e cpu-clock -o /dev/null true 2>&1 |
	grep -q '^ *defer_callchain  *1\|switching off deferred callchain support'
result $? 'call-graph.record-mode = fp,defer with -g'
echo "1..$nr"
exit $failed
