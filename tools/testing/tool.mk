# SPDX-License-Identifier: GPL-2.0
#
# The tests of the tool, of the test runner, and what they record.

# make test-tool: unit tests (each tools/testing/tool/unit/*.c is one program of
# cmocka tests, linked with the tool's archive), then every
# tools/testing/tool/*/*.t. Both speak TAP.

TOOL_TEST     := tools/testing/tool
TEST_LIB      := tools/testing/lib
TOOL_UNIT_C   := $(wildcard $(TOOL_TEST)/unit/*.c)
TOOL_UNIT     := $(TOOL_UNIT_C:$(TOOL_TEST)/unit/%.c=$(O)/test/unit/%)

$(O)/.tool-test-packages: tools/testing/tool.mk
	@mkdir -p $(O)
	@tools/build/packages.sh libcmocka-dev libzstd-dev perl xz-utils bzip2 zstd linux-perf python3 valgrind chromium gcc g++ gcc-multilib binutils dwz libdebuginfod1 libc6-dbg procps golang-go default-jre-headless ripgrep python3-pyte bolt-19 clang libunwind-dev strace
	@touch $@

# Readers of other profilers' formats, and an engine that loads them: what Debian does not have.
# Without a network their tests are skipped, which CI=true makes a failure.
$(O)/npm/.installed: $(wildcard tools/testing/npm/*.json)
	@mkdir -p $(@D)
	@command -v npm >/dev/null || tools/build/packages.sh nodejs npm
	@cp $^ $(@D) && npm install --prefix $(@D) --no-audit --no-fund --loglevel=error >$(@D)/log 2>&1 && touch $@ || \
		{ tail -n 3 $(@D)/log; echo "npm install: not installed; the tests that need it are skipped"; }

# Unit tests need less than the rest, so that they run where little is installed.
UNIT_PACKAGES := libcmocka-dev perl gcc g++ binutils
$(O)/.unit-test-packages: tools/testing/tool.mk
	@mkdir -p $(O)
	@tools/build/packages.sh $(UNIT_PACKAGES)
	@touch $@

$(O)/test/unit/%: $(TOOL_TEST)/unit/%.c $(PERF_OBJ_DIR)/libperf-tool.a | $(O)/.unit-test-packages
	@mkdir -p $(@D)
	@echo "  TEST    $*"
	@$(CC) $(PERF_CFLAGS) -I$(TEST_LIB) -MMD -MP -o $@ $< $(PERF_OBJ_DIR)/libperf-tool.a $(PERF_LIBS) -lcmocka

# The same sources with the sanitizers, for what must stand any input, and with
# ThreadSanitizer, for what works on several threads.
TOOL_SAN      := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=undefined,float-cast-overflow -O1 -DOUTBUF_SIZE=16384 -DOUTFILE_BLOCK=8192
TOOL_SAN_DIR  := $(O)/obj/perf-san
TOOL_SAN_O    := $(PERF_LIB_O:$(PERF_OBJ_DIR)/%=$(TOOL_SAN_DIR)/%)
TOOL_TSAN     := -fsanitize=thread -O1
TOOL_TSAN_DIR := $(O)/obj/perf-tsan
TOOL_TSAN_O   := $(PERF_LIB_O:$(PERF_OBJ_DIR)/%=$(TOOL_TSAN_DIR)/%)
# The unit tests that start threads.
TOOL_TSAN_UNIT := $(patsubst $(TOOL_TEST)/unit/%.c,$(O)/test/tsan/%,\
		  $(shell grep -l 'pthread_create\|session_run_team' $(TOOL_UNIT_C)))
TOOL_CHECKED  := $(O)/test/damage $(O)/test/fuzz-replay $(O)/test/fuzz-read $(O)/test/fuzz-inject $(O)/test/fuzz-live $(O)/test/fuzz-unwind $(O)/test/perf-san

$(TOOL_SAN_DIR)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk tools/testing/tool.mk | $(O)/.perf-packages $(WALK_OBJECT)
	@mkdir -p $(@D)
	@echo "  CC SAN  $*.o"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -DPERF_VERSION='"$(PERF_VERSION)"' -MMD -MP -c -o $@ $<

$(TOOL_TSAN_DIR)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk tools/testing/tool.mk | $(O)/.perf-packages $(WALK_OBJECT)
	@mkdir -p $(@D)
	@echo "  CC TSAN $*.o"
	@gcc $(PERF_CFLAGS) $(TOOL_TSAN) -DPERF_VERSION='"$(PERF_VERSION)"' -MMD -MP -c -o $@ $<

$(TOOL_SAN_DIR)/libperf-tool.a: $(TOOL_SAN_O)
$(TOOL_TSAN_DIR)/libperf-tool.a: $(TOOL_TSAN_O)
$(TOOL_SAN_DIR)/libperf-tool.a $(TOOL_TSAN_DIR)/libperf-tool.a:
	@rm -f $@
	@$(AR) crs $@ $^

TOOL_FUZZ     := tools/testing/fuzz
TOOL_FUZZ_H   := $(TOOL_FUZZ)/fuzz.h $(TOOL_FUZZ)/input.h
$(O)/test/fuzz-%: $(TOOL_FUZZ)/random/%.c $(TOOL_FUZZ)/random/random.h $(TOOL_FUZZ)/input.h $(TEST_LIB)/stage.h $(TOOL_SAN_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  TEST    fuzz-$*"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -I$(TEST_LIB) -o $@ $< $(TOOL_SAN_DIR)/libperf-tool.a $(PERF_LIBS)

TOOL_FUZZ_C   := $(addprefix $(TOOL_FUZZ)/,targets.c frame.c process.c)
# The replay of what make fuzz keeps (fuzz.mk) is built as the other checked programs are, and needs no clang.
$(O)/test/fuzz-replay: $(TOOL_FUZZ_C) $(TOOL_FUZZ)/replay.c $(TOOL_FUZZ_H) $(TOOL_SAN_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  TEST    fuzz-replay"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -o $@ $(filter %.c,$^) $(TOOL_SAN_DIR)/libperf-tool.a $(PERF_LIBS)

# With the sanitizers memory is not judged: they need much themselves.
TOOL_DAMAGE_C := $(TOOL_FUZZ)/frame.c $(TOOL_FUZZ)/process.c $(TOOL_FUZZ)/damage.c
$(O)/test/damage: $(TOOL_DAMAGE_C) $(TOOL_FUZZ_H) $(PERF_OBJ_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  TEST    damage"
	@$(CC) $(PERF_CFLAGS) -o $@ $(filter %.c,$^) $(PERF_OBJ_DIR)/libperf-tool.a $(PERF_LIBS)
$(O)/test/damage-san: $(TOOL_DAMAGE_C) $(TOOL_FUZZ_H) $(TOOL_SAN_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  TEST    damage-san"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -o $@ $(filter %.c,$^) $(TOOL_SAN_DIR)/libperf-tool.a $(PERF_LIBS)

.PHONY: test-damage
test-damage: $(O)/test/damage $(O)/test/damage-san ## each golden recording damaged in every way of damage.c: a quarter of an hour and more; make test has a slice
	@O=$(O) DAMAGE_STRIDE=1 DAMAGE_ALL=1 prove -v $(TOOL_TEST)/robust/damage.t
	@O=$(O) DAMAGE_STRIDE=5 DAMAGE=$(O)/test/damage-san prove -v $(TOOL_TEST)/robust/damage.t

$(O)/test/perf-san: $(TOOL_SAN_DIR)/cmd/perf.o $(TOOL_SAN_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  LD SAN  perf"
	@gcc $(PERF_CFLAGS) $(TOOL_SAN) -o $@ $^ $(PERF_LIBS)

$(O)/test/perf-tsan: $(TOOL_TSAN_DIR)/cmd/perf.o $(TOOL_TSAN_DIR)/libperf-tool.a
	@mkdir -p $(@D)
	@echo "  LD TSAN perf"
	@gcc $(PERF_CFLAGS) $(TOOL_TSAN) -o $@ $^ $(PERF_LIBS)

$(O)/test/tsan/%: $(TOOL_TEST)/unit/%.c $(TOOL_TSAN_DIR)/libperf-tool.a | $(O)/.tool-test-packages
	@mkdir -p $(@D)
	@echo "  TEST    tsan/$*"
	@gcc $(PERF_CFLAGS) $(TOOL_TSAN) -I$(TEST_LIB) -MMD -MP -o $@ $< $(TOOL_TSAN_DIR)/libperf-tool.a $(PERF_LIBS) -lcmocka

-include $(TOOL_SAN_O:.o=.d) $(TOOL_SAN_DIR)/cmd/perf.d
-include $(TOOL_TSAN_O:.o=.d) $(TOOL_TSAN_DIR)/cmd/perf.d

.PHONY: unit-programs test-unit test-tool
unit-programs: $(O)/perf $(TOOL_UNIT)

test-unit: ## the unit tests of the tool alone
	@$(AT_ONCE) unit-programs
	@O=$(O) PERF=$(O)/perf CMOCKA_MESSAGE_OUTPUT=TAP prove -j$(JOBS) --timer $(TOOL_UNIT)

.PHONY: tool-test-programs
tool-test-programs: unit-programs $(TOOL_CHECKED)

# A file that hangs ends, on a busy machine too: the longest takes 100 s alone.
LIMITED := prove --exec 'tools/testing/limit 900'

# The longest first: none of them then runs alone at the end. The first ones and every other one wait
# most of the time, for a terminal or a recording: one file more than processors runs. Those that keep all
# processors busy, or count samples of which none may be lost, run alone, at the end. So do those in which Debian's
# perf 6.1 records, or reads a recording of the whole system: it aborts at build-ids that another recorder asks for,
# fails at others' BPF programs, and has no names of the Go compiler that go.t runs.
TOOL_TEST_T    := $(sort $(filter-out $(TOOL_TEST)/races/%,$(wildcard $(TOOL_TEST)/*/*.t)))
TOOL_TEST_ALONE := $(addprefix $(TOOL_TEST)/,record/bpf.t python/python.t python/truth.t \
		   record/stuck-files.t script/as-debian.t command/buildid-cache.t)
