# SPDX-License-Identifier: GPL-2.0
#
# make bench-report: perf report against Debian's, as ratios.

$(O)/test/report-walk: tools/testing/bench/report-walk.c
	@mkdir -p $(@D)
	@gcc -O1 -Wall -Wextra $(WERROR) -fno-omit-frame-pointer -fno-optimize-sibling-calls -o $@ $<

.PHONY: bench-report
bench-report: $(O)/perf $(O)/test/report-walk | $(O)/.tool-test-packages ## time and memory of perf report against Debian's perf, as ratios
	@tools/testing/bench/report.py $(O)/perf $(O)

# Seconds and bytes of a person's keys.
.PHONY: bench-tui
bench-tui: $(O)/perf $(O)/test/report-walk | $(O)/.tool-test-packages ## the browser of perf report against Debian's perf, as ratios (SAMPLES=1000000)
	@tools/testing/bench/tui.py $(O)/perf $(O)
