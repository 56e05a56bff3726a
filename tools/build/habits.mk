# SPDX-License-Identifier: GPL-2.0
#
# What one does every day, and once a version.

.PHONY: check hooks dist compile_commands.json kernel-objects test-habits
check: ## build, test and lint what this working tree changes (BASE=main)
	@O=$(O) MAKE='$(MAKE)' tools/build/check $(BASE)

hooks: ## have git run the fast part of make check before each commit
	@tools/build/pre-commit --install

# Always made anew: which files there are and with what they are compiled changes.
compile_commands.json: ## how each file is compiled, for clangd
	@tools/build/packages.sh perl
	@tools/build/compile-commands '$(CURDIR)' '$(abspath $(KERNEL_TREE)/o-vm)' \
		$(PERF_C) $(TOOL_UNIT_C) $(wildcard kernel/*/*.c) -- \
		$(CC) $(PERF_CFLAGS) -Itools/testing/lib '-DPERF_VERSION="$(PERF_VERSION)"' >$@.new
	@mv $@.new $@

# Our files of the kernel alone, in the tree that make kernel built.
kernel-objects: kernel-tree
	@tools/build/kernel-build.sh $(KERNEL_TREE) vm $(JOBS) kernel/unwind/ kernel/events/deferred.o

dist: ## a tarball of the last commit and its checksum: build/dist
	@tools/build/dist $(O)/dist

test-habits: lint-packages ## test make check, hooks, compile_commands.json and dist
	@tools/build/packages.sh python3 libcmocka-dev
	@O=$(O) MAKE='$(MAKE)' prove tools/testing/t/build/check.t tools/testing/t/build/dist.t
TEST_ALL_TARGETS += test-habits
INPUTS_test-habits := Makefile tools/build tools/testing/t/build tools/testing/*.mk tools/perf/perf.mk tools/perf/layers .clang-format
