#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/build/kernel-tree.sh where things are not as they were: other versions of
# the source package, no package. A small source of its own, and a dpkg-query that
# says what the test wants.
. "$(dirname "$0")/../../lib/tap.sh"
set -u
here=$(cd "$(dirname "$0")/../../../build" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
shown=("$tmp/out")
has() { # TEXT NAME
	grep -qF -- "$1" "$tmp/out"
	ok $? "$2"
}

mkdir -p "$tmp"/{bin,src,top/tools/build,top/patches/linux-9.9,top/kernel/own,top/include,top/arch,top/build}
cp "$here/kernel-tree.sh" "$tmp/top/tools/build/"
cat >"$tmp/bin/dpkg-query" <<-'END'
	#!/bin/bash
	[ -s "$TEST_TMP/version" ] || exit 1
	cat "$TEST_TMP/version"
END
chmod +x "$tmp"/bin/*
export TEST_TMP=$tmp PATH=$tmp/bin:$PATH KERNEL_SOURCE_DIR=$tmp/src

# source VERSION [LINE...]: the package of that version, with these lines before the rest.
source_package() {
	local dir=$tmp/unpacked/linux-source-9.9

	printf %s "$1" >"$tmp/version"
	shift
	rm -rf "$tmp/unpacked"
	mkdir -p "$dir/kernel"
	{ printf '%s\n' "$@"; seq 1 20; } | grep . >"$dir/kernel/one.c"
	seq 101 120 >"$dir/kernel/two.c"
	tar -C "$tmp/unpacked" -cJf "$tmp/src/linux-source-9.9.tar.xz" linux-source-9.9
}
patch_of() { # FILE LINE: with three lines of context
	local l=$2
	printf 'Why.\n---\n--- a/kernel/%s\n+++ b/kernel/%s\n' "$1" "$1"
	printf '@@ -%d,6 +%d,7 @@\n' $((l % 100 - 2)) $((l % 100 - 2))
	printf ' %d\n %d\n %d\n+hook\n %d\n %d\n %d\n' $((l - 2)) $((l - 1)) "$l" $((l + 1)) $((l + 2)) $((l + 3))
}
tree=$tmp/top/build/src
run() { "$tmp/top/tools/build/kernel-tree.sh" 9.9 "$tree" >"$tmp/out" 2>&1; }

patches=$tmp/top/patches/linux-9.9
printf 'first.patch\nsecond.patch\n' >"$patches/series"
patch_of one.c 10 >"$patches/first.patch"
patch_of two.c 110 >"$patches/second.patch"
echo 9.9.1-1 >"$patches/verified"
echo ours >"$tmp/top/kernel/own/own.c"

rm -f "$tmp/version"
run
[ $? != 0 ]; ok $? 'no package: a failure'
has 'no package linux-source-9.9: apt install linux-source-9.9' 'which names it'

source_package 9.9.1-1
run
ok $? 'the series applies'
has 'linux-source-9.9 9.9.1-1 (last verified: 9.9.1-1)' 'the version found and the one last verified'
[ "$(sed -n 11p "$tree/kernel/one.c") $(sed -n 11p "$tree/kernel/two.c") $(cat "$tree/kernel/own/own.c")" = 'hook hook ours' ]
ok $? 'patches and files of ours are in the tree'
find "$tree" -printf '%p %T@\n' | sort >"$tmp/before"
run
ok $? 'once more'
[ "$(find "$tree" -printf '%p %T@\n' | sort)" = "$(cat "$tmp/before")" ]; ok $? 'nothing is touched'

source_package 9.9.5-1 a b c
run
ok $? 'a later version, lines moved: applies'
has 'linux-source-9.9 9.9.5-1 (last verified: 9.9.1-1)' 'both versions are named'
[ "$(sed -n 14p "$tree/kernel/one.c")" = hook ]; ok $? 'the hook is where it belongs'

printf '# the first only\n\nfirst.patch\n' >"$patches/series"
run
ok $? 'a patch less'
! grep -q hook "$tree/kernel/two.c"; ok $? "its file is Debian's again"
echo second.patch >>"$patches/series"

source_package 9.9.7-1
sed -i 's/^110$/changed/; s/^111$/changed, too/' "$tmp/unpacked/linux-source-9.9/kernel/two.c"
tar -C "$tmp/unpacked" -cJf "$tmp/src/linux-source-9.9.tar.xz" linux-source-9.9
run
[ $? != 0 ]; ok $? 'a later version, a hunk does not apply: a failure'
has 'second.patch does not apply to linux-source-9.9 9.9.7-1 (last verified: 9.9.1-1)' 'patch and versions are named'
has 'Hunk #1 FAILED' 'and the hunk'
has 'kernel/two.c' 'with its file'

plan
