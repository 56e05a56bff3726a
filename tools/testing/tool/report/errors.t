#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report: what cannot be done gets one clear line and a status of its own.
. "$(dirname "$0")/../../lib/scratch.sh"

# STATUS PATTERN ARGS...: exit status, and one line on stderr that matches
refuse() {
	local want=$1 pattern=$2 status
	shift 2
	timeout 20 "$perf" report --stdio "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
	[ $status = "$want" ] && [ "$(wc -l < "$tmp/err")" = 1 ] && grep -qE -- "$pattern" "$tmp/err"
	ok $? "$*: status $status, $(cut -c1-100 "$tmp/err")" "$tmp/err"
}

cd "$lib/../golden/c" || exit 1
: > "$tmp/empty.data"
head -c 300 deepsys.fp.data > "$tmp/short.data"
refuse 1 'empty.data' -i "$tmp/empty.data"
refuse 1 'short.data' -i "$tmp/short.data"
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
python3 - deepsys.fp.data "$tmp/none.data" "$tmp/lost.data" <<'P'
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
refuse 1 'no samples: nothing ran' -i "$tmp/none.data"
refuse 1 'no samples: 7 were lost' -i "$tmp/lost.data"
# A file of perf stat record: a record with its settings, no samples.
python3 - > "$tmp/stat.data" <<'P'
import sys
from perfdata import *
data = record(75, q(1, 0, 0)) + record(77, q(1, 5))
sys.stdout.buffer.write(perf_file([attr(IP | TID | TIME)], data))
P
refuse 1 "stat.data: is of perf stat record, .*'perf stat report -i .*stat.data'" -i "$tmp/stat.data"
# Standard input is called so, in every message.
piped() { # COMMAND TEXT ARGS...: the only line of the error begins so
	"$1" | "$perf" "${@:3}" -i - > "$tmp/out" 2> "$tmp/err"
	[ "$(wc -l < "$tmp/err")" = 1 ] && [[ $(cat "$tmp/err") == "perf: standard input$2"* ]]
	ok $? "standard input$2" "$tmp/err"
}
none_piped() { cat "$tmp/none.data"; }
counts=': is of perf stat record, which counts and takes no samples: '
counts_piped() { cat "$tmp/stat.data"; }
piped counts_piped "$counts" script
piped counts_piped "$counts" data convert --to-folded -
piped counts_piped "$counts" annotate --stdio
cut_off() { head -c 3000 "$tmp/none.data"; }
piped none_piped ' has no samples: nothing ran while it was recorded' report --stdio
piped true ': offset 0: the file is empty: nothing was recorded in it' script
piped cut_off ': offset 0xbb8: the file ends ' script
plan
