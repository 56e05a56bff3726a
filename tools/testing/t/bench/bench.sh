# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the tests of the benches share: TAP, a scratch folder $tmp, and the folder of the benches
# $bench. A command leaves what it printed in $tmp/out. Sourced.
set -u
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../bench" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$bench/../lib/tap.sh"
shown=("$tmp/out")
