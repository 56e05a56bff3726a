#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The perf of a Debian kernel tree, with patches/perf-SERIES.
#
#   tree-perf.sh tree SERIES DIR its source with the patches in DIR; DIR.orig
#					is Debian's
#   tree-perf.sh build DIR OUT JOBS [VARIABLE=VALUE...]	build OUT/perf from it
#   tree-perf.sh objects DIR OUT JOBS [FILE.o...]	single objects, named as in tools/perf
#   tree-perf.sh install DIR OUT ROOT	what was built, as linux-perf-unwind has it
#
# Only what perf needs is unpacked (arch/x86/Makefile: for its version). The patches are applied
# by quilt, and taken off again before others are applied: what they do not touch keeps its time
# stamp.
set -eu -o pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)

die() { echo "tree-perf.sh: $*" >&2; exit 1; }

unpack() {
	local dir=$1 version=$2 name=linux-source-$3
	local tarball=${KERNEL_SOURCE_DIR:-/usr/src}/$name.tar.xz

	[ "$(cat "$dir.orig/.version-unpacked" 2>/dev/null)" != "$version" ] ||
		[ ! -e "$dir.orig/arch/x86/Makefile" ] || return 0
	[ -r "$tarball" ] || die "no $tarball, though $name $version is installed: apt install --reinstall $name"
	echo "unpacking tools/perf of $name $version"
	rm -rf "$dir" "$dir.orig" "$dir.sum"
	mkdir -p "$dir.orig"
	tar -C "$dir.orig" --strip-components=1 -xf "$tarball" \
		"$name/Makefile" "$name/tools" "$name/scripts" "$name/arch/arm64/tools" \
		"$name/arch/x86/Makefile"
	cp -a "$dir.orig" "$dir"
	echo "$version" >"$dir.orig/.version-unpacked"
}

quilt_in() {
	local dir=$1
	shift
	(cd "$dir" && QUILT_PATCHES=patches quilt --quiltrc /dev/null "$@")
}

tree() {
	local series=$1 dir=$2 patches=$top/patches/perf-$1 version sum

	version=$(dpkg-query -W -f='${Version}' "linux-source-$series" 2>/dev/null) ||
		die "no package linux-source-$series: apt install linux-source-$series"
	mkdir -p "$(dirname "$dir")"
	exec 9>"$dir.lock"
	flock 9
	unpack "$dir" "$version" "$series"

	sum=$(cat "$patches"/series "$patches"/*.patch | sha1sum)
	[ "$(cat "$dir.sum" 2>/dev/null)" != "$sum" ] || return 0
	rm -f "$dir.sum"
	[ ! -e "$dir/.pc/applied-patches" ] || quilt_in "$dir" pop -a -f -q >/dev/null ||
		die "cannot take the old patches off $dir: remove it"
	rm -rf "$dir/patches" "$dir/.pc"
	mkdir "$dir/patches"
	cp "$patches"/series "$patches"/*.patch "$dir/patches/"
	if ! quilt_in "$dir" push -a --fuzz=2 >"$dir.log" 2>&1; then
		grep -E 'FAILED|can.t find|malformed' "$dir.log" >&2 || true
		die "$(quilt_in "$dir" next) does not apply to linux-source-$series $version; all of it in $dir.log"
	fi
	echo "$sum" >"$dir.sum"
}

# What is left out is built for minutes and is not touched by the series. perf has the
# name of its folder compiled in; this one lives beside Debian's. The compiler cache
# serves every clone: paths are relative to the source for it.
in_tree() {
	local dir=$1 out=$2
	shift 2

	CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_INODECACHE=1 \
		make -C "$dir/tools/perf" O="$out" CC='ccache gcc' HOSTCC='ccache gcc' \
		prefix=/usr/lib/linux-perf-unwind \
		NO_LIBPYTHON=1 NO_LIBUNWIND=1 NO_LIBPERL=1 NO_JVMTI=1 NO_LIBBPF=1 BUILD_BPF_SKEL=0 NO_JEVENTS=1 \
		NO_LIBLLVM=1 NO_LIBBABELTRACE=1 NO_LIBDEBUGINFOD=1 NO_SHELLCHECK=1 "$@" \
		>"$out.log" 2>&1
}

build() {
	local dir=$1 out=$2 jobs=$3
	shift 3

	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	if ! in_tree "$dir" "$out" -j"$jobs" "$@"; then
		grep -E -A3 'error:|Error ' "$out.log" | head -n 20 >&2
		die "tools/perf is not built; all of it in $out.log"
	fi
}

objects() {
	local dir=$1 out=$2 jobs=$3
	shift 3

	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	# All of them are below the folder of the output. perf's Makefile would start a make of its own
	# for each goal, which write the same files; the other takes all goals at once.
	if [ $# -gt 0 ] && ! in_tree "$dir" "$out" -j"$jobs" -f Makefile.perf "${@/#/$out/}"; then
		grep -E -A3 'error:|Error ' "$out.log" | head -n 20 >&2
		die "these objects are not built; all of it in $out.log"
	fi
}

install() {
	local dir=$1 out root

	out=$(cd "$2" && pwd)
	mkdir -p "$3"
	root=$(cd "$3" && pwd)
	in_tree "$dir" "$out" DESTDIR="$root" install-tools ||
		die "tools/perf cannot be installed into $root; all of it in $out.log"
}

mode=${1:-}
[ $# -lt 1 ] || shift
case $mode in
tree)	tree "$@" ;;
build)	build "$@" ;;
objects) objects "$@" ;;
install) install "$@" ;;
*)	die "usage: tree-perf.sh tree SERIES DIR | build DIR OUT JOBS [VARIABLE=VALUE...] | objects DIR OUT JOBS FILE.o... | install DIR OUT ROOT" ;;
esac
