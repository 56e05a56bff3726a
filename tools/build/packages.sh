#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# packages.sh PACKAGE...: see that these Debian packages are installed,
# installing by apt-get (with sudo when not root) only those that are not.
# Exits non-zero with one line naming the packages that could not be had.
set -u

missing=()
for p in "$@"; do
	s=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null)
	[ "$s" = "install ok installed" ] || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "packages.sh: missing packages: ${missing[*]}; not root and no sudo: install them and run again" >&2
		exit 1
	fi
	as_root=(sudo)
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
echo "installing: ${missing[*]}" >&2
apt_install() {
	"${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1
}
apt_install && exit 0
"${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update >>"$log" 2>&1
apt_install && exit 0
tail -n 5 "$log" >&2
echo "packages.sh: cannot install: ${missing[*]} (no network, or no such package in the sources of apt)" >&2
exit 1
