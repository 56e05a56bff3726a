# SPDX-License-Identifier: GPL-2.0
#
# make demo: from nothing to a profile with deferred user stacks.

DEMO	:= $(O)/demo

.PHONY: demo demo-packages
demo-packages:
	@tools/build/packages.sh $(PERF_PACKAGES) $(KERNEL_PACKAGES) $(VM_PACKAGES) python3 binutils procps

# Before the demo needs it: packages, those of perf first, and the kernel's source.
.PHONY: demo-ahead
demo-ahead:
	@$(MAKE) --no-print-directory $(O)/.perf-packages
	@$(MAKE) --no-print-directory demo-packages
	@$(MAKE) --no-print-directory kernel-tree

demo: ## build everything, record in the VM, show a profile with deferred stacks
	@O=$(O) MAKE='$(MAKE)' JOBS=$(JOBS) tools/build/demo.sh

# Its own frames down to the system call; static, so that it runs anywhere.
$(DEMO)/deepread: tools/testing/workloads/deepread.c tools/build/demo.mk
	@tools/build/packages.sh gcc libc6-dev
	@mkdir -p $(@D)
	@gcc -O1 -g -static -pthread -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		-Wall -Wextra $(WERROR) -o $@ $<

# What boots: perf, that program, and Debian's Python as it is.
DEMO_CPIO	:= $(DEMO)/initramfs.cpio
$(DEMO_CPIO): $(O)/perf $(O)/test/vmout $(DEMO)/deepread tools/testing/vm/mkinitramfs tools/testing/vm/init
	@tools/build/packages.sh python3 binutils cpio busybox-static
	@$(call vm-tables-py,$(DEMO)/lib)
	@tools/testing/vm/mkinitramfs $@ $(O)/test/vmout:bin/vmout $(O)/perf:bin/perf $(DEMO)/deepread:in/deepread \
		/usr/bin/$(VM_TABLES_PY):stock/python3 $(DEMO)/lib/$(VM_TABLES_PY):lib/$(VM_TABLES_PY)

.PHONY: demo-guest
demo-guest: $(DEMO_CPIO) | vm-packages
	@rm -rf $(DEMO)/guest
	@$(VM)/run --kernel $(VM_KERNEL) --initrd $(DEMO_CPIO) --log $(DEMO)/console.log --out $(DEMO)/guest \
		--in tools/build/demo-guest.sh --in tools/testing/vm-tables/work.py -- 'sh /in/demo-guest.sh'

.PHONY: test-demo
TEST_TARGETS += test-demo
test-demo: ## test that make demo shows what the program does
	@tools/build/packages.sh python3 procps
	@$(AT_ONCE) perf
	@O=$(O) MAKE='$(MAKE)' prove tools/testing/t/build/demo.t
