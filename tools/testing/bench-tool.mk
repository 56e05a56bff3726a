# SPDX-License-Identifier: GPL-2.0
#
# make bench-tool: perf script against Debian's, as ratios.

TOOL_BENCH := tools/testing/bench

$(O)/test/tool-sessions: $(TOOL_BENCH)/tool-sessions.c tools/testing/lib/perfdata.h \
			 $(PERF_OBJ_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@$(CC) $(PERF_CFLAGS) -o $@ $< $(PERF_OBJ_DIR)/libperf-tool.a

# Callchains are the point: frame pointers, and no call made a jump.
$(O)/test/tool-faults: $(TOOL_BENCH)/tool-faults.c
	@mkdir -p $(@D)
	@gcc -O1 -Wall -Wextra $(WERROR) -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $@ $<

$(O)/test/unwind-walk: $(TOOL_BENCH)/unwind-walk.c $(PERF_OBJ_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@$(CC) $(PERF_CFLAGS) -o $@ $< $(PERF_OBJ_DIR)/libperf-tool.a $(PERF_LIBS)

.PHONY: bench bench-tool bench-unwind
bench: bench-tool bench-report bench-record ## every benchmark of the tool
bench-tool: $(O)/perf $(O)/test/tool-sessions $(O)/test/tool-faults | $(O)/.tool-test-packages ## time and memory of perf script against Debian's perf, as ratios
	@$(TOOL_BENCH)/tool.py $(O)/perf $(O)

bench-unwind: $(O)/perf $(O)/test/unwind-walk | $(O)/.tool-test-packages ## whose callchains out of stack copies are whole: ours, libunwind's, libdw's
	@$(TOOL_BENCH)/unwind.py $(O)/perf $(O)
