#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# packages.sh PACKAGE...: see that these Debian packages are installed. Root
# installs those that are not, by apt-get; for a user sudo does, after a
# question on the terminal. Without a terminal, or a yes, the status is not 0 and a line says
# what to type; so does one that names the packages that could not be had.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/sudo.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mirror.sh"

find_missing() { # PACKAGE...
	local p s

	missing=()
	for p in "$@"; do
		s=$(dpkg-query -W -f='${Status}' "$p" 2>/dev/null)
		[ "$s" = "install ok installed" ] || missing+=("$p")
	done
}
find_missing "$@"
[ ${#missing[@]} -eq 0 ] && exit 0
# With make -j several of us run. One installs at a time: apt-get update does not wait for another.
exec 9<"${BASH_SOURCE[0]}" && flock 9
find_missing "$@"
[ ${#missing[@]} -eq 0 ] && exit 0

install=(apt-get install --no-install-recommends "${missing[@]}")
as_root=()
if [ "$(id -u)" != 0 ]; then
	if ! may_sudo "These packages are missing: ${install[*]}"; then
		if command -v sudo >/dev/null; then
			echo "packages.sh: missing packages; type: sudo ${install[*]}" >&2
		else
			echo "packages.sh: missing packages; as root, type: ${install[*]}" >&2
		fi
		exit 1
	fi
	as_root=(sudo)
fi

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 1
trap 'rm -rf "$log" "$log.d"' EXIT
echo "installing: ${missing[*]}" >&2
# A package's own question would stand in the log: it gets no terminal.
apt_get() {
	"${as_root[@]}" apt-get -y -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null 9<&-
}
apt_get "${install[@]:1}" && exit 0
apt_get update
apt_get "${install[@]:1}" && exit 0
# linux-source-6.12 of Debian 12 is in its security suite, of which a bare debootstrap knows nothing:
# that suite is given to apt for these two commands.
with_security() {
	local mirror release

	release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || return
	mirror=$(debian_mirror)
	mkdir "$log.d" && cp -r /etc/apt/sources.list.d/. "$log.d" &&
	echo "deb ${mirror%/debian}/debian-security $release-security main" >"$log.d/security.list" &&
	apt_get -o Dir::Etc::SourceParts="$log.d" update &&
	apt_get -o Dir::Etc::SourceParts="$log.d" "${install[@]:1}"
}
with_security && exit 0
tail -n 5 "$log" >&2
echo "packages.sh: cannot install: ${missing[*]} (no network, or no such package in the sources of apt)" >&2
exit 1
