# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Results as TAP, for tests that look at a status: counts them in $nr and $failed. Sourced.
nr=0 failed=0

# ok STATUS NAME [FILE]: a check; the first lines of FILE say why it failed
ok() {
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		failed=$((failed + 1))
		[ ! -s "${3:-}" ] || head -n 20 "$3" | cut -c 1-200 | sed 's/^/# /'
	fi
}
