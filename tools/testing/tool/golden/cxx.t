#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The golden recordings of C++ programs, tracepoints and code without a file, in every way in
# which mainline's perf printed them.
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
GOLDEN=$lib/../golden/cxx GOLDEN_ARGS=--no-inline \
	exec "$lib/golden.sh" "${PERF:-build/perf}" "${O:-build}/test/golden-cxx" \
	header report-D 'script*' 'report-[dngst]*' report-cpu-util
