#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# make dist: the tarball of a commit is the same whenever and wherever it is made, and
# what is in it builds and tests itself where there is no git.
. "$(dirname "$0")/../../lib/tap.sh"
here=$(cd "$(dirname "$0")/../../../build" && pwd)
top=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL TAP_DIR PERL_TEST_HARNESS_DUMP_TAP GIT_DIR GIT_INDEX_FILE
make=${MAKE:-make}
shown=("$tmp/out")
: >"$tmp/out"

# The working tree as a commit, in a repository of the test's own: a tarball has no .git.
repo=$tmp/repo
mkdir "$repo"
if [ -e "$top/.git" ]; then
	(cd "$top" && git ls-files -co --exclude-standard) | while read -r f; do
		[ ! -e "$top/$f" ] && [ ! -L "$top/$f" ] || printf '%s\0' "$f"
	done | (cd "$top" && xargs -0 cp --parents -P -t "$repo")
else
	(cd "$top" && tar --exclude=./build -cf - .) | tar -C "$repo" -xf -
fi
g() { git -C "$1" -c user.name=t -c user.email=t@localhost "${@:2}"; }
export GIT_AUTHOR_DATE='2026-01-02 12:00:00 +0000' GIT_COMMITTER_DATE='2026-01-02 12:00:00 +0000'
g "$repo" init -q -b main && g "$repo" add -A && g "$repo" commit -q -m all
commit=$(g "$repo" rev-parse HEAD)
version=$(cat "$repo/VERSION")

(cd "$repo" && tools/build/dist "$tmp/one") >"$tmp/out" 2>&1
ok $? 'make dist'
name=perf-deferred-$version.g${commit:0:12}
[ -s "$tmp/one/$name.tar.gz" ]; ok $? 'a commit without a tag is in the name'
(cd "$tmp/one" && sha256sum -c "$name.tar.gz.sha256") >"$tmp/out" 2>&1
ok $? 'the checksum is that of the tarball'

# Another clone, another umask, another time and place, files touched and not committed.
g "$tmp" clone -q "$repo" other
touch -d '2001-01-01' "$tmp/other"/*
echo mine >"$tmp/other/notes"
(cd "$tmp/other" && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 tools/build/dist "$tmp/two") >"$tmp/out" 2>&1
ok $? 'in another clone'
grep -q 'not committed is left out' "$tmp/out"; ok $? 'says that not all of it is committed'
cmp "$tmp/one/$name.tar.gz" "$tmp/two/$name.tar.gz" >"$tmp/out" 2>&1
ok $? 'gives the same bytes'
[ "$(ls "$tmp/two")" = "$(printf '%s\n' "$name.tar.gz" "$name.tar.gz.sha256")" ]; ok $? 'and leaves nothing else'
g "$repo" tag "v$version"
(cd "$repo" && tools/build/dist "$tmp/three") >"$tmp/out" 2>&1
[ -s "$tmp/three/perf-deferred-$version.tar.gz" ]; ok $? 'a tagged commit is the version'
tar -tzf "$tmp/three/perf-deferred-$version.tar.gz" | grep -vE "^perf-deferred-$version/" >"$tmp/out"
[ ! -s "$tmp/out" ]; ok $? 'everything is below one folder'

# Out of the tarball, below a repository of somebody else, with a git that only complains.
mkdir -p "$tmp/theirs/bin" && g "$tmp/theirs" init -q && g "$tmp/theirs" commit -q --allow-empty -m theirs
tar -C "$tmp/theirs" -xzf "$tmp/one/$name.tar.gz"
tree=$tmp/theirs/$name
[ "$(cat "$tree/VERSION")" = "$version.g${commit:0:12}" ]; ok $? 'its VERSION has the commit'
printf '#!/bin/sh\necho "git $*" >>"%s/git"\necho "git: not found" >&2\nexit 127\n' "$tmp" >"$tmp/theirs/bin/git"
chmod +x "$tmp/theirs/bin/git"
: >"$tmp/git"
inside() { (cd "$tree" && PATH=$tmp/theirs/bin:$PATH O=$tree/build $make --no-print-directory "$@") >"$tmp/out" 2>&1; }
inside -j2 perf EXTRA_CFLAGS=-O0
ok $? 'make perf in it'
[ "$("$tree/build/perf" version)" = "perf version $version.g${commit:0:12}" ]; ok $? 'perf names that version'
cp "$tree/VERSION" "$tmp/version" && echo 9.9 >"$tree/VERSION"
inside -j2 perf EXTRA_CFLAGS=-O0
[ "$("$tree/build/perf" version)" = "perf version 9.9" ]; ok $? 'and another one, when it has changed'
cp "$tmp/version" "$tree/VERSION"
inside -j2 test-unit EXTRA_CFLAGS=-O0
ok $? 'make test-unit'
inside test-front test-lint lint-scripts lint-layers lint-includes lint-names lint-heads
ok $? 'make test-front, test-lint and the rules of lint that need no kernel'
(cd "$tree" && PATH=$tmp/theirs/bin:$PATH prove tools/testing/t/docs/rst.t) >"$tmp/out" 2>&1
ok $? 'the documents'
cp "$tmp/git" "$tmp/out"
[ ! -s "$tmp/git" ]; ok $? 'none of them called git'
(cd "$tree" && PATH=$tmp/theirs/bin:$PATH tools/build/dist "$tmp/four") >"$tmp/out" 2>&1
[ $? = 2 ]; ok $? 'make dist in it does not'
grep -q '^dist: no git repository here' "$tmp/out"; ok $? 'and says why'
plan
