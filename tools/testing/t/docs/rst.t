#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every page of Documentation is sound reStructuredText, and says of files of
# this project only what is there.
cd "$(dirname "$0")/../../../.." || exit 1
n=0
for page in Documentation/*.rst Documentation/*/*.rst; do
	n=$((n + 1))
	if out=$(/usr/bin/python3 /usr/bin/rst2pseudoxml --halt=2 "$page" 2>&1 >/dev/null); then
		echo "ok $n - $page"
	else
		echo "not ok $n - $page"
		head -n 5 <<<"$out" | sed 's/^/# /'
	fi
done
n=$((n + 1))
missing=$(grep -ohE '(^|[^/[:alnum:]])(Documentation|tools|kernel|include|patches|arch)/[A-Za-z0-9_./*-]+' README.rst Documentation/*.rst Documentation/*/*.rst |
	sed -E 's/^[^[:alpha:]]//; s/[.,:)*]*$//' | sort -u | while read -r path; do
		[ -e "$path" ] || compgen -G "$path" >/dev/null || git ls-files --error-unmatch "$path" >/dev/null 2>&1 || echo "$path"
	done)
if [ -z "$missing" ]; then
	echo "ok $n - the files that are named exist"
else
	echo "not ok $n - the files that are named exist"
	sed 's/^/# /' <<<"$missing"
fi
echo "1..$n"
