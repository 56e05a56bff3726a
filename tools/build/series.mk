# SPDX-License-Identifier: GPL-2.0
#
# The kernel work as others take it, and the perf of the kernel tree.

# The kernel work as others take it: as mail, as Debian packages.

# The parts that this series has: linux-6.12 and perf-6.12; linux-6.1 alone.
SERIES_PARTS	:= $(notdir $(wildcard patches/linux-$(KERNEL_SERIES) patches/perf-$(KERNEL_SERIES)))
SERIES_CHECKED	:= $(or $(filter $(SERIES),$(SERIES_PARTS)),$(SERIES_PARTS))
series-tree	= $(if $(filter perf%,$(1)),$(TREE_PERF_SRC),$(KERNEL_TREE))

.PHONY: series series-check test-series-versions kernel-deb
series: kernel-tree $(if $(filter perf%,$(SERIES_PARTS)),tree-perf-tree) ## OUT=dir: the kernel work as a mailable patch series, that of the tree's perf in dir/perf; SERIES=6.1
	@[ -n "$(OUT)" ] || { echo "make series: no OUT=dir given" >&2; exit 2; }
	@$(foreach part,$(SERIES_PARTS),tools/build/series.sh write $(part) $(call series-tree,$(part)) \
		"$(OUT)$(if $(filter perf%,$(part)),/perf)" &&) true
	@[ ! -e "$(OUT)/perf/series" ] || sed 's,^,perf/,' "$(OUT)/perf/series" >>"$(OUT)/series"

# SERIES=perf-6.12, linux-6.12 or linux-6.1: that one alone. QUICK=1: no build of the whole after each.
# FROM=9: the mails before the ninth are only applied.
series-check: $(if $(filter linux%,$(SERIES_CHECKED)),kernel-tree) $(if $(filter perf%,$(SERIES_CHECKED)),tree-perf-packages tree-perf-tree) ## git am, checkpatch and a build after every patch of the series (long); SERIES=perf-6.12 QUICK=1
	@$(foreach part,$(SERIES_CHECKED),tools/build/series.sh $(if $(QUICK),quick,check) $(part) \
		$(call series-tree,$(part)) $(JOBS) $(FROM) &&) true

# What mainline can take by itself: patches/linux-upstream, for the newest kernel source of Debian's sid.
.PHONY: series-upstream series-upstream-check series-upstream-tree
series-upstream-tree:
	@tools/build/packages.sh $(KERNEL_PACKAGES) git perl python3 debian-archive-keyring
	@tools/build/upstream-tree.sh $(O)/src-upstream

series-upstream: series-upstream-tree ## OUT=dir: the patches for mainline as mails
	@[ -n "$(OUT)" ] || { echo "make series-upstream: no OUT=dir given" >&2; exit 2; }
	@tools/build/series.sh write linux-upstream $(O)/src-upstream "$(OUT)"

series-upstream-check: series-upstream-tree ## git am, checkpatch and a build of mainline's kernel with these patches (long)
	@tools/build/series.sh quick linux-upstream $(O)/src-upstream $(JOBS)

# Not part of make test: it fetches 150 MB a version. VERSIONS="6.12.94-1 ...": those alone.
test-series-versions: ## that the series applies to each linux-source-6.12 of Debian 12 and 13 (long)
	@tools/build/packages.sh quilt xz-utils debian-archive-keyring
	@prove tools/build/series-versions.sh :: $(KERNEL_SERIES) $(O)/versions $(VERSIONS)

kernel-deb: kernel-tree $(if $(filter perf%,$(SERIES_PARTS)),tree-perf-deb) ## Debian packages of the kernel and its perf in build/deb (DEBCONFIG=/boot/config-... SERIES=6.1)
	@tools/build/packages.sh build-essential debhelper fakeroot openssl $(if $(DEBCONFIG),dwarves) python3 zstd
	@tools/build/kernel-deb.sh $(KERNEL_TREE) $(JOBS) "$(DEBCONFIG)"

# The other half of a distribution's change: the perf of the kernel tree itself,
# with patches/perf-6.12. Documentation/series.rst.

TREE_PERF_SRC	:= $(O)/src-perf-$(KERNEL_SERIES)
TREE_PERF_OUT	:= $(O)/tree-perf

.PHONY: tree-perf tree-perf-tree tree-perf-packages tree-perf-deb
tree-perf-packages:
	@tools/build/packages.sh gcc make ccache flex bison pkg-config python3 libelf-dev libdw-dev \
		libtraceevent-dev libzstd-dev zlib1g-dev liblzma-dev libssl-dev libslang2-dev libcap-dev

tree-perf-tree:
	@tools/build/packages.sh linux-source-$(KERNEL_SERIES) quilt xz-utils
	@tools/build/tree-perf.sh tree $(KERNEL_SERIES) $(TREE_PERF_SRC)

tree-perf: tree-perf-packages tree-perf-tree ## the kernel tree's own perf with our series: build/tree-perf/perf
	@tools/build/tree-perf.sh build $(TREE_PERF_SRC) $(TREE_PERF_OUT) $(JOBS)
	@echo "perf: $(TREE_PERF_OUT)/perf"

