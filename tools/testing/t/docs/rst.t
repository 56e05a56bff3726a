#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every page of Documentation is sound reStructuredText, and says of files of
# this project only what is there.
. "$(dirname "$0")/../../lib/tap.sh"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
cd "$here/../../../.." || exit 1
for page in Documentation/*.rst Documentation/*/*.rst; do
	/usr/bin/python3 /usr/bin/rst2pseudoxml --halt=2 "$page" 2>"$out" >/dev/null
	ok $? "$page" "$out"
done
missing=$(grep -ohE '(^|[^/[:alnum:]])(Documentation|tools|kernel|include|patches|arch)/[A-Za-z0-9_./*-]+' README.rst Documentation/*.rst Documentation/*/*.rst |
	sed -E 's/^[^[:alpha:]]//; s/[.,:)*]*$//' | sort -u | while read -r path; do
		[ -e "$path" ] || compgen -G "$path" >/dev/null || git ls-files --error-unmatch "$path" >/dev/null 2>&1 || echo "$path"
	done)
echo "$missing" >"$out"
[ -z "$missing" ]
ok $? 'the files that are named exist' "$out"
plan
