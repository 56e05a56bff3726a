#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# all-tables.sh [DIR...]: make test-tables. The unwind tables of every 64-bit program and library
# below these folders (default: /usr/bin /usr/sbin /usr/lib /usr/libexec) beside libdw, at
# every byte of their code; as TAP. Large files take minutes: libdw runs a function's
# instructions anew for each row.
set -u
O=$(realpath "${O:-build}")
PERF=$(realpath "${PERF:-$O/perf}")
T=$(mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
[ $# -gt 0 ] || set -- /usr/bin /usr/sbin /usr/lib /usr/libexec

python3 - "$@" > "$T/files" <<'END' || exit 1
import os, sys
seen = set()
for top in sys.argv[1:]:
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path) or '/debug/' in path:
                continue
            st = os.stat(path)
            if (st.st_dev, st.st_ino) in seen:
                continue
            seen.add((st.st_dev, st.st_ino))
            with open(path, 'rb') as f:
                head = f.read(20)
            # ELF, 64 bits, little-endian, a program or shared library, x86-64
            if head[:6] == b'\x7fELF\x02\x01' and head[16] in (2, 3) and head[18] == 62:
                sys.stdout.write(path + '\0')
END

nr=0 failed=0
result() { # STATUS TEXT
	nr=$((nr + 1))
	[ "$1" = 0 ] || { failed=1; printf 'not '; }
	echo "ok $nr - $2"
}
echo "1..3"
xargs -0 -a "$T/files" "$PERF" unwind > "$T/out" 2> "$T/none"
# Rows, rules, bytes and code of the lines of files; those of their sum and of kinds are others.
awk '/^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ / && $NF != "all" { n++; rows += $1; bytes += $3; text += $5 }
	/ bytes / && !/innermost|frame pointer/ { if (last != "all") odd += $(NF - 2) }
	{ if ($NF !~ /%$/) last = $NF }
	END { printf "# %d files, %d rows, %d bytes, %d bytes of code\n", n, rows, bytes, text
	      printf "# bytes a row: %.2f; not expressible: %.4f %%\n", bytes / rows, 100 * odd / text
	      exit !(n && bytes <= 5 * rows && odd < text / 1000) }' "$T/out"
result $? 'at most 5 bytes a row, less than 0.1 % of the code not expressible'

xargs -0 -a "$T/files" -n 16 -P "$(nproc)" "$PERF" unwind --check > "$T/out" 2> "$T/err"
awk '/^ *[0-9]+ +[0-9]+ +[0-9]+ / && $NF != "all" { equal += $1; wrong += $2; absent += $3; n++ }
	END { printf "# %d files: %d bytes equal, %d wrong, %d absent\n", n, equal, wrong, absent
	      exit !(n && equal && !wrong && !absent) }' "$T/out"
result $? 'every table is what libdw says'
grep -v 'no unwind table: \(nothing in it describes its code\|it holds debug information only\)' "$T/err" |
	sed 's/^/# /' | tee "$T/other"
[ ! -s "$T/other" ]
result $? 'a file without a table describes nothing of its code'
exit $failed
