# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# mirror.sh, sourced: debian_mirror prints the URI of the mirror that this machine's apt has for Debian, without "/" at
# its end; Debian's own if it has none that debootstrap can use.
debian_mirror() {
	local mirror

	mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
		awk '$1 ~ /^https?:/ && $2 == "Debian" && $3 == "Debian" && NF == 3 { print $1; exit }')
	mirror=${mirror:-http://deb.debian.org/debian}
	echo "${mirror%/}"
}
