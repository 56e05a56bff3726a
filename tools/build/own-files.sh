# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# own-files.sh, sourced, with top set: own_files PATCHES prints "FILE PLACE" for each file of
# ours that the series of the folder PATCHES has: all below include, kernel and arch, at the
# same place in the kernel's tree; or those of PATCHES/own, whose lines are like that, without
# PLACE if it is the same.
own_files() {
	if [ -e "$1/own" ]; then
		awk '!/^#/ && NF { print $1, $NF }' "$1/own"
		return
	fi
	# shellcheck disable=SC2154 # the sourcing script's
	(cd "$top" && find include kernel arch Documentation/unwind-deferred.rst -type f \
		\( -name '*.[chS]' -o -name Kconfig -o -name Makefile -o -name '*.rst' \) 2>/dev/null) |
		sed 's/.*/& &/'
}
