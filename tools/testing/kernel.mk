# SPDX-License-Identifier: GPL-2.0
#
# The kernel's tests: each kernel in a VM, judged by prove.
#
#   make test-kernel [CONFIGS="normal kasan"] [TORTURE_SECONDS=600] [DEFER_INLINE=1]

# Two VMs run at a time. The debug kernels are asked for by name, slow ones first
# (CONFIGS="kasan kcsan normal nounwind"), until each has passed from a clean tree:
# Documentation/testing.rst, "Debug kernels".
CONFIGS		?= normal nounwind
TEST_MODULE	:= tools/testing/modules
config-suffix	= $(if $(filter-out normal,$(1)),-$(1))

.PHONY: test-kernel test-kernels test-modules
test-kernels: | vm-packages
	@for c in $(CONFIGS); do \
		$(MAKE) --no-print-directory kernel CONFIG=$$(echo $$c | sed s/^normal$$//) || exit; \
	done

# Out of tree, in a copy per kernel; the kernel's own tree is prepared for it.
test-modules: test-kernels
	@for c in $(filter-out nounwind,$(CONFIGS)); do \
		$(TEST_MODULE)/build $(O) $$c || exit; \
	done

test-kernel: test-modules $(VM_INITRD) ## every kernel test, on each kernel (CONFIGS= TORTURE_SECONDS=)
	@TORTURE_SECONDS='$(TORTURE_SECONDS)' DEFER_INLINE='$(DEFER_INLINE)' \
		tools/testing/kernel-test $(O) $(CONFIGS)
TEST_TARGETS += test-kernel
