#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# upstream-tree.sh TREE: the newest kernel source of Debian's unstable suite, unpacked as
# TREE.orig; its version is in TREE.orig/.version-unpacked. It is fetched by apt with lists of its own
# (164 MB), again only if Debian has a newer one.
set -eu

tree=$1
top=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${MIRROR:-http://deb.debian.org/debian}
pristine=$tree.orig
# shellcheck source=tools/build/own-apt.sh
. "$top/tools/build/own-apt.sh"

die() { echo "upstream-tree.sh: $*" >&2; exit 1; }

mkdir -p "$tree.get"
get=$(cd "$tree.get" && pwd)
own_apt_sources "$get" "$mirror sid"
own_apt "$get" apt-get update >"$get/log" 2>&1 || die "no lists of packages from $mirror: $(tail -n 1 "$get/log")"
read -r package version < <(own_apt "$get" apt-cache search '^linux-source-[0-9.]+$' | cut -d ' ' -f 1 | sort -V | tail -n 1 |
	while read -r p; do echo "$p $(own_apt "$get" apt-cache madison "$p" | awk 'NR == 1 { print $3 }')"; done) ||
	die "$mirror has no linux-source in sid"

[ "$(cat "$pristine/.version-unpacked" 2>/dev/null)" != "$version" ] || exit 0
(cd "$get" && rm -f ./*.deb && own_apt "$get" apt-get download "$package=$version") >"$get/log" 2>&1 ||
	die "$package $version cannot be fetched: $(tail -n 1 "$get/log")"
rm -rf "$pristine"
mkdir -p "$pristine"
dpkg-deb --fsys-tarfile "$get"/*.deb | tar -xO --wildcards '*/linux-source-*.tar.xz' |
	tar -C "$pristine" --strip-components=1 -xJf -
rm -f "$get"/*.deb
echo "$version" >"$pristine/.version-unpacked"
echo "$package $version"
