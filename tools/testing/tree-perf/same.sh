# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced, after ../lib/tap.sh: is $tmp/theirs, what the kernel tree's perf script printed,
# equal to $tmp/ours? $tmp/err has what theirs said.

# joined FILE: leave out the one sample for which the tree's perf shows a cookie and ours does
# not: its record came before it, and the tree's perf joins none with such. Two recordings have one
# each; a second one is a difference.
joined() {
	awk 'BEGIN { RS = ""; ORS = "\n\n" }
		FILENAME == ARGV[1] { cookie[FNR] = /\(cookie\)/; next }
		FILENAME == ARGV[2] { if (cookie[FNR] && !/\(cookie\)/ && !left) left = FNR; next }
		FNR != left' "$tmp/theirs" "$tmp/renamed" - <"$1"
}

# same NAME. In samples behind the exit of a thread 6.12 has its number for its name (":132"),
# ours keeps the name.
same() {
	local status=1

	awk 'NR == FNR { if ($1 ~ /^:[0-9]+$/) number[FNR] = $1; next }
		FNR in number { sub(/^[^ ]+/, number[FNR]) } 1' "$tmp/theirs" "$tmp/ours" >"$tmp/renamed"
	cp "$tmp/theirs" "$tmp/kept"
	cmp -s "$tmp/renamed" "$tmp/kept" || {
		joined "$tmp/theirs" >"$tmp/kept"
		joined "$tmp/renamed" >"$tmp/ours.kept" && mv "$tmp/ours.kept" "$tmp/renamed"
	}
	if [ -s "$tmp/ours" ] && [ -s "$tmp/kept" ] && cmp -s "$tmp/renamed" "$tmp/kept"; then
		status=0
	else
		{ diff -u "$tmp/renamed" "$tmp/kept" | head -n 12
		  sed 's/^/stderr: /' "$tmp/err" | head -n 3; } >"$tmp/why"
	fi
	ok $status "$1" "$tmp/why"
}
