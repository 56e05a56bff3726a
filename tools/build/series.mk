# SPDX-License-Identifier: GPL-2.0
#
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

# Not part of make test: it fetches 150 MB a version. VERSIONS="6.12.94-1 ...": those alone.
test-series-versions: ## that the series applies to each linux-source-6.12 of Debian 12 and 13 (long)
	@tools/build/packages.sh quilt xz-utils debian-archive-keyring
	@prove tools/build/series-versions.sh :: $(KERNEL_SERIES) $(O)/versions $(VERSIONS)

kernel-deb: kernel-tree $(if $(filter perf%,$(SERIES_PARTS)),tree-perf-deb) ## Debian packages of the kernel and its perf in build/deb (DEBCONFIG=/boot/config-... SERIES=6.1)
	@tools/build/packages.sh build-essential debhelper fakeroot openssl $(if $(DEBCONFIG),dwarves) python3 zstd
	@tools/build/kernel-deb.sh $(KERNEL_TREE) $(JOBS) "$(DEBCONFIG)"
