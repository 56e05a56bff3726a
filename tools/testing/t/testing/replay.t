#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/testing/replay.sh: what passed is replayed while nothing changed, and
# only then.
. "$(dirname "$0")/../../lib/tap.sh"
. "$(dirname "$0")/../../replay.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset FRESH
hash() { printf '%s\n' "$tmp/a" "$tmp/b" | replay_hash "$@"; }

echo one >"$tmp/a"
echo two >"$tmp/b"
! replay_valid "$tmp" "$(hash 10)"; ok $? 'nothing passed yet'
replay_keep "$tmp" "$(hash 10)"
replay_valid "$tmp" "$(hash 10)"; ok $? 'a pass, the same inputs'
replay_note "$tmp" | grep -qE '^# replayed: inputs unchanged since [0-9-]+ [0-9:]+; FRESH=1'; ok $? 'the note is a TAP comment'
! replay_valid "$tmp" "$(hash 20)"; ok $? 'another word'
(FRESH=1; ! replay_valid "$tmp" "$(hash 10)"); ok $? 'FRESH=1'
touch "$tmp/a"
replay_valid "$tmp" "$(hash 10)"; ok $? 'the same contents, written again'
echo three >"$tmp/b"
! replay_valid "$tmp" "$(hash 10)"; ok $? 'another content'
echo two >"$tmp/b"
replay_begin "$tmp"
! replay_valid "$tmp" "$(hash 10)"; ok $? 'a run that began and did not pass'
rm "$tmp/b"
replay_keep "$tmp" "$(printf '%s\n' "$tmp/a" | replay_hash 10)"
! replay_valid "$tmp" "$(hash 10 2>/dev/null)"; ok $? 'a list of other files'
plan
