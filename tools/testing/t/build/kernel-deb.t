#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What kernel-deb.sh leaves in build/deb: the new packages, those of other series, the
# tool's and the kernel's perf; older ones of the same series go. A kernel-build.sh of the
# test's own makes empty packages. And that make kernel-deb installs what the kernel's own rules
# for packages ask for, on a machine that has no more than git and make.
. "$(dirname "$0")/../../lib/tap.sh"
here=$(cd "$(dirname "$0")/../../../build" && pwd)
top=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
shown=("$tmp/out")

mkdir -p "$tmp/tools/build" "$tmp/build/deb"
cp "$here/kernel-deb.sh" "$tmp/tools/build/"
cat >"$tmp/tools/build/kernel-build.sh" <<'END'
#!/bin/sh
# TREE CONFIG JOBS TARGET...
tree=$1
version=$(sed 's/-.*//' "$tree.orig/.version-unpacked")
mkdir -p "$tree/o-vm" "$tree/o-deb"
echo CONFIG_UNWIND_USER=y >"$tree/o-vm/.config"
case $* in *bindeb-pkg)
	: >"$tree/linux-image-$version-unwind_$version-unwind1_amd64.deb"
	: >"$tree/linux-libc-dev_$version-unwind1_amd64.deb"
esac
END
chmod +x "$tmp/tools/build/kernel-build.sh"

packages() { # VERSION SERIES
	mkdir -p "$tmp/src-$2" "$tmp/src-$2.orig"
	echo "$1-1" >"$tmp/src-$2.orig/.version-unpacked"
	"$tmp/tools/build/kernel-deb.sh" "$tmp/src-$2" 1 >"$tmp/out" 2>&1
	ok $? "packages of $1"
}
there() { # PATTERN NUMBER NAME
	local found
	found=$(find "$tmp/build/deb" -name "$1" | wc -l)
	[ "$found" = "$2" ]
	ok $? "$3: $found"
}

touch "$tmp/build/deb/perf-deferred_0.2_amd64.deb" "$tmp/build/deb/linux-perf-unwind_6.12.94-1_amd64.deb"
packages 6.12.94 6.12
there 'linux-*6.12.94-unwind1_*' 2 'those of 6.12'
packages 6.1.170 6.1
there 'linux-*6.1.170-unwind1_*' 2 'those of 6.1'
there 'linux-*6.12.94-unwind1_*' 2 'those of 6.12 are still there'
packages 6.12.95 6.12
there 'linux-*6.12.95-unwind1_*' 2 'a newer 6.12'
there 'linux-*6.12.94-unwind1_*' 0 'takes the place of the older one'
there 'linux-*6.1.170-unwind1_*' 2 'beside those of 6.1'
there '*perf*' 2 'packages of perf'

# What dpkg-buildpackage wants of every package, what mkdebian writes into debian/control, and the program
# that makes the key for modules' signatures.
tree=${O:-$top/build}/src-6.12
{
	echo build-essential
	sed -n '/^Build-Depends/,/^Homepage/{/^Homepage/d; s/^Build-Depends[^:]*://; p}' "$tree/scripts/package/mkdebian" |
		tr ',' '\n' | sed 's/^ *//; s/[ :<].*//; s/-compat$//; s/^gcc-.*/gcc/; /^$/d'
	! grep -qw 'openssl req' "$tree/certs/Makefile" || echo openssl
} | sort -u >"$tmp/wanted"
make -C "$top" --no-print-directory -n kernel-deb DEBCONFIG=config 2>"$tmp/out" | sed -n 's/.*packages\.sh //p' | tr ' ' '\n' |
	sort -u >"$tmp/installed"
comm -23 "$tmp/wanted" "$tmp/installed" >>"$tmp/out"
[ "$(wc -l <"$tmp/wanted")" -ge 10 ] && [ ! -s "$tmp/out" ]
ok $? "make kernel-deb installs what the package is built with: $(xargs <"$tmp/wanted")"
plan
