# SPDX-License-Identifier: GPL-2.0

.PHONY: bench-record
bench-record: $(O)/perf $(WORKLOADS) ## perf record against Debian's perf 6.1: CPU time, losses, size, start-up; whole callchains
	@tools/build/packages.sh linux-perf python3
	@tools/testing/bench/record.py $(O)/perf /usr/bin/perf $(O)/test/workloads
	@echo
	@tools/testing/bench/stacks.py $(O)/perf /usr/bin/perf
	@echo
	@$(MAKE) --no-print-directory bench-programs
