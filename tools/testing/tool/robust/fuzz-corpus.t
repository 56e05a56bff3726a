#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The inputs that make fuzz kept, those that once failed among them, through their targets under
# the sanitizers. Built by make test-tool.
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
. "$lib/sanitizers.sh"
tar -xJf "$lib/../fuzz/corpus.tar.xz" -C "$tmp" || exit 1
FUZZ_GOLDEN=$lib/../golden/c "$O/test/fuzz-replay" "$tmp" > "$tmp/out" 2> "$tmp/err"
status=$?
grep -v '^# ' "$tmp/out"
if [ $status != 0 ]; then
	grep '^# ' "$tmp/out" | tail -n 1
	sanitizers
fi
exit $status
