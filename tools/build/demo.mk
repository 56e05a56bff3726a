# SPDX-License-Identifier: GPL-2.0
#
# make demo: from nothing to a profile with deferred user stacks.

DEMO	:= $(O)/demo

.PHONY: demo demo-packages
demo-packages: $(O)/.perf-packages kernel-packages vm-packages

demo: ## build everything, record in the VM, show a profile with deferred stacks
	@O=$(O) MAKE='$(MAKE)' JOBS=$(JOBS) tools/build/demo.sh

# Its own frames down to the system call; static, so that it runs anywhere.
$(DEMO)/deepread: tools/testing/workloads/deepread.c tools/build/demo.mk
	@tools/build/packages.sh gcc libc6-dev
	@mkdir -p $(@D)
	@gcc -O1 -g -static -pthread -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		-Wall -Wextra $(WERROR) -o $@ $<

.PHONY: test-demo
TEST_TARGETS += test-demo
test-demo: perf ## test that make demo shows what the program does
	@tools/build/packages.sh python3 procps
	@O=$(O) MAKE='$(MAKE)' prove tools/build/t/demo.t
