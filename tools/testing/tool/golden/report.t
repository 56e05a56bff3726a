#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report of every golden recording, with all the options mainline's was run with.
exec "$(dirname "$0")/../../lib/golden.sh" "${PERF:-build/perf}" "${O:-build}/test/golden-report" \
	report-default 'report-no-*' 'report-g-*' 'report-sort*' report-limit report-n
