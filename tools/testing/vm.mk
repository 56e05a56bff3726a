# SPDX-License-Identifier: GPL-2.0
#
# Kernels in QEMU. Documentation/testing.rst describes each variable.
#
#   make vm [CONFIG=kasan]             a shell on the console
#   make vm-run CMD='...' [CONFIG=..]  one command; its output and exit status
#       IN='file folder'   into the guest, as /in/NAME
#       OUT=dir            what the command leaves in /out (where it starts)
#       VM_TIMEOUT=300     seconds
#       ICOUNT=1           the guest's clock counts instructions
#       APPEND='...'       more kernel arguments
#       ARCH=arm64         an arm64 machine, whose samples of "cycles" are taken in NMIs
#       (make itself ends with 2 whenever the command failed, as it does for
#       any rule; "Error N" and $(VM)/run have the command's own status.)
#       LOG=file           the console; default build/test/vm-run[-CONFIG].log

VM	:= tools/testing/vm
VM_TEST	:= $(O)/test

# vm-kernel CONFIG: where "make kernel" leaves it.
vm-kernel	= $(O)/linux-$(KERNEL_SERIES)$(addprefix -,$(1))/$(KERNEL_IMAGE)
VM_KERNEL	?= $(call vm-kernel,$(CONFIG))
VM_INITRD	:= $(VM_TEST)/initramfs.cpio
VM_TIMEOUT	?= 300
VM_MEM		?= $(if $(CONFIG),1024,512)
LOG		?= $(VM_TEST)/vm-run$(addprefix -,$(CONFIG)).log
# What else goes into the initramfs, SRC:DST; each fragment adds its own.
ifeq ($(ARCH),)
VM_FILES	+= $(VM_TEST)/vmout:bin/vmout
VM_PACKAGES	:= qemu-system-x86 busybox-static cpio gcc libc6-dev
else
# Programs of Debian, to be sampled; each brings its libraries. /usr is / there.
VM_FILES	+= $(O)/lib:lib $(foreach f,bin/bash bin/gzip $(addprefix usr/bin/,sort sqlite3 perl python3 git),$(SYSROOT)/$(f):$(f:usr/%=%))
VM_PACKAGES	:= qemu-system-arm busybox-static cpio gcc libc6-dev
endif
ifneq ($(ARCH)$(wildcard $(O)/perf),)
VM_FILES	+= $(O)/perf:bin/perf
endif
VM_RUN		= $(VM)/run $(ARCH:%=--arch %) --kernel $(VM_KERNEL) --initrd $(VM_INITRD)

# The command as it was given: not a $ of it is make's.
export VM_CMD = $(value CMD)

vm-have-kernel	= [ -e $(VM_KERNEL) ] || $(MAKE) --no-print-directory kernel CONFIG=$(CONFIG)

.PHONY: vm vm-run vm-packages test-vm
vm-packages:
	@tools/build/packages.sh $(VM_PACKAGES)

vm: vm-packages $(VM_INITRD) ## boot the kernel (CONFIG=) to a shell with our tools inside
	@$(vm-have-kernel)
	@$(VM_RUN) --mem $(VM_MEM) --append '$(APPEND)' --shell

vm-run: vm-packages $(VM_INITRD) ## CMD='...': run one command in the VM (CONFIG= IN= OUT= ICOUNT=1)
	@[ -n "$$VM_CMD" ] || { echo "make vm-run: no CMD='...' given" >&2; exit 2; }
	@$(vm-have-kernel)
	@$(VM_RUN) --mem $(VM_MEM) --append '$(APPEND)' --timeout $(VM_TIMEOUT) --log $(LOG) \
		$(if $(ICOUNT),--icount) $(if $(OUT),--out '$(OUT)') \
		$(foreach f,$(IN),--in '$(f)') -- "$$VM_CMD"

$(VM_TEST)/vmout: $(VM)/vmout.c | vm-packages
	@mkdir -p $(@D)
	gcc -O2 -static -Wall -Wextra $(WERROR) -o $@ $<

# The list of files is an input too: perf may come later.
.PHONY: vm-always
$(VM_TEST)/initramfs.list: vm-always
	@mkdir -p $(@D)
	@echo '$(VM_FILES)' | cmp -s - $@ || echo '$(VM_FILES)' >$@

# Second expansion: VM_FILES is whole only when every fragment has been read.
colon	:= :
vm-sources = $(foreach f,$(VM_FILES),$(firstword $(subst $(colon), ,$(f))))
.SECONDEXPANSION:
VM_FIXED := $(addprefix $(VM)/,init motd kcsan-known mkinitramfs)
$(VM_INITRD): $(VM_FIXED) $(VM_TEST)/initramfs.list $$(vm-sources) | vm-packages
	SYSROOT=$(SYSROOT) $(VM)/mkinitramfs $@ $(VM_FILES)

# What the kernel's tests boot: without the tool, and without what only it needs.
VM_SUITE	:= $(VM_TEST)/suite.cpio
VM_SUITE_FILES	= $(filter-out $(O)/perf:bin/perf $(if $(ARCH),$(O)/lib:lib $(SYSROOT)/%) $(VM_TEST)/bench% $(VM_TEST)/tables/bench% $(VM_TEST)/workloads/%,$(VM_FILES))
vm-suite-sources = $(foreach f,$(VM_SUITE_FILES),$(firstword $(subst $(colon), ,$(f))))
$(VM_SUITE): $(VM_FIXED) tools/testing/vm.mk $$(vm-suite-sources) | vm-packages
	SYSROOT=$(SYSROOT) $(VM)/mkinitramfs $@ $(VM_SUITE_FILES)

test-vm: vm-packages $(VM_INITRD) ## test the VM harness itself
	@$(vm-have-kernel)
	@KERNEL=$(VM_KERNEL) INITRD=$(VM_INITRD) prove tools/testing/t/vm/harness.t
TEST_TARGETS += test-vm