TOOL_TEST_LONG := $(addprefix $(TOOL_TEST)/,$(addsuffix .t,tui/tui truth/truth symbols/debug-files record/live \
		  top/browser robust/memory-use symbols/as-debian record/threads record/file record/floods \
		  read/dump-as-debian top/stdio))

test-tool: | $(O)/.tool-test-packages $(O)/npm/.installed ## unit, golden and black-box tests of the tool
	@$(AT_ONCE) tool-test-programs
	@AGAIN=3 O=$(O) PERF=$(O)/perf CMOCKA_MESSAGE_OUTPUT=TAP tools/testing/mounted $(LIMITED) -j$$(($(JOBS) + 1)) --timer \
		$(TOOL_TEST_LONG) $(filter-out $(TOOL_TEST_LONG) $(TOOL_TEST_ALONE),$(TOOL_TEST_T)) $(TOOL_UNIT)
	@AGAIN=1 O=$(O) PERF=$(O)/perf tools/testing/mounted $(LIMITED) --timer $(TOOL_TEST_ALONE)

# A part of make test-all, as another build of the tool takes a minute.
.PHONY: test-races
TEST_ALL_TARGETS += test-races
INPUTS_test-races := VERSION tools/perf include/uapi tools/testing/tool.mk tools/testing/lib tools/testing/golden/c tools/testing/tool/unit \
	tools/testing/tool/races
