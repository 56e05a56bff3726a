#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --flamegraph: the picture in a browser, and a million stacks.
. "$(dirname "$0")/../../lib/tap.sh"
perf=$(realpath "${PERF:-build/perf}")
out=${O:-build}/test/flamegraph
mkdir -p "$out" && out=$(cd "$out" && pwd)
cd "$lib/../golden/c" || exit 1
flame() { "$perf" report -i "$1" --symfs symfs --kallsyms kallsyms --flamegraph="$2" 2> "$out/err"; }

for f in *.data; do
	flame "$f" "$out/${f%.data}.svg" &&
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$out/${f%.data}.svg" 2> "$out/err"
	ok $? "$f: a well-formed picture"
done
# A picture takes the place of an earlier one when it is complete, with its mode, also behind a link.
old() { rm -rf "$out/new" && mkdir "$out/new" && echo kept > "$out/new/f.svg" && chmod 640 "$out/new/f.svg"; }
is_new() { grep -q '</svg>' "$out/new/f.svg" && [ "$(stat -c %a "$out/new/f.svg")" = 640 ] && [ "$(ls "$out/new")" = "$1" ]; }
old && (ulimit -f 1; flame deepsys.defer.data "$out/new/f.svg" > "$out/err" 2>&1)
[ $? = 1 ] && [ "$(cat "$out/new/f.svg")" = kept ] && [ "$(ls "$out/new")" = f.svg ]
ok $? 'no room for the picture: the earlier one stays, and nothing is left'
old && flame deepsys.defer.data "$out/new/f.svg" > /dev/null && is_new f.svg
ok $? 'a complete picture takes its place'
old && ln -s f.svg "$out/new/l.svg" && flame deepsys.defer.data "$out/new/l.svg" > /dev/null && is_new "$(printf 'f.svg\nl.svg')"
ok $? 'also behind a link'
# Periods that add up to more than 2^64: no box is wider than the picture.
PYTHONPATH=$lib python3 - "$out/periods.data" <<'E'
import sys
from perfdata import *
data = b''
for i in range(2):
    task = ii(10 + i, 10 + i)
    data += record(3, task + string('task%d' % i) + task + q(1))
    data += record(9, q(0x1000) + task + q(5 + i, (1 << 63) + 5 * i), 2)
open(sys.argv[1], 'wb').write(perf_file([attr(IP | TID | TIME | PERIOD)], data, {3: feature_string('h')}))
E
flame "$out/periods.data" "$out/periods.svg" && grep -q 'width="100.0000%"' "$out/periods.svg" &&
	! grep -qE '(x|width)="([0-9]{4,}|[2-9][0-9]{2}|1[1-9][0-9]|10[1-9])\.' "$out/periods.svg"
ok $? "periods that add up to more than there is: boxes within the picture"
grep -q '\[user stack missing\]' "$out/sleepers.defer.svg"
ok $? "samples without a user half stand under a frame that says so"
grep -q '<text id="title"[^>]*>cpu-clock on [^ ,]*, 0.137 s<' "$out/deepsys.defer.svg" &&
	grep -q '<text id="sub"[^>]*>49 samples, 49 of 49 deferred' "$out/deepsys.defer.svg"
ok $? "the title has event, host and duration, the line under it samples"
flame deepsys.defer.data - > "$out/stdout.svg" && cmp -s "$out/stdout.svg" "$out/deepsys.defer.svg"
ok $? "to standard output, and the same twice"
"$perf" report -i sleepers.defer.data --symfs symfs --kallsyms kallsyms --folded -s pid > "$out/pid.folded" 2> "$out/err" &&
	grep -q '^132:sleepers;' "$out/pid.folded"
ok $? "-s pid: the lowest frames are tasks, with their names"
flame deepsys.defer.data /nonexistent/x.svg
[ $? = 1 ] && grep -q '/nonexistent/x.svg' "$out/err"
ok $? "a file that cannot be written is an error"

# Every sample of a million has a stack of its own.
PYTHONPATH=$lib python3 - "$out" << 'P'
import struct, sys
from perfdata import *
out = sys.argv[1]
base, step = 0xffffffff81000000, 0x1000
with open(out + "/million.kallsyms", "w") as f:
    for i in range(65):
        f.write("%x T f%d\n" % (base + i * step, i))
data = bytearray(record(1, ii(-1, 0) + q(base, 65 * step, base) + string("[kernel.kallsyms]_text") +
                        ii(0, 0) + q(1), misc=1) + record(3, ii(1, 1) + string("many") + ii(1, 1) + q(1)))
