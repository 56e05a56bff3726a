# SPDX-License-Identifier: GPL-2.0
#
# make test-tree-perf: the kernel tree's own perf with patches/perf-6.12.

.PHONY: test-tree-perf
TEST_TARGETS += test-tree-perf
test-tree-perf: tree-perf $(O)/perf $(O)/test/tool-sessions ## the kernel tree's own perf with our series: golden recordings, its own tests
	@tools/build/packages.sh xz-utils python3 perl
	@O=$(O) PERF=$(TREE_PERF_OUT)/perf OURS=$(O)/perf SRC=$(TREE_PERF_SRC) \
		tools/testing/tree-perf/run
