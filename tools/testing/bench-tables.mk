# SPDX-License-Identifier: GPL-2.0
#
# make bench-tables: what unwind tables cost to make, to start with and to keep.

BENCH_TABLES_CPIO	:= $(O)/test/bench-tables.cpio
BENCH_TABLES_FILES	 = /usr/bin/$(VM_TABLES_PY) $(addprefix /usr/bin/,$(VM_TABLES_BIN)) $$(gcc -print-prog-name=cc1) \
			   $$(ldd /usr/bin/python3 | grep -oE '/[^ ]*libc.so[^ ]*')

.PHONY: bench-tables test-bench-tables
bench-tables: $(O)/perf $(O)/test/vmout ## unwind tables: rows a second, bytes a row, start of record -a beside fp, kernel memory
	@$(vm-have-kernel)
	@$(call vm-tables-cpio,$(BENCH_TABLES_CPIO))
	@rm -rf $(O)/test/bench-tables
	@$(VM)/run --kernel $(VM_KERNEL) --initrd $(BENCH_TABLES_CPIO) --mem 1024 --icount --timeout 900 \
		--log $(O)/test/bench-tables.log --out $(O)/test/bench-tables \
		--in tools/testing/bench/tables-guest.sh -- 'sh /in/tables-guest.sh 5'
	@tools/testing/bench/tables.py $(O)/perf $(O)/test/bench-tables $(BENCH_TABLES_FILES)

TEST_ALL_TARGETS += test-bench-tables
INPUTS_test-bench-tables = $(KERNEL_INPUTS) tools/testing/bench tools/testing/t/bench tools/testing/vm-tables
test-bench-tables: ## that bench-tables notices what is missing
	@tools/build/packages.sh python3
	@$(AT_ONCE) $(O)/perf
	@PERF=$(O)/perf prove tools/testing/t/bench/tables.t
