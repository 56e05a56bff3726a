# SPDX-License-Identifier: GPL-2.0
#
# Debian packages: tools/build/packages.sh, which every rule calls for its own.

.PHONY: test-packages
TEST_ALL_TARGETS += test-packages
INPUTS_test-packages := tools/build/packages.sh tools/build/sudo.sh tools/testing/t/build/packages.t tools/testing/mounted
test-packages: ## test how missing packages are installed: as root, as a user, without a terminal
	@MAKE='$(MAKE)' tools/testing/mounted prove tools/testing/t/build/packages.t
