#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fresh.sh SUITE: the tool on a bare Debian, as TAP. A debootstrap of the release
# SUITE (bookworm, trixie; kept as build/fresh/SUITE/base.tar), a chroot of our
# own in it with /proc, /sys and /dev and nothing mounted below them, a clone of
# this working tree: make perf, make install, record, report, make uninstall; the
# Debian package, installed and purged. On bookworm also the tests of documents and
# installation; on the others the build with warnings as errors, and the unit tests.
#
# Nothing of what it depends on changed since it passed: the results of that
# run are shown again (tools/testing/replay.sh).
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
suite=${1:?suite}
dir=${O:-$top/build}/fresh/$suite
export LC_ALL=C
. "$top/tools/build/sudo.sh"

if [ "$(id -u)" != 0 ]; then
	may_sudo "The test on a bare Debian $suite makes a chroot, which needs root: $0" ||
		{ echo "1..0 # SKIP a chroot needs root"; exit 0; }
	exec sudo --preserve-env=O,FRESH,CI,http_proxy,https_proxy "$0" "$@"
fi

cd "$top" || exit 1
mkdir -p "$dir"
. "$top/tools/testing/replay.sh"
. "$top/tools/build/bare.sh"
inputs=(Makefile README.rst VERSION tools/perf include/uapi Documentation/man Documentation/docs.mk
	tools/build/{completion,packages.sh,sudo.sh,mirror.sh,install.mk,mkdeb,bare.sh,fresh.sh})
if [ "$suite" = bookworm ]; then
	inputs+=(CONTRIBUTING Documentation tools/build tools/testing/{bin,t,mounted} 'tools/testing/*.mk'
		tools/testing/golden/c/deepsys.defer.data)
else
	inputs+=(tools/build/demo.mk 'tools/testing/*.mk' tools/testing/vm tools/testing/workloads
		tools/testing/tool/unit 'tools/testing/lib/*.h'
		tools/testing/golden/c/{deepsys.dwarf.data,symfs})
fi
list=$(files -- "${inputs[@]}" | while read -r f; do [ ! -e "$f" ] || echo "$f"; done)
[ -n "$list" ] || { echo "1..1"; echo "not ok 1 - the files of $top are known"; exit 1; }
hash=$(replay_hash "$suite" <<<"$list" 2>/dev/null)
if replay_valid "$dir" "$hash"; then
	replay_note "$dir"
	cat "$dir/passed.tap"
	exit 0
fi
replay_begin "$dir"

n=0 failed=0
say() { echo "$*" | tee -a "$dir/tap"; }
: >"$dir/tap"
ok() { n=$((n + 1)); say "ok $n - $suite: $1"; }
not_ok() { n=$((n + 1)); failed=1; say "not ok $n - $suite: $1"; tail -n 40 "$dir/log" | sed 's/^/# /' >&2; }
# check WHAT COMMAND...: its output goes to $dir/log and is shown if it fails.
check() {
	local what=$1
	shift
	if "$@" >"$dir/log" 2>&1; then ok "$what"; else not_ok "$what"; fi
}
give_up() { say "1..$n"; exit 1; }

"$top/tools/build/packages.sh" debootstrap || exit 1

# What uninstall must leave as it was: all but the source, the record and apt.
listing() {
	(cd "$root" && find . -xdev \( -path ./root -o -path ./tmp -o -path ./proc -o -path ./sys \
		-o -path ./dev -o -path ./run -o -path ./var \) -prune -o -print | sort)
}

root=$dir/root
trap 'rm -rf --one-file-system "$root"' EXIT
check 'debootstrap' bootstrap
check 'a bare system' unpack
check 'our sources in it' clone
[ $failed = 0 ] || give_up
check 'apt-get install git make' inside 'apt-get -qq update && apt-get -qq install -y --no-install-recommends git make'
check 'git' inside 'git init -q && git add -A && git -c user.name=fresh -c user.email=fresh@localhost commit -q -m fresh'
if [ "$suite" = bookworm ]; then
	check 'make perf' inside 'make perf'
else
	check 'make perf, no warning' inside 'make perf EXTRA_CFLAGS=-Werror'
	# Its Python is installed by the same recipe that copies it.
	check 'what make demo boots' inside 'make "$PWD/build/demo/initramfs.cpio" &&
		cpio -t <build/demo/initramfs.cpio | grep "^lib/python3[.0-9]*/os.py$"'
fi
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
check 'DWARF callchains' inside 'cd /root && perf record -e cpu-clock --call-graph dwarf -o d.data ./spin &&
	perf script -i d.data | grep -A1 spin_here | grep -q main'
check 'a tracepoint, and its fields' inside 'cd /root && perf record -e sched:sched_switch -g -o t.data sleep 0.1 &&
	perf script -i t.data | grep -q prev_comm=sleep'
check 'perf list' inside 'perf list tracepoint | grep -q sched:sched_switch'
check 'man perf-record' inside 'man perf-record | grep -q call-graph'
check 'make uninstall' inside 'make uninstall'
listing >"$dir/after"
check 'uninstall leaves nothing' diff "$dir/before" "$dir/after"
if [ "$suite" = bookworm ]; then
	# Parts of make test that are quick, on a machine that has nothing more.
	check 'make test-docs' inside 'make test-docs'
	check 'make test-install' inside 'make test-install'
	check 'make test-packages' inside 'make test-packages'
else
	check 'unit tests, no warning' inside 'apt-get -qq install -y --no-install-recommends libcmocka-dev &&
		make test-unit EXTRA_CFLAGS=-Werror'
fi
check 'make deb' inside 'make deb'
check 'the package installs' inside 'apt-get -qq install -y --no-install-recommends ./build/deb/perf-deferred_*.deb'
check 'beside linux-perf' inside 'apt-get -qq install -y --no-install-recommends linux-perf && perf-deferred version && perf --version'
check 'its perf reads the recording' inside 'cd /root && perf-deferred report --stdio -i p.data | grep -q spin_here'
check 'it is removed without a trace' inside 'apt-get -qq purge -y perf-deferred && ! find /usr /etc -name "*perf-deferred*" | grep .'
say "1..$n"
[ $failed = 0 ] || exit 1
cp "$dir/tap" "$dir/passed.tap" && replay_keep "$dir" "$hash"
