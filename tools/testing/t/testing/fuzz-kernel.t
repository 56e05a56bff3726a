#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make fuzz-kernel: what it refuses, before anything is built or booted; and that its
# verdict is that of the kernel and of what ran there, with a VM that is none.
. "$(dirname "$0")/../../lib/tap.sh"
here=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
shown=("$tmp/out")

refused() { # TEXT ARGUMENT...: one line, status 2
	local text=$1
	shift
	"$here/fuzz/kernel/run" "$@" >"$tmp/out" 2>&1
	[ $? = 2 ] && [ "$(wc -l <"$tmp/out")" = 1 ] && grep -qF -- "$text" "$tmp/out" && [ ! -e "$tmp/build/test" ]
}

unset PERF_FUZZER SEED KERNEL_SERIES
passes 'no kernel' refused usage "$tmp/build" 10
passes 'no number of seconds' refused 'TIME=soon' "$tmp/build" soon kasan
passes 'no seconds' refused 'TIME=0' "$tmp/build" 0 kasan
passes 'a kernel that is not there' refused 'no kernel called kazan' "$tmp/build" 10 kazan
passes 'a kernel without the feature' refused nounwind "$tmp/build" 10 nounwind
SEED=x passes 'a seed that is no number' refused 'SEED=x' "$tmp/build" 10 kasan
PERF_FUZZER=$tmp passes 'a folder without perf_fuzzer' refused "PERF_FUZZER=$tmp" "$tmp/build" 10 kasan

# The scripts as they are, with another vm/run.
mkdir -p "$tmp"/tools/testing/{vm,fuzz/kernel} "$tmp/tools/build/configs" "$tmp/build"
cp "$here/kernels.sh" "$tmp/tools/testing/"
cp "$here"/fuzz/kernel/{run,guest} "$tmp/tools/testing/fuzz/kernel/"
touch "$tmp"/tools/build/configs/{kasan,kcsan}.config
# A function of ours in the kernel with KCSAN, whose races with others are found by its name
mkdir -p "$tmp"/kernel/{unwind,events} "$tmp/patches/linux-6.12" "$tmp/build/linux-6.12-kcsan/kernel/unwind"
touch "$tmp/kernel/unwind/ours.c" "$tmp/kernel/events/ours.c" "$tmp/patches/linux-6.12/ours.patch"
echo 'void walk_of_ours(void) { }' |
	cc -x c -c -o "$tmp/build/linux-6.12-kcsan/kernel/unwind/ours.o" - || exit
vm() { # STATUS STDOUT STDERR [CONFIG]
	printf '#!/bin/sh\necho "%s"\necho "%s" >&2\nexit %s\n' "$2" "$3" "$1" >"$tmp/tools/testing/vm/run"
	chmod +x "$tmp/tools/testing/vm/run"
	MAKE=true SEED=7 "$tmp/tools/testing/fuzz/kernel/run" "$tmp/build" 10 "${4:-kasan}" >"$tmp/out" 2>&1
}
said() { # STATUS TEXT: of the last vm
	[ "$status" = "$1" ] && grep -qF -- "$2" "$tmp/out"
}
vm 0 '3 runs, seeds 7 to 9, 12 requests' ''; status=$?
passes 'a sound run' said 0 'kasan, torture: 3 runs, seeds 7 to 9, 12 requests; no complaint of the kernel'
passes 'perf_fuzzer is left out, in one line' said 0 'https://github.com/deater/perf_event_tests'
vm 1 'torture64 failed with seed 8:
3 runs, seeds 7 to 9, 12 requests' ''; status=$?
passes 'a run that failed' said 1 'torture64 failed with seed 8'
vm 125 '' 'vm/run: the kernel complained: BUG: KASAN'; status=$?
passes 'a kernel that complains' said 1 'seeds from 7 on; the kernel complained: BUG: KASAN'
vm 0 '3 runs, seeds 7 to 9, 12 requests' '' kcsan; status=$?
passes 'races are compared with our functions' \
	grep -qx 'any walk_of_ours' "$tmp/build/test/fuzz-kernel/kcsan-torture/ours"
plan
