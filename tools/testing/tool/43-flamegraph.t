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
grep -q '<text id="title"[^>]*>cpu-clock' "$out/deepsys.defer.svg" &&
	grep -q '<text id="sub"[^>]*>49 samples in 0.137 s' "$out/deepsys.defer.svg"
ok $? "the title has the event, the line under it samples and duration"
flame deepsys.defer.data - > "$out/stdout.svg" && cmp -s "$out/stdout.svg" "$out/deepsys.defer.svg"
ok $? "to standard output, and the same twice"
flame deepsys.defer.data /nonexistent/x.svg
[ $? = 1 ] && grep -q '/nonexistent/x.svg' "$out/err"
ok $? "a file that cannot be written is an error"

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
