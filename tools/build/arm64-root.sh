#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# arm64-root.sh DIR: what a build for arm64 on a machine of another kind needs, from Debian's packages,
# without installing any of them:
#
#   DIR/cross     the cross compiler, which cannot be installed beside gcc-multilib
#   DIR/sysroot   arm64's libraries, headers, and the programs that the VM runs
#   DIR/lib       the modules of those programs, as they are below /lib of the VM
#   DIR/shlibs    the packages of the libraries, for dpkg-shlibdeps
#
# The packages are of the release that this machine runs. They are unpacked again when one of the
# lists below changes.
set -eu
. "$(dirname "$0")/mirror.sh"
dir=$1
export LC_ALL=C
v=$(gcc -dumpversion)
v=${v%%.*}
cross=(gcc-aarch64-linux-gnu g++-aarch64-linux-gnu cpp-aarch64-linux-gnu
	{gcc,g++,cpp}-"$v"-aarch64-linux-gnu libgcc-"$v"-dev-arm64-cross libstdc++-"$v"-dev-arm64-cross
	libgcc-s1-arm64-cross binutils-aarch64-linux-gnu)
sysroot=(libc6-dev libstdc++-"$v"-dev libelf-dev libdw-dev libtraceevent-dev libzstd-dev libiberty-dev zlib1g-dev
	liblzma-dev linux-libc-dev libncurses-dev libcmocka-dev libbz2-dev
	busybox-static bash coreutils perl python3 git gzip sqlite3)

die() { echo "arm64-root.sh: $*" >&2; exit 1; }

. /etc/os-release
want="$VERSION_CODENAME ${cross[*]} ${sysroot[*]}"
[ "$(cat "$dir/root.packages" 2>/dev/null)" != "$want" ] || exit 0
mkdir -p "$dir"
exec 9>"$dir/root.lock"
flock 9
[ "$(cat "$dir/root.packages" 2>/dev/null)" != "$want" ] || exit 0
echo "unpacking Debian's cross compiler and libraries of arm64 in $dir"
apt=$dir/apt
rm -rf "$apt" "$dir/cross" "$dir/sysroot" "$dir/lib"
mkdir -p "$apt"/state/lists/partial "$apt"/cache/archives/partial "$apt/cross" "$dir/cross" "$dir/sysroot" \
	"$dir/lib/aarch64-linux-gnu"

(cd "$apt/cross" && apt-get -q download "${cross[@]}") >"$dir/root.log" 2>&1 ||
	{ tail -n 5 "$dir/root.log" >&2; die "no cross compiler: apt-get update?"; }

# A package manager's state of its own, in which nothing is installed: apt finds the dependencies.
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) $VERSION_CODENAME main" \
	>"$apt/sources.list"
cat >"$apt/conf" <<-END
	APT::Architecture "arm64";
	APT::Architectures { "arm64"; };
	APT::Install-Recommends "false";
	Dir::State "$apt/state";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt/cache";
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Debug::NoLocking "true";
END
APT_CONFIG=$apt/conf apt-get -q update >>"$dir/root.log" 2>&1 &&
	APT_CONFIG=$apt/conf apt-get -qy --download-only install "${sysroot[@]}" >>"$dir/root.log" 2>&1 ||
	{ tail -n 5 "$dir/root.log" >&2; die "no packages of arm64: see $dir/root.log"; }

for f in "$apt"/cross/*.deb; do dpkg -x "$f" "$dir/cross"; done
for f in "$apt"/cache/archives/*.deb; do
	dpkg -x "$f" "$dir/sysroot"
	dpkg --info "$f" shlibs 2>/dev/null || :
done | sort -u >"$dir/shlibs"
# Links lead into the sysroot, not to files of this machine.
find "$dir/sysroot" -type l -lname '/*' -printf '%p %l\n' | while read -r link to; do
	ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$dir/sysroot$to")" "$link"
done
ln -sr "$dir"/sysroot/usr/lib/python3.* "$dir/lib"
ln -sr "$dir"/sysroot/usr/lib/aarch64-linux-gnu/perl-base "$dir/lib/aarch64-linux-gnu"
rm -rf "$apt"
echo "$want" >"$dir/root.packages"
