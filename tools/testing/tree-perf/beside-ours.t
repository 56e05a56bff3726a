#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf script of every deferred golden recording: the kernel tree's perf says what ours
# does, also through a pipe, from a big-endian copy, from copies that perf inject wrote, and
# with the user callchains by themselves.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
perf=$(realpath "$PERF") ours=$(realpath "$OURS")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null HOME=$tmp
cd "$here/../golden/c" || exit 1
# Inlined functions are left out: the two find them with different libraries.
args=(--no-inline --symfs "$PWD/symfs" --kallsyms "$PWD/kallsyms")
. "$here/same.sh"

theirs() { "$perf" script "${args[@]}" "$@" >"$tmp/theirs" 2>"$tmp/err"; }

for f in *.defer.data; do
	"$ours" script "${args[@]}" -i "$f" --no-merge-callchains >"$tmp/ours" 2>/dev/null
	theirs -i "$f" --no-merge-callchains
	same "$f --no-merge-callchains"

	"$ours" script "${args[@]}" -i "$f" >"$tmp/ours" 2>/dev/null
	theirs -i "$f"
	same "$f"
	# From a file to a pipe 6.12 writes no formats of tracepoints, and its events are named
	# with the modifiers of attributes that say nothing of guests.
	case $f in
	multi.*|sleepers.*|system.*) ;;
	*)	"$perf" inject -i "$f" -o - 2>"$tmp/err" | "$perf" script "${args[@]}" -i - \
			2>>"$tmp/err" | sed 's/cpu-clock:HG:/cpu-clock:/' >"$tmp/theirs"
		same "$f through a pipe" ;;
	esac
	# perf 6.12 does not unpack the compressed copy, whose pieces are not those of a perf.
	if [ "$f" != zstd.defer.data ]; then
		../../lib/swap-perfdata "$f" "$tmp/be.data"
		theirs -i "$tmp/be.data"
		same "$f of the other byte order"
	fi
	"$perf" inject -i "$f" -o "$tmp/inject.data" 2>"$tmp/err"
	theirs -i "$tmp/inject.data"
	same "$f after perf inject"
	"$perf" inject -b -i "$f" -o "$tmp/inject.data" 2>"$tmp/err"
	theirs -i "$tmp/inject.data"
	same "$f after perf inject -b"
done
echo "1..$nr"
[ "$failed" = 0 ]
