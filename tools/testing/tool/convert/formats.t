#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf data convert, on every golden recording: each format has as many samples as perf script
# prints, with the same frames, in the eyes of a reader that is not ours: Python's json, "go
# tool pprof", speedscope in a browser, and for JSON the text that Debian's perf writes of the same recording.
. "$(dirname "$0")/../../lib/peer.sh" data-convert
build=$(realpath "${O:-build}")
golden=$lib/../golden/c
export HOME=$out	# no cache of symbols of this machine
args="--symfs $golden/symfs --kallsyms $golden/kallsyms"

# Stacks as perf script prints them, a line each: the thread's name, then names from the outermost.
cat > check.py <<'EOF'
import collections, json, subprocess, sys

script, folded, speedscope, jsonfile, firefox = sys.argv[1:6]

def name(line):
    ip, sym, dso = line.split(None, 1)[0], *line.split(None, 1)[1].rsplit(' (', 1)
    dso = dso[:-1].rsplit('/', 1)[-1]
    if sym != '[unknown]':
        return sym
    return dso if dso[0] == '[' else '[%s]' % dso

want, order = collections.Counter(), []
for block in open(script).read().split('\n\n'):
    lines = [l for l in block.split('\n') if l.strip()]
    if not lines:
        continue
    comm = lines[0].split('\x01')[0].strip()
    frames = [name(l) for l in lines[1:] if '(cookie)' not in l]
    order.append((comm, tuple(reversed(frames))))
    want[order[-1]] += 1

got = collections.Counter()
for line in open(folded):
    stack, count = line.rstrip('\n').rsplit(' ', 1)
    got[stack] += int(count)
def fold(e):
    return ';'.join((e[0],) + e[1])
several = len(set(sys.argv[6].split())) > 1
def strip(s):
    return s.split(';', 1)[1] if several else s
plain = collections.Counter()
for stack, count in got.items():
    plain[strip(stack)] += count
missing = collections.Counter({fold(e): n for e, n in want.items() if e[1]})
assert not missing - plain, ('folded', list((missing - plain).items())[:2], list((plain - missing).items())[:2])
assert sum(plain.values()) == sum(want.values()), 'samples of folded'

s = json.load(open(speedscope))
assert s['$schema'] == 'https://www.speedscope.app/file-format-schema.json'
names = [f['name'] for f in s['shared']['frames']]
stacks = collections.Counter()
for p in s['profiles']:
    assert p['type'] == 'sampled' and len(p['samples']) == len(p['weights'])
    assert p['endValue'] - p['startValue'] == sum(p['weights'])
    for sample in p['samples']:
        stacks[tuple(names[i] for i in sample)] += 1
missing = collections.Counter()
for (comm, frames), n in want.items():
    if frames:
        missing[frames] += n
assert not missing - stacks, ('speedscope', list((missing - stacks).items())[:2])
assert sum(stacks.values()) == sum(want.values()), 'samples of speedscope'

# The Gecko format as firefox-devtools/profiler documents it (docs-developer/gecko-profile-format.md):
# every row as long as its schema, every number inside of its table, callers before the called.
g = json.load(open(firefox))
assert g['meta']['version'] == 24 and g['meta']['interval'] > 0 and g['libs'] == [] and g['processes'] == []
assert all({'name', 'color', 'subcategories'} == set(c) for c in g['meta']['categories'])
stacks = collections.Counter()
def rows(table):
    columns = {n: i for n, i in table['schema'].items()}
    assert sorted(columns.values()) == list(range(len(columns))), columns
    for row in table['data']:
        assert len(row) == len(columns), row
        yield {n: row[i] for n, i in columns.items()}
for t in g['threads']:
    assert isinstance(t['name'], str) and isinstance(t['pid'], int) and isinstance(t['tid'], int)
    assert not list(rows(t['markers'])) and t['registerTime'] >= 0 and t['unregisterTime'] is None
    frames = list(rows(t['frameTable']))
    for f in frames:
        assert 0 <= f['category'] < len(g['meta']['categories']) and f['subcategory'] == 0
        assert f['line'] is None or f['line'] > 0
    paths = []
    for i, s in enumerate(rows(t['stackTable'])):
        assert s['prefix'] is None or 0 <= s['prefix'] < i
        place = t['stringTable'][frames[s['frame']]['location']]
        paths.append((() if s['prefix'] is None else paths[s['prefix']]) + (place.rsplit(' (in ', 1)[0],))
    last = 0
    for s in rows(t['samples']):
        assert s['time'] >= last
        last = s['time']
        # Names of threads may have the event's behind them.
        comm = t['name'].rsplit(' (', 1)[0] if several else t['name']
        stacks[(comm, () if s['stack'] is None else paths[s['stack']])] += 1
