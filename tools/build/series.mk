# SPDX-License-Identifier: GPL-2.0
#
# The kernel work as others take it: as mail, as Debian packages.

.PHONY: series series-check kernel-deb
series: kernel-tree ## OUT=dir: the kernel work as a mailable patch series
	@[ -n "$(OUT)" ] || { echo "make series: no OUT=dir given" >&2; exit 2; }
	@tools/build/series.sh write $(KERNEL_SERIES) $(KERNEL_TREE) "$(OUT)"

series-check: kernel-tree ## git am, checkpatch and a build after every patch of the series (long)
	@tools/build/series.sh check $(KERNEL_SERIES) $(KERNEL_TREE) $(JOBS)

kernel-deb: kernel-tree ## Debian packages of the kernel in build/deb (DEBCONFIG=/boot/config-...)
	@tools/build/packages.sh debhelper dpkg-dev fakeroot dwarves python3 zstd
	@tools/build/kernel-deb.sh $(KERNEL_TREE) $(JOBS) "$(DEBCONFIG)"
