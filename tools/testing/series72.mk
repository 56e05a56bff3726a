# SPDX-License-Identifier: GPL-2.0
#
# What patches/linux-upstream repairs: two kernels of sid's source, side by side. Not a part of make
# test-all: each takes minutes to build.

.PHONY: test-series-7.2
test-series-7.2: series-upstream-tree | vm-packages ## mainline's kernel of sid, stock and with patches/linux-upstream: what each does with deferred callchains (long)
	@tools/build/packages.sh $(KERNEL_PACKAGES)
	@tools/build/upstream-kernel.sh $(O)/src-upstream "" $(O)/upstream/stock $(JOBS)
	@tools/build/upstream-kernel.sh $(O)/src-upstream patches/linux-upstream $(O)/upstream/patched $(JOBS)
	@prove -v tools/testing/series72/run :: $(O)/upstream/stock $(O)/upstream/patched

# Sid's own kernel beside ours of SERIES=7.2: Debian's own programs, by our perf and by sid's.
.PHONY: test-stacks-7.2
test-stacks-7.2: $(O)/perf $(O)/test/vmout | vm-packages ## callchains of Debian's programs on sid's kernel and on ours with SERIES=7.2, by our perf and by sid's (long)
	@$(MAKE) --no-print-directory kernel SERIES=7.2
	@tools/testing/series72/sid $(BUILD)/src-upstream $(O)/upstream/sid
	@$(call vm-tables-cpio,$(O)/test/series72.cpio)
	@AGAIN=1 O=$(O) PERF=$(O)/perf INITRD=$(O)/test/series72.cpio prove --timer tools/testing/series72/stacks.t :: \
		$(O)/upstream/sid $(O)/linux-7.2/arch/x86/boot/bzImage
