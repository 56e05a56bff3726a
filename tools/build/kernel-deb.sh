#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-deb.sh TREE JOBS [DEBCONFIG]: Debian packages of the patched kernel in
# build/deb. DEBCONFIG is a full configuration of a distribution's kernel;
# without it the VM's configuration is taken, which is what the tests boot.
set -eu -o pipefail

tree=$1 jobs=$2 debconfig=${3:-}
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$tree/o-deb
die() { echo "kernel-deb.sh: $*" >&2; exit 1; }

mkdir -p "$out" "$top/build/deb"
if [ -n "$debconfig" ]; then
	[ -r "$debconfig" ] || die "DEBCONFIG=$debconfig cannot be read: name a file such as /boot/config-$(uname -r)"
	cp "$debconfig" "$out/.config"
	# The keys that Debian signs with are not here, and no kernel of ours has them.
	"$tree/scripts/config" --file "$out/.config" --set-str SYSTEM_TRUSTED_KEYS "" \
		--set-str SYSTEM_REVOCATION_KEYS "" --enable UNWIND_USER
else
	"$top/tools/build/kernel-build.sh" "$tree" vm "$jobs" olddefconfig
	cp "$tree/o-vm/.config" "$out/.config"
fi

version=$(sed 's/-.*//' "$tree.orig/.version-unpacked")
echo "building Debian packages of linux $version; log: $out/build.log"
"$top/tools/build/kernel-build.sh" "$tree" deb "$jobs" olddefconfig >"$out/build.log" 2>&1 ||
	die "the configuration cannot be used: see $out/build.log"
grep -q '^CONFIG_UNWIND_USER=y' "$out/.config" ||
	die "CONFIG_UNWIND_USER cannot be switched on in ${debconfig:-the VM configuration}: does it have PERF_EVENTS?"
# xz, dpkg-deb's default, takes 20 minutes of processor time for the debug information of a
# distribution's kernel, 1.8 GB; zstd half a minute.
KDEB_COMPRESS=${KDEB_COMPRESS:-zstd} \
	"$top/tools/build/kernel-build.sh" "$tree" deb "$jobs" LOCALVERSION=-unwind \
	KDEB_PKGVERSION="$version-unwind1" bindeb-pkg >>"$out/build.log" 2>&1 || {
	tail -n 20 "$out/build.log" >&2
	die "the packages do not build: see $out/build.log"
}
# Those of another series stay, and its perf comes by a rule of its own (tree-perf-deb).
series=$(echo "$version" | cut -d. -f1,2)
find "$top/build/deb" -maxdepth 1 -name "linux-*_$series.*.deb" ! -name 'linux-perf-unwind_*' -delete
mv "$tree"/linux-*.deb "$top/build/deb/"
rm -f "$tree"/linux-*.buildinfo "$tree"/linux-*.changes
ls -1 "$top"/build/deb/linux-*.deb
