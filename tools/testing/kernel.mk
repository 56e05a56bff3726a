# SPDX-License-Identifier: GPL-2.0
#
# The kernel's tests: each kernel in a VM, judged by prove.
#
#   make fuzz-kernel [CONFIGS="kasan kcsan"] [TIME=600] [SEED=1] [PERF_FUZZER=../perf_event_tests]
#   make test-kernel [CONFIGS="normal kasan"] [SERIES=6.1] [TORTURE_SECONDS=600] [DEFER_INLINE=1] [WHOLE=1] [FRESH=1]

# The slow ones first: while they run the next one is built.
CONFIGS		?= kcsan kasan normal nounwind

.PHONY: test-kernel
test-kernel: kernel-tree | vm-packages ## every kernel test, on each kernel (CONFIGS= TORTURE_SECONDS= WHOLE=1 FRESH=1)
	@$(AT_ONCE) $(O)/test/suite.cpio $(O)/perf
	@MAKE='$(MAKE)' JOBS=$(JOBS) FRESH='$(FRESH)' TORTURE_SECONDS='$(TORTURE_SECONDS)' \
		DEFER_INLINE='$(DEFER_INLINE)' WHOLE='$(WHOLE)' KERNEL_SERIES=$(KERNEL_SERIES) tools/testing/kernel-test $(O) $(CONFIGS)

# make test has the kernel that people run, make test-all the others.
.PHONY: test-kernel-normal test-kernel-debug test-kernel-6.1
test-kernel-normal: ## every kernel test on the normal kernel
	@$(MAKE) --no-print-directory test-kernel CONFIGS=normal
TEST_TARGETS += test-kernel-normal

# KERNEL_INPUTS: what decides how the kernels' tests end. Of the tool they use perf unwind.
KERNEL_INPUTS := kernel include arch patches/linux-6.12 tools/build/configs tools/build/kernel-build.sh \
	tools/build/kernel-tree.sh tools/build/kernel.mk tools/testing/kernel-test tools/testing/kernels.sh \
	tools/testing/tally tools/testing/kernel.mk tools/testing/selftests.mk tools/testing/vm.mk \
	tools/testing/selftests tools/testing/modules tools/testing/torture tools/testing/vm \
	tools/perf/base tools/perf/elf tools/perf/cfi tools/perf/cmd/unwind

test-kernel-debug: ## every kernel test on the kernels with KASAN, KCSAN and without our code
	@$(MAKE) --no-print-directory test-kernel CONFIGS='kcsan kasan nounwind'
test-kernel-6.1: ## every kernel test on Linux 6.1
	@$(MAKE) --no-print-directory test-kernel SERIES=6.1 CONFIGS=normal
TEST_ALL_TARGETS += test-kernel-debug test-kernel-6.1
INPUTS_test-kernel-debug := $(KERNEL_INPUTS)
INPUTS_test-kernel-6.1 := $(KERNEL_INPUTS) patches/linux-6.1

# On the kernels that tell most, unless CONFIGS was given; TIME as for make fuzz.
FUZZ_CONFIGS	= $(if $(filter file,$(origin CONFIGS)),kasan kcsan,$(CONFIGS))

.PHONY: fuzz-kernel
fuzz-kernel: kernel-tree $(O)/test/suite.cpio | vm-packages ## fuzz the kernels with many seeds (CONFIGS="kasan kcsan" TIME=seconds for each, SEED= PERF_FUZZER=folder)
	@MAKE='$(MAKE)' KERNEL_SERIES=$(KERNEL_SERIES) tools/testing/fuzz/kernel/run $(O) '$(TIME)' $(FUZZ_CONFIGS)

.PHONY: test-kernel-configs
test-kernel-configs: kernel-tree ## our kernel files compiled in other configurations: UP, PREEMPT_RT, i386, ... (FRESH=1)
	@FRESH='$(FRESH)' prove tools/testing/kernel-configs :: $(O) $(KERNEL_TREE) $(JOBS)
TEST_ALL_TARGETS += test-kernel-configs
INPUTS_test-kernel-configs := kernel include arch patches/linux-6.12 tools/build/configs tools/testing/kernel-configs
