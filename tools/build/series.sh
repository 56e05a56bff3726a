#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# series.sh write SERIES TREE OUT      the mailable series: OUT/0000-cover-letter.patch, ..., and
#                                      OUT/series, which names all but that one, for quilt
# series.sh checkpatch SERIES TREE DIR the mails in DIR, which write wrote
# series.sh check SERIES TREE JOBS [FROM]   git am on a fresh tree, checkpatch, a build after each;
#                                      those before number FROM are only applied
# series.sh quick SERIES TREE JOBS [FROM]   the same, but of the perf's mails only the objects of the C
#                                      files that they touch are built, and the kernel after the last
#
# SERIES is a folder of patches: linux-6.12, linux-6.1, linux-upstream, perf-6.12.
#
# patches/SERIES/mails/order lists the mails: a patch of the series, or a
# file of that folder, which has a header and no hunks. Without that file the mails
# are the patches. A line "Brings: path..."
# (globs) in a header, or behind a patch's name in the order, names the files of
# ours that come with it: each with exactly one mail of linux-*, but those of a line
# "# Without: path..." in the order. mails/cover is the cover
# letter: subject, empty line, text. TREE.orig is Debian's source as it was
# unpacked (kernel-tree.sh and tree-perf.sh keep it).
set -eu -o pipefail

mode=$1 series=$2 tree=$3
top=$(cd "$(dirname "$0")/../.." && pwd)
patches=$top/patches/$series
pristine=$tree.orig
check=$top/build/series-check-$series
export LC_ALL=C GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

die() { echo "series.sh: $*" >&2; exit 1; }
series_patches() { sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "$patches/series"; }
steps() {
	if [ -e "$patches/mails/order" ]; then
		sed -e 's/#.*//' -e 's/[[:space:]].*//' -e '/^$/d' "$patches/mails/order"
	else
		series_patches
	fi
}
step_file() { if [ -e "$patches/mails/$1" ]; then echo "$patches/mails/$1"; else echo "$patches/$1"; fi; }
# header STEP: what stands above the first "---".
header() { sed '/^---/,$d' "$(step_file "$1")"; }
brings() {
	local globs

	[ -e "$patches/mails/order" ] || return 0
	globs=$(header "$1" | sed -n 's/^Brings: //p' | xargs; sed -n "s,^$1[[:space:]]*Brings: ,,p" "$patches/mails/order")
	[ -z "$globs" ] || (cd "$top" && ls -d $globs)
}

own_files() {
	(cd "$top" && find include kernel arch -type f \
		\( -name '*.[chS]' -o -name Kconfig -o -name Makefile \) -print
	 [ ! -e "$top/Documentation/unwind-deferred.rst" ] || echo Documentation/unwind-deferred.rst) |
		grep -vxFf <(sed -n 's/^# Without: //p' "$patches/mails/order" | tr ' ' '\n')
}

check_brings() {
	local all

	[ -e "$patches/mails/order" ] || return 0
	# Their order may differ: what the mails make is compared with what the series makes.
	diff <(series_patches | sort) <(steps | grep '\.patch$' | sort) >&2 ||
		die "mails/order (>) has other patches than series (<)"
	all=$(for p in $(steps); do brings "$p"; done | sort)
	[ -z "$(uniq -d <<<"$all")" ] || die "brought by two patches: $(uniq -d <<<"$all" | xargs)"
	diff <(own_files | sort) <(echo "$all") >&2 ||
		die "the Brings: lines (>) are not the files of ours (<)"
}

# repo DIR: a git tree of Debian's files that the series touches, and a commit a patch.
make_repo() {
	local repo=$1 p f from subject

	rm -rf "$repo"
	mkdir -p "$repo"
	for f in $(series_patches | sed "s,^,$patches/," | xargs sed -n 's,^--- a/\([^[:space:]]*\).*,\1,p' | sort -u); do
		[ -e "$pristine/$f" ] || continue
		mkdir -p "$repo/$(dirname "$f")"
		cp -p "$pristine/$f" "$repo/$f"
	done
	cd "$repo"
	git init -q -b series .
	git config user.name "$(git -C "$top" log -1 --format=%an)"
	git config user.email "$(git -C "$top" log -1 --format=%ae)"
	git add -A
	git commit -qm "linux-source-${series#*-} $(cat "$pristine/.version-unpacked")"
	git tag base
	for p in $(steps); do
		[ "${p%.patch}" = "$p" ] || patch -s -p1 --no-backup-if-mismatch <"$patches/$p" || die "$p does not apply"
		for f in $(brings "$p"); do
			mkdir -p "$(dirname "$f")"
			cp "$top/$f" "$f"
		done
		from=$(header "$p" | sed -n 's/^From: //p' | head -n 1)
		subject=$(header "$p" | sed -n 's/^Subject: //p' | head -n 1)
		[ -n "$from" ] && [ -n "$subject" ] || die "$p has no From: or Subject:"
		git add -A
		{ echo "$subject"; echo; header "$p" | sed -e '/^From: /d' -e '/^Subject: /d' -e '/^Brings: /d'; } |
			git commit -q --author="$from" -F -
	done
	cd "$top"
}