missing = collections.Counter({e: n for e, n in want.items() if e[1]})
assert not missing - stacks, ('firefox', list((missing - stacks).items())[:2])
assert sum(stacks.values()) == sum(want.values()), 'samples of firefox'

j = json.load(open(jsonfile))
assert j['linux-perf-json-version'] == 1
assert len(j['samples']) == len(order), 'samples of json'
for sample, (comm, frames) in zip(j['samples'], order):
    assert sample['comm'] == comm, (sample['comm'], comm)
    chain = [f.get('symbol') for f in reversed(sample['callchain'])]
    # A sample without callchain has its own address.
    if frames:
        assert len(chain) == len(frames) and all(c is None or c == f for c, f in zip(chain, frames)), (chain, frames)
EOF

for from in "$golden"/*.data; do
	f=${from##*/}
	"$perf" data convert -i "$from" $args --no-inline --to-folded f.txt --to-speedscope s.json --to-pprof p.gz \
		--to-firefox g.json 2> err.txt
	ok $? "$f is converted" err.txt
	"$perf" data convert -i "$from" $args --to-json j.json 2> err.txt
	ok $? "$f: JSON" err.txt
	events=$("$perf" report --header-only -i "$from" | sed -n 's/^# event : name = \([^,]*\),.*/\1/p')
	"$perf" script -i "$from" $args --no-inline -F comm,ip,sym,dso 2>/dev/null | sed 's/^\([^\t].*\S\)  *$/\1\x01/' > script.txt
	if [ "$f" = nocallchain.data ]; then
		grep -q '"symbol"' j.json
	else
		python3 check.py script.txt f.txt s.json j.json g.json "$events" > diff.txt 2>&1
	fi
	ok $? "$f: samples and frames are those of perf script" diff.txt
	if command -v go >/dev/null; then
		# The sum of the samples column of each event, and of the lines of folded.
		sum=0
		n=$(echo "$events" | wc -l)
		for ((i = 0; i < n; i++)); do
			v=$(go tool pprof -top -nodecount=100000 -sample_index=$((2 * i)) p.gz 2>/dev/null |
				sed -n 's/.*of \([0-9]*\) total$/\1/p')
			sum=$((sum + ${v:-0}))
		done
		[ "$sum" = "$(awk '{ n += $NF } END { print n }' f.txt)" ]
		ok $? "$f: go tool pprof counts as many samples ($sum)"
		go tool pprof -traces p.gz > traces.txt 2>&1
		[ "$(grep -c '^ *tid:' traces.txt)" -gt 0 ]
		ok $? "$f: each stack has the labels of its thread" traces.txt
	else
		[ "${CI:-}" != true ]
		ok $? "$f: pprof # SKIP there is no go"
	fi
done

# What speedscope itself shows.
speedscope=$build/npm/node_modules/speedscope/dist/release/index.html
if command -v chromium > /dev/null && [ -f "$speedscope" ]; then
	"$perf" data convert -i "$golden/forker.defer.data" $args --to-speedscope s.json 2> err.txt &&
		timeout 120 python3 "$here/speedscope.py" "$speedscope" s.json speedscope.png > tap.txt 2>&1
	ok $? "speedscope, in a browser, shows the profile and its times" tap.txt
else
	[ "${CI:-}" != true ]
	ok $? "speedscope # SKIP no chromium, or npm could not install it"
fi

"$perf" data convert -i "$golden/system.defer.data" --to-json fields.json 2> err.txt
python3 - fields.json > diff.txt 2>&1 << 'END'
import json, sys
want = {"prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio"}
samples = [s for s in json.load(open(sys.argv[1]))["samples"] if want & set(s)]
print(len(samples), "with fields, the first:", samples[0])
assert len(samples) > 20 and all(want <= set(s) and all(isinstance(s[w], str) for w in want) for s in samples)
assert any(s["prev_comm"] == "perf" and s["next_comm"] == "migration/0" for s in samples)
END
ok $? 'JSON has the fields of tracepoints' diff.txt

