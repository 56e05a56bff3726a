#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Both series as Documentation/series.rst has a distribution take them: make series OUT=dir, then
# the mails by git am and by quilt, each through dir/series. Either way the files become what
# the series has. Each mail of perf's is checked by checkpatch.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
. "$here/../lib/tap.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 HOME=$tmp QUILT_SERIES=series
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
unset MAKEFLAGS MFLAGS MAKELEVEL
dir=$tmp/dir

make --no-print-directory -C "$top" series OUT="$dir" >"$tmp/log" 2>&1
ok $? 'make series' "$tmp/log"
nr_mails() { find "$dir" -name '[0-9]*.patch' ! -name '0000-*' -path "$1" | wc -l; }
[ "$(nr_mails "$dir/perf/*")" = "$(wc -l <"$dir/perf/series")" ] &&
	[ "$(nr_mails '*')" = "$(wc -l <"$dir/series")" ]
ok $? 'the files for quilt have every mail but the cover letters' "$dir/series"

# state KERNEL PERF FOLDER: the files that the series touch, of Debian (base) or as they leave them
state() {
	mkdir -p "$3"
	git -C "$O/series-repo-linux-6.12" archive "$1" | tar -C "$3" -x
	git -C "$O/series-repo-perf-6.12" archive "$2" | tar -C "$3" -x
}
equal() { diff -r --no-dereference -x .git -x .pc -x '*.orig' "$1" "$2" >"$tmp/diff" 2>&1; }
state series series "$tmp/both"
state base series "$tmp/perf"

# The headers among tools' are copies of the kernel's; of perf_event.h, where 6.12's own differ, what
# is added.
uapi=include/uapi/linux
diff "$tmp/both/$uapi/unwind_table.h" "$tmp/both/tools/$uapi/unwind_table.h" >"$tmp/diff" 2>&1
ok $? 'unwind_table.h is the same in both' "$tmp/diff"
added() { git -C "$O/series-repo-$1" diff base series -- "$2" | grep '^[+-][^+-]'; }
[ "$(added linux-6.12 $uapi/perf_event.h | wc -l)" -ge 10 ] &&
	diff <(added linux-6.12 $uapi/perf_event.h) <(added perf-6.12 tools/$uapi/perf_event.h) >"$tmp/diff" 2>&1
ok $? 'perf_event.h has the same added in both' "$tmp/diff"

state base base "$tmp/git"
(cd "$tmp/git" && git init -q . && git add -fA && git commit -qm base &&
	git am $(sed "s,^,$dir/," "$dir/series")) >"$tmp/log" 2>&1
ok $? 'git am takes both' "$tmp/log"
equal "$tmp/both" "$tmp/git"
ok $? 'and the files are those of the series' "$tmp/diff"

state base base "$tmp/quilt"
(cd "$tmp/quilt" && QUILT_PATCHES=$dir quilt --quiltrc /dev/null push -a --fuzz=0) >"$tmp/log" 2>&1
ok $? 'quilt takes both' "$tmp/log"
equal "$tmp/both" "$tmp/quilt"
ok $? 'and the files are those of the series' "$tmp/diff"
[ -x "$tmp/quilt/tools/perf/tests/shell/record_deferred_callchain.sh" ]
ok $? 'the shell test can be executed'

cp -r "$top/patches/perf-6.12" "$tmp/patches"
for patches in "$dir/perf" "$tmp/patches"; do
	rm -rf "$tmp/quilt"
	state base base "$tmp/quilt"
	(cd "$tmp/quilt" && QUILT_PATCHES=$patches quilt --quiltrc /dev/null push -a --fuzz=0) >"$tmp/log" 2>&1
	ok $? "quilt takes perf's alone: ${patches#"$tmp/"}" "$tmp/log"
	equal "$tmp/perf" "$tmp/quilt"
	ok $? 'and the files are those of the series' "$tmp/diff"
done

"$top/tools/build/series.sh" checkpatch perf-6.12 "$SRC" "$dir/perf" >"$tmp/log" 2>&1
ok $? 'checkpatch has no complaint' "$tmp/log"
echo "1..$nr"
[ "$failed" = 0 ]
