#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The golden recordings as the kernel tree's perf prints them, against mainline's. Not
# group.fp: perf 6.12 does not know how values of inherited groups are counted since 6.13.
here=$(cd "$(dirname "$0")" && pwd)
GOLDEN_AS_MAINLINE=1 GOLDEN_DIFFERENCES=$here/differences.txt GOLDEN_SKIP=group.fp \
	exec "$here/../lib/golden.sh" "$PERF" "$O/test/tree-perf/golden" 'script*' report-D \
	report-g-folded report-g-callee report-n
