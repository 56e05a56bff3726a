# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced, after ../lib/tap.sh: is $tmp/theirs, what the kernel tree's perf script printed,
# equal to $tmp/ours? $tmp/err has what theirs said.

# same NAME. In samples behind the exit of a thread 6.12 has its number for its name (":132"),
# ours keeps the name.
same() {
	local status=1

	awk 'NR == FNR { if ($1 ~ /^:[0-9]+$/) number[FNR] = $1; next }
		FNR in number { sub(/^[^ ]+/, number[FNR]) } 1' "$tmp/theirs" "$tmp/ours" >"$tmp/renamed"
	if [ -s "$tmp/ours" ] && cmp -s "$tmp/renamed" "$tmp/theirs"; then
		status=0
	else
		{ diff -u "$tmp/renamed" "$tmp/theirs" | head -n 12
		  sed 's/^/stderr: /' "$tmp/err" | head -n 3; } >"$tmp/why"
	fi
	ok $status "$1" "$tmp/why"
}
