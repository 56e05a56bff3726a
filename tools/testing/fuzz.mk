# SPDX-License-Identifier: GPL-2.0
#
# make fuzz: the tool's readers by libFuzzer, for as long as one likes. What it has found, and
# the inputs that reach most of the code, are in fuzz/corpus.tar.xz; make test-tool replays these.

FUZZ_SRC     := tools/testing/fuzz
FUZZ_CC      := clang
# clang reports NULL + 0, the end of an empty array, which C2y defines and gcc does not report:
# pointers that overflow are left to the replay, which gcc builds.
FUZZ_SAN     := address,undefined -fno-sanitize-recover=undefined -fno-sanitize=pointer-overflow -O1
FUZZ_FLAGS   := -fsanitize=fuzzer-no-link,$(FUZZ_SAN) -DOUTBUF_SIZE=16384 -DOUTFILE_BLOCK=8192
FUZZ_OBJ     := $(O)/obj/perf-fuzz
FUZZ_LIB_O   := $(PERF_LIB_O:$(PERF_OBJ_DIR)/%=$(FUZZ_OBJ)/%)
FUZZ_C       := $(FUZZ_SRC)/targets.c $(FUZZ_SRC)/frame.c $(FUZZ_SRC)/process.c
# Seconds for each target, and which (all).
TIME   ?= 60
TARGET ?=

$(FUZZ_OBJ)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk tools/testing/fuzz.mk | $(O)/.perf-packages $(WALK_OBJECT)
	@mkdir -p $(@D)
	@echo "  CC FUZZ $*.o"
	@$(FUZZ_CC) $(PERF_CFLAGS) $(FUZZ_FLAGS) -DPERF_VERSION='"fuzz"' -MMD -MP -c -o $@ $<

$(O)/test/fuzz: $(FUZZ_C) $(FUZZ_SRC)/libfuzzer.c $(FUZZ_SRC)/fuzz.h $(FUZZ_SRC)/input.h $(FUZZ_LIB_O)
	@mkdir -p $(@D)
	@echo "  LD FUZZ fuzz"
	@$(FUZZ_CC) $(PERF_CFLAGS) -fsanitize=fuzzer,$(FUZZ_SAN) \
		-o $@ $(filter %.c,$^) $(FUZZ_LIB_O) $(PERF_LIBS)

.PHONY: fuzz fuzz-packages fuzz-minimise
fuzz-packages: $(O)/.perf-packages
	@tools/build/packages.sh clang python3 xz-utils zstd gcc g++ gcc-multilib dwz binutils

fuzz: fuzz-packages ## fuzz the tool's readers: TIME=seconds for each, TARGET="names", JOBS=how many at once
	@$(MAKE) --no-print-directory $(O)/test/fuzz
	@JOBS=$(JOBS) $(FUZZ_SRC)/run fuzz $(O) $(TIME) $(TARGET)

fuzz-minimise: fuzz-packages ## keep of what make fuzz found the inputs that reach the most: fuzz/corpus.tar.xz
	@$(MAKE) --no-print-directory $(O)/test/fuzz
	@$(FUZZ_SRC)/run minimise $(O) $(TARGET)

# What of the tool the kept corpus reaches.
FUZZ_COV     := -fprofile-instr-generate -fcoverage-mapping -O1
FUZZ_COV_OBJ := $(O)/obj/perf-coverage
FUZZ_COV_O   := $(PERF_LIB_O:$(PERF_OBJ_DIR)/%=$(FUZZ_COV_OBJ)/%)

$(FUZZ_COV_OBJ)/%.o: $(PERF_SRC)/%.c $(PERF_SRC)/perf.mk tools/testing/fuzz.mk | $(O)/.perf-packages $(WALK_OBJECT)
	@mkdir -p $(@D)
	@echo "  CC COVERAGE $*.o"
	@$(FUZZ_CC) $(PERF_CFLAGS) $(FUZZ_COV) -DPERF_VERSION='"fuzz"' -MMD -MP -c -o $@ $<

$(O)/test/fuzz-coverage: $(FUZZ_C) $(FUZZ_SRC)/replay.c $(FUZZ_SRC)/fuzz.h $(FUZZ_SRC)/input.h $(FUZZ_COV_O)
	@mkdir -p $(@D)
	@echo "  LD COVERAGE fuzz-coverage"
	@$(FUZZ_CC) $(PERF_CFLAGS) $(FUZZ_COV) -o $@ $(filter %.c,$^) $(FUZZ_COV_O) $(PERF_LIBS)

.PHONY: fuzz-coverage
fuzz-coverage: fuzz-packages ## by file of the tool, how much the corpus of make fuzz reaches
	@tools/build/packages.sh llvm
	@$(MAKE) --no-print-directory $(O)/test/fuzz-coverage
	@$(FUZZ_SRC)/run coverage $(O)

-include $(FUZZ_LIB_O:.o=.d) $(FUZZ_COV_O:.o=.d)
