#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel-build.sh TREE CONFIG JOBS [TARGET...]: configure and build TREE in
# TREE/o-CONFIG (a folder below the source, where the kernel's makefiles use
# relative paths: a compiler cache then serves every clone). arm64-CONFIG is cross-built.
set -eu

tree=$1
config=$2
jobs=$3
shift 3
top=$(cd "$(dirname "$0")/../.." && pwd)
configs=$top/tools/build/configs
out=$tree/o-$config

die() { echo "kernel-build.sh: $*" >&2; exit 1; }

# Two builds in one folder break each other: the second waits, and finds it done.
exec 9>"$tree.lock"
flock 9

export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026'
export KBUILD_BUILD_USER=unwind KBUILD_BUILD_HOST=localhost KBUILD_BUILD_VERSION=1
export LC_ALL=C
arch=x86 cc=gcc hostcc=gcc target=()
case $config in
arm64-*)	arch=arm64 cc=aarch64-linux-gnu-gcc config=${config#arm64-}
		target=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-) ;;
esac
if command -v ccache >/dev/null; then
	cc="ccache $cc" hostcc='ccache gcc'
	# DEPEND saves the preprocessor's run of a miss, a fifth of its time; INODECACHE saves hashing each
	# header once for each object, a tenth.
	export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_INODECACHE=1
fi
# Whether pahole is installed is in the configuration, and so in every object: of use for BTF alone.
pahole=()
grep -qs '^CONFIG_DEBUG_INFO_BTF=y' "$out/.config" || pahole=(PAHOLE=none)
kmake() {
	make --no-print-directory -C "$tree" O="$out" "${target[@]}" CC="$cc" HOSTCC="$hostcc" "${pahole[@]}" "$@"
}

fragments=("$configs/vm-6.12.config" "$configs/vm-$arch.config")
case $config in
vm)		fragments+=("$configs/unwind.config");;
kasan|kcsan|nounwind|rt|leak|latency|debian)
		fragments+=("$configs/$config.config")
		[ ! -e "$configs/$config-$arch.config" ] || fragments+=("$configs/$config-$arch.config");;
deb)		fragments=();;
# After each patch of the series: the option exists from some patch on.
series)		fragments=("$configs/series.config")
		! grep -qs '^config UNWIND_USER$' "$tree/kernel/unwind/Kconfig" ||
		! grep -qs kernel/unwind/Kconfig "$tree/init/Kconfig" || fragments+=("$configs/unwind.config");;
*)		die "unknown CONFIG=$config: kasan, kcsan, nounwind, rt, leak, latency, debian, or none";;
esac
# What one series needs besides, build/src-6.1 for instance.
only=$configs/only-${tree##*/src-}-$arch.config
[ ${#fragments[@]} -eq 0 ] || [ ! -e "$only" ] || fragments+=("$only")

mkdir -p "$out"
if [ ${#fragments[@]} -gt 0 ]; then
	sum=$(cat "${fragments[@]}" | sha1sum)
	if [ ! -e "$out/.config" ] || [ "$(cat "$out/.fragments" 2>/dev/null)" != "$sum" ]; then
		rm -f "$out/.fragments"
		kmake -s tinyconfig >/dev/null
		(cd "$out" && "$tree/scripts/kconfig/merge_config.sh" -m -O . .config "${fragments[@]}") >/dev/null
		kmake -s olddefconfig
		echo "$sum" >"$out/.fragments"
	elif ! cmp -s "$tree.sum" "$out/.tree-sum"; then
		# The tree changed: perhaps it has other options now.
		kmake -s olddefconfig >/dev/null
	fi
	[ ! -e "$tree.sum" ] || cp "$tree.sum" "$out/.tree-sum"
	# Kconfig drops silently what it cannot give.
	missing=
	while IFS='=' read -r name value; do
		if [ "$value" = n ]; then
			! grep -q "^$name=" "$out/.config" || missing+=" $name=n"
		else
			grep -qx "$name=$value" "$out/.config" || missing+=" $name=$value"
		fi
	done < <(cat "${fragments[@]}" | awk -F= '/^CONFIG_/ { last[$1] = $0 } END { for (n in last) print last[n] }')
	if [ -n "$missing" ]; then
		rm -f "$out/.fragments"
		die "requested, but not in $out/.config:$missing"
	fi
fi

kmake -s -j"$jobs" "${@:-all}"
