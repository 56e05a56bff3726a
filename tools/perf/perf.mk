# SPDX-License-Identifier: GPL-2.0
#
# make perf: the tool. Every .c file in a folder of PERF_DIRS is a part of it;
# cmd/perf.c holds main(), the rest is one archive that unit tests link too.
# CC=clang takes that compiler; NO_TUI=1 builds without ncurses, and so without the browser; NO_LIBPFM=1, or the
# lack of its header, without libpfm4, and so without the vendors' names of events; NO_BPF=1, or the lack of clang or
# libbpf's headers, without the program of --call-graph bpf.

# In a repository of ours the commit belongs to the version.
PERF_VERSION  := $(file <VERSION)$(if $(wildcard .git),$(addprefix .g,$(shell git rev-parse --short HEAD 2>/dev/null)))
PERF_SRC      := tools/perf
PERF_DIRS     := base host bpf buildid event runtime spec perfdata session timeline elf symbol cfi unwind hist render annotate $(if $(NO_TUI),,tui) measure synth \
		 cmd cmd/record cmd/record/keep cmd/report cmd/annotate cmd/script cmd/inject cmd/data cmd/dump cmd/header cmd/unwind cmd/buildid cmd/config cmd/list cmd/tables cmd/top
PERF_C        := $(filter-out %.bpf.c,$(foreach d,$(PERF_DIRS),$(wildcard $(PERF_SRC)/$(d)/*.c)))
PERF_OBJ_DIR  := $(O)/obj/perf
PERF_O        := $(PERF_C:$(PERF_SRC)/%.c=$(PERF_OBJ_DIR)/%.o)
PERF_LIB_O    := $(filter-out $(PERF_OBJ_DIR)/cmd/perf.o,$(PERF_O))
PERF_PACKAGES := gcc pkg-config libc6-dev libelf-dev libdw-dev libtraceevent-dev \
		 libzstd-dev libiberty-dev zlib1g-dev liblzma-dev linux-libc-dev $(if $(NO_TUI),,libncurses-dev) $(if $(NO_LIBPFM),,libpfm4-dev) $(if $(NO_BPF),,libbpf-dev clang)

PERF_CFLAGS   := -std=gnu11 -O2 -g -Wall -Wextra $(WERROR) -Wno-unused-parameter -Wmissing-prototypes \
		 -Wshadow -fno-omit-frame-pointer -D_GNU_SOURCE $(if $(NO_TUI),-DNO_TUI) $(if $(NO_LIBPFM),-DNO_LIBPFM) $(if $(NO_BPF),-DNO_BPF) -I$(PERF_SRC) -I$(PERF_OBJ_DIR) -Iinclude/uapi $(EXTRA_CFLAGS)
PERF_LIBS     := -lelf -ldw -ltraceevent -lzstd -llzma -lz -liberty $(if $(NO_TUI),,-lncursesw -ltinfo) -pthread -lm

.PHONY: perf perf-packages
perf: $(O)/perf ## build the tool: build/perf

# Installed once: the stamp depends on this list.
$(O)/.perf-packages: $(PERF_SRC)/perf.mk
	@mkdir -p $(O)
	@tools/build/packages.sh $(PERF_PACKAGES)
	@touch $@

# The BPF program, as an array of bytes that bpf/walk.c includes. Without clang, or the headers of libbpf, it is one
# byte; with CI=true that is an error.
WALK_OBJECT   := $(PERF_OBJ_DIR)/walk_object.h
BPF_CLANG     ?= clang
$(WALK_OBJECT): $(PERF_SRC)/bpf/walk.bpf.c $(PERF_SRC)/bpf/python.bpf.c $(PERF_SRC)/bpf/tasks.bpf.c $(PERF_SRC)/bpf/layout.h $(PERF_SRC)/runtime/python_layout.h $(PERF_SRC)/base/plain_frame.h include/uapi/linux/unwind_table.h $(PERF_SRC)/perf.mk | $(O)/.perf-packages
	@mkdir -p $(@D)
	@echo "  BPF     walk.bpf.o"
	@$(if $(NO_BPF),false,$(BPF_CLANG) -target bpf -g -O2 -Wall -Wextra -Werror -I$(PERF_SRC) -Iinclude/uapi \
		-I/usr/include/$(shell $(CC) -print-multiarch) -c -o $(@:.h=.o) $<) || \
		{ $(if $(NO_BPF),,echo "walk.bpf.c was not compiled: perf has no --call-graph bpf; NO_BPF=1 leaves it out" >&2; \
		[ "$(CI)" != true ] &&) : >$(@:.h=.o); }
	@{ echo 'static const unsigned char walk_object[] = {'; cat $(@:.h=.o) /dev/zero | head -c $$(($$(stat -c %s $(@:.h=.o)) + 1)) | \
		od -An -v -tu1 | sed 's/[0-9]\+/&,/g'; echo '};'; } >$@

# Texts in files of their own, each as the string of its name: the program that runs scripts (cmd/script/python.c),
# the style and the script of flame graphs (render/flame_svg.c; without the lines that are comments).
PERF_TEXTS    := $(addprefix $(PERF_OBJ_DIR)/,driver_py.h flame_css.h flame_js.h)
$(PERF_OBJ_DIR)/driver_py.h: $(PERF_SRC)/cmd/script/driver.py
$(PERF_OBJ_DIR)/flame_css.h: $(PERF_SRC)/render/flame.css
$(PERF_OBJ_DIR)/flame_js.h: $(PERF_SRC)/render/flame.js
$(PERF_TEXTS):
	@mkdir -p $(@D)
	@{ echo 'static const char $(basename $(@F))[] ='; sed '/^\/[/*] /d; s/[\\"]/\\&/g; s/.*/"&\\n"/' $<; echo ';'; } >$@
# (All objects wait for that one.)
$(WALK_OBJECT): | $(PERF_TEXTS)

$(PERF_OBJ_DIR)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk | $(O)/.perf-packages $(WALK_OBJECT)
	@mkdir -p $(@D)
	@echo "  CC      $*.o"
	@$(CC) $(PERF_CFLAGS) -DPERF_VERSION='"$(PERF_VERSION)"' -MMD -MP -c -o $@ $<

# A commit changes the version: what names it is compiled again, and only that.
.PHONY: perf-version
$(PERF_OBJ_DIR)/version: perf-version
	@mkdir -p $(@D)
	@echo '$(PERF_VERSION)' | cmp -s - $@ || echo '$(PERF_VERSION)' >$@
$(patsubst $(PERF_SRC)/%.c,$(PERF_OBJ_DIR)/%.o,$(shell grep -l PERF_VERSION $(PERF_C))): $(PERF_OBJ_DIR)/version

# So do NO_TUI=1 and NO_LIBPFM=1, given or taken away: the archive has other parts then.
.PHONY: perf-parts
$(PERF_OBJ_DIR)/parts: perf-parts
	@mkdir -p $(@D)
	@echo '$(PERF_LIB_O) $(NO_LIBPFM)' | cmp -s - $@ || echo '$(PERF_LIB_O) $(NO_LIBPFM)' >$@
$(PERF_OBJ_DIR)/spec/pfm.o: $(PERF_OBJ_DIR)/parts
$(patsubst $(PERF_SRC)/%.c,$(PERF_OBJ_DIR)/%.o,$(shell grep -l '"tui/tui.h"' $(PERF_C))): $(PERF_OBJ_DIR)/parts

$(PERF_OBJ_DIR)/libperf-tool.a: $(PERF_LIB_O) $(PERF_OBJ_DIR)/parts
	@rm -f $@
	@$(AR) crs $@ $(PERF_LIB_O)

$(O)/perf: $(PERF_OBJ_DIR)/cmd/perf.o $(PERF_OBJ_DIR)/libperf-tool.a
	@echo "  LD      perf"
	@$(CC) $(PERF_CFLAGS) -o $@ $^ $(PERF_LIBS)

# Linked with nothing to load: for other distributions (make tarball). What would load a library
# of the system, which may be of another C library, is compiled to do without (PERF_STATIC).
PERF_STATIC_C := bpf/walk.c symbol/debuginfod.c cmd/record/settle.c spec/pfm.c cmd/version.c
PERF_STATIC_O := $(PERF_STATIC_C:%.c=$(PERF_OBJ_DIR)/static/%.o)
$(PERF_OBJ_DIR)/static/cmd/version.o: $(PERF_OBJ_DIR)/version
$(PERF_OBJ_DIR)/static/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk | $(O)/.perf-packages $(WALK_OBJECT)
	@mkdir -p $(@D)
	@echo "  CC      $*.o (static)"
	@$(CC) $(PERF_CFLAGS) -DPERF_STATIC -DPERF_VERSION='"$(PERF_VERSION)"' -MMD -MP -c -o $@ $<

# An object before the archive takes the place of the one in it. Behind the libraries it has what
# they lack (symbol/eu_search.c).
$(O)/perf-static: $(PERF_OBJ_DIR)/cmd/perf.o $(PERF_STATIC_O) $(PERF_OBJ_DIR)/libperf-tool.a
	@tools/build/packages.sh libbz2-dev
	@echo "  LD      perf-static"
	@$(CC) $(PERF_CFLAGS) -static-pie -o $@ $^ -Wl,--start-group $(PERF_LIBS) -lbz2 \
		$(PERF_OBJ_DIR)/libperf-tool.a -Wl,--end-group

-include $(PERF_O:.o=.d) $(PERF_STATIC_O:.o=.d)

# Our own compiler and another one, warnings being errors; unit tests, too.
LINT_CC      := gcc clang
LINT_CC_SRC   = $(PERF_C) $(wildcard tools/testing/tool/unit/*.c tools/testing/fuzz/*.c tools/testing/fuzz/random/*.c)
LINT_CC_OBJ   = $(foreach cc,$(LINT_CC),$(LINT_CC_SRC:%.c=$(LINT_DIR)/$(cc)/%.o))
LINT_TARGETS += lint-compilers

define lint-cc-rule
$(LINT_DIR)/$(1)/%.o: %.c $(PERF_SRC)/perf.mk | lint-cc-packages
	@mkdir -p $$(@D)
	@$(1) $$(PERF_CFLAGS) -Itools/testing/lib -Werror -DPERF_VERSION='"$$(PERF_VERSION)"' -MMD -MP -c -o $$@ $$<
endef
$(foreach cc,$(LINT_CC),$(eval $(call lint-cc-rule,$(cc))))

.PHONY: lint-compilers lint-cc-packages
lint-cc-packages: $(O)/.perf-packages $(WALK_OBJECT)
	@tools/build/packages.sh clang libcmocka-dev
lint-compilers: lint-cc-packages ## the tool and its unit tests by gcc and clang: no warning
	@$(AT_ONCE) lint-cc-objects
.PHONY: lint-cc-objects
lint-cc-objects: $(LINT_CC_OBJ)
-include $(LINT_CC_OBJ:.o=.d)
