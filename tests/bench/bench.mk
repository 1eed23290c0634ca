# make bench: builds its recordings once, into BENCH_DIR, and times readperf and other readers on them.
# SIZE=1: some 3 million samples; SIZE=0.1: quick. ROUNDS: runs of each. COUNT=1: instructions too, with valgrind.
# ONLY="many trace": these recordings. BENCH_DIR may be used again, as long as SIZE is the same.
SIZE ?= 1
ROUNDS ?= 3
BENCH_DIR ?= build/bench/$(SIZE)
BENCH_TOOLS := $(patsubst %,build/bench/tools/%,grow measure spread)

build/bench/tools/%: tests/bench/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -std=c11 -D_FILE_OFFSET_BITS=64 $(WARN) -O2 -g $(LDFLAGS) $< -o $@

bench: $(B)/readperf $(BENCH_TOOLS)
	@sh tests/bench/record build/bench/tools "$(BENCH_DIR)" "$(SIZE)"
	@COUNT=$(COUNT) CC="$(CC)" sh tests/bench/run $(B)/readperf build/bench/tools "$(BENCH_DIR)" "$(ROUNDS)" $(ONLY)

# Tests the parts of make bench on small recordings; nothing is timed.
check-bench: $(B)/readperf $(BENCH_TOOLS)
	@sh tests/bench/smoke $(B)/readperf build/bench/tools samples | awk '{ print } /^FAIL / { failed = 1 } END { exit failed }'

# Measures how reliable the verdicts of comparisons are: false alarms, and the share of real changes that is found.
bench-compare: $(B)/readperf
	@python3 tests/compare/alarms $(B)/readperf $(ALARM_ROUNDS)

# Times --trend of 500 versions with 3 runs each of 20,000 functions: 4 GB of tables, which are made once.
bench-trend: $(B)/readperf
	@test -d "$(BENCH_DIR)/trend" || python3 tests/bench/trendtables "$(BENCH_DIR)/trend"
	@for round in $$(seq $(ROUNDS)); do $(B)/readperf -v -q -o "$(BENCH_DIR)/trend-out" --trend "$(BENCH_DIR)"/trend/v*; done

# Times 1,000 recordings in one call: 20 of Python, and copies. FILES="1.data 2.data": copies of these.
bench-several: $(B)/readperf
	@mkdir -p "$(BENCH_DIR)/several"
	@test -n "$(FILES)" || for i in $$(seq 20); do perf record -q -F 12000 -e cpu-clock -o "$(BENCH_DIR)/several-$$i.data" -- \
		python3 -c 'import json; [json.dumps({str(i): [i] * 3}) for i in range(1000000)]'; done
	@python3 tests/bench/copies "$(BENCH_DIR)/several" 1000 $(or $(FILES),"$(BENCH_DIR)"/several-*.data)
	@for jobs in 1 2; do rm -rf "$(BENCH_DIR)/several-out"; echo "-j$$jobs:"; \
		bash -c 'time "$$@"' - $(B)/readperf -q -j$$jobs -t results,events,processes,header -o "$(BENCH_DIR)/several-out" "$(BENCH_DIR)/several" 2>&1 | \
			grep -v '^readperf:'; done

.PHONY: bench check-bench bench-compare bench-several bench-trend
