#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The package linux-perf-unwind, installed by dpkg into systems of its own: beside a linux-perf,
# of which it changes no file, and without one. Built by make tree-perf-deb.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.sh"
perf=$(realpath "$PERF")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin PERF_CONFIG=/dev/null PERF_PAGER=cat HOME=$tmp
deb=$(echo "$O"/deb/linux-perf-unwind_*.deb)
arch=$(dpkg --print-architecture)

# in_root ROOT ARGUMENT...: dpkg in a system of its own; the scripts are run from here
in_root() {
	local root=$1
	shift
	dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless \
		--log=/dev/null "$@" >"$tmp/dpkg" 2>&1
}
new_root() {
	mkdir -p "$1"/var/lib/dpkg/{info,updates,triggers,alternatives} "$1"/var/log \
		"$1"/etc/alternatives "$1"/usr/bin
	touch "$1"/var/lib/dpkg/{status,available}
}

# Where Debian's has its files
mkdir -p "$tmp"/theirs/{DEBIAN,usr/bin,usr/lib/perf-core,usr/share/man/man1,etc/bash_completion.d}
for f in usr/bin/perf usr/bin/trace usr/lib/perf-core/perf-archive \
	 usr/share/man/man1/perf.1.gz etc/bash_completion.d/perf; do
	echo theirs >"$tmp/theirs/$f"
done
printf 'Package: linux-perf\nVersion: 1\nArchitecture: %s\nMaintainer: a <a@b.c>\nDescription: it\n' \
	"$arch" >"$tmp/theirs/DEBIAN/control"
dpkg-deb -b "$tmp/theirs" "$tmp/linux-perf.deb" >/dev/null

[ -s "$deb" ]
ok $? 'the package is there'
dpkg-deb -f "$deb" Depends >"$tmp/depends"
grep -q libdw1 "$tmp/depends"
ok $? 'it depends on its libraries' "$tmp/depends"

for with in linux-perf nothing; do
	root=$tmp/$with
	new_root "$root"
	if [ $with = linux-perf ]; then
		in_root "$root" -i "$tmp/linux-perf.deb"
		ok $? 'linux-perf is installed' "$tmp/dpkg"
	fi
	in_root "$root" -i "$deb"
	ok $? "beside $with: installed" "$tmp/dpkg"
	[ "$(dpkg-query --admindir="$root/var/lib/dpkg" -Wf '${db:Status-Status}' linux-perf-unwind)" = installed ]
	ok $? "beside $with: dpkg has it as installed"
	"$root/usr/bin/perf-unwind" script --symfs /nonexistent -i "$here/../golden/c/deepsys.defer.data" \
		>"$tmp/it" 2>"$tmp/err"
	"$perf" script --symfs /nonexistent -i "$here/../golden/c/deepsys.defer.data" >"$tmp/built" 2>/dev/null
	[ -s "$tmp/built" ] && cmp -s "$tmp/built" "$tmp/it"
	ok $? "beside $with: perf-unwind reads as what was tested does" "$tmp/err"
	if [ $with = linux-perf ]; then
		(cd "$tmp/theirs" && find usr etc -type f -exec cmp {} "$root/{}" \;) >"$tmp/changed" 2>&1
		[ ! -s "$tmp/changed" ]
		ok $? 'the files of linux-perf are its own' "$tmp/changed"
	else
		[ "$(readlink "$root/usr/bin/perf")" = /etc/alternatives/perf ] &&
			[ "$(readlink "$root/etc/alternatives/perf")" = /usr/bin/perf-unwind ]
		ok $? 'perf is an alternative, and this one'
	fi
	in_root "$root" -r linux-perf-unwind
	ok $? "beside $with: removed" "$tmp/dpkg"
	find "$root/usr" "$root/etc" -name "*unwind*" >"$tmp/left" 2>/dev/null
	[ ! -s "$tmp/left" ] && [ ! -L "$root/usr/bin/perf" ]
	ok $? "beside $with: nothing is left" "$tmp/left"
done
cmp -s "$tmp/linux-perf/usr/bin/perf" "$tmp/theirs/usr/bin/perf"
ok $? 'and linux-perf is as it was'
echo "1..$nr"
[ "$failed" = 0 ]
