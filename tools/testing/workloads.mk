# SPDX-License-Identifier: GPL-2.0
#
# Small programs to be measured: those of the golden set and a few more. They
# are freestanding and static, so that they run in any guest, and have frame
# pointers, so that their stacks are known.

WORKLOAD_SRC	:= $(wildcard tools/testing/golden/c/src/*.c) \
		   $(addprefix tools/testing/workloads/,burn.c migrate.c many.c)
WORKLOADS	:= $(addprefix $(O)/test/workloads/,$(notdir $(WORKLOAD_SRC:.c=)))
WORKLOAD_CFLAGS	:= -O1 -g -static -nostdlib -ffreestanding -fno-omit-frame-pointer -fno-stack-protector \
		   -fno-asynchronous-unwind-tables -fno-optimize-sibling-calls -fcf-protection=none -no-pie

vpath %.c tools/testing/golden/c/src tools/testing/workloads

$(WORKLOADS): $(O)/test/workloads/%: %.c tools/testing/golden/c/src/tiny.h tools/testing/workloads.mk
	@mkdir -p $(@D)
	@gcc $(WORKLOAD_CFLAGS) -o $@ $<

# One of i386 without frame pointers: its stacks are found by call frame information.
$(O)/test/workloads/chain32: tools/testing/workloads/chain32.c tools/testing/workloads.mk | selftest-packages
	@mkdir -p $(@D)
	@gcc -m32 -O2 -g -static -fomit-frame-pointer -o $@ $<
WORKLOADS	+= $(O)/test/workloads/chain32

.PHONY: workloads
workloads: $(WORKLOADS)

tool-test-programs: $(WORKLOADS)

VM_FILES	+= $(foreach w,$(WORKLOADS),$(w):g/$(notdir $(w)))
