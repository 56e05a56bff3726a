# SPDX-License-Identifier: GPL-2.0
#
# ARCH=arm64: what is built for arm64 on a machine of another kind, in build/arm64.
#
#   make perf ARCH=arm64                    build/arm64/perf
#   make kernel ARCH=arm64                  build/arm64/linux-6.12/arch/arm64/boot/Image
#   make vm-run ARCH=arm64 CMD='perf ...'   that kernel in QEMU, with that tool and programs of Debian
#
# The compiler and the libraries are Debian's, unpacked below build/arm64 (arm64-root.sh).

ifneq ($(ARCH),)
ifneq ($(ARCH),arm64)
$(error ARCH=$(ARCH): arm64, or none for this machine's)
endif

CROSS		:= aarch64-linux-gnu-
SYSROOT		:= $(O)/sysroot
CC		:= $(CROSS)gcc --sysroot=$(SYSROOT)
AR		:= $(CROSS)ar
export PATH	:= $(O)/cross/usr/bin:$(PATH)
# Of the parts that are left out without their packages: clang's program for BPF, the vendors' names of events.
NO_BPF		:= 1
NO_LIBPFM	:= 1

.PHONY: arm64-root
arm64-root:
	@tools/build/packages.sh apt gcc binutils-aarch64-linux-gnu
	@tools/build/arm64-root.sh $(O)
kernel-tree vm-packages selftest-packages $(O)/.perf-packages $(O)/.unit-test-packages: | arm64-root
$(SYSROOT)/%: | arm64-root ;
$(O)/lib: | arm64-root ;
endif
