# SPDX-License-Identifier: GPL-2.0
#
# make test-tool: unit tests (each tools/testing/tool/unit/*.c is one program of
# cmocka tests, linked with the tool's archive), then every
# tools/testing/tool/*.t. Both speak TAP.

TOOL_TEST     := tools/testing/tool
TOOL_UNIT_C   := $(wildcard $(TOOL_TEST)/unit/*.c)
TOOL_UNIT     := $(TOOL_UNIT_C:$(TOOL_TEST)/unit/%.c=$(O)/test/unit/%)

$(O)/.tool-test-packages: tools/testing/tool.mk
	@mkdir -p $(O)
	@tools/build/packages.sh libcmocka-dev libzstd-dev perl xz-utils zstd linux-perf python3 chromium gcc g++ gcc-multilib binutils dwz libdebuginfod1
	@touch $@

$(O)/test/unit/%: $(TOOL_TEST)/unit/%.c $(PERF_OBJ_DIR)/libperf-tool.a | $(O)/.tool-test-packages
	@mkdir -p $(@D)
	@echo "  TEST    $*"
	@gcc $(PERF_CFLAGS) -I$(TOOL_TEST) -MMD -MP -o $@ $< $(PERF_OBJ_DIR)/libperf-tool.a $(PERF_LIBS) -lcmocka

# The same sources with the sanitizers, for what must stand any input.
TOOL_SAN      := -fsanitize=address,undefined -fno-sanitize-recover=undefined -O1
TOOL_SAN_DIR  := $(O)/obj/perf-san
TOOL_SAN_O    := $(PERF_LIB_O:$(PERF_OBJ_DIR)/%=$(TOOL_SAN_DIR)/%)

$(TOOL_SAN_DIR)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk tools/testing/tool.mk | $(O)/.perf-packages
	@mkdir -p $(@D)
	@echo "  CC SAN  $*.o"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -DPERF_VERSION='"$(PERF_VERSION)"' -MMD -MP -c -o $@ $<

$(TOOL_SAN_DIR)/libperf-tool.a: $(TOOL_SAN_O)
	@rm -f $@
	@ar crs $@ $(TOOL_SAN_O)

$(O)/test/fuzz-read: $(TOOL_TEST)/fuzz/fuzz-read.c $(TOOL_SAN_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  TEST    fuzz-read"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -o $@ $< $(TOOL_SAN_DIR)/libperf-tool.a $(PERF_LIBS)

-include $(TOOL_SAN_O:.o=.d)

.PHONY: test-tool
test-tool: $(O)/perf $(TOOL_UNIT) $(O)/test/fuzz-read | $(O)/.tool-test-packages ## unit, golden and black-box tests of the tool
	@O=$(O) PERF=$(O)/perf CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(JOBS) --timer \
		$(TOOL_UNIT) $(sort $(wildcard $(TOOL_TEST)/*.t))

-include $(TOOL_UNIT:=.d)
