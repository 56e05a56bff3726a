# SPDX-License-Identifier: GPL-2.0
#
# make bench-programs: Debian's programs, recorded in each way, in the VM.

BENCH_PROGRAMS		:= $(O)/test/bench-programs
BENCH_PROGRAMS_IN	:= inputs.sh work.py work.pl

.PHONY: bench-programs
bench-programs: $(O)/perf $(O)/test/vmout ## Debian's programs by fp, table and dwarf: complete callchains, bytes, recorder's time
	@tools/build/packages.sh linux-perf
	@$(vm-have-kernel)
	@$(call vm-tables-cpio,$(BENCH_PROGRAMS).cpio,/usr/bin/perf:peer/perf)
	@rm -rf $(BENCH_PROGRAMS)
	@$(VM)/run --kernel $(VM_KERNEL) --initrd $(BENCH_PROGRAMS).cpio --mem 1536 --icount --timeout 1500 \
		--log $(BENCH_PROGRAMS).log --out $(BENCH_PROGRAMS) --in tools/testing/bench/programs-guest.sh \
		$(BENCH_PROGRAMS_IN:%=--in tools/testing/vm-tables/%) -- 'sh /in/programs-guest.sh'
	@mkdir $(BENCH_PROGRAMS)/symfs
	@cd $(BENCH_PROGRAMS)/symfs && cpio -id --quiet <../../bench-programs.cpio
	@tools/testing/bench/programs.py $(O)/perf /usr/bin/perf $(BENCH_PROGRAMS) $(BENCH_PROGRAMS)/symfs

TEST_ALL_TARGETS += test-bench-programs
INPUTS_test-bench-programs = $(KERNEL_INPUTS) tools/testing/bench tools/testing/t/bench tools/testing/vm-tables
.PHONY: test-bench-programs
test-bench-programs: ## that bench-programs and bench-idle notice what is missing
	@tools/build/packages.sh python3
	@prove tools/testing/t/bench/programs.t tools/testing/t/bench/idle.t
