# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# peer.sh NAME: what reports that are compared with Debian's perf begin with: ours ($perf), the
# other one ($peer), and a folder of this test's own, which is entered. Sourced.
perf=$(realpath "${PERF:-build/perf}")
out=${O:-build}/test/$1
peer=/usr/bin/perf
mkdir -p "$out" && out=$(cd "$out" && pwd) && cd "$out" || exit 1
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null
nr=0 failed=0

# ok STATUS NAME [FILE]: a check; the first lines of FILE say why it failed
ok() {
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=1
		[ -z "${3:-}" ] || sed -n '1,10s/^/# /p' "$3"
	fi
}
