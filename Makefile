# SPDX-License-Identifier: GPL-2.0
#
# The front door. Every target lives in the fragment of the part it belongs
# to; a target with a "## text" behind its name is listed by "make help".

SHELL := /bin/bash
BUILD := $(CURDIR)/build
# ARCH=arm64: the tool, the kernel and the VM of arm64, cross-built (tools/build/arm64.mk).
O     := $(BUILD)$(ARCH:%=/%)
JOBS  ?= $(shell nproc)

# CC=clang builds the tool and its unit tests, too.
ifeq ($(origin CC),default)
CC    := gcc
endif
# Warnings stop us, in "make lint" and with CI=true; not a user whose compiler
# warns of what ours does not.
WERROR := $(if $(filter true,$(CI)),-Werror)

# Makes what follows it with as many jobs as make test has, whatever -j this make was given.
AT_ONCE = $(MAKE) --no-print-directory -j$(JOBS)

.DEFAULT_GOAL := help

# The parts of "make test", and those that "make test-all" has besides: each fragment adds its own
# targets. INPUTS_<target>: the files that decide how a part ends, for tools/testing/passed.
TEST_TARGETS :=
TEST_ALL_TARGETS :=
# What "make lint" runs.
LINT_TARGETS :=

FRAGMENTS := $(wildcard tools/build/*.mk tools/perf/*.mk tools/testing/*.mk Documentation/*.mk)
include $(FRAGMENTS)

.PHONY: help test test-all lint clean
help: ## list the targets
	@grep -hE '^[a-zA-Z0-9_%-]+:.*## ' Makefile $(FRAGMENTS) | sort | \
		sed -E 's/:[^#]*## /\t/' | expand -t 20

# "prove" means our front for it, which keeps the TAP for tools/testing/tally
# to count, under make test (TAP_DIR).
export PATH := $(CURDIR)/tools/testing/bin:$(PATH)

# The demo first: it installs and builds. Two of the parts of TEST_BESIDE run at a time, since each leaves processor time
# unused; whatever two of them would build is built before.
TEST_BESIDE := test-kernel-normal test-vm test-docs test-front
TEST_PARTS = test-demo $(TEST_BESIDE:%=+%) $(sort $(filter-out test-demo $(TEST_BESIDE),$(TEST_TARGETS)))
RUN_TESTS = MAKE='$(MAKE)' tools/testing/run-tests --ahead test-packages-ahead --build '-j$(JOBS) test-beside-programs'

# The Debian packages of all parts are installed while the demo compiles; its own first.
.PHONY: test-packages-ahead
test-packages-ahead: demo-ahead
	@$(MAKE) --no-print-directory -k $(O)/.docs-packages tables-packages $(O)/.tool-test-packages $(O)/npm/.installed

.PHONY: test-beside-programs
test-beside-programs: perf docs $(VM_INITRD) $(VM_SUITE)

test: ## test the tool and the kernel, in a quarter of an hour: TAP, one summary line; logs under build/test
	@$(RUN_TESTS) $(O)/test $(TEST_PARTS)

test-all: ## make test and everything else: debug kernels, Linux 6.1, bare Debians, the kernel tree's perf
	@$(RUN_TESTS) --passed tools/testing/passed $(O)/test $(TEST_PARTS) \
		$(foreach t,$(sort $(TEST_ALL_TARGETS)),'$(t): $(INPUTS_$(t))')

lint: $(LINT_TARGETS) ## run every checker on our code: zero findings or failure
	@echo "lint: no findings ($(LINT_TARGETS))"

clean: ## remove everything that was built
	rm -rf $(O)
