# SPDX-License-Identifier: GPL-2.0
#
# Sourced. Packages of other suites than the machine's, by lists of their own below a folder.
#
#	own_apt_sources DIR LINE...	DIR/apt, and its sources.list of "URL SUITE" lines
#	own_apt DIR COMMAND ARG...	apt-get or apt-cache, which knows these sources alone

# shellcheck shell=bash

own_apt_sources() {
	local dir=$1 line

	shift
	mkdir -p "$dir"/apt/{lists/partial,archives/partial}
	for line in "$@"; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $line main"
	done >"$dir/apt/sources.list"
}

own_apt() {
	local dir=$1 command=$2

	shift 2
	"$command" -q -o Dir::Etc::SourceList="$dir/apt/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$dir/apt/lists" -o Dir::Cache="$dir/apt" \
		-o Dir::State::Status=/dev/null -o APT::Sandbox::User=root "$@"
}
