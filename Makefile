# SPDX-License-Identifier: GPL-2.0
#
# The front door. Every target lives in the fragment of the part it belongs
# to; a target with a "## text" behind its name is listed by "make help".

SHELL := /bin/bash
O     := $(CURDIR)/build
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

# What "make test" runs: each fragment adds the names of its own targets.
TEST_TARGETS :=
# What "make lint" runs.
LINT_TARGETS :=

FRAGMENTS := $(wildcard tools/build/*.mk tools/perf/*.mk tools/testing/*.mk Documentation/*.mk)
include $(FRAGMENTS)

.PHONY: help test lint clean
help: ## list the targets
	@grep -hE '^[a-zA-Z0-9_%-]+:.*## ' Makefile $(FRAGMENTS) | sort | \
		sed -E 's/:[^#]*## /\t/' | expand -t 20

# "prove" means our front for it, which keeps the TAP for tools/testing/tally
# to count, under make test (TAP_DIR).
export PATH := $(CURDIR)/tools/testing/bin:$(PATH)

test: ## run every test: TAP, one summary line; logs under build/test; parts alone by name
	@MAKE='$(MAKE)' tools/testing/run-tests $(O)/test $(sort $(TEST_TARGETS))

lint: $(LINT_TARGETS) ## run every checker on our code: zero findings or failure
	@echo "lint: no findings ($(LINT_TARGETS))"

clean: ## remove everything that was built
	rm -rf $(O)
