# SPDX-License-Identifier: GPL-2.0
#
# make perf: the tool. Every .c file under tools/perf/*/ is a part of it;
# cmd/perf.c holds main(), the rest is one archive that unit tests link too.

PERF_VERSION  := 0.1$(addprefix .g,$(shell git -C $(CURDIR) rev-parse --short HEAD 2>/dev/null))
PERF_SRC      := tools/perf
PERF_DIRS     := base event file session task symbol stack hist ui ring synth cmd
PERF_C        := $(foreach d,$(PERF_DIRS),$(wildcard $(PERF_SRC)/$(d)/*.c))
PERF_OBJ_DIR  := $(O)/obj/perf
PERF_O        := $(PERF_C:$(PERF_SRC)/%.c=$(PERF_OBJ_DIR)/%.o)
PERF_LIB_O    := $(filter-out $(PERF_OBJ_DIR)/cmd/perf.o,$(PERF_O))
PERF_PACKAGES := gcc pkg-config libc6-dev libelf-dev libdw-dev libtraceevent-dev \
		 libzstd-dev libiberty-dev zlib1g-dev liblzma-dev linux-libc-dev

PERF_CFLAGS   := -std=gnu11 -O2 -g -Wall -Wextra -Werror -Wno-unused-parameter -Wmissing-prototypes \
		 -Wno-sign-compare -fno-omit-frame-pointer -D_GNU_SOURCE -I$(PERF_SRC) $(EXTRA_CFLAGS)
PERF_LIBS     := -lelf -ldw -ltraceevent -lzstd -llzma -lz -liberty -pthread -lm

.PHONY: perf perf-packages
perf: $(O)/perf ## build the tool: build/perf

# Installed once: the stamp depends on this list.
$(O)/.perf-packages: $(PERF_SRC)/perf.mk
	@mkdir -p $(O)
	@tools/build/packages.sh $(PERF_PACKAGES)
	@touch $@

$(PERF_OBJ_DIR)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk | $(O)/.perf-packages
	@mkdir -p $(@D)
	@echo "  CC      $*.o"
	@gcc $(PERF_CFLAGS) -DPERF_VERSION='"$(PERF_VERSION)"' -MMD -MP -c -o $@ $<

# A commit changes the version: what names it is compiled again, and only that.
.PHONY: perf-version
$(PERF_OBJ_DIR)/version: perf-version
	@mkdir -p $(@D)
	@echo '$(PERF_VERSION)' | cmp -s - $@ || echo '$(PERF_VERSION)' >$@
$(PERF_OBJ_DIR)/cmd/perf.o $(PERF_OBJ_DIR)/file/write_features.o: $(PERF_OBJ_DIR)/version

$(PERF_OBJ_DIR)/libperf-tool.a: $(PERF_LIB_O)
	@rm -f $@
	@ar crs $@ $(PERF_LIB_O)

$(O)/perf: $(PERF_OBJ_DIR)/cmd/perf.o $(PERF_OBJ_DIR)/libperf-tool.a
	@echo "  LD      perf"
	@gcc $(PERF_CFLAGS) -o $@ $^ $(PERF_LIBS)

-include $(PERF_O:.o=.d)
