#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fresh.sh: the tool on a bare Debian 12, as TAP. A debootstrap of the release
# (kept as build/fresh/base.tar), a chroot of our own in it, the files of this
# working tree: make perf, make install, record, report, make uninstall.
#
# Nothing of what it depends on changed since it passed: the results of that
# run are shown again (tools/testing/replay.sh).
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=${O:-$top/build}/fresh
suite=bookworm
export LC_ALL=C

if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || { echo "1..0 # SKIP a chroot needs root or sudo"; exit 0; }
	exec sudo --preserve-env=O,FRESH,CI,http_proxy,https_proxy "$0" "$@"
fi

cd "$top" || exit 1
mkdir -p "$dir"
. "$top/tools/testing/replay.sh"
inputs() {
	git ls-files -co --exclude-standard -- Makefile README tools/perf Documentation/man Documentation/docs.mk \
		tools/build/{completion,packages.sh,install.mk,mkdeb,fresh.sh}
}
hash=$(inputs | replay_hash 2>/dev/null)
if replay_valid "$dir" "$hash"; then
	replay_note "$dir"
	cat "$dir/passed.tap"
	exit 0
fi
replay_begin "$dir"

n=0 failed=0
say() { echo "$*" | tee -a "$dir/tap"; }
: >"$dir/tap"
ok() { n=$((n + 1)); say "ok $n - $1"; }
not_ok() { n=$((n + 1)); failed=1; say "not ok $n - $1"; sed 's/^/# /' "$dir/log" | tail -n 40; }
# check WHAT COMMAND...: its output goes to $dir/log and is shown if it fails.
check() {
	local what=$1
	shift
	if "$@" >"$dir/log" 2>&1; then ok "$what"; else not_ok "$what"; fi
}
give_up() { say "1..$n"; exit 1; }

"$top/tools/build/packages.sh" debootstrap || exit 1

# The mirror this machine's own apt uses for that release.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 2>/dev/null |
	awk -v s=$suite '$2 == s { print $1; exit }')
mirror=${mirror:-http://deb.debian.org/debian/}

bootstrap() {
	[ -e "$dir/base.tar" ] && return
	rm -rf --one-file-system "$dir/base"
	debootstrap --variant=minbase $suite "$dir/base" "$mirror" &&
	tar -C "$dir/base" -cf "$dir/base.tar.new" . &&
	mv "$dir/base.tar.new" "$dir/base.tar"
	local status=$?
	rm -rf --one-file-system "$dir/base"
	return $status
}

unpack() {
	rm -rf --one-file-system "$root" && mkdir -p "$root/root/src" &&
	tar -C "$root" -xf "$dir/base.tar" &&
	# apt as on this machine: its sources, proxies and how names are found
	cp -a /etc/apt/. "$root/etc/apt/" &&
	for f in /etc/hosts /etc/resolv.conf; do
		[ ! -e $f ] || cp -L $f "$root$f" || return
	done
	[ ! -d /usr/local/share/ca-certificates ] ||
		cp -a /usr/local/share/ca-certificates "$root/usr/local/share/" || return
	inputs=$(git ls-files -co --exclude-standard)
	xargs -d '\n' -a <(printf '%s\n' "$inputs") cp --parents -P -t "$root/root/src"
}

# inside COMMAND: in the chroot, with mounts that go with the process.
inside() {
	unshare --mount --propagation private bash -c '
		mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
		mount --rbind /dev "$1/dev" || exit 1
		exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			TERM=dumb LC_ALL=C.UTF-8 CI="${CI:-}" http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
			chroot "$1" bash -c "cd /root/src && $2"' inside "$root" "$1"
}

# What uninstall must leave as it was: all but the source, the record and apt.
listing() {
	(cd "$root" && find . -xdev \( -path ./root -o -path ./tmp -o -path ./proc -o -path ./sys \
		-o -path ./dev -o -path ./run -o -path ./var \) -prune -o -print | sort)
}

root=$dir/root
trap 'rm -rf --one-file-system "$root"' EXIT
check "debootstrap of Debian $suite" bootstrap
check 'a bare system with our sources' unpack
[ $failed = 0 ] || give_up
check 'apt-get install git make' inside 'apt-get -qq update && apt-get -qq install -y --no-install-recommends git make'
check 'make perf' inside 'make perf'
check 'make docs' inside 'make docs'
listing >"$dir/before"
check 'make install' inside 'make install'
[ $failed = 0 ] || give_up
check 'perf version' inside 'cd / && perf version'
cat >"$root/root/spin.c" <<-'END'
	static volatile unsigned long n;
	__attribute__((noinline)) void spin_here(void) { while (n < 300000000) n++; }
	int main(void) { spin_here(); return 0; }
END
check 'a program to profile' inside 'gcc -O1 -g -fno-omit-frame-pointer -o /root/spin /root/spin.c'
check 'perf record -g' inside 'cd /root && perf record -e cpu-clock -g -o p.data ./spin'
check 'perf report names its function' inside 'cd /root && perf report --stdio -i p.data | grep -q spin_here'
check 'perf script too' inside 'cd /root && perf script -i p.data | grep -q spin_here'
check 'man perf-record' inside 'man perf-record | grep -q call-graph'
check 'make uninstall' inside 'make uninstall'
listing >"$dir/after"
check 'uninstall leaves nothing' diff "$dir/before" "$dir/after"
check 'make deb' inside 'make deb'
check 'the package installs' inside 'apt-get -qq install -y --no-install-recommends ./build/deb/perf-deferred_*.deb'
check 'beside linux-perf' inside 'apt-get -qq install -y --no-install-recommends linux-perf && perf-deferred version && perf --version'
check 'its perf reads the recording' inside 'cd /root && perf-deferred report --stdio -i p.data | grep -q spin_here'
check 'it is removed without a trace' inside 'apt-get -qq purge -y perf-deferred && ! find /usr /etc -name "*perf-deferred*" | grep .'
say "1..$n"
[ $failed = 0 ] || exit 1
cp "$dir/tap" "$dir/passed.tap" && replay_keep "$dir" "$hash"
