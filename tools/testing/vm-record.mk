# SPDX-License-Identifier: GPL-2.0
#
# perf record on our kernel, in one boot.

.PHONY: test-vm-record
test-vm: test-vm-record
test-vm-record: $(O)/perf $(O)/test/initramfs.cpio ## perf record on our kernel: deferred callchains end to end
	@tools/build/packages.sh linux-perf python3 zstd binutils
	@$(vm-have-kernel)
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_KERNEL) INITRD=$(VM_INITRD) prove --timer tools/testing/vm-record/record.t
