# SPDX-License-Identifier: GPL-2.0
#
# The tests of the kernel, and the model of its requests.

# The kernel's tests: each kernel in a VM, judged by prove.
#
#   make fuzz-kernel [CONFIGS="kasan kcsan"] [TIME=600] [SEED=1] [PERF_FUZZER=../perf_event_tests]
#   make test-kernel [CONFIGS="normal kasan"] [SERIES=6.1] [TORTURE_SECONDS=600] [DEFER_INLINE=1] [WHOLE=1] [FRESH=1]

# The slow ones first: while they run the next one is built.
CONFIGS		?= kcsan kasan normal nounwind

.PHONY: test-kernel
test-kernel: kernel-tree | vm-packages ## every kernel test, on each kernel (CONFIGS= TORTURE_SECONDS= WHOLE=1 FRESH=1)
	@$(AT_ONCE) $(O)/test/suite.cpio $(if $(ARCH),,$(O)/perf)
	@MAKE='$(MAKE)' JOBS=$(JOBS) FRESH='$(FRESH)' TORTURE_SECONDS='$(TORTURE_SECONDS)' \
		DEFER_INLINE='$(DEFER_INLINE)' WHOLE='$(WHOLE)' KERNEL_SERIES=$(KERNEL_SERIES) tools/testing/kernel-test $(O) $(CONFIGS)

# make test has the kernel that people run, make test-all the others.
.PHONY: test-kernel-normal test-kernel-debug test-kernel-debian test-kernel-arm64 test-kernel-6.1
test-kernel-normal: ## every kernel test on the normal kernel
	@$(MAKE) --no-print-directory test-kernel CONFIGS=normal
TEST_TARGETS += test-kernel-normal

# KERNEL_INPUTS: what decides how the kernels' tests end. Of the tool they use perf unwind.
KERNEL_INPUTS := kernel include arch patches/linux-6.12 tools/build/configs tools/build/kernel-build.sh \
	tools/build/kernel-tree.sh tools/build/kernel.mk tools/testing/kernel-test tools/testing/kernels.sh \
	tools/testing/tally tools/testing/kernel.mk tools/testing/vm.mk \
	tools/testing/selftests tools/testing/modules tools/testing/torture tools/testing/vm \
	tools/perf/base tools/perf/elf tools/perf/cfi tools/perf/cmd/unwind

test-kernel-debug: ## every kernel test on the kernels with KASAN, KCSAN and without our code
	@$(MAKE) --no-print-directory test-kernel CONFIGS='kcsan kasan nounwind'
test-kernel-debian: ## every kernel test on a kernel with Debian's options
	@$(MAKE) --no-print-directory test-kernel CONFIGS=debian
test-kernel-arm64: ## the kernel tests on arm64, with samples taken in NMIs
	@$(MAKE) --no-print-directory test-kernel ARCH=arm64 CONFIGS=normal
test-kernel-6.1: ## every kernel test on Linux 6.1
	@$(MAKE) --no-print-directory test-kernel SERIES=6.1 CONFIGS=normal
TEST_ALL_TARGETS += test-kernel-debug test-kernel-debian test-kernel-6.1 test-kernel-arm64
INPUTS_test-kernel-debug := $(KERNEL_INPUTS)
INPUTS_test-kernel-debian := $(KERNEL_INPUTS)
INPUTS_test-kernel-arm64 := $(KERNEL_INPUTS) tools/build/arm64.mk tools/build/arm64-root.sh tools/build/mirror.sh
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

# The unwind selftests: one static program for 64 and one for 32 bits, built
# with frame pointers; each test is a mode of it.

SELFTEST	:= tools/testing/selftests/unwind
SELFTEST_FLAGS	:= -std=gnu11 -O1 -g -Wall -Wextra $(WERROR) -static -no-pie -fno-pie \
	-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -pthread
SELFTEST_CC	= @echo "  CC      $(@F)"; $(if $(ARCH),$(CC),gcc)

