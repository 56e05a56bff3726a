# SPDX-License-Identifier: GPL-2.0
#
# perf record on our kernel, in a VM.

GUEST_LIB	:= $(addprefix tools/testing/lib/,guest.sh record.sh tap.sh)

# perf record on our kernel, in one boot.

.PHONY: test-vm-record
test-vm: test-vm-record
test-vm-record: $(O)/perf $(O)/test/initramfs.cpio ## perf record on our kernel: deferred callchains end to end
	@tools/build/packages.sh linux-perf python3 zstd binutils
	@$(vm-have-kernel)
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_KERNEL) INITRD=$(VM_INITRD) prove --timer tools/testing/vm-record/record.t

# perf record by unwind tables on our kernel: Debian's own programs, in one boot.

VM_TABLES_CPIO	:= $(O)/test/vm-tables.cpio
VM_TABLES_BIN	:= perl bash sort tar gzip grep git sqlite3
# Their Python: bin/python3 is a link to bin/python3.11 with lib/python3.11. The shell looks, and not
# make, which expands a recipe before its first line has installed the packages.
VM_TABLES_PY	 = $$(basename "$$(realpath /usr/bin/python3)")
VM_TABLES_FILES	 = $(O)/test/vmout:bin/vmout $(O)/perf:bin/perf \
		   $(foreach p,$(VM_TABLES_BIN),/usr/bin/$(p):stock/$(p)) \
		   $$(gcc -print-prog-name=cc1):stock/cc1 \
		   /usr/bin/$(VM_TABLES_PY):stock/python3

# vm-tables-py FOLDER: what that Python's own modules are, there
define vm-tables-py
rm -rf $(1) && mkdir -p $(1)/$(VM_TABLES_PY) && \
tar -C /usr/lib/$(VM_TABLES_PY) --exclude=__pycache__ --exclude=test --exclude='config-*' \
	--exclude=dist-packages -cf - . | tar -C $(1)/$(VM_TABLES_PY) -xf -
endef

# vm-tables-cpio OUT.cpio [SRC:DST...]: what boots, Debian's programs beside our perf
define vm-tables-cpio
tools/build/packages.sh python3 perl git sqlite3 binutils gcc && \
$(call vm-tables-py,$(1:.cpio=-in)) && \
$(VM)/mkinitramfs $(1) $(VM_TABLES_FILES) $(1:.cpio=-in)/$(VM_TABLES_PY):lib/$(VM_TABLES_PY) $(2)
endef

.PHONY: test-vm-tables
test-vm: test-vm-tables
test-vm-tables: $(O)/perf $(O)/test/vmout ## perf record by unwind tables: Debian's programs have complete callchains
	@$(vm-have-kernel)
	@$(call vm-tables-cpio,$(VM_TABLES_CPIO))
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_KERNEL) INITRD=$(VM_TABLES_CPIO) prove --timer tools/testing/vm-tables/record.t tools/testing/vm-tables/starts.t

# Callchains by our kernel are the known ones of tools/testing/tool/truth, in one boot.

.PHONY: test-vm-truth test-vm-truth-debian
test-vm-truth: $(O)/perf $(O)/test/initramfs.cpio ## callchains by our kernel's tables and frame pointers are true
	@$(vm-have-kernel)
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_KERNEL) INITRD=$(VM_INITRD) prove --timer tools/testing/vm-truth/record.t
TEST_ALL_TARGETS += test-vm-truth
test-vm-truth-debian: ## the same on the kernel with Debian's options
	@$(MAKE) --no-print-directory test-vm-truth CONFIG=debian
TEST_ALL_TARGETS += test-vm-truth-debian
INPUTS_test-vm-truth = $(KERNEL_INPUTS) tools/perf tools/testing/vm-truth tools/testing/tool/truth $(GUEST_LIB) tools/testing/vm-record.mk
INPUTS_test-vm-truth-debian = $(INPUTS_test-vm-truth)

# perf unwind --serve on our kernel: Debian's perf, bpftrace and ftrace have complete stacks, in one boot.

VM_TRACERS_CPIO	:= $(O)/test/vm-tracers.cpio

