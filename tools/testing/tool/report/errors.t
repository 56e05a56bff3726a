#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report: what cannot be done gets one clear line and a status of its own.
set -u
lib=$(cd "$(dirname "$0")/../../lib" && pwd)
perf=$(realpath "${PERF:-build/perf}")
out=${O:-build}/test/report-errors
mkdir -p "$out" && out=$(cd "$out" && pwd)
nr=0 failed=0

# STATUS PATTERN ARGS...: exit status, and one line on stderr that matches
refuse() {
	local want=$1 pattern=$2 status
	shift 2
	nr=$((nr + 1))
	timeout 20 "$perf" report --stdio "$@" > "$out/out" 2> "$out/err" < /dev/null
	status=$?
	if [ $status = "$want" ] && [ "$(wc -l < "$out/err")" = 1 ] && grep -qE -- "$pattern" "$out/err"; then
		echo "ok $nr - $*: $(cut -c1-100 "$out/err")"
	else
		failed=$((failed + 1))
		echo "not ok $nr - $* (status $status, wanted $want and /$pattern/)"
		head -n 3 "$out/err" | sed 's/^/# /'
	fi
}

cd "$lib/../golden/c" || exit 1
: > "$out/empty.data"
head -c 300 deepsys.fp.data > "$out/short.data"
refuse 1 'empty.data' -i "$out/empty.data"
refuse 1 'short.data' -i "$out/short.data"
refuse 1 'nonexistent' -i /nonexistent.data
refuse 1 'callchain' -i nocallchain.data -g graph
refuse 1 'comm.*dso.*symbol' -i deepsys.fp.data -s nonsense
refuse 1 'comm.*dso.*symbol' -i deepsys.fp.data -F nonsense
refuse 129 'graph fractal flat folded none' -i deepsys.fp.data -g nonsense
refuse 129 'nonsense' -i deepsys.fp.data --nonsense
refuse 129 'always never auto' -i deepsys.fp.data --stdio-color=blue
refuse 129 'percent' -i deepsys.fp.data --percent-limit many
refuse 129 'relative nor absolute' -i deepsys.fp.data --percentage half
refuse 129 'time-quantum' -i deepsys.fp.data --time-quantum 3parsecs
refuse 129 'list of numbers' -i deepsys.fp.data -C one
refuse 129 'names' -i deepsys.fp.data -c file:///nonexistent/names
refuse 129 'exclude' -i deepsys.fp.data --kernel --user
refuse 129 'hierarchy' -i deepsys.fp.data --hierarchy -F comm
refuse 1 'parent' -i deepsys.fp.data -p '('
refuse 1 '--time' -i deepsys.fp.data --time yesterday
refuse 1 'no sample passes' -i deepsys.fp.data --time 1,2
refuse 1 'data addresses' -i deepsys.fp.data -s mem
refuse 129 '--jobs' -i deepsys.fp.data -j -3
refuse 1 'dso_from.*no branch records.*record with -b' -i deepsys.fp.data -s comm,dso_from
refuse 1 'sym_from.*use symbol_from' -i deepsys.fp.data -s sym_from
refuse 1 'no branch records for -b' -i deepsys.fp.data -b
refuse 1 "no branch records for --branch-history" -i deepsys.fp.data --branch-history
refuse 1 'symbol_daddr.*no data addresses' -i deepsys.fp.data -s symbol_daddr
# What other perfs have: one line says what to use.
refuse 129 'shown as they were recorded' -i deepsys.fp.data --stitch-lbr
refuse 129 'branch records' -i deepsys.fp.data --max-blocks=3
refuse 1 'no data sources' -i deepsys.fp.data --mem-mode
refuse 1 "no event 'foo'" -i deepsys.fp.data --switch-on foo
refuse 1 "no event 'foo'" -i deepsys.fp.data --switch-off foo
refuse 129 'needs --prefix' -i deepsys.fp.data --prefix-strip=1
refuse 1 'record with --latency' -i deepsys.fp.data --latency
refuse 129 'each event has' -i deepsys.fp.data --show-ref-call-graph

# A recording whose samples are all gone: only its header and other records are left.
python3 - deepsys.fp.data "$out/none.data" "$out/lost.data" <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
lost = bytearray(data)
pos, first = at, True
while pos < at + size:
    kind, misc, length = struct.unpack_from("<IHH", data, pos)
    if kind == 9:
        struct.pack_into("<I", data, pos, 68)      # FINISHED_ROUND: says nothing
        struct.pack_into("<I", lost, pos, 13 if first else 68)
        if first:
            struct.pack_into("<Q", lost, pos + 8, 7)
        first = False
    pos += length
open(sys.argv[2], "wb").write(data)
open(sys.argv[3], "wb").write(lost)
P
refuse 1 'no samples: nothing ran' -i "$out/none.data"
refuse 1 'no samples: 7 were lost' -i "$out/lost.data"
echo "1..$nr"
[ $failed = 0 ]
