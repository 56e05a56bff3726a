# SPDX-License-Identifier: GPL-2.0
#
# The kernel: Debian's source, our patches and files, built for the VM.
#
#   make kernel                       build/linux-6.12/arch/x86/boot/bzImage
#   make kernel CONFIG=kasan|kcsan|nounwind|rt|leak|latency|debian build/linux-6.12-CONFIG
#   make kernel SERIES=6.1            build/linux-6.1
#   make kernel ARCH=arm64            build/arm64/linux-6.12, cross-built
#   make kernel-deb [DEBCONFIG=/boot/config-...] [SERIES=6.1]

# SERIES=6.1 (or linux-6.1): that kernel in place of 6.12.
KERNEL_SERIES	:= $(or $(filter 6.1 6.12,$(SERIES:linux-%=%)),6.12)
KERNEL_PACKAGES	:= linux-source-$(KERNEL_SERIES) quilt flex bison bc cpio kmod rsync \
	libelf-dev libssl-dev ccache gcc make xz-utils
# One source for all architectures.
KERNEL_TREE	:= $(BUILD)/src-$(KERNEL_SERIES)
KERNEL_CONFIG	:= $(ARCH:%=%-)$(or $(CONFIG),vm)
# Where the kernel of this CONFIG is found.
KERNEL_OUT	:= $(O)/linux-$(KERNEL_SERIES)$(if $(CONFIG),-$(CONFIG))
KERNEL_IMAGE	:= arch/$(if $(ARCH),arm64/boot/Image,x86/boot/bzImage)

.PHONY: kernel kernel-tree kernel-packages
kernel-packages:
	@tools/build/packages.sh $(KERNEL_PACKAGES)

kernel-tree: kernel-packages
	@mkdir -p $(O)
	@tools/build/kernel-tree.sh $(KERNEL_SERIES) $(KERNEL_TREE)

kernel: kernel-tree ## build the kernel for the VM; CONFIG=kasan, kcsan, nounwind, rt, leak, latency or debian
	@tools/build/kernel-build.sh $(KERNEL_TREE) $(KERNEL_CONFIG) $(JOBS)
	@mkdir -p $(O) && ln -sfn $(if $(ARCH),../)$(notdir $(KERNEL_TREE))/o-$(KERNEL_CONFIG) $(KERNEL_OUT)
	@echo "kernel: $(KERNEL_OUT)/$(KERNEL_IMAGE)"

.PHONY: test-kernel-tree
TEST_ALL_TARGETS += test-kernel-tree
INPUTS_test-kernel-tree := patches/linux-6.12 tools/build/kernel-tree.sh tools/build/kernel-deb.sh \
	tools/build/kernel-build.sh tools/testing/t/build/kernel-tree.t tools/testing/t/build/kernel-deb.t
test-kernel-tree: kernel-tree ## test what make kernel does with other versions of the source
	@tools/build/packages.sh quilt rsync xz-utils
	@prove tools/testing/t/build/kernel-tree.t tools/testing/t/build/kernel-deb.t