ifeq ($(ARCH),)
SELFTEST_SRC	:= $(filter-out %/t_pmu.c %/t_compat.c,$(wildcard $(SELFTEST)/*.c))
SELFTEST_FLAGS	+= -fcf-protection=none
SELFTEST_BITS	:= 64 32
else
# Without the tests of x86's instructions and of its NMIs. Return addresses are signed.
SELFTEST_SRC	:= $(filter-out %/t_step.c %/t_wild.c %/t_nmi.c %/t_client.c,$(wildcard $(SELFTEST)/*.c))
SELFTEST_FLAGS	+= -mbranch-protection=standard
SELFTEST_BITS	:= 64
endif

VM_FILES += $(foreach b,$(SELFTEST_BITS),$(O)/test/unwind$(b):tests/unwind$(b)) $(SELFTEST)/suite:tests/suite $(SELFTEST)/all:tests/all

.PHONY: selftest-packages
selftest-packages:
	@$(if $(ARCH),,tools/build/packages.sh gcc gcc-multilib libc6-dev)

selftest-obj = $(patsubst $(SELFTEST)/%.c,$(O)/test/selftest$(1)/%.o,$(SELFTEST_SRC))
$(O)/test/selftest64/%.o: $(SELFTEST)/%.c $(wildcard $(SELFTEST)/*.h) tools/testing/kernel.mk \
		| selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) $(if $(ARCH),,-m64) $(SELFTEST_FLAGS) -c -o $@ $<
$(O)/test/selftest32/%.o: $(SELFTEST)/%.c $(wildcard $(SELFTEST)/*.h) tools/testing/kernel.mk \
		| selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -m32 $(SELFTEST_FLAGS) -c -o $@ $<
$(O)/test/unwind64: $(call selftest-obj,64)
	$(SELFTEST_CC) $(if $(ARCH),,-m64) $(SELFTEST_FLAGS) -o $@ $^
$(O)/test/unwind32: $(call selftest-obj,32)
	$(SELFTEST_CC) -m32 $(SELFTEST_FLAGS) -o $@ $^

# Programs without frame pointers, and the unwind tables of all that they map: frames.c
# by each compiler and level, in one static program and one that is neither.
TABLES		:= tools/testing/selftests/tables
TABLES_OUT	:= $(O)/test/tables
TABLES_FLAGS	:= -O2 -g -Wall -Wextra $(WERROR) -fomit-frame-pointer -fasynchronous-unwind-tables \
	-fcf-protection=none -pthread
TABLES_SRC	:= $(wildcard $(TABLES)/t_*.c) $(TABLES)/step.c $(TABLES)/trail.c \
	$(addprefix $(SELFTEST)/,event.c path.c stats.c table.c tap.c worker.c)
TABLES_H	:= $(wildcard $(TABLES)/*.h $(SELFTEST)/*.h) include/uapi/linux/unwind_table.h tools/testing/kernel.mk
TABLES_VARIANTS	:= $(foreach c,gcc clang,$(foreach o,O0 O1 O2 O3 Os,$(c)-$(o)))
TABLES_THROWS	:= gcc-O0 gcc-O2 gcc-Os clang-O0 clang-O2
TABLES_LIBS	:= libc.so.6 ld-linux-x86-64.so.2
TABLES_FILES	:= table-static table-pie table-lib.so $(TABLES_LIBS)
ifeq ($(ARCH),)
VM_FILES += $(TABLES_OUT)/table-static:tests/table-static $(TABLES_OUT)/table-pie:tests/table-pie \
	$(TABLES_OUT)/table-lib.so:tests/table-lib.so \
	$(foreach f,$(TABLES_FILES),$(TABLES_OUT)/$(f).table:tests/tables/$(f).table)
endif

.PHONY: tables-packages
tables-packages: | selftest-packages
	@tools/build/packages.sh clang g++

$(TABLES_OUT)/frames-%.o: $(TABLES)/frames.c $(TABLES_H) | tables-packages
	@mkdir -p $(@D)
	@echo "  CC      $(@F)"
	@$(firstword $(subst -, ,$*)) -std=gnu11 $(TABLES_FLAGS) -$(word 2,$(subst -, ,$*)) -fPIE -c -o $@ $< \
		-DVARIANT_NAME='"$(subst -, -,$*)"'
# A main() that realigns the stack.
$(TABLES_OUT)/main.o: $(SELFTEST)/main.c $(TABLES_H) | tables-packages
	$(SELFTEST_CC) -std=gnu11 $(TABLES_FLAGS) -mincoming-stack-boundary=4 -mpreferred-stack-boundary=6 \
		-fPIE -c -o $@ $<
$(TABLES_OUT)/throws-%.o: $(TABLES)/throws.cc $(TABLES_H) | tables-packages
	@mkdir -p $(@D)
	@echo "  CXX     $(@F)"
	@$(subst gcc,g++,$(subst clang,clang++,$(firstword $(subst -, ,$*)))) -std=c++17 $(TABLES_FLAGS) \
		-$(word 2,$(subst -, ,$*)) -fPIE -c -o $@ $< -DVARIANT_NAME='"$(subst -, -,$*)"'
$(TABLES_OUT)/table-lib.so: $(TABLES)/lib.c $(TABLES_H) | tables-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -std=gnu11 $(TABLES_FLAGS) -shared -fPIC -o $@ $<
tables-frames := $(TABLES_VARIANTS:%=$(TABLES_OUT)/frames-%.o) $(TABLES_OUT)/main.o \
	$(TABLES_THROWS:%=$(TABLES_OUT)/throws-%.o)
$(TABLES_OUT)/table-static: $(TABLES_SRC) $(tables-frames) $(TABLES_H) | tables-packages
	$(SELFTEST_CC) -std=gnu11 $(TABLES_FLAGS) -static -no-pie -fno-pie -o $@ $(filter %.c %.o,$^) -lstdc++
# Calls into libraries are resolved when they are made first.
$(TABLES_OUT)/table-pie: $(TABLES_SRC) $(tables-frames) $(TABLES_H) | tables-packages
	$(SELFTEST_CC) -std=gnu11 $(TABLES_FLAGS) -pie -fPIE -Wl,-z,lazy -o $@ $(filter %.c %.o,$^) \
		-static-libgcc -Wl,-Bstatic -lstdc++ -Wl,-Bdynamic -lm
$(TABLES_OUT)/table-%.table: $(TABLES_OUT)/table-% $(O)/perf
	@echo "  TABLE   $(@F)"
	@$(O)/perf unwind -o $@ $< >$@.log
$(TABLES_LIBS:%=$(TABLES_OUT)/%.table): $(TABLES_OUT)/%.table: $(TABLES_OUT)/table-pie $(O)/perf
	@echo "  TABLE   $(@F)"
	@$(O)/perf unwind -o $@ $$(ldd $< | grep -oE '/[^ ]*/$*') >$@.log

# The torture program and the bench share the selftests' library.
SELFTEST_LIB	:= event path worker stats table bare
TORTURE_SRC	:= $(wildcard tools/testing/torture/*.c)
VM_FILES += $(foreach b,$(SELFTEST_BITS),$(O)/test/torture$(b):tests/torture$(b))
$(O)/test/torture64: $(TORTURE_SRC) tools/testing/torture/torture.h \
		$(SELFTEST_LIB:%=$(O)/test/selftest64/%.o) $(O)/test/selftest64/tap.o
	$(SELFTEST_CC) $(if $(ARCH),,-m64) $(SELFTEST_FLAGS) -o $@ $(filter %.c %.o,$^)
$(O)/test/torture32: $(TORTURE_SRC) tools/testing/torture/torture.h \
		$(SELFTEST_LIB:%=$(O)/test/selftest32/%.o) $(O)/test/selftest32/tap.o
	$(SELFTEST_CC) -m32 $(SELFTEST_FLAGS) -o $@ $(filter %.c %.o,$^)

VM_FILES += $(O)/test/bench:tests/bench $(O)/test/bench-tiny:tests/bench-tiny
$(O)/test/bench: tools/testing/bench/bench.c \
		$(SELFTEST_LIB:%=$(O)/test/selftest64/%.o) $(O)/test/selftest64/tap.o
	$(SELFTEST_CC) $(if $(ARCH),,-m64) $(SELFTEST_FLAGS) -o $@ $^
$(O)/test/bench-tiny: tools/testing/bench/tiny.c | selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -O1 -Wall -Wextra $(WERROR) -static -nostdlib -no-pie -fno-pie -fno-omit-frame-pointer \
		-fno-stack-protector $(if $(ARCH),,-fcf-protection=none) -Wl,-Ttext-segment=0x10000000 -o $@ $<

# The same functions with and without frame pointers.
BENCH_TABLE	:= $(TABLES_OUT)/bench-table
BENCH_LATENCY	:= $(TABLES_OUT)/bench-latency
ifeq ($(ARCH),)
VM_FILES += $(foreach b,bench-table bench-latency,$(TABLES_OUT)/$(b):tests/$(b) $(TABLES_OUT)/$(b).table:tests/tables/$(b).table)
else
VM_FILES += $(BENCH_TABLE):tests/bench-table
endif
$(TABLES_OUT)/frames-of-bench-fp.o: BENCH_FLAGS := -fno-omit-frame-pointer -DFRAMES=frames_fp
$(TABLES_OUT)/frames-of-bench-bare.o: BENCH_FLAGS := -fomit-frame-pointer -DFRAMES=frames_bare
$(TABLES_OUT)/frames-of-bench-%.o: tools/testing/bench/table-frames.c tools/testing/bench/table-frames.h \
		| selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -std=gnu11 -O2 -Wall -Wextra $(WERROR) -fno-optimize-sibling-calls -fno-ipa-cp -mno-omit-leaf-frame-pointer \
		$(if $(ARCH),-mbranch-protection=standard,-fcf-protection=none) $(BENCH_FLAGS) -c -o $@ $<
$(BENCH_TABLE) $(BENCH_LATENCY): $(TABLES_OUT)/bench-%: tools/testing/bench/%.c tools/testing/bench/table-base.c \
		$(TABLES_OUT)/frames-of-bench-fp.o $(TABLES_OUT)/frames-of-bench-bare.o tools/testing/bench/table-frames.h \
		$(SELFTEST_LIB:%=$(O)/test/selftest64/%.o) $(O)/test/selftest64/tap.o
	$(SELFTEST_CC) $(if $(ARCH),,-m64) $(SELFTEST_FLAGS) -o $@ $(filter %.c %.o,$^)
$(BENCH_TABLE).table $(BENCH_LATENCY).table: $(TABLES_OUT)/bench-%.table: $(TABLES_OUT)/bench-% $(O)/perf
	@echo "  TABLE   $(@F)"
	@$(O)/perf unwind -o $@ $< >$@.log

# The tool of arm64 runs in the guest alone.
BENCH_MAKES_TABLE := mkdir /tests/tables && perf unwind -o /tests/tables/bench-table.table /tests/bench-table >/dev/null
.PHONY: bench-kernel
bench-kernel: $(O)/test/initramfs.cpio ## completeness, size and cost of deferral against plain fp, as a table
	@$(vm-have-kernel)
	@echo "One CPU, instructions counted (QEMU -icount shift=0):"
	@$(VM_RUN) --mem 768 --icount --timeout 900 --log $(O)/test/bench-icount.log 'bench instructions'
	@echo
	@$(VM_RUN) --mem 768 --icount --timeout 900 --log $(O)/test/bench-table.log '$(if $(ARCH),$(BENCH_MAKES_TABLE) && )bench-table'
	@echo
	@echo "Two CPUs:"
	@$(VM_RUN) --mem 768 --timeout 300 --log $(O)/test/bench.log 'bench cpus'

.PHONY: bench-latency
bench-latency: $(O)/test/initramfs.cpio ## the longest times with interrupts disabled where a request is completed, in instructions
	@$(MAKE) --no-print-directory kernel CONFIG=latency
	@$(VM)/run --kernel $(call vm-kernel,latency) --initrd $(VM_INITRD) --mem 768 --icount --timeout 900 \
		--log $(O)/test/bench-latency.log bench-latency

# KERNELS="FIRST SECOND": two bzImages; without, ours with nothing of it, and ours.
.PHONY: bench-idle
bench-idle: $(O)/test/initramfs.cpio $(O)/test/idle ## what hooks cost where no event is open: instructions on two kernels, KERNELS="first second"
	@$(if $(KERNELS),,$(MAKE) --no-print-directory kernel && $(MAKE) --no-print-directory kernel CONFIG=nounwind)
	@tools/testing/bench/idle.sh $(O)/test/idle $(VM_INITRD) $(or $(KERNELS),$(call vm-kernel,nounwind) $(call vm-kernel))
$(O)/test/idle: tools/testing/bench/idle.c | selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -O2 -Wall -Wextra $(WERROR) -static -o $@ $<

MODEL	:= tools/testing/model
MODEL_TAP := $(O)/test/model$(if $(MODEL_FULL),-full).tap

.PHONY: test-model
test-model: $(MODEL_TAP) ## check the model of request, completion, reset and cancel (MODEL_FULL=1: larger bounds)
	@prove --exec cat $<
TEST_ALL_TARGETS += test-model
INPUTS_test-model := tools/testing/model

# What Spin says depends on the model alone: ask again when that changed.
$(MODEL_TAP): $(MODEL)/deferred.pml $(MODEL)/check.t
	@tools/build/packages.sh spin gcc libc6-dev
	@mkdir -p $(@D)
	@MODEL_FULL='$(MODEL_FULL)' $(MODEL)/check.t >$@.tmp
	@mv $@.tmp $@
