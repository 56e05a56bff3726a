#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A few damaged copies of the golden recordings, always the same ones. make fuzz-tree-perf has
# more of them, and the sanitizers.
here=$(cd "$(dirname "$0")" && pwd)
perf=$(realpath "$PERF")
cd "$O/test/tree-perf" || exit 1
exec "$here/../fuzz/tree-perf.py" --runs 300 --seed 1 "$perf" "$here/../golden/c" "$here/../../../patches/perf-6.12"
