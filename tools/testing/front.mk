# SPDX-License-Identifier: GPL-2.0
#
# Tests of the front door itself.

.PHONY: test-front
TEST_TARGETS += test-front test-tool

test-front: ## test the test runner
	@prove tools/testing/t/testing
