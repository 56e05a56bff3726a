# SPDX-License-Identifier: GPL-2.0
#
# make check and make lint.

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
		$(PERF_C) $(wildcard $(PERF_SRC)/*/*.bpf.c) $(TOOL_UNIT_C) $(wildcard kernel/*/*.c) -- \
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

# make lint: every checker, each a target of its own. What a checker may not
# ask of us stands here, with the reason. The lists of files are variables, so that
# make check gives the files that changed.

LINT_DIR   := $(O)/lint
CHECKPATCH := $(LINT_DIR)/scripts/checkpatch.pl

LINT_KERNEL_C := $(wildcard kernel/*/*.c kernel/*/*.h include/linux/*.h include/*/*/*.h arch/*/*/*/*.h)
LINT_TOOL_C   := $(shell find tools/perf -name '*.[ch]')

LINT_TARGETS += lint-kernel lint-sparse lint-tool lint-format lint-cppcheck lint-scripts
LINT_TARGETS += lint-layers lint-circles lint-includes lint-names lint-heads
.PHONY: lint-kernel lint-sparse lint-tool lint-format lint-cppcheck lint-scripts lint-packages

lint-packages:
	@tools/build/packages.sh perl cppcheck clang-format shellcheck

# checkpatch as the Debian source has it.
$(CHECKPATCH):
	@tools/build/packages.sh linux-source-6.12 xz-utils perl
	@mkdir -p $(LINT_DIR)
	@echo "  UNPACK  checkpatch.pl"
	@tar -C $(LINT_DIR) --strip-components=1 --wildcards -xf /usr/src/linux-source-6.12.tar.xz \
		'*/scripts/checkpatch.pl' '*/scripts/const_structs.checkpatch' '*/scripts/spelling.txt'
	@touch $@

# FILE_PATH_CHANGES: MAINTAINERS of this project is not in the kernel's tree. The other two: one
# header is for several kernels, and LINUX_VERSION_CODE looks like a constant.
LINT_KERNEL_IGNORE := FILE_PATH_CHANGES,LINUX_VERSION_CODE,CONSTANT_COMPARISON
CHECKPATCH_RUN = perl $(CHECKPATCH) --no-tree --terse --show-types --no-summary --max-line-length=100
lint-kernel: $(CHECKPATCH) ## checkpatch on our kernel code
	$(if $(LINT_KERNEL_C),@$(CHECKPATCH_RUN) --ignore $(LINT_KERNEL_IGNORE) -f $(LINT_KERNEL_C))

# sparse needs the tree that the files are built in. It goes through what they
# include as well: findings there are Debian's.
lint-sparse: kernel ## sparse on our kernel files
	@tools/build/packages.sh sparse
	@tools/build/lint sparse $(O) $(KERNEL_TREE)

# In user space there is no __printf(), min_t() or fallthrough; a usage text has
# lines and may hold its function's name; a variable with a clean-up attribute
# is a declaration, which the checker does not see (LINE_SPACING).
# Signal handlers share volatile flags; rows of "case X: return Y;" are tables;
# ENOSYS is what a syscall said; * behind a type of a library is no product; a loop
# macro is no expression; "if (op && (ret = op()))" is the shortest for callbacks.
LINT_TOOL_IGNORE := FILE_PATH_CHANGES,PREFER_DEFINED_ATTRIBUTE_MACRO,MINMAX,EMBEDDED_FUNCTION_NAME,SPLIT_STRING,QUOTED_WHITESPACE_BEFORE_NEWLINE,STATIC_CONST_CHAR_ARRAY,PREFER_FALLTHROUGH,LINE_SPACING,REPEATED_WORD,STRCPY,STRNCPY,STRLCPY,VOLATILE,TRAILING_STATEMENTS,ENOSYS,SPACING,COMPLEX_MACRO,ASSIGN_IN_IF,UNNECESSARY_ELSE,BRACES
lint-tool: $(CHECKPATCH) ## checkpatch on the tool
	$(if $(LINT_TOOL_C),@$(CHECKPATCH_RUN) --ignore $(LINT_TOOL_IGNORE) -f $(LINT_TOOL_C))

# A tracepoint is no C as clang-format knows it.
lint-format: lint-packages ## clang-format: indentation of the tool and of our kernel code
	@tools/build/lint format $(LINT_TOOL_C) $(filter-out include/trace/%,$(LINT_KERNEL_C))

# Which folders of the tool may include which: tools/perf/layers.
.PHONY: lint-layers lint-circles lint-includes lint-names lint-heads test-lint
lint-layers: lint-packages ## includes between folders of the tool, against tools/perf/layers; no circle
	@tools/build/lint layers tools/perf

lint-circles: lint-packages perf ## calls between the files of a folder of the tool go one way, by symbols
	@tools/build/lint circles $(PERF_OBJ_DIR) $(PERF_O)

lint-includes: lint-packages $(O)/.perf-packages ## headers of the tool compile alone; no include that nothing needs
	@CC=$(CC) CFLAGS='-std=gnu11 -D_GNU_SOURCE -Iinclude/uapi' tools/build/lint includes tools/perf $(LINT_INCLUDES)

lint-names: lint-packages ## structs and extern names of the tool: each stands for one thing
	@tools/build/lint names tools/perf

lint-heads: lint-packages ## each .c file of the tool says at its head what it does
	@tools/build/lint heads tools/perf

test-lint: lint-packages ## test what the rules of make lint that are ours find on bad trees
	@prove tools/testing/t/build/lint.t
TEST_ALL_TARGETS += test-lint
INPUTS_test-lint := tools/build/lint tools/testing/t/build/lint.t

# uninitvar: cppcheck takes an array of which a count says how much is set for
# unset as a whole; gcc's -Wmaybe-uninitialized and the sanitizers look there.
LINT_CPPCHECK := tools/perf
lint-cppcheck: lint-packages ## cppcheck on the tool, without what runs in the kernel
	@mkdir -p $(LINT_DIR)/cppcheck
	@[ -z "$(LINT_CPPCHECK)" ] || cppcheck -q -j $(JOBS) --cppcheck-build-dir=$(LINT_DIR)/cppcheck --std=c11 -D_GNU_SOURCE \
		-DPERF_VERSION='""' --enable=warning,performance,portability --inline-suppr \
		--suppress=uninitvar --suppress=legacyUninitvar --suppress=ctuuninitvar \
		--error-exitcode=1 -Itools/perf -itools/perf/bpf/walk.bpf.c $(LINT_CPPCHECK)

# Golden recordings come as they are.
LINT_SCRIPTS := $(shell grep -rlIE '^\#!/bin/(ba)?sh' .ci Documentation tools | grep -v '^tools/testing/golden/')
lint-scripts: lint-packages ## shellcheck on our scripts: errors
	$(if $(LINT_SCRIPTS),@shellcheck -S error -e SC3045 $(LINT_SCRIPTS))
