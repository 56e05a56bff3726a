# SPDX-License-Identifier: GPL-2.0
#
# The unwind selftests: one static program for 64 and one for 32 bits, built
# with frame pointers; each test is a mode of it.

SELFTEST	:= tools/testing/selftests/unwind
SELFTEST_SRC	:= $(wildcard $(SELFTEST)/*.c)
SELFTEST_FLAGS	:= -std=gnu11 -O1 -g -Wall -Wextra $(WERROR) -static -no-pie -fno-pie \
	-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls -fcf-protection=none -pthread

SELFTEST_CC	= @echo "  CC      $(@F)"; gcc

VM_FILES += $(O)/test/unwind64:tests/unwind64 $(O)/test/unwind32:tests/unwind32 \
	$(SELFTEST)/suite:tests/suite $(SELFTEST)/all:tests/all

.PHONY: selftest-packages
selftest-packages:
	@tools/build/packages.sh gcc gcc-multilib libc6-dev

selftest-obj = $(patsubst $(SELFTEST)/%.c,$(O)/test/selftest$(1)/%.o,$(SELFTEST_SRC))
$(O)/test/selftest64/%.o: $(SELFTEST)/%.c $(wildcard $(SELFTEST)/*.h) tools/testing/selftests.mk \
		| selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -m64 $(SELFTEST_FLAGS) -c -o $@ $<
$(O)/test/selftest32/%.o: $(SELFTEST)/%.c $(wildcard $(SELFTEST)/*.h) tools/testing/selftests.mk \
		| selftest-packages
	@mkdir -p $(@D)
	$(SELFTEST_CC) -m32 $(SELFTEST_FLAGS) -c -o $@ $<
$(O)/test/unwind64: $(call selftest-obj,64)
	$(SELFTEST_CC) -m64 $(SELFTEST_FLAGS) -o $@ $^
$(O)/test/unwind32: $(call selftest-obj,32)
	$(SELFTEST_CC) -m32 $(SELFTEST_FLAGS) -o $@ $^

# The torture program and the bench share the selftests' library.
SELFTEST_LIB	:= event path worker stats
TORTURE_SRC	:= $(wildcard tools/testing/torture/*.c)
VM_FILES += $(O)/test/torture64:tests/torture64 $(O)/test/torture32:tests/torture32
$(O)/test/torture64: $(TORTURE_SRC) tools/testing/torture/torture.h \
		$(SELFTEST_LIB:%=$(O)/test/selftest64/%.o) $(O)/test/selftest64/tap.o
	$(SELFTEST_CC) -m64 $(SELFTEST_FLAGS) -o $@ $(filter %.c %.o,$^)
$(O)/test/torture32: $(TORTURE_SRC) tools/testing/torture/torture.h \
		$(SELFTEST_LIB:%=$(O)/test/selftest32/%.o) $(O)/test/selftest32/tap.o
	$(SELFTEST_CC) -m32 $(SELFTEST_FLAGS) -o $@ $(filter %.c %.o,$^)

VM_FILES += $(O)/test/bench:tests/bench $(O)/test/bench-tiny:tests/bench-tiny
$(O)/test/bench: tools/testing/bench/bench.c \
		$(SELFTEST_LIB:%=$(O)/test/selftest64/%.o) $(O)/test/selftest64/tap.o
	$(SELFTEST_CC) -m64 $(SELFTEST_FLAGS) -o $@ $^
$(O)/test/bench-tiny: tools/testing/bench/tiny.c | selftest-packages
	$(SELFTEST_CC) -O1 -Wall -Wextra $(WERROR) -static -nostdlib -no-pie -fno-pie -fno-omit-frame-pointer \
		-fno-stack-protector -fcf-protection=none -Wl,-Ttext-segment=0x10000000 -o $@ $<

.PHONY: bench-kernel
bench-kernel: $(O)/test/initramfs.cpio ## completeness, size and cost of deferral against plain fp, as a table
	@$(vm-have-kernel)
	@echo "One CPU, instructions counted (QEMU -icount shift=0):"
	@$(VM_RUN) --mem 768 --icount --timeout 900 --log $(O)/test/bench-icount.log 'bench instructions'
	@echo
	@echo "Two CPUs:"
	@$(VM_RUN) --mem 768 --timeout 300 --log $(O)/test/bench.log 'bench cpus'
