# SPDX-License-Identifier: GPL-2.0
#
# The kernel work as others take it: as mail, as Debian packages.

.PHONY: series series-check test-series-versions kernel-deb
series: kernel-tree tree-perf-tree ## OUT=dir: the kernel work as a mailable patch series, that of the tree's perf in dir/perf
	@[ -n "$(OUT)" ] || { echo "make series: no OUT=dir given" >&2; exit 2; }
	@tools/build/series.sh write linux-$(KERNEL_SERIES) $(KERNEL_TREE) "$(OUT)"
	@tools/build/series.sh write perf-$(KERNEL_SERIES) $(TREE_PERF_SRC) "$(OUT)/perf"

# SERIES=perf-6.12 or linux-6.12: that one alone. QUICK=1: no build of the whole after each.
series-check: $(if $(filter perf%,$(SERIES)),,kernel-tree) tree-perf-packages tree-perf-tree ## git am, checkpatch and a build after every patch of the series (long); SERIES=perf-6.12 QUICK=1
	@case '$(or $(SERIES),linux)' in linux*) \
		tools/build/series.sh $(if $(QUICK),quick,check) linux-$(KERNEL_SERIES) $(KERNEL_TREE) $(JOBS) ;; esac
	@case '$(or $(SERIES),perf)' in perf*) \
		tools/build/series.sh $(if $(QUICK),quick,check) perf-$(KERNEL_SERIES) $(TREE_PERF_SRC) $(JOBS) ;; esac

# Not part of make test: it fetches 150 MB a version. VERSIONS="6.12.94-1 ...": those alone.
test-series-versions: ## that the series applies to each linux-source-6.12 of Debian 12 and 13 (long)
	@tools/build/packages.sh quilt xz-utils debian-archive-keyring
	@prove tools/build/series-versions.sh :: $(KERNEL_SERIES) $(O)/versions $(VERSIONS)

kernel-deb: kernel-tree tree-perf-deb ## Debian packages of the kernel and its perf in build/deb (DEBCONFIG=/boot/config-...)
	@tools/build/packages.sh debhelper dpkg-dev fakeroot dwarves python3 zstd
	@tools/build/kernel-deb.sh $(KERNEL_TREE) $(JOBS) "$(DEBCONFIG)"