one = struct.Struct("<IHHQIIQ7Q")
at = [base + i * step + 16 for i in range(64)]
for i in range(1000000):
    a, b, c, d = at[i & 63], at[i >> 6 & 63], at[i >> 12 & 63], at[i >> 18]
    data += one.pack(9, 1, one.size, a, 1, 1, 2 + i, 6, 0xffffffffffffff80, a, b, c, d, at[0])
with open(out + "/million.data", "wb") as f:
    f.write(perf_file([attr(IP | TID | TIME | CALLCHAIN)], bytes(data), {3: feature_string("host")}))
P
million() { "$perf" report -i "$out/million.data" --kallsyms "$out/million.kallsyms" "$@" 2> "$out/err"; }
million --flamegraph="$out/million.svg" &&
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$out/million.svg"
ok $? "a million stacks: a well-formed picture"
boxes=$(grep -c '^<g class="b"' "$out/million.svg")
[ "$boxes" -gt 256 ] && [ "$boxes" -lt 20000 ] && [ "$(wc -c < "$out/million.svg")" -lt 4000000 ] &&
	grep -q 'all (1000000 samples, 100.00 %)' "$out/million.svg" &&
	grep -q '<title>\[small frames\]' "$out/million.svg"
ok $? "of $boxes boxes, $(wc -c < "$out/million.svg") bytes: what is under a pixel is folded"
million --folded | awk '{ n += $NF; lines++ } END { exit n != 1000000 || lines != 1000000 }'
ok $? "its folded lines are a million"
rm -f "$out/million.data"

# A wide function of 97 %, and 300 that are too narrow to draw: 291 call needle, 9 rare. Two files
# have functions of one name, which is written with a semicolon in one of them.
PYTHONPATH=$lib python3 - "$out" << 'P'
import sys
from perfdata import *
out = sys.argv[1]
base, step = 0xffffffff81000000, 0x100
names = ["wide", "leaf", "needle", "rare", "a;b", "a:b"] + ["p%d" % i for i in range(300)]
with open(out + "/narrow.kallsyms", "w") as f:
    for i, name in enumerate(names):
        f.write("%x T %s\n" % (base + i * step, name))


def at(name):
    return base + names.index(name) * step + 16


def recording(path, chains):
    data = record(1, ii(-1, 0) + q(base, len(names) * step, base) + string("[kernel.kallsyms]_text") +
                  ii(0, 0) + q(1), misc=1) + record(3, ii(1, 1) + string("one") + ii(1, 1) + q(1))
    for i, (period, chain) in enumerate(chains):
        data += record(9, q(chain[0]) + ii(1, 1) + q(2 + i, period, len(chain) + 1, -128, *chain), misc=1)
    with open(out + path, "wb") as f:
        f.write(perf_file([attr(IP | TID | TIME | PERIOD | CALLCHAIN)], data, {3: feature_string("host")}))


recording("/narrow.data", [(970000, (at("leaf"), at("wide")))] + [
    (100, (at("rare" if i % 33 == 0 and i < 297 else "needle"), at("p%d" % i))) for i in range(300)])
recording("/names.data", [(1, (at("leaf"), at("a;b"))), (1, (at("leaf"), at("a:b"))), (1, (at("a;b"),)),
                          (1, (at("leaf") + 1, at("a;b")))])
P
narrow() { "$perf" report -i "$out/narrow.data" --kallsyms "$out/narrow.kallsyms" "$@" 2> "$out/err"; }
narrow --flamegraph="$out/narrow.svg" && narrow -G --flamegraph="$out/down.svg" &&
	narrow --flamegraph="$out/caller.svg" -g caller && cmp -s "$out/caller.svg" "$out/down.svg" &&
	! cmp -s "$out/narrow.svg" "$out/down.svg"
ok $? "-G and -g caller: a graph that begins at the top"
box() { # FILE NAME: its depth and its y
	sed -n "s/.*data-d=\"\([0-9]*\)\" data-k=\".\" data-n=\"$2\".* y=\"\([0-9]*\)\" width.*/\1 \2/p" "$out/$1.svg"
}
[ "$(box narrow all)" = "0 117" ] && [ "$(box narrow leaf)" = "3 66" ] &&
	[ "$(box down all)" = "0 66" ] && [ "$(box down leaf)" = "3 117" ]
ok $? "without a browser's script, too"
narrow --flamegraph="$out/callee.svg" -g callee && [ "$(box callee leaf)" = "2 83" ] &&
	[ "$(box callee wide)" = "3 66" ]
