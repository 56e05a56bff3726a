# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# How the demo talks.
width=78
say() { printf '%s\n' "$*" | fold -s -w $width; }
head() { printf '\n\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[01]m//g'; fi; }
die() { say "demo: $*" >&2; exit 1; }
