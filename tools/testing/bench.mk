# SPDX-License-Identifier: GPL-2.0
#
# make bench and bench-*: the tool beside Debian's perf, and what unwind tables cost.

# make bench-tool: perf script against Debian's, as ratios.

TOOL_BENCH := tools/testing/bench

$(O)/test/tool-sessions $(O)/test/tool-processes: $(O)/test/%: $(TOOL_BENCH)/%.c \
		tools/testing/lib/perfdata.h $(PERF_OBJ_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@$(CC) $(PERF_CFLAGS) -o $@ $< $(PERF_OBJ_DIR)/libperf-tool.a $(PERF_LIBS)

# Callchains are the point: frame pointers, and no call made a jump.
$(O)/test/tool-faults: $(TOOL_BENCH)/tool-faults.c
	@mkdir -p $(@D)
	@gcc -O1 -Wall -Wextra $(WERROR) -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $@ $<

$(O)/test/unwind-walk: $(TOOL_BENCH)/unwind-walk.c $(PERF_OBJ_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@$(CC) $(PERF_CFLAGS) -o $@ $< $(PERF_OBJ_DIR)/libperf-tool.a $(PERF_LIBS)

.PHONY: bench bench-tool bench-unwind
bench: bench-tool bench-report bench-large bench-record ## every benchmark of the tool
bench-tool: $(O)/perf $(O)/test/tool-sessions $(O)/test/tool-faults | $(O)/.tool-test-packages ## time and memory of perf script against Debian's perf, as ratios
	@$(TOOL_BENCH)/tool.py $(O)/perf $(O)

bench-unwind: $(O)/perf $(O)/test/unwind-walk | $(O)/.tool-test-packages ## whose callchains out of stack copies are whole: ours, libunwind's, libdw's
	@$(TOOL_BENCH)/unwind.py $(O)/perf $(O)

# make bench-report: perf report against Debian's, as ratios.

$(O)/test/report-walk: tools/testing/bench/report-walk.c
	@mkdir -p $(@D)
	@gcc -O1 -Wall -Wextra $(WERROR) -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $@ $<

.PHONY: bench-report
bench-report: $(O)/perf $(O)/test/report-walk | $(O)/.tool-test-packages ## time and memory of perf report against Debian's perf, as ratios
	@tools/testing/bench/report.py $(O)/perf $(O)

$(O)/test/large-app: $(TOOL_BENCH)/large-app.cc
	@mkdir -p $(@D)
	@g++ -O2 -g -o $@ $<

.PHONY: bench-large
bench-large: $(addprefix $(O)/,perf test/tool-processes test/large-app) | $(O)/.tool-test-packages ## large recordings beside Debian's perf and the one named by PEER (SIZES="100 1000", LIMIT=seconds each)
	@$(TOOL_BENCH)/large.py $(O)/perf $(O)

# Seconds and bytes of a person's keys.
.PHONY: bench-tui
bench-tui: $(O)/perf $(O)/test/report-walk | $(O)/.tool-test-packages ## the browser of perf report against Debian's perf, as ratios (SAMPLES=1000000)
	@tools/testing/bench/tui.py $(O)/perf $(O)

.PHONY: bench-record
bench-record: $(O)/perf workloads ## perf record against Debian's perf 6.1: CPU time, losses, size, start-up; whole callchains
	@tools/build/packages.sh linux-perf python3
	@tools/testing/bench/record.py $(O)/perf /usr/bin/perf $(O)/test/workloads
	@echo
	@tools/testing/bench/stacks.py $(O)/perf /usr/bin/perf
	@echo
	@$(MAKE) --no-print-directory bench-programs

# make bench-programs: Debian's programs, recorded in each way, in the VM. VM_KERNEL=vmlinuz: Debian's kernel, by BPF.

BENCH_PROGRAMS		:= $(O)/test/bench-programs
BENCH_PROGRAMS_IN	:= inputs.sh work.py work.pl

.PHONY: bench-programs
bench-programs: $(O)/perf $(O)/test/vmout ## Debian's programs by fp, table, bpf and dwarf: complete callchains, bytes, recorder's time
	@tools/build/packages.sh linux-perf
	@$(vm-have-kernel)
	@$(call vm-tables-cpio,$(BENCH_PROGRAMS).cpio,/usr/bin/perf:peer/perf $$(gcc -print-file-name=libbpf.so.1):lib/libbpf.so.1)
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