write_series() {
	local out=$1 repo=$top/build/series-repo-$series
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	rm -f "$out"/[0-9][0-9][0-9][0-9]-*.patch
	check_brings
	make_repo "$repo"
	git -C "$repo" format-patch -q --cover-letter -o "$out" base..series
	python3 - "$out/0000-cover-letter.patch" "$patches/mails/cover" <<-'PY'
	import sys
	mail, cover = (open(p).read() for p in sys.argv[1:3])
	subject, text = cover.split("\n", 1)
	mail = mail.replace("*** SUBJECT HERE ***", subject).replace("*** BLURB HERE ***", text.strip())
	open(sys.argv[1], "w").write(mail)
	PY
	(cd "$out" && ls -1 [0-9][0-9][0-9][0-9]-*.patch | sed 1d) >"$out/series"
	ls -1 "$out"/[0-9][0-9][0-9][0-9]-*.patch
}

# checkpatch MAIL: no ERROR, and no WARNING but those with a reason of ours.
checkpatch() {
	local found

	found=$("$pristine/scripts/checkpatch.pl" --no-tree --terse --no-summary --show-types \
		--root="$pristine" "$1" 2>&1 | grep -E ': (ERROR|WARNING):' || true)
	found=$(grep -vFf <(sed -e '/^#/d' -e '/^$/d' -e 's/[[:space:]].*//' -e 's/$/:/' \
		"$patches/mails/checkpatch-reasons") <<<"$found" || true)
	[ -z "$found" ] && return
	echo "$found" >&2
	return 1
}

checkpatch_all() {
	local mail failed=0

	for mail in $(cat "$1/series"); do
		checkpatch "$1/$mail" || failed=1
	done
	[ $failed = 0 ]
}

# A mail of the kernel that can be read in one go, unless it brings tests.
short_mail() {
	[ "${series#linux-}" = "$series" ] || grep -q '^+++ .*_kunit\.c' "$1" ||
		[ "$(wc -l <"$1")" -le 500 ] || { wc -l "$1"; return 1; }
}

check_series() {
	local jobs=$1 from=${2:-1} mails=$check/mails src=$check/linux mail n=0 failed=0 last nr

	write_series "$mails" >/dev/null
	rm -rf "$src"
	mkdir -p "$src"
	echo "a fresh tree: $src"
	rsync -a "$pristine/" "$src/"
	cd "$src"
	git init -q -b check .
	git config user.name check
	git config user.email check@example.org
	git config gc.auto 0
	git add -fA .
	git commit -qm base
	cd "$top"
	last=$(printf '%s\n' "$mails"/[0-9]*.patch | tail -n 1)
	for mail in "$mails"/000[1-9]*.patch "$mails"/00[1-9]*.patch; do
		[ -e "$mail" ] || continue
		result "git am $(basename "$mail")" git -C "$src" am -q "$mail"
		nr=${mail##*/}
		nr=${nr%%-*}
		[ $((10#$nr)) -ge "$from" ] || continue
		result "checkpatch $(basename "$mail")" checkpatch "$mail"
		result "at most 500 lines in $(basename "$mail")" short_mail "$mail"
		if [ "$mode" = check ]; then
			result "build after $(basename "$mail")" build_step "$src" "$jobs"
		else
			result "objects of $(basename "$mail")" quick_step "$src" "$jobs" "$mail" "$last"
		fi
	done
	echo "1..$n"
	[ "$failed" = 0 ]
}

# The output lies beside the source as in make tree-perf: one compiler cache has both.
build_step() {
	case $series in
	linux-*)	"$top/tools/build/kernel-build.sh" "$1" series "$2" ;;
	perf-*)		"$top/tools/build/tree-perf.sh" build "$1" "$check/tree-perf" "$2" ;;
	esac
}

# quick_step SRC JOBS MAIL LAST
quick_step() {
	local objects

	case $series in
	linux-*)	[ "$3" != "$4" ] || build_step "$1" "$2" ;;
	perf-*)		objects=$(git -C "$1" show --format= --name-only --diff-filter=AM HEAD \
				'tools/perf/*.c' | sed 's,^tools/perf/\(.*\)c$,\1o,')
			# shellcheck disable=SC2086
			"$top/tools/build/tree-perf.sh" objects "$1" "$check/tree-perf" "$2" $objects ;;
	esac
}

result() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@" >"$check/log" 2>&1; then
		echo "ok $n - $name"
	else
		tail -n 20 "$check/log" | sed 's/^/# /'
		echo "not ok $n - $name"
		failed=1
	fi
}

case $mode in
write)	write_series "$4" ;;
checkpatch) checkpatch_all "$4" ;;
check|quick) mkdir -p "$check"; check_series "$4" "${5:-1}" ;;
*)	die "usage: series.sh write|checkpatch|check|quick SERIES TREE OUT|DIR|JOBS [FROM]" ;;
esac