test-races: | $(O)/.tool-test-packages ## the tool built with ThreadSanitizer
	@$(AT_ONCE) $(O)/perf $(WORKLOADS) $(O)/test/perf-tsan $(TOOL_TSAN_UNIT)
	@O=$(O) PERF=$(O)/perf CMOCKA_MESSAGE_OUTPUT=TAP tools/testing/mounted $(LIMITED) --timer $(TOOL_TEST)/races/*.t

# A part of make test-all: each mode of perf record with each target, read in each output.
.PHONY: test-truth
TEST_ALL_TARGETS += test-truth
INPUTS_test-truth := VERSION tools/perf include/uapi tools/testing/tool.mk tools/testing/lib tools/testing/tool/truth \
	tools/testing/tool/python
test-truth: $(O)/perf $(WORKLOADS) | $(O)/.tool-test-packages ## callchains are true: every mode, target and output
	@AGAIN=1 TRUTH_ALL=1 O=$(O) PERF=$(O)/perf tools/testing/mounted $(LIMITED) --timer $(TOOL_TEST)/truth/*.t $(TOOL_TEST)/python/truth.t

# Not a part of make test: some ten minutes, and what is installed decides.
.PHONY: test-tables
test-tables: $(O)/perf ## unwind tables of every program and library of this machine beside libdw
	@O=$(O) PERF=$(O)/perf prove -v tools/testing/tool/chains/all-tables.sh

-include $(TOOL_UNIT:=.d) $(TOOL_TSAN_UNIT:=.d)

# Small programs to be measured: those of the golden set and a few more. They
# are freestanding and static, so that they run in any guest, and have frame
# pointers, so that their stacks are known.

WORKLOAD_SRC	:= $(wildcard tools/testing/golden/c/src/*.c) \
		   $(addprefix tools/testing/workloads/,burn.c migrate.c many.c)
WORKLOADS	:= $(addprefix $(O)/test/workloads/,$(notdir $(WORKLOAD_SRC:.c=)))
WORKLOAD_CFLAGS	:= -O1 -g -static -nostdlib -ffreestanding -fno-omit-frame-pointer -fno-stack-protector \
		   -fno-asynchronous-unwind-tables -fno-optimize-sibling-calls -fcf-protection=none -no-pie

vpath %.c tools/testing/golden/c/src tools/testing/workloads

$(WORKLOADS): $(O)/test/workloads/%: %.c tools/testing/golden/c/src/tiny.h tools/testing/tool.mk
	@mkdir -p $(@D)
	@gcc $(WORKLOAD_CFLAGS) -o $@ $<

# One of i386 without frame pointers: its stacks are found by call frame information.
$(O)/test/workloads/chain32: tools/testing/workloads/chain32.c tools/testing/tool.mk | selftest-packages
	@mkdir -p $(@D)
	@gcc -m32 -O2 -g -static -fomit-frame-pointer -o $@ $<
WORKLOADS	+= $(O)/test/workloads/chain32

.PHONY: workloads
workloads: $(WORKLOADS)

tool-test-programs: $(WORKLOADS)

VM_FILES	+= $(if $(ARCH),,$(foreach w,$(WORKLOADS),$(w):g/$(notdir $(w))))

# Tests of the front door itself.

.PHONY: test-front
TEST_TARGETS += test-front test-tool

test-front: ## test the test runner
	@prove tools/testing/t/testing

# The tool of arm64, under qemu-aarch64.

.PHONY: test-arm64
test-arm64: ## the tool built for arm64, its packages: unit and golden tests under qemu-aarch64
	@tools/build/packages.sh qemu-user
	@$(AT_ONCE) ARCH=arm64 unit-programs deb tarball
	@O=$(BUILD)/arm64 JOBS=$(JOBS) tools/testing/arm64/run
TEST_ALL_TARGETS += test-arm64
INPUTS_test-arm64 := VERSION Documentation/man tools/build tools/perf include/uapi tools/testing/arm64 tools/testing/tool.mk \
	tools/testing/tool/unit tools/testing/tool/golden tools/testing/golden tools/testing/lib
