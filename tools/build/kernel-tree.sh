#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-tree.sh SERIES TREE: bring TREE up to date: the Debian source of that
# series (6.12), the patches in patches/linux-SERIES and our own files.
#
# The patches are applied by quilt to pristine copies of the files they touch,
# in TREE.stage; what differs from TREE is then copied over. A file that comes
# out as it was keeps its time stamp, so that make builds no more than it must.
set -eu

series=$1
tree=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
patches=$top/patches/linux-$series
package=linux-source-$series
tarball=${KERNEL_SOURCE_DIR:-/usr/src}/$package.tar.xz
# One at a time, as kernel-build.sh.
mkdir -p "$(dirname "$tree")"
exec 9>"$tree.lock"
flock 9
stage=$tree.stage
pristine=$tree.orig
# The version of the Debian package that the tests last passed on.
verified=$(cat "$patches/verified")

die() { echo "kernel-tree.sh: $*" >&2; exit 1; }

version=$(dpkg-query -W -f='${Version}' "$package" 2>/dev/null) || die "no package $package: apt install $package"
[ -r "$tarball" ] || die "no $tarball, though $package $version is installed: apt install --reinstall $package"

# A new version of the package: start over.
if [ "$(cat "$pristine/.version-unpacked" 2>/dev/null)" != "$version" ]; then
	echo "unpacking $package $version"
	rm -rf "$pristine" "$stage" "$tree.files"
	mkdir -p "$pristine"
	tar -C "$pristine" --strip-components=1 -xf "$tarball"
	mkdir -p "$tree"
	# Links, not copies: replacing a file in $tree does not change $pristine.
	if [ -z "$(ls -A "$tree")" ]; then
		cp -al "$pristine/." "$tree/"
	else
		rsync -a --checksum --link-dest="$pristine" --exclude='/o-*' "$pristine/" "$tree/"
	fi
	echo "$version" >"$pristine/.version-unpacked"
fi
echo "$package $version (last verified: $verified)"

own_files() {
	(cd "$top" && find include kernel arch -type f \( -name '*.[chS]' -o -name Kconfig -o -name Makefile \) -print
	 echo Documentation/unwind-deferred.rst) | while read -r f; do [ ! -e "$top/$f" ] || echo "$f"; done
}

# What the result depends on: nothing to do if it is what it was.
sum=$( (echo "$version"; cat "$0"; cd "$top"; cat "$patches"/series "$patches"/*.patch
	own_files | sort | xargs sha1sum) | sha1sum)
[ "$(cat "$tree.sum" 2>/dev/null)" != "$sum" ] || exit 0

rm -rf "$stage"
mkdir -p "$stage/patches"
cp "$patches"/series "$patches"/*.patch "$stage/patches/"
grep -vE '^(#|$)' "$patches/series" | while read -r p; do
	[ -r "$patches/$p" ] || die "series names $p, which is not in $patches"
	sed -n 's|^+++ b/\([^\t]*\).*|\1|p' "$patches/$p"
done | sort -u | while read -r f; do
	[ -e "$pristine/$f" ] || continue
	mkdir -p "$stage/$(dirname "$f")"
	cp -p "$pristine/$f" "$stage/$f"
done

if ! (cd "$stage" && QUILT_PATCHES=patches quilt --quiltrc /dev/null push -a --fuzz=2) >"$stage.log" 2>&1; then
	grep -E 'FAILED|can.t find|does not apply|malformed|^Patch' "$stage.log" >&2 || tail -n 5 "$stage.log" >&2
	p=$(cd "$stage" && QUILT_PATCHES=patches quilt --quiltrc /dev/null next 2>/dev/null)
	die "$p does not apply to $package $version (last verified: $verified); all of it in $stage.log"
fi
rm -rf "$stage/patches" "$stage/.pc"

(cd "$top" && own_files | rsync -a --files-from=- ./ "$stage/")

# Files that were ours or patched, and are not any more, go back to Debian's.
(cd "$stage" && find . -type f | sort) >"$tree.files.new"
if [ -e "$tree.files" ]; then
	comm -23 "$tree.files" "$tree.files.new" | while read -r f; do
		rm -f "$tree/$f"
		[ ! -e "$pristine/$f" ] || cp "$pristine/$f" "$tree/$f"
	done
fi
rsync -rlp --checksum --out-format='  %n' "$stage/" "$tree/" | grep -v '/$' || true
mv "$tree.files.new" "$tree.files"
echo "$sum" >"$tree.sum"