.PHONY: test-vm-tracers
test-vm-tracers: $(O)/perf $(O)/test/vmout ## perf unwind --serve: complete stacks for tracers that know no tables
	@tools/build/packages.sh linux-perf bpftrace
	@$(vm-have-kernel)
	@$(call vm-tables-cpio,$(VM_TRACERS_CPIO),/usr/bin/perf:peer/perf /usr/bin/bpftrace:peer/bpftrace)
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_KERNEL) INITRD=$(VM_TRACERS_CPIO) prove --timer tools/testing/vm-tracers/tracers.t
TEST_ALL_TARGETS += test-vm-tracers
INPUTS_test-vm-tracers = $(KERNEL_INPUTS) tools/perf tools/testing/vm-tracers tools/testing/vm-tables $(GUEST_LIB) tools/testing/vm-record.mk

# A recording is read under another kernel, in two boots.

VM_REBOOT_CPIO	:= $(O)/test/vm-reboot.cpio

.PHONY: test-vm-reboot
test-vm-reboot: $(O)/perf $(O)/test/vmout ## a recording is read under another kernel, with the build-id cache and with --embed
	@tools/build/packages.sh linux-perf
	@$(vm-have-kernel)
	@[ -e $(call vm-kernel,nounwind) ] || $(MAKE) --no-print-directory kernel CONFIG=nounwind
	@tools/testing/modules/build $(O) normal
	@$(VM)/mkinitramfs $(VM_REBOOT_CPIO) $(O)/test/vmout:bin/vmout $(O)/perf:bin/perf /usr/bin/perf:peer/perf
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_KERNEL) OTHER=$(call vm-kernel,nounwind) MODULE=$(O)/test/modules/unwind_test.ko \
		INITRD=$(VM_REBOOT_CPIO) prove --timer tools/testing/vm-reboot/reboot.t
TEST_ALL_TARGETS += test-vm-reboot
INPUTS_test-vm-reboot = $(KERNEL_INPUTS) tools/perf tools/testing/vm-reboot $(GUEST_LIB) tools/testing/vm-record.mk

# Root's perf record -g on Debian's own kernel, which is taken out of its package.

VM_DEBIAN	:= $(O)/test/debian-kernel
.PHONY: test-vm-debian
test-vm-debian: $(O)/perf $(O)/test/vmout ## root's perf record -g on Debian's own kernel: by BPF, with the functions of Python
	@tools/build/packages.sh python3 libbpf1
	@rm -rf $(VM_DEBIAN) && mkdir -p $(VM_DEBIAN) && cd $(VM_DEBIAN) && \
		p=$$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: //p' | head -n 1) && \
		apt-get -qq download "$$p" && dpkg-deb -x ./*.deb . && mv boot/vmlinuz-* vmlinuz && rm -r ./*.deb lib usr
	@$(call vm-tables-py,$(VM_DEBIAN)/lib)
	@$(VM)/mkinitramfs $(VM_DEBIAN).cpio $(O)/test/vmout:bin/vmout $(O)/perf:bin/perf \
		/usr/bin/$(VM_TABLES_PY):stock/python3 $(VM_DEBIAN)/lib/$(VM_TABLES_PY):lib/$(VM_TABLES_PY) \
		$$(realpath /usr/lib/x86_64-linux-gnu/libbpf.so.1):lib/x86_64-linux-gnu/libbpf.so.1
	@AGAIN=1 O=$(O) PERF=$(O)/perf KERNEL=$(VM_DEBIAN)/vmlinuz INITRD=$(VM_DEBIAN).cpio prove --timer tools/testing/vm-debian/record.t
TEST_ALL_TARGETS += test-vm-debian
INPUTS_test-vm-debian = tools/perf include/uapi tools/testing/vm tools/testing/vm-debian tools/testing/tool/python $(GUEST_LIB) tools/testing/vm-record.mk

# perf record on arm64, of a hardware counter: Debian's own programs by tables, frame pointers and copies, in one boot.

ARM64	:= $(BUILD)/arm64
.PHONY: test-record-arm64
test-record-arm64: $(O)/perf ## perf record on arm64, with samples taken in NMIs: Debian's programs have complete callchains, known ones are true
	@$(AT_ONCE) ARCH=arm64 kernel $(ARM64)/test/initramfs.cpio
	@AGAIN=1 O=$(ARM64) PERF=$(O)/perf KERNEL=$(ARM64)/linux-6.12/arch/arm64/boot/Image INITRD=$(ARM64)/test/initramfs.cpio \
		prove --timer tools/testing/vm-arm64/record.t
TEST_ALL_TARGETS += test-record-arm64
INPUTS_test-record-arm64 = $(INPUTS_test-kernel-arm64) tools/perf tools/testing/vm-arm64 tools/testing/vm-tables tools/testing/tool/truth \
	$(GUEST_LIB) tools/testing/vm-record.mk