"$perf" data convert -i "$golden/system.defer.data" --to-jsonl fields.jsonl 2> err.txt
python3 - fields.json fields.jsonl > diff.txt 2>&1 << 'END'
import json, sys
known = {"timestamp", "pid", "tid", "comm", "callchain", "cpu"}
want = [{k: v for k, v in s.items() if k not in known} for s in json.load(open(sys.argv[1]))["samples"]]
got = [json.loads(line).get("fields", {}) for line in open(sys.argv[2])]
print("wrong:", [(w, g) for w, g in zip(want, got) if w != g])
assert len(got) == len(want) and got == want and sum(map(bool, got)) > 20
END
ok $? 'and so have JSON lines, the same' diff.txt

# The text is mainline's, where its perf can read the recording. perf 6.1 does not write what
# tracepoints recorded; later ones do. They forget the names of some threads that have ended.
for f in deepsys system forker; do
	"$perf" inject -i "$golden/$f.defer.data" -o $f.data 2>/dev/null
	"$perf" data convert -i $f.data --to-json ours.json 2> err.txt
	rm -f theirs.json; "$peer" data convert -i $f.data --to-json theirs.json > /dev/null 2>&1
	grep -qs prev_comm theirs.json || sed -i -E '/^\t{3}"(prev|next)_/d; s/^(\t{3}\]),/\1/' ours.json
	[ -s theirs.json ] && awk 'NR == FNR { ours[FNR] = $0; next } /^\t\t\t"comm": ":[0-9]+",$/ { $0 = ours[FNR] } { print }' \
		ours.json theirs.json | diff - ours.json > diff.txt
	ok $? "$f: JSON as Debian's perf writes it" diff.txt
done

# Names that are no UTF-8 and need escapes.
python3 - <<-'EOF' || { echo "Bail out! no recording"; exit 1; }
	from perfdata import *
	data = b''
	for tid, name in ((11, b'a"b\\c'), (12, b'\xff\xc0x;y'), (13, 'größe'.encode())):
	    name += b'\0' * (8 - len(name) % 8)
	    data += record(3, ii(11, tid) + name + ii(11, tid) + q(1)) + record(9, q(0x1000) + ii(11, tid) + q(2), 2)
	with open('names.data', 'wb') as f:
	    f.write(perf_file([attr(IP | TID | TIME)], data))
	EOF
"$perf" data convert -i names.data --to-speedscope s.json --to-folded f.txt --to-firefox g.json 2> err.txt &&
	"$perf" data convert -i names.data --to-json j.json 2>> err.txt
ok $? "odd names" err.txt
python3 - > diff.txt 2>&1 <<-'EOF'
	import json
	names = {s['tid']: s['comm'] for s in json.load(open('j.json'))['samples']}
	assert names == {11: 'a"b\\c', 12: '??x;y', 13: 'größe'}, names
	assert [p['name'].split(' ')[0] for p in json.load(open('s.json'))['profiles']] == ['a"b\\c', '??x;y', 'größe']
	assert [t['name'] for t in json.load(open('g.json'))['threads']] == ['a"b\\c', '??x;y', 'größe']
	assert [l.split(';')[0] for l in open('f.txt')] == ['a"b\\c', '??x:y', 'größe']
	EOF
ok $? "they are UTF-8 and escaped" diff.txt

echo kept > old.txt
# As many samples as perf script prints with the same options, in every format that counts them
filtered() {
	local want

	want=$("$perf" script -i "$golden/multi.defer.data" $args -G "$@" | grep -c .)
	for f in folded json jsonl; do
		"$perf" data convert -i "$golden/multi.defer.data" $args --to-$f - "$@" > filtered 2> err.txt || return 1
		case $f in
		folded)	got=$(awk '{ n += $NF } END { print n }' filtered) ;;
		json)	got=$(python3 -c 'import json; print(len(json.load(open("filtered"))["samples"]))') ;;
		jsonl)	got=$(grep -c . filtered) ;;
		esac
		echo "# $*: $f $got, script $want"
		[ "$want" -gt 0 ] && [ "$got" = "$want" ] || return 1
	done
}
all=$("$perf" script -i "$golden/multi.defer.data" $args -G -F comm,tid | grep -c .)
some=$("$perf" script -i "$golden/multi.defer.data" $args -G -F comm,tid --time 20%-60% | grep -c .)
[ "$some" -lt "$all" ]; ok $? "--time: some of the samples"
filtered --time 20%-60%; ok $? "--time" filtered
comm=$("$perf" script -i "$golden/multi.defer.data" -G -F comm | head -n 1 | tr -d ' ')
filtered --comms "$comm"; ok $? "--comms" filtered
filtered --dsos '[kernel.kallsyms]'; ok $? "--dsos" filtered
"$perf" data convert -i "$golden/multi.defer.data" $args --to-folded none.txt --comms nobody 2> err.txt
[ $? = 1 ] && [ "$(wc -l < err.txt)" = 1 ] && grep -q 'no sample passes the filters: --comms nobody' err.txt
ok $? "no sample passes: status 1, one line" err.txt

