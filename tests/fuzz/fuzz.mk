# Included by tests/tests.mk. fuzz: all targets under libFuzzer, TIME seconds in all (clang).
# check-fuzz: every seed, and every input that ever failed, under any compiler.
# FUZZ=name runs one target alone; CORPUS=DIR adds the inputs in DIR/name to its seeds and stores new ones there.

FUZZ_TARGETS := file pipe features tracing buildids sample kallsyms perfmap jitdump elf answers \
                inflate cfi unwind dwarf package symbolpack gopclntab objdump format spe
FUZZ_RUN = $(if $(FUZZ),$(filter $(FUZZ),$(FUZZ_TARGETS)),$(FUZZ_TARGETS))
FUZZ_SHARED := tests/fuzz/recording.c tests/fuzz/mutator.c
FUZZ_HEADERS := tests/fuzz/fuzz.h tests/fuzz/source.h
FUZZ_CC ?= clang
FUZZ_SAN := fuzzer-no-link,address,undefined
TIME ?= 60
CORPUS ?= $(B)/corpus

REPLAYS = $(FUZZ_RUN:%=$(B)/tests/fuzz/replay-%)
FUZZERS = $(FUZZ_RUN:%=$(B)/tests/fuzz/fuzz-%)

$(B)/tests/fuzz/replay-%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c tests/fuzz/recording.c \
                          $(FUZZ_HEADERS) $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) $(LDFLAGS) $(filter %.c,$^) $(B)/libreadperf.a $(LIBS) -o $@

# The mutator is for recordings; the other targets have libFuzzer's own.
$(B)/tests/fuzz/fuzz-%: tests/fuzz/fuzz_%.c $(FUZZ_SHARED) $(FUZZ_HEADERS) $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -fsanitize=fuzzer $(LDFLAGS) $< tests/fuzz/recording.c \
		$(if $(filter file pipe,$*),tests/fuzz/mutator.c) $(B)/libreadperf.a $(LIBS) -o $@

check-fuzz: $(REPLAYS)
	@sh tests/fuzz/run replay $(REPLAYS)

fuzz:
	@$(MAKE) CC=$(FUZZ_CC) SAN=$(FUZZ_SAN) CFLAGS='-O1 -g' fuzz-built

fuzz-built: $(FUZZERS)
	@sh tests/fuzz/run fuzz $(TIME) $(CORPUS) $(FUZZERS)

.PHONY: check-fuzz fuzz fuzz-built
.SECONDARY: $(REPLAYS) $(FUZZERS)
