# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What tests of the readers begin with: TAP, our perf ($perf), the folders $lib and $here, and a
# scratch folder ($tmp), which is entered and removed. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
perf=$(realpath "${PERF:-build/perf}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C DEBUGINFOD_URLS= PERF_PAGER=cat PAGER=cat PERF_CONFIG=/dev/null HOME=$tmp
export PYTHONPATH=$lib PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1
