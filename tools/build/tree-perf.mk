# SPDX-License-Identifier: GPL-2.0
#
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
