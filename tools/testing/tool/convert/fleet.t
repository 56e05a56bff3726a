#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recordings of 50 machines: "perf data convert --to-jsonl" and --to-pprof say of which host, kernel,
# control group and container each sample is; profiles merged by "go tool pprof" give the sum of the
# single ones, and DuckDB answers over all of them what perf report answers for each.
. "$(dirname "$0")/../../lib/peer.sh" fleet
build=$(realpath "${O:-build}")
export HOME=$out

rm -rf many && mkdir -p many
python3 "$here/fleet.py" many 50 120 || { echo "Bail out! no recordings"; exit 1; }
args="--kallsyms many/kallsyms"
: > err.txt
for f in many/*.data; do
	"$perf" data convert -i "$f" $args --to-jsonl "${f%data}jsonl" 2>> err.txt &&
		"$perf" data convert -i "$f" $args --to-pprof "${f%data}pb.gz" 2>> err.txt || echo "$f: status" >> err.txt
done
[ ! -s err.txt ]
ok $? "50 recordings are converted" err.txt

# Lines beside perf script.
"$perf" script -i many/07.data $args -F comm,tid,cpu,time,period,cgroup,ip,sym,dso > script.txt 2>/dev/null
python3 - > diff.txt 2>&1 <<-'EOF'
	import json, re
	lines = [json.loads(l) for l in open('many/07.jsonl')]
	blocks = [b.split('\n') for b in open('script.txt').read().split('\n\n') if b.strip()]
	assert len(lines) == len(blocks) == 120, (len(lines), len(blocks))
	seen = set()
	for l, b in zip(lines, blocks):
	    m = re.match(r'(.{16}) +(\d+) \[(\d+)\] +(\d+)\.(\d+): +(\d+) +(\S+)?', b[0]) or \
	        re.match(r'(\S+) +(\d+) \[(\d+)\] +(\d+)\.(\d+): +(\d+) +(\S+)?', b[0])
	    assert (l['comm'], l['tid'], l['cpu'], l['period']) == (m[1].strip(), int(m[2]), int(m[3]), int(m[6])), (l, b[0])
	    assert l['time'] // 1000 == int(m[4]) * 10**6 + int(m[5])
	    assert l['wall'] - l['time'] == 1700000000 * 10**9 - 5 * 10**9
	    assert (l['host'], l['kernel'], l['event'], l['pid']) == ('node-07', '6.12.1-fleet', 'cpu-clock', 10)
	    assert l.get('cgroup') == (None if m[7] in (None, 'unknown', 'N/A') else m[7]), (l, b[0])
	    want = {'/d': '0123456789ab', '/k': 'fedcba987654'}.get(l.get('cgroup', '')[:2])
	    assert l.get('container') == want, l
	    frames = []
	    for f in b[1:]:
	        if f.strip() and '(cookie)' not in f:
	            sym, dso = f.split()[1], f.rsplit('(', 1)[1][:-1]
	            frames.append(sym.split('+')[0] if sym != '[unknown]' else '[%s]' % dso.rsplit('/', 1)[-1])
	    assert l['frames'] == frames, (l['frames'], frames)
	    seen.add((l.get('container'), frames[-1] == '[app]'))
	assert len(seen) == 6, seen
	EOF
ok $? "a line has what perf script prints of its sample" diff.txt

# What report answers for each machine.
rm -f want.*
for f in many/*.data; do
	host=node-$(basename "$f" .data)
	report() {
		"$perf" report -i "$f" $args -g none -t, "$@" 2>/dev/null | sed -n "/^#/d;s/\[[k.]\] //;s/,0x.*/,[app]/;s/^ *\(..*\)/$host,\1/p"
	}
	report --no-children -F period,sample,comm >> want.1
	report --no-children -F period,sample,cgroup,sym >> want.2
	report --children -F overhead_children,sym | grep kernel_function >> want.3
done
if [ -f "$build/npm/.installed" ]; then
	rm -f answer.*
	NODE_PATH=$build/npm/node_modules node "$here/duckdb.js" . 'many/*.jsonl' > err.txt 2>&1
	ok $? "DuckDB loads the lines as they are" err.txt
	for i in 1 2 3; do
		LC_ALL=C sort want.$i > want && LC_ALL=C sort answer.$i > answer && [ -s want ] && diff want answer > diff.txt
		ok $? "question $i: as report answers it for each machine ($(wc -l < want.$i) rows)" diff.txt
	done
else
	[ "${CI:-}" != true ]
	ok $? "DuckDB # SKIP npm could not install it"
fi

