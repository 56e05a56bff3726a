#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# arm64.sh: the tool on arm64, as far as a machine of another kind can try it. A chroot of
# Debian trixie (build/arm64/root) with the cross compiler, the libraries of arm64 and
# qemu-user: this machine's own packages and architectures stay as they are. In it perf and
# all unit tests are cross-built, warnings being errors, and run by prove under
# qemu-aarch64, as are the tests in $tests. TAP and what was compared is kept in
# build/arm64/root/root/build.
#
# The chroot stays, and make in it builds again only what changed; FRESH=1 makes a new one.
# JOBS is how many compilers or tests run at a time.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
suite=trixie
export O=${O:-$top/build}
dir=$O/arm64
root=$dir/root
export LC_ALL=C
. "$top/tools/build/sudo.sh"

# What reads recordings, most of them of x86, and needs nothing but perf.
tests=(golden/dump.t golden/script.t golden/report.t golden/cxx.t)
libraries=(libc6-dev libelf-dev libdw-dev libtraceevent-dev libzstd-dev libiberty-dev zlib1g-dev
	liblzma-dev linux-libc-dev libncurses-dev libcmocka-dev)
packages=(make gcc-aarch64-linux-gnu qemu-user perl xz-utils "${libraries[@]/%/:arm64}")

if [ "$(id -u)" != 0 ]; then
	may_sudo "The test of the tool on arm64 makes a chroot, which needs root: $0" ||
		{ echo "test-arm64: SKIP: a chroot needs root"; [ "${CI:-}" != true ]; exit; }
	exec sudo --preserve-env=O,JOBS,FRESH,CI,http_proxy,https_proxy "$0" "$@"
fi

cd "$top" || exit 1
mkdir -p "$dir"
. "$top/tools/build/bare.sh"
"$top/tools/build/packages.sh" debootstrap || exit 1

# step WHAT COMMAND...: its output goes to a log, of which the end is shown if it fails.
step() {
	echo "test-arm64: $1"
	"${@:2}" >"$dir/log" 2>&1 && return
	tail -n 40 "$dir/log"
	echo "test-arm64: failed: $1 ($dir/log)"
	exit 1
}

have=$(cat "$dir/packages" 2>/dev/null)
want="$suite ${packages[*]}"
if [ -n "${FRESH:-}" ] || [ "$have" != "$want" ]; then
	rm -f "$dir/packages"
	step "debootstrap of $suite" bootstrap
	step "a chroot in $root" unpack
	step "this tree's files" clone
	step "cross compiler, libraries of arm64, qemu-user" inside "
		dpkg --add-architecture arm64 && apt-get -qq update &&
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends ${packages[*]} &&
		apt-get clean"
	echo "$want" >"$dir/packages"
else
	step "this tree's files" clone
fi
step "perf and unit tests for arm64, no warning" inside "
	make -j${JOBS:-2} O=/root/build CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
		PERF_PACKAGES= UNIT_PACKAGES= EXTRA_CFLAGS=-Werror unit-programs"

# The kernel of this machine runs no program of arm64: each is given to qemu.
mkdir -p "$root/root/bin"
cat >"$root/root/bin/perf" <<'END'
#!/bin/sh
exec qemu-aarch64 /root/build/perf "$@"
END
cat >"$root/root/bin/run" <<'END'
#!/bin/sh
case $1 in
*.t)	exec "$@" ;;
*)	exec qemu-aarch64 "$@" ;;
esac
END
chmod +x "$root/root/bin/"*
rm -rf --one-file-system "$root/root/build/tap"
inside "
	export O=/root/build PERF=/root/bin/perf CMOCKA_MESSAGE_OUTPUT=TAP
	export PERL_TEST_HARNESS_DUMP_TAP=/root/build/tap
	# Unwind tables are made of programs of x86, which these are not: the chroot has some.
	export X86_PROGRAM=/usr/bin/sed
	prove -j${JOBS:-2} --timer --exec /root/bin/run \
		\$(find /root/build/test/unit -type f -executable | sort) \
		$(printf 'tools/testing/tool/%s ' "${tests[@]}")"
status=$?
cd "$root/root/build/tap" && find . -type f | sort | while read -r f; do
	awk -v name="$(basename "$f")" '
		/^ok .*# SKIP/ { skip++; next } /^ok/ { ok++ } /^not ok/ { bad++ }
		/^# skipped: / { said[++n] = $0 }
		END {
			printf "test-arm64: %-20s %4d passed %3d failed %3d skipped\n", name, ok, bad, skip
			for (i = 1; i <= n; i++)
				print "   " said[i]
		}' "$f"
done
exit $status