tree-perf-deb: tree-perf ## a Debian package of it, beside linux-perf: build/deb/linux-perf-unwind_*.deb
	@tools/build/packages.sh dpkg-dev
	@tools/build/tree-perf-deb $(TREE_PERF_SRC) $(TREE_PERF_OUT) $(O)

# make test-tree-perf: the kernel tree's own perf with patches/perf-6.12, on this
# machine and in the VM.

.PHONY: test-tree-perf test-tree-perf-vm
TEST_ALL_TARGETS += test-tree-perf
# (Some tests compare it with our own perf.)
INPUTS_test-tree-perf = $(KERNEL_INPUTS) patches/perf-6.12 tools/testing/tree-perf tools/testing/fuzz/tree-perf.py tools/build/series.mk \
	tools/testing/golden/c tools/testing/vm-record tools/build/tree-perf* tools/build/series.sh \
	tools/perf/session tools/perf/unwind tools/perf/cmd/script
test-tree-perf: tree-perf-deb test-tree-perf-vm $(O)/perf $(O)/test/tool-sessions ## the kernel tree's own perf with our series: golden recordings, its own tests, the VM
	@tools/build/packages.sh xz-utils python3 perl quilt git asciidoc-base xmlto groff-base bsdextrautils
	@O=$(O) PERF=$(TREE_PERF_OUT)/perf OURS=$(O)/perf SRC=$(TREE_PERF_SRC) \
		tools/testing/tree-perf/run

# The programs of that VM: this perf is not in the others. The file changes only when
# what is in it does.
TREE_PERF_INITRD := $(O)/test/tree-perf.cpio
TREE_PERF_VM_FILES = $(VM_TEST)/vmout:bin/vmout $(TREE_PERF_OUT)/perf:bin/perf \
		     $(foreach w,$(WORKLOADS),$(w):g/$(notdir $(w))) \
		     $(TREE_PERF_SRC)/tools/perf/tests/shell/record_deferred_callchain.sh:shell/record_deferred_callchain.sh \
		     $(foreach p,sort bash perl,/usr/bin/$(p):stock/$(p))

$(TREE_PERF_INITRD): tree-perf $(O)/test/vmout workloads | vm-packages
	@$(VM)/mkinitramfs $@.new $(TREE_PERF_VM_FILES)
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

test-tree-perf-vm: $(O)/perf $(TREE_PERF_INITRD) ## the same perf records in the VM, on our kernel and on the one without deferred callchains
	@tools/build/packages.sh python3 zstd perl binutils cpio
	@$(vm-have-kernel)
	@[ -e $(call vm-kernel,nounwind) ] || $(MAKE) --no-print-directory kernel CONFIG=nounwind
	@AGAIN=1 O=$(O) PERF=$(TREE_PERF_OUT)/perf OURS=$(O)/perf KERNEL=$(VM_KERNEL) \
		NOUNWIND=$(call vm-kernel,nounwind) INITRD=$(TREE_PERF_INITRD) \
		prove --timer tools/testing/tree-perf/vm/vm.t

# Built a second time, with AddressSanitizer.
.PHONY: fuzz-tree-perf
TREE_PERF_SAN := -g1 -fno-omit-frame-pointer -fsanitize=address
fuzz-tree-perf: tree-perf-packages tree-perf-tree ## TIME=seconds: damaged golden recordings through the kernel tree's perf, under ASan
	@tools/build/packages.sh python3
	@tools/build/tree-perf.sh build $(TREE_PERF_SRC) $(TREE_PERF_OUT)-san $(JOBS) \
		EXTRA_CFLAGS='$(TREE_PERF_SAN)' WERROR=0
	@mkdir -p $(O)/test/tree-perf-fuzz
	@cd $(O)/test/tree-perf-fuzz && $(CURDIR)/tools/testing/fuzz/tree-perf.py --time $(or $(TIME),60) \
		--seed $(or $(SEED),1000) $(TREE_PERF_OUT)-san/perf $(CURDIR)/tools/testing/golden/c \
		$(CURDIR)/patches/perf-$(KERNEL_SERIES)

# make test-image: the Debian packages of kernel and tool on a disk image of Debian 13, booted with
# systemd: installed, used, removed. Not a part of make test: it needs the packages of
# make kernel-deb with a distribution's configuration, which take an hour to build.
#
#   SUITE=trixie FLAVOUR=cloud-amd64   the release, and Debian's kernel in it
#   DEBS=build/deb                     where the packages are
#   TORTURE_SECONDS=60

DEBS	?= $(O)/deb

.PHONY: test-image
test-image: $(O)/test/torture64 $(O)/test/torture32 ## the packages of DEBS=build/deb on a disk image with systemd: install, record, torture, remove (needs root)
	@O=$(O) SUITE=$(SUITE) FLAVOUR=$(FLAVOUR) TORTURE_SECONDS=$(TORTURE_SECONDS) \
		prove -v tools/testing/image.sh :: $(DEBS)