"$perf" data convert -i /nonexistent --to-folded old.txt 2> err.txt
[ $? = 1 ] && [ "$(wc -l < err.txt)" = 1 ] && [ "$(cat old.txt)" = kept ]; ok $? "no recording: one line, nothing is replaced" err.txt
(ulimit -f 1; exec "$perf" data convert -i "$golden/sleepers.defer.data" --to-json old.txt) 2> err.txt
[ $? = 1 ] && [ "$(wc -l < err.txt)" = 1 ] && [ "$(cat old.txt)" = kept ] && [ -z "$(compgen -G 'old.txt.*')" ]
ok $? "an output that cannot be written: one line, nothing is replaced" err.txt
for o in "convert" "convert --to-ctf x" "list" "convert --to-json a --to-folded b"; do
	"$perf" data $o > /dev/null 2> err.txt
	[ $? = 129 ] && [ "$(wc -l < err.txt)" = 1 ]
	ok $? "perf data $o: one line" err.txt
done
# pprof's conventions: the first mapping is the program, though ld.so has the first samples;
# system_name is the linker's name, without which pprof drops the arguments of templates.
cat > pprof.cc <<'EOF'
volatile unsigned long sink;
namespace {
template <typename T> __attribute__((noinline)) void leaf(T n)
{ for (T i = 0; i < n; i++) sink = sink + i; }
}
template <int N> inline __attribute__((always_inline)) void inner(unsigned long n)
{ leaf(n * N); sink = sink + N; }
template <int N> __attribute__((noinline)) void table(unsigned long n)
{ inner<N>(n); sink = sink + N; }
int main() { table<1>(9000000); table<3>(9000000); return 0; }
EOF
cat > pprof.py <<'EOF'
import gzip
import sys


def number(b, i):
    value = shift = 0
    while True:
        value |= (b[i] & 127) << shift
        shift += 7
        i += 1
        if b[i - 1] < 128:
            return value, i


def fields(b):
    i = 0
    while i < len(b):
        tag, i = number(b, i)
        value, i = number(b, i)
        if tag & 7 == 2:
            value, i = b[i:i + value], i + value
        yield tag >> 3, value


profile = list(fields(gzip.open(sys.argv[1]).read()))
text = [v.decode() for f, v in profile if f == 6]
print('mapping', text[dict(fields(next(v for f, v in profile if f == 3)))[5]].split('/')[-1])
for f, v in profile:
    m = dict(fields(v)) if f == 5 else {}
    if m and text[m[2]].startswith(('void (anon', 'void table', 'void inner', 'main')):
        print(text[m[2]], text[m.get(3, 0)])
EOF
if g++ -O2 -g -o pprof.exe pprof.cc 2> err.txt &&
   "$perf" record -N -q -F 9999 -e cpu-clock:u --call-graph dwarf,4096 -o pprof.data -- ./pprof.exe \
	> err.txt 2>&1; then
	"$perf" data convert -i pprof.data --to-pprof p.gz 2> err.txt && python3 pprof.py p.gz > got.txt
	sort -u got.txt | diff - <(printf '%s\n' 'mapping pprof.exe' 'main main' \
		'void inner<1>(unsigned long) _Z5innerILi1EEvm' \
		'void inner<3>(unsigned long) _Z5innerILi3EEvm' \
		'void (anonymous namespace)::leaf<unsigned long>(unsigned long) _ZN12_GLOBAL__N_14leafImEEvT_' \
		'void table<1>(unsigned long) _Z5tableILi1EEvm' 'void table<3>(unsigned long) _Z5tableILi3EEvm' |
		sort -u) > diff.txt
	ok $? "pprof: the program is first, functions have their linker's names" diff.txt
else
	[ "${CI:-}" != true ]
	ok $? 'pprof: names # SKIP no g++, or it cannot record here' err.txt
fi

plan
