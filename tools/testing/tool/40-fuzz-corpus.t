#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The inputs that make fuzz kept, those that once failed among them, through their targets under
# the sanitizers. Built by make test-tool.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/fuzz/env.sh"
tar -xJf "$here/../fuzz/corpus.tar.xz" -C "$tmp" || exit 1
FUZZ_GOLDEN=$here/../golden "$O/test/fuzz-replay" "$tmp" > "$tmp/out" 2> "$tmp/err"
status=$?
grep -v '^# ' "$tmp/out"
if [ $status != 0 ]; then
	grep '^# ' "$tmp/out" | tail -n 1
	sanitizers
fi
exit $status
