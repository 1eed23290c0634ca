# Included by the Makefile. check-all: everything; check: all but what takes long; check-unit, check-cases, check-live: a part of it.
# UNIT='name ...' runs these unit test programs, CASE=word the groups of whole-program tests whose name contains the word.

HEADERS := $(sort $(wildcard util/*.h perffile/*.h perffile/*/*.h decode/*/*.h))
UNIT_SRCS := $(sort $(wildcard tests/unit/*_test.c))
UNIT_TESTS := $(UNIT_SRCS:%.c=$(B)/%)
# Not subject to WITHOUT=all: that leaves out libraries of readperf, not of its tests.
CMOCKA := $(if $(filter cmocka,$(WITHOUT)),,$(shell echo 'int main(void){return 0;}' | \
            $(CC) -x c - -lcmocka -o /dev/null 2>/dev/null && echo yes))
UNIT_RUN = $(if $(CMOCKA),$(if $(UNIT),$(filter $(UNIT:%=\%/%_test),$(UNIT_TESTS)),$(UNIT_TESTS)))

# An archive, because a test may include the .c file it tests: then that file's object is not taken.
# q, not r: files of two rooms may have the same name.
$(B)/libreadperf.a: $(LIB_OBJS)
	@rm -f $@
	@$(AR) qcs $@ $^

# Helpers that make recordings, ELF files and folders are linked into the tests that include their headers.
UNIT_SHARED := $(addprefix $(B)/tests/unit/,recording.o elfimage.o fixture.o programfile.o tablefile.o)
.SECONDARY: $(UNIT_SHARED)

# The linker redirects allocations, and the system call that old kernels lack, to functions of the test.
WRAPPED := malloc calloc realloc strdup posix_memalign
WRAP_FLAGS := $(foreach name,$(WRAPPED),-Wl,--wrap=$(name))

$(B)/tests/unit/%_test: tests/unit/%_test.c $(UNIT_SHARED) $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -MMD -MP $(LDFLAGS) $(WRAP_FLAGS) $(UNIT_WRAPS) $< $(UNIT_SHARED) $(B)/libreadperf.a -lcmocka $(LIBS) -o $@

$(B)/tests/unit/output_test: UNIT_WRAPS := -Wl,--wrap=syscall
$(B)/tests/unit/module_test: UNIT_WRAPS := -Wl,--wrap=rootfs_open
$(B)/tests/unit/zstd_test: UNIT_WRAPS := -Wl,--wrap=ZSTD_decompressStream

# readperf again, but each of its allocations can be refused.
$(B)/tests/faults/main.o: readperf.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -Wno-missing-prototypes -Dmain=readperf_main -MMD -MP -c $< -o $@

ALLOCFAIL_WRAPS := $(addprefix -Wl$(comma)--wrap=,mmap64 libdeflate_alloc_decompressor ZSTD_createDStream ZSTD_decompress \
                     inflateInit_ inflateInit2_ lzma_stream_decoder)

$(B)/tests/faults/allocfail: tests/faults/allocfail.c $(B)/tests/faults/main.o $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) $(LDFLAGS) $(WRAP_FLAGS) $(ALLOCFAIL_WRAPS) $< $(B)/tests/faults/main.o $(B)/libreadperf.a $(LIBS) -o $@

# Makes the recordings that tests/hostile/run reads.
$(B)/tests/hostile/record: tests/hostile/record.c $(B)/tests/unit/recording.o $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -MMD -MP $(LDFLAGS) $< $(B)/tests/unit/recording.o $(B)/libreadperf.a $(LIBS) -o $@

# Prints the call chains that tests/stacks/run compares with perf's.
$(B)/tests/stacks/chains: tests/stacks/chains.c $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -MMD -MP $(LDFLAGS) $< $(B)/libreadperf.a $(LIBS) -o $@

# Prints the intervals that tests/intervals/run compares.
$(B)/tests/intervals/events: tests/intervals/events.c $(B)/libreadperf.a $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -MMD -MP $(LDFLAGS) $< $(B)/libreadperf.a $(LIBS) -o $@

-include $(wildcard $(B)/tests/unit/*.d $(B)/tests/faults/*.d $(B)/tests/hostile/*.d)
-include tests/bench/bench.mk

include tests/fuzz/fuzz.mk

# PARTS='unit cases' runs these parts of the tests only (tests/all has their names), and none of the checks of the source.
part = $(if $(PARTS),$(filter $(1),$(PARTS)),yes)

# Objects of a build with sanitizers are not checked: the compiler adds variables of its own.
check check-all: $(if $(PARTS),,check-headers check-rooms $(if $(SAN),,check-globals)) $(B)/readperf $(B)/tests/faults/allocfail \
                 $(B)/tests/hostile/record $(B)/tests/stacks/chains $(B)/tests/intervals/events \
                 $(if $(call part,unit),$(UNIT_RUN)) $(if $(call part,fuzz),$(REPLAYS))
	@TESTS=$(if $(filter check-all,$@),all,quick) PARTS='$(PARTS)' sh tests/all $(B)/readperf $(if $(CMOCKA),built,missing) \
		$(if $(call part,unit),$(UNIT_RUN)) -- $(if $(call part,fuzz),$(REPLAYS))

check-unit: $(UNIT_RUN)
	@sh tests/all none $(if $(CMOCKA),built,missing) $(UNIT_RUN)

check-cases: $(B)/readperf
	@sh tests/run $(B)/readperf $(CASE)

# Every allocation refused once, not only some: make check-faults CASE=memory ALLOCFAIL_SECONDS=0
check-faults: $(B)/readperf $(B)/tests/faults/allocfail
	@sh tests/faults/run $(B)/readperf $(CASE)

check-stacks: $(B)/tests/stacks/chains $(B)/readperf
	@sh tests/stacks/run $(B)/tests/stacks/chains $(CASE)

check-hostile: $(B)/readperf $(B)/tests/hostile/record
	@sh tests/hostile/run $(B)/readperf $(CASE)

check-live: $(B)/readperf
	@sh tests/live/run $(B)/readperf

# Every include leads where the list of rooms lets it, and there is no circle of files, of includes or of calls.
check-rooms: $(LIB_OBJS)
	@awk -f tests/rooms.awk $(LIB_SRCS) $(HEADERS)
	@nm -gA $(LIB_OBJS) | awk -f tests/calls.awk

# The layout of all C files is what .clang-format says; other versions than 14 lay out some lines differently.
check-format:
	@git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror

# Every header compiles alone.
check-headers:
	@for h in $(HEADERS); do \
		$(COMPILE) -Wno-pedantic -x c -fsyntax-only -include $$h /dev/null || exit 1; done

# No object of ours is in a writable section: all state belongs to somebody.
check-globals: $(LIB_OBJS) $(B)/readperf.o
	@! objdump -t $^ | awk '$$3 == "O" && $$4 ~ /^\.(data|bss)(\.|$$)/ && !/rel\.ro/ { print; found = 1 } \
		$$4 == "O" && $$5 == "*COM*" { print; found = 1 } END { exit !found }'

.PHONY: check check-all check-unit check-cases check-faults check-hostile check-stacks check-live check-headers check-rooms check-globals check-format
