# SPDX-License-Identifier: GPL-2.0
#
# make docs: the manual pages, from reStructuredText by Debian's rst2man.

MAN_SRC	:= $(wildcard Documentation/man/*.rst)
MAN_DIR	:= $(O)/man
MAN	:= $(MAN_SRC:Documentation/man/%.rst=$(MAN_DIR)/%.1)

.PHONY: docs test-docs
docs: $(MAN) ## build the manual pages: build/man

$(O)/.docs-packages: Documentation/docs.mk
	@mkdir -p $(O)
	@tools/build/packages.sh python3-docutils man-db groff-base
	@touch $@

# Debian's own interpreter: the one its docutils belongs to.
RST2MAN	:= /usr/bin/python3 /usr/bin/rst2man --halt=2 --strip-comments --no-generator --no-datestamp

$(MAN_DIR)/%.1: Documentation/man/%.rst Documentation/docs.mk | $(O)/.docs-packages
	@mkdir -p $(@D)
	@echo "  MAN     $*.1"
	@$(RST2MAN) $< $@

test-docs: perf docs ## run every documented command; options in manuals and -h agree
	@O=$(O) MAKE='$(MAKE)' prove tools/testing/t/docs
TEST_TARGETS += test-docs
