#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# upstream-kernel.sh TREE PATCHES OUT JOBS: the kernel of TREE.orig (upstream-tree.sh) with the
# patches of the folder PATCHES, or none if that is "", in OUT/o, and the module for the tests in
# OUT/module. OUT is a copy of the tree by links.
set -eu

tree=$1 patches=$2 out=$3 jobs=$4
top=$(cd "$(dirname "$0")/../.." && pwd)
test=$top/tools/testing/series72

die() { echo "upstream-kernel.sh: $*" >&2; exit 1; }

exec 9>"$out.lock"
flock 9

# Only what differs is written, as a new file: a file that comes out as it was keeps its time.
stage=$out.stage
rm -rf "$stage"
mkdir -p "$stage" "$out"
if [ "$(cat "$out/.version-unpacked" 2>/dev/null)" != "$(cat "$tree.orig/.version-unpacked")" ]; then
	rm -rf "$out"
	cp -al "$tree.orig" "$out"
fi
if [ -n "$patches" ]; then
	sed -n 's,^--- a/\([^[:space:]]*\).*,\1,p' "$patches"/*.patch | sort -u | while read -r f; do
		mkdir -p "$stage/$(dirname "$f")"
		cp -p "$tree.orig/$f" "$stage/$f"
	done
	grep -v '^#' "$patches/series" | while read -r p; do
		patch -s -d "$stage" -p1 --no-backup-if-mismatch <"$patches/$p" || die "$p does not apply"
	done
	rsync -rlp --checksum "$stage/" "$out/"
fi
rm -rf "$stage"

export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026' KBUILD_BUILD_USER=unwind
export KBUILD_BUILD_HOST=localhost KBUILD_BUILD_VERSION=1 LC_ALL=C
cc=gcc
if command -v ccache >/dev/null; then
	cc='ccache gcc'
	export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_INODECACHE=1
fi
kmake() { make --no-print-directory -s -C "$out" O="$out/o" CC="$cc" PAHOLE=none "$@"; }

mkdir -p "$out/o"
configs=("$top/tools/build/configs/series.config" "$test/config")
sum=$(cat "${configs[@]}" | sha1sum)
if [ "$(cat "$out/o/.fragments" 2>/dev/null)" != "$sum" ]; then
	kmake tinyconfig >/dev/null
	(cd "$out/o" && "$out/scripts/kconfig/merge_config.sh" -m -O . .config "${configs[@]}") >/dev/null
	kmake olddefconfig
	echo "$sum" >"$out/o/.fragments"
fi
kmake -j"$jobs" bzImage modules_prepare
mkdir -p "$out/module"
cp -u "$test/module/"* "$out/module/"
kmake M="$out/module" KBUILD_MODPOST_WARN=1 modules
