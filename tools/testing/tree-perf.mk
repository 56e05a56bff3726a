# SPDX-License-Identifier: GPL-2.0
#
# make test-tree-perf: the kernel tree's own perf with patches/perf-6.12, on this
# machine and in the VM.

.PHONY: test-tree-perf test-tree-perf-vm
TEST_ALL_TARGETS += test-tree-perf
# (Some tests compare it with our own perf.)
INPUTS_test-tree-perf = $(KERNEL_INPUTS) patches/perf-6.12 tools/testing/tree-perf tools/testing/fuzz/tree-perf.py tools/testing/tree-perf.mk \
	tools/testing/golden/c tools/testing/vm-record tools/build/tree-perf* tools/build/series.sh \
	tools/perf/session tools/perf/unwind tools/perf/cmd/script
test-tree-perf: tree-perf-deb test-tree-perf-vm $(O)/perf $(O)/test/tool-sessions ## the kernel tree's own perf with our series: golden recordings, its own tests, the VM
	@tools/build/packages.sh xz-utils python3 perl quilt git asciidoc-base xmlto groff-base bsdextrautils
	@O=$(O) PERF=$(TREE_PERF_OUT)/perf OURS=$(O)/perf SRC=$(TREE_PERF_SRC) \
		tools/testing/tree-perf/run

# The programs of that VM: this perf is not in the others. The file changes only when
# what is in it does.
TREE_PERF_INITRD := $(O)/test/tree-perf.cpio
TREE_PERF_VM_FILES = $(VM_TEST)/vmout:bin/vmout $(TREE_PERF_OUT)/perf:bin/perf \
		     $(foreach w,$(WORKLOADS),$(w):g/$(notdir $(w))) \
		     $(TREE_PERF_SRC)/tools/perf/tests/shell/record_deferred_callchain.sh:shell/record_deferred_callchain.sh \
		     $(foreach p,sort bash perl,/usr/bin/$(p):stock/$(p))

$(TREE_PERF_INITRD): tree-perf $(O)/test/vmout workloads | vm-packages
	@$(VM)/mkinitramfs $@.new $(TREE_PERF_VM_FILES)
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

test-tree-perf-vm: $(O)/perf $(TREE_PERF_INITRD) ## the same perf records in the VM, on our kernel and on the one without deferred callchains
	@tools/build/packages.sh python3 zstd perl binutils cpio
	@$(vm-have-kernel)
	@[ -e $(call vm-kernel,nounwind) ] || $(MAKE) --no-print-directory kernel CONFIG=nounwind
	@AGAIN=1 O=$(O) PERF=$(TREE_PERF_OUT)/perf OURS=$(O)/perf KERNEL=$(VM_KERNEL) \
		NOUNWIND=$(call vm-kernel,nounwind) INITRD=$(TREE_PERF_INITRD) \
		prove --timer tools/testing/tree-perf/vm/vm.t

# Built a second time, with AddressSanitizer.
.PHONY: fuzz-tree-perf
TREE_PERF_SAN := -g1 -fno-omit-frame-pointer -fsanitize=address
fuzz-tree-perf: tree-perf-packages tree-perf-tree ## TIME=seconds: damaged golden recordings through the kernel tree's perf, under ASan
	@tools/build/packages.sh python3
	@tools/build/tree-perf.sh build $(TREE_PERF_SRC) $(TREE_PERF_OUT)-san $(JOBS) \
		EXTRA_CFLAGS='$(TREE_PERF_SAN)' WERROR=0
	@mkdir -p $(O)/test/tree-perf-fuzz
	@cd $(O)/test/tree-perf-fuzz && $(CURDIR)/tools/testing/fuzz/tree-perf.py --time $(or $(TIME),60) \
		--seed $(or $(SEED),1000) $(TREE_PERF_OUT)-san/perf $(CURDIR)/tools/testing/golden/c \
		$(CURDIR)/patches/perf-$(KERNEL_SERIES)
