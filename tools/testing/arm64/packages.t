#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What make deb and make tarball left in $O with ARCH=arm64: packages of arm64, whose perf runs.
# For make test-arm64.
set -u
. "$(dirname "$0")/../lib/tap.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Those of other commits may lie beside it.
tarball=$(ls -t "$O"/dist/*-aarch64.tar.gz | head -n 1)
dpkg -x "$O"/deb/*.deb "$tmp/deb" && mkdir "$tmp/tarball" && tar -C "$tmp/tarball" -xzf "$tarball" || exit 1
field() { [[ $(dpkg -f "$O"/deb/*.deb "$1") =~ $2 ]]; }
runs() { qemu-aarch64 "$@" --version | grep -q '^perf version '; }
passes 'the Debian package is of arm64'		field Architecture '^arm64$'
passes 'it names its libraries'			field Depends '^libc6 .*libdw1 .*libelf1 .*zlib1g'
passes 'its perf runs'				runs -L "$O/sysroot" "$tmp/deb/usr/bin/perf-deferred"
passes 'that of the tarball runs without libraries'	runs -L /nowhere "$tmp"/tarball/*/bin/perf
plan
