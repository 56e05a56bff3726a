# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests that run a fuzzer of recordings begin with: $O, a folder that goes ($tmp), the
# options of the sanitizers, and the golden recordings as the current folder. Sourced, with $lib.
O=$(realpath "${O:-build}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# libtraceevent loses memory on formats that it cannot parse.
echo leak:libtraceevent > "$tmp/suppressions"
# What was freed keeps 16 MB from being allocated again: the 256 MB of the default are new pages at each turn.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16
export LSAN_OPTIONS=suppressions=$tmp/suppressions:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1 DEBUGINFOD_URLS=
cd "$lib/../golden/c" || exit 1

# The program's own lines are counted by itself; what is left of $tmp/err is of the sanitizers.
sanitizers() {
	grep -av '^perf: ' "$tmp/err" | head -40 | sed 's/^/# /'
}
