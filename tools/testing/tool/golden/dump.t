#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report -D and the headers of every golden recording.
exec "$(dirname "$0")/../../lib/golden.sh" "${PERF:-build/perf}" "${O:-build}/test/golden-dump" report-D header
