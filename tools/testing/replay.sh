# SPDX-License-Identifier: GPL-2.0
#
# replay.sh, sourced by tests that take long and depend on few things: what
# passed need not be run again while nothing that went in has changed. Only
# passes are kept, and what is replayed says so. FRESH=1 runs everything.
#
#   hash=$(list of files | replay_hash [WORD...])   names and contents; words as they are
#   replay_valid DIR "$hash"     is a pass with these inputs kept in DIR?
#   replay_note DIR              the TAP comment that says so
#   replay_begin DIR             before a run: nothing is kept any more
#   replay_keep DIR "$hash"      after a run that passed

replay_hash() {
	local files

	files=$(LC_ALL=C sort)
	# The names by themselves, too: one of a file that is not there counts.
	{
		printf '%s\n' "$@" "$files"
		xargs -d '\n' sha256sum -- <<<"$files"
	} | sha256sum | cut -d' ' -f1
}

replay_valid() {
	[ -z "${FRESH:-}" ] && [ "$(cat "$1/passed" 2>/dev/null)" = "$2" ]
}

replay_note() {
	echo "# replayed: inputs unchanged since $(date -r "$1/passed" '+%F %T'); FRESH=1 runs it anew"
}

replay_begin() {
	rm -f "$1/passed"
}

replay_keep() {
	echo "$2" >"$1/passed"
}