ok $? "-g callee: from the innermost frame on"
narrow --folded | grep -qx 'one;wide;leaf 1' && narrow --folded -G | grep -qx 'one;wide;leaf 1' &&
	narrow --folded -g callee | grep -qx 'one;leaf;wide 1'
ok $? "--folded with -G and -g callee"
narrow --folded -g address > /dev/null && grep -q 'frames of a flame graph are functions' "$out/err"
ok $? "--folded -g address: that is not done, and said"
folded() { "$perf" report --symfs symfs --kallsyms kallsyms --folded "$@" 2> "$out/err"; }
folded -i "$out/names.data" --kallsyms "$out/narrow.kallsyms" > "$out/names.folded"
printf 'one;a:b 1\none;a:b;leaf 3\n' | cmp -s - "$out/names.folded"
ok $? "--folded: one line a stack where names are alike"
for f in *.data; do
	folded -i "$f" > "$out/folded" && [ -s "$out/folded" ] &&
		[ -z "$(sed 's/ [0-9]*$//' "$out/folded" | LC_ALL=C sort | uniq -d)" ]
	ok $? "$f: --folded has no line twice"
done
# Of several events each line says which it counts.
folded -i group.fp.data | awk -F '[; ]' '{ n[$1] += $NF; bad += $2 != "forker" }
	END { exit bad || n["cpu-clock"] != 30 || n["page-faults"] != 19 || length(n) != 2 }'
ok $? "--folded of several events"
folded -i deepsys.fp.data | awk -F ';' '$1 != "deepsys" { bad = 1 } END { exit bad || !NR }'
ok $? "--folded of one event"

# A difference: leaf has 970000 of 1000000 here, and half of it in the other recording, whose length is another.
PYTHONPATH=$lib python3 - "$out" << 'P'
import sys
from perfdata import *
out, base, step = sys.argv[1], 0xffffffff81000000, 0x100
names = ["wide", "leaf", "needle", "rare", "a;b", "a:b"] + ["p%d" % i for i in range(300)]
data = record(1, ii(-1, 0) + q(base, len(names) * step, base) + string("[kernel.kallsyms]_text") +
              ii(0, 0) + q(1), misc=1) + record(3, ii(1, 1) + string("one") + ii(1, 1) + q(1))
wide, leaf = base + 16, base + step + 16
for i, (period, chain) in enumerate([(97, (leaf, wide)), (97, (wide,)), (6, (base + 2 * step + 16,))]):
    data += record(9, q(chain[0]) + ii(1, 1) + q(2 + i, period, len(chain) + 1, -128, *chain), misc=1)
with open(out + "/before.data", "wb") as f:
    f.write(perf_file([attr(IP | TID | TIME | PERIOD | CALLCHAIN)], data, {3: feature_string("host")}))
P
narrow --flamegraph="$out/diff.svg" --diff "$out/before.data" &&
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$out/diff.svg" &&
	grep -q '<title>leaf (1 samples, 97.00 %, +48.50)</title><rect style="fill:rgb(245,110,110)"' "$out/diff.svg" &&
	grep -q '<title>wide (1 samples, 97.00 %, +0.00)</title><rect style="fill:rgb(245,245,245)"' "$out/diff.svg"
ok $? "--diff: a box says what changed, and its colour does"
narrow --flamegraph="$out/diff.svg" --diff "$out/narrow.data" && ! grep -q ' %, [+-][0-9.]*[1-9]' "$out/diff.svg"
ok $? "--diff with itself: nothing changed"
narrow --flamegraph="$out/diff.svg" --diff "$out/nothing.data"; [ $? = 1 ] && grep -q 'nothing.data' "$out/err"
ok $? "--diff with what is not there: one line"

# picture SCRIPT ARGS...: what it finds in the browser
picture() {
	local status
	PYTHONPATH=$lib timeout 120 python3 "$here/$1" "${@:2}" > "$out/browser.tap" 2>&1
	status=$?
	sed 's/^/# /' "$out/browser.tap"
	return $status
}
if command -v chromium > /dev/null; then
	picture flamegraph.py "$out/deepsys.defer.svg" ksys_read "$out/deepsys.png"
	ok $? "a browser: zoom by click, reset, search, colours"
	picture flamegraph-more.py "$out/narrow.svg" "$out/group.fp.svg" "$out/down.svg"
	ok $? "a browser: what is too narrow to draw, several events, the root at the top"
else
	skip 'the picture in a browser' 'no chromium'
fi
plan
