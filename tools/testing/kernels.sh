# SPDX-License-Identifier: GPL-2.0
#
# kernels.sh, sourced by what boots kernels by the names of their configurations, "normal"
# among them: where each is below $build, and what its VM is given.

build=${build:?}
series=${KERNEL_SERIES:-6.12}

suffix() { [ "$1" = normal ] || echo "-$1"; }
image=arch/x86/boot/bzImage
[ "${ARCH:-}" != arm64 ] || image=arch/arm64/boot/Image
bzimage() { echo "$build/linux-$series$(suffix "$1")/$image"; }
# A test takes several times as long there.
is_slow() { case $1 in kasan|kcsan|rt|leak) ;; *) false ;; esac; }
# MB of a VM.
memory() { if is_slow "$1"; then echo 1536; else echo 768; fi; }
# What vm/races calls ours: the functions of our files, and of those with a hook.
our_functions() { # CONFIG
	local tree=$build/linux-$series$(suffix "$1") top=${BASH_SOURCE[0]%/*}/../.. f

	{
		(cd "$top" && ls kernel/unwind/*.c kernel/events/*.c) | sed 's/^/any /'
		sed -n 's,^+++ b/\(.*\.c\)$,top \1,p' "$top/patches/linux-$series"/*.patch | sort -u
		echo top kernel/entry/common.c	# inlines the hook of include/linux/entry-common.h
	} | while read -r how f; do
		[ ! -e "$tree/${f%.c}.o" ] || nm "$tree/${f%.c}.o" |
			awk -v how="$how" '$2 ~ /[tT]/ && $3 !~ /tsan|^_sub_I/ { sub(/\..*/, "", $3); print how, $3 }'
	done
}
