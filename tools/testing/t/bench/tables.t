#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tables.py: its figures are those of the guest's files, and it fails where one is missing.
. "$(dirname "$0")/bench.sh"
PERF=${PERF:-$bench/../../../build/perf}
run() { "$bench/tables.py" "$PERF" "$tmp/in" "${files[@]}" > "$tmp/out" 2>&1; }
has() { run && grep -qE -- "$1" "$tmp/out"; }
fails() { ! run && grep -qE -- "^bench-tables: .*$1" "$tmp/out"; }
made() { # as tables-guest.sh leaves it
	mkdir -p "$tmp/in"
	printf '%s\n' 'fp 10000 11000' 'cold 90000 91000' 'warm 12000 13200' 'fp 10000 12000' \
		'cold 90000 95000' 'warm 12000 13200' 'fp 20000 30000' 'cold 90000 99000' 'warm 13000 14000' \
		> "$tmp/in/starts"
	printf '%s\n' 'requests 0' 'tables 3' 'table_bytes 4567' > "$tmp/in/stats"
	echo 1024 > "$tmp/in/limit"
}

files=("$PERF" "$(command -v bash)")
made
passes 'rows of each file' has '^ +[0-9]{4,} +[0-9]+ +[0-9]+ +4\.[0-9]+  bash$'
passes 'their sum, and the speed' has '^ +[0-9]{5,} +[0-9]+ +4\.[0-9]+  all: [0-9.]+ million rows a second'
passes 'median of fp' has '^--call-graph fp +10\.0 +1\.00 +12\.0 +1\.00$'
passes 'warm: held' has '^-g, tables in the cache +12\.0 +1\.20 +13\.2 +1\.10$'
passes 'cold' has '^-g, no cache +90\.0 +9\.00 +95\.0 +7\.92$'
passes 'memory' has '^kernel memory: 3 tables, 4567 bytes .*: 1024\)$'
sed -i 's/^warm 12000 13200/warm 12000 13300/' "$tmp/in/starts"
passes 'warm: a bar that is not held shows' has '^-g, tables in the cache .* > 1\.10!$'
sed -i /^warm/d "$tmp/in/starts"
passes 'no warm start' fails 'cold and warm'
made
echo 'tables 0' > "$tmp/in/stats"
passes 'no table was registered' fails 'held no table'
rm "$tmp/in/starts"
passes 'the guest left nothing' fails 'No such file'
made
files=(/no/such/file)
passes 'a file that is not there' fails 'no/such/file'
plan