if command -v go > /dev/null; then
	# top ARGS...: functions, their own nanoseconds, and those of stacks that they are in
	top() { go tool pprof -top -nodecount=1000 -unit=ns "$@" 2>/dev/null | awk '/flat%/ { on = 1; next } on { print $NF, $1 + 0, $4 + 0 }'; }
	go tool pprof -proto -output=all.pb.gz many/*.pb.gz > err.txt 2>&1
	ok $? "go tool pprof merges 50 profiles" err.txt
	python3 - <<-'EOF' | sort > want
		import collections, glob, json
		flat, cum = collections.Counter(), collections.Counter()
		for name in glob.glob('many/*.jsonl'):
		    for l in map(json.loads, open(name)):
		        flat[l['frames'][0]] += l['period']
		        cum.update(dict.fromkeys(l['frames'], l['period']))
		for f in cum:
		    print(f, flat[f], cum[f])
		EOF
	top all.pb.gz | sort > answer
	[ -s want ] && diff want answer > diff.txt
	ok $? "the merged profile is the sum" diff.txt
	for tag in build_id=000102030405060708090a0b0c0d0e0f10111213 host=node-07 kernel=6.12.1-fleet container=fedcba987654 comm=web cgroup=db.service; do
		k=${tag%=*} v=${tag#*=}
		# What runs in a file is all that the lines have of its build-id.
		like="\"$k\":\"[^\"]*$v"
		[ "$k" = build_id ] && like='"frames":\["\[app\]"'
		grep -h "$like" many/*.jsonl | sed 's/.*"period":\([0-9]*\).*/\1/' | awk '{ n += $1 } END { print n }' > want
		top -tagfocus="$k=$v" all.pb.gz | awk '{ n += $2 } END { printf("%d\n", n) }' > answer
		[ "$(cat want)" -gt 0 ] && diff want answer > diff.txt
		ok $? "split again by $tag" diff.txt
	done
	go tool pprof -raw all.pb.gz 2>/dev/null | sed -n '/^Mappings/,$p' > raw
	grep -q '/usr/bin/app 000102030405060708090a0b0c0d0e0f10111213' raw
	ok $? "files have their build-ids" raw
else
	[ "${CI:-}" != true ]
	ok $? "pprof # SKIP there is no go"
fi

# 100 MB a second and core are 30 instructions a byte on a core of 3 GHz that does one a cycle.
if command -v valgrind > /dev/null; then
	cost() { # SAMPLES: instructions and bytes
		mkdir -p "cost$1" && python3 "$here/fleet.py" "cost$1" 1 "$1"
		valgrind --tool=callgrind --callgrind-out-file=/dev/null "$perf" data convert -i "cost$1/00.data" \
			--kallsyms "cost$1/kallsyms" --to-jsonl "cost$1/out" 2>&1 | awk '/Collected/ { print $4 }'
	}
	one=$(cost 1000) two=$(cost 4000)
	bytes=$(($(stat -c %s cost4000/out) - $(stat -c %s cost1000/out)))
	[ "${one:-0}" -gt 0 ] && [ "${two:-0}" -gt "$one" ] && [ $((two - one)) -lt $((20 * bytes)) ]
	ok $? "a byte of a line costs $(((two - one) * 10 / bytes)) tenths of an instruction, at most 200"
else
	[ "${CI:-}" != true ]
	ok $? "cost # SKIP no valgrind"
fi

# The service's script, on this machine, without a home directory that could be written.
rm -rf var
fleet() {
	env HOME=/proc/nowhere PERF_FLEET_PERF="$perf" PERF_FLEET_DIR="$out/var" PERF_FLEET_SECONDS=0.2 "$@" \
		sh "$lib/../../build/fleet/perf-fleet.sh" > /dev/null 2> err.txt
}
fleet PERF_FLEET_FORMAT=jsonl && zcat var/*.jsonl.gz | python3 -c '
import json, sys
lines = [json.loads(l) for l in sys.stdin]
assert lines and all(l["wall"] > 1700000000 * 10**9 and l["frames"] and l["host"] for l in lines), lines[:1]' 2>> err.txt
ok $? "perf-fleet records and converts to lines" err.txt
head -c 2000000 /dev/urandom > "var/$(uname -n)-20000101T000000Z.jsonl.gz"
fleet PERF_FLEET_FORMAT=pprof PERF_FLEET_KEEP_MB=1 && [ ! -e "var/$(uname -n)-20000101T000000Z.jsonl.gz" ] &&
	[ -n "$(compgen -G 'var/*.jsonl.gz')" ] && gzip -t var/*.pb.gz 2>> err.txt
ok $? "perf-fleet: pprof, and the oldest file is deleted beyond the total size" err.txt
[ "$(find var -type f ! -name '*.gz')" = "" ] && [ "$(stat -c %a var/*.pb.gz)" = 600 ]
ok $? "nothing is left but complete files, for their owner alone"
fleet PERF_FLEET_EVENT=no-such-event
[ $? != 0 ] && [ "$(find var -type f ! -name '*.gz')" = "" ]
ok $? "a recording that fails: its status, and nothing left"

"$perf" data convert -i many/00.data --to-jsonl a --to-folded b > /dev/null 2> err.txt
[ $? = 129 ] && [ "$(wc -l < err.txt)" = 1 ]; ok $? "--to-jsonl goes alone" err.txt
plan
