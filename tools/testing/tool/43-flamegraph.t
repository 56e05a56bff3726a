#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf report --flamegraph: the picture in a browser, and a million stacks.
set -u
here=$(cd "$(dirname "$0")" && pwd)
perf=$(realpath "${PERF:-build/perf}")
out=${O:-build}/test/flamegraph
mkdir -p "$out" && out=$(cd "$out" && pwd)
nr=0 failed=0
ok() {
	local status=$1
	shift
	nr=$((nr + 1))
	[ "$status" = 0 ] || { failed=$((failed + 1)); printf 'not '; }
	echo "ok $nr - $*"
}
cd "$here/../golden" || exit 1
flame() { "$perf" report -i "$1" --symfs symfs --kallsyms kallsyms --flamegraph="$2" 2> "$out/err"; }

for f in *.data; do
	flame "$f" "$out/${f%.data}.svg" &&
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$out/${f%.data}.svg" 2> "$out/err"
	ok $? "$f: a well-formed picture"
done
grep -q '\[user stack missing\]' "$out/sleepers.defer.svg"
ok $? "samples without a user half stand under a frame that says so"
grep -q '<text id="title"[^>]*>cpu-clock on [^ ,]*, 0.137 s<' "$out/deepsys.defer.svg" &&
	grep -q '<text id="sub"[^>]*>49 samples, 48 of 49 deferred' "$out/deepsys.defer.svg"
ok $? "the title has event, host and duration, the line under it samples"
flame deepsys.defer.data - > "$out/stdout.svg" && cmp -s "$out/stdout.svg" "$out/deepsys.defer.svg"
ok $? "to standard output, and the same twice"
flame deepsys.defer.data /nonexistent/x.svg
[ $? = 1 ] && grep -q '/nonexistent/x.svg' "$out/err"
ok $? "a file that cannot be written is an error"

# Every sample of a million has a stack of its own.
PYTHONPATH=$here python3 - "$out" << 'P'
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

if command -v chromium > /dev/null; then
	PYTHONPATH=$here timeout 120 python3 "$here/flamegraph.py" "$out/deepsys.defer.svg" ksys_read \
		"$out/deepsys.png" > "$out/browser.tap" 2>&1
	status=$?
	sed 's/^/# /' "$out/browser.tap"
	ok $status "a browser: zoom by click, reset, search, colours"
elif [ "${CI:-}" = true ]; then
	ok 1 "no chromium to open the picture in"
else
	nr=$((nr + 1))
	echo "ok $nr # SKIP no chromium to open the picture in"
fi
echo "1..$nr"
[ $failed = 0 ]
