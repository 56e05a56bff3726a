# SPDX-License-Identifier: GPL-2.0
#
# Packages: those that are made, and those that are needed.

# make install: the tool, its manual pages and its bash completion, as perf
# below PREFIX, and the units of perf-fleet and perf unwind --serve, disabled. make deb: all of it
# under the name perf-deferred in /usr, beside whatever Debian's
# linux-perf puts there. make tarball: the same for any distribution, to be unpacked
# anywhere. With ARCH=arm64 they are of arm64.

PREFIX	?= /usr/local
DESTDIR	?=
PKG	:= perf-deferred

INSTALL_ROOT := $(DESTDIR)$(PREFIX)
UNITS := $(addprefix tools/build/,fleet/perf-fleet.service fleet/perf-fleet.timer perf-unwind.service)
# What install puts there and uninstall takes away, relative to PREFIX.
INSTALLED = bin/perf share/bash-completion/completions/perf \
	    lib/perf/perf-fleet $(patsubst %,lib/systemd/system/%,$(notdir $(UNITS))) \
	    $(MAN:$(MAN_DIR)/%=share/man/man1/%)

.PHONY: install uninstall deb tarball test-install test-fresh
install: perf docs ## install perf, manual pages, completion (PREFIX=/usr/local DESTDIR=)
	install -D -m 755 $(O)/perf $(INSTALL_ROOT)/bin/perf
	install -D -m 644 tools/build/completion/perf.bash \
		$(INSTALL_ROOT)/share/bash-completion/completions/perf
	install -d $(INSTALL_ROOT)/share/man/man1
	install -m 644 $(MAN) $(INSTALL_ROOT)/share/man/man1/
	install -D -m 755 tools/build/fleet/perf-fleet.sh $(INSTALL_ROOT)/lib/perf/perf-fleet
	install -d $(INSTALL_ROOT)/lib/systemd/system
	for u in $(UNITS); do \
		to=$(INSTALL_ROOT)/lib/systemd/system/$${u##*/}; \
		sed 's|@PREFIX@|$(PREFIX)|' $$u >$$to && chmod 644 $$to || exit; \
	done

# Folders go when they are empty and a bare system has them not; a staging
# area (DESTDIR) is cleared up to its top.
uninstall: ## remove what install put there (same PREFIX and DESTDIR)
	rm -f $(addprefix $(INSTALL_ROOT)/,$(INSTALLED))
	@for d in bin share/man/man1 share/bash-completion/completions share/bash-completion \
		lib/perf lib/systemd/system lib/systemd lib; do \
		case "$(DESTDIR):$(PREFIX):$$d" in :*:bin|:/usr/local:lib) continue ;; esac; \
		[ ! -d $(INSTALL_ROOT)/$$d ] || \
			rmdir --ignore-fail-on-non-empty $(INSTALL_ROOT)/$$d; \
	done
	@[ -z "$(DESTDIR)" ] || for d in lib share/man share .; do \
		(cd $(DESTDIR) && rmdir -p --ignore-fail-on-non-empty $(patsubst /%,%,$(PREFIX))/$$d) 2>/dev/null || :; \
	done

deb: perf docs ## build a Debian package of the tool: build/deb/perf-deferred_*.deb (ARCH=arm64: below build/arm64)
	@tools/build/packages.sh dpkg-dev
	@O=$(O) PKG=$(PKG) VERSION='$(PERF_VERSION)' ARCH=$(ARCH) tools/build/mkdeb

tarball: $(O)/perf-static docs ## a perf that needs no libraries, with its pages: build/dist/*-linux-*.tar.gz (ARCH=arm64)
	@O=$(O) PKG=$(PKG) VERSION='$(PERF_VERSION)' ARCH=$(ARCH) tools/build/mktarball $(MAN)

test-install: perf docs ## test install, uninstall, completion and the Debian package
	@tools/build/packages.sh bash-completion dpkg-dev
	@O=$(O) MAKE='$(MAKE)' prove tools/testing/t/build/install.t

test-fresh: ## test the tool on a bare Debian 12 and 13 (debootstrap; only when its inputs changed)
	@O=$(O) prove -j2 --timer tools/testing/t/build/fresh-*.t
TEST_ALL_TARGETS += test-install test-fresh
INPUTS_test-install := Makefile VERSION tools/build tools/testing/t/build/install.t tools/perf/perf.mk Documentation/man
INPUTS_test-fresh := Makefile README.rst VERSION CONTRIBUTING Documentation include/uapi tools/build tools/perf \
	tools/testing/*.mk tools/testing/bin tools/testing/t tools/testing/vm tools/testing/workloads tools/testing/tool/unit \
	tools/testing/lib/*.h tools/testing/golden/c

# Debian packages: tools/build/packages.sh, which every rule calls for its own.

.PHONY: test-packages
TEST_ALL_TARGETS += test-packages
INPUTS_test-packages := tools/build/packages.sh tools/build/sudo.sh tools/build/mirror.sh tools/testing/t/build/packages.t tools/testing/mounted
test-packages: ## test how missing packages are installed: as root, as a user, without a terminal
	@MAKE='$(MAKE)' tools/testing/mounted prove tools/testing/t/build/packages.t
