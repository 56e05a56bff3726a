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
