# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# sudo.sh, sourced by what needs root: nothing is run by sudo unasked.
#
#   may_sudo WHAT    ask on the terminal whether WHAT may be run by sudo; status
#                    0: yes. Without sudo, or without a terminal: no.

# Is there a terminal, and is this not a job in its background, which may not
# read from it? Fields of proc(5)'s stat behind the name: 5 pgrp, 8 tpgid.
on_terminal() {
	local stat

	{ : </dev/tty; } 2>/dev/null || return
	read -ra stat <<<"$(sed 's/.*) //' /proc/$$/stat)"
	[ "${stat[2]}" = "${stat[5]}" ]
}

may_sudo() {
	local answer=''

	command -v sudo >/dev/null && on_terminal || return
	printf '%s\nRun this by sudo? [y/N] ' "$1" >/dev/tty
	read -r answer </dev/tty
	case $answer in [yY]|[yY][eE][sS]) return 0 ;; esac
	return 1
}
