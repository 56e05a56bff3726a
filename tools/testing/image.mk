# SPDX-License-Identifier: GPL-2.0
#
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
