#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# series-versions.sh SERIES DIR [VERSION...]: whether patches/linux-SERIES applies to
# each version (those named, or all) of linux-source-SERIES that Debian 12 and 13 have,
# in the release itself, its updates or its security updates. TAP.
#
# Packages are fetched by apt with lists of its own below DIR, where the files that the
# series touches are kept of each version (the package, 150 MB, is not).
set -eu

series=$1
dir=$2
shift 2
top=$(cd "$(dirname "$0")/../.." && pwd)
patches=$top/patches/linux-$series
package=linux-source-$series
mirror=${MIRROR:-http://deb.debian.org/debian}

die() { echo "series-versions.sh: $*" >&2; exit 1; }

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# shellcheck source=tools/build/own-apt.sh
. "$top/tools/build/own-apt.sh"
sources=()
for suite in bookworm trixie; do
	sources+=("$mirror $suite" "$mirror $suite-updates" "${mirror%/debian*}/debian-security $suite-security")
done
own_apt_sources "$dir" "${sources[@]}"
own_apt "$dir" apt-get update >"$dir/apt/log" 2>&1 || die "no lists of packages from $mirror: $(tail -n 1 "$dir/apt/log")"
if [ $# -eq 0 ]; then
	mapfile -t versions < <(own_apt "$dir" apt-cache madison "$package" | awk '{ print $3 }' | sort -Vu)
else
	versions=("$@")
fi
[ ${#versions[@]} -gt 0 ] || die "$mirror has no $package"

touched() {
	grep -vE '^(#|$)' "$patches/series" | while read -r p; do
		sed -n 's|^+++ b/\([^\t]*\).*|\1|p' "$patches/$p"
	done | sort -u
}

# The files of that version that the series touches, into $dir/VERSION.
fetch() { # VERSION
	local to=$dir/$1 get=$dir/get

	touched | cmp -s - "$to/.touched" && return
	rm -rf "$to" "$get"
	mkdir -p "$to" "$get"
	(cd "$get" && own_apt "$dir" apt-get download "$package=$1") >"$dir/apt/log" 2>&1 ||
		{ tail -n 2 "$dir/apt/log" >&2; return 1; }
	dpkg-deb --fsys-tarfile "$get"/*.deb | tar -xO --wildcards '*/linux-source-*.tar.xz' >"$get/source.tar.xz"
	# What a patch creates is not in it.
	tar -C "$to" --strip-components=1 -xf "$get/source.tar.xz" --wildcards \
		-T <(touched | sed 's|^|linux-source-*/|') 2>"$dir/apt/log" ||
		! grep -v 'Not found in archive\|previous errors' "$dir/apt/log" || return 1
	rm -rf "$get"
	touched >"$to/.touched"
}

applies() { # VERSION
	local stage=$dir/stage

	rm -rf "$stage"
	cp -r "$dir/$1" "$stage"
	mkdir "$stage/patches"
	cp "$patches"/series "$patches"/*.patch "$stage/patches/"
	# As kernel-tree.sh does.
	(cd "$stage" && QUILT_PATCHES=patches quilt --quiltrc /dev/null push -a --fuzz=2) >"$dir/log" 2>&1
}

n=0 failed=0
for version in "${versions[@]}"; do
	n=$((n + 1))
	if fetch "$version" && applies "$version"; then
		echo "ok $n - the series applies to $package $version"
		# Text that moved is no fault, but will be one.
		sed -n 's/^Hunk .*fuzz.*/# &/p' "$dir/log"
	else
		failed=1
		echo "not ok $n - the series applies to $package $version"
		grep -E 'FAILED|can.t find|does not apply|malformed' "$dir/log" | sed 's/^/# /'
	fi
done
echo "1..$n"
exit $failed
