#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Stacks, registers and mappings of a measured program, damaged, through the stage of perf record --call-graph
# live, under the sanitizers. Built by make test-tool.
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
. "$lib/sanitizers.sh"
if ! "${PERF:-$O/perf}" record -q -N -B -e cpu-clock:u -F 2000 --call-graph dwarf,16384 -o "$tmp/data" -- bash -c \
		'f() { if (($1)); then f $(($1 - 1)); else for ((i = 0; i < 500; i++)); do x=${x:0:10}$i; done; fi; }; for j in {1..20}; do f 8; done' \
		> /dev/null 2>&1; then
	echo '1..0 # SKIP events cannot be opened here'
	exit
fi
"$O/test/fuzz-live" "$tmp/data" 2> "$tmp/err"
status=$?
sanitizers
exit $status
