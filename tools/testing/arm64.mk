# SPDX-License-Identifier: GPL-2.0
#
# make test-arm64: the tool and its unit tests built for arm64 by Debian's cross compiler, and
# tests of what is read under qemu-aarch64. A look ahead and not a part of make test: what it
# downloads is some 500 MB, and what it keeps below build/arm64 1 GB.

.PHONY: test-arm64
test-arm64: ## the tool built for arm64: unit and golden tests under qemu-aarch64 (needs root; downloads some 500 MB once)
	@O=$(O) JOBS=$(JOBS) tools/testing/arm64.sh
