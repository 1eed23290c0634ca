/*
 * From addresses to names, after the last record: each distinct address once, binary by binary, in
 * ascending order, and only binaries that have samples. The results are what the tables print.
 */
#ifndef READPERF_DECODE_NAMING_H
#define READPERF_DECODE_NAMING_H

#include "decode/addr2line.h"
#include "decode/buildstat.h"
#include "decode/symbols.h"

struct naming_options {
	struct symbol_options symbols; /* what it needs of the recording is filled in here */
	enum symbolizer symbolizer;
	bool raw_names;  /* --no-demangle */
	bool sources;    /* source files of functions */
	bool lines;      /* lines of addresses: for lines.csv and addresses.csv */
	bool addresses;  /* a row per address, for addresses.csv */
	bool inlines;    /* --inline */
	unsigned threads; /* that may be used */
	/*
	 * May be NULL: called once, perhaps in another thread, for work that needs no names. It may read
	 * what the buildstat has.
	 */
	void (*meanwhile)(void *context);
	void *context;   /* of meanwhile */
};

/* A row of results.csv. Strings are numbers of the buildstat's. */
struct result_row {
	uint64_t period, samples;
	uint32_t event, binary, function, file;
	uint8_t origin; /* enum symbol_origin */
};

/* A row of lines.csv or addresses.csv. */
struct place_row {
	uint64_t period, samples;
	uint64_t addr;  /* link-time virtual address; 0 in a row of a line */
	uint32_t event, binary, function, file, line;
};

/* What has no name, for one reason. */
struct unnamed {
	uint64_t samples, period; /* periods of several events do not add up: see results */
	uint32_t worst;         /* string: the binary with most of them */
	uint64_t worst_samples;
};

struct results {
	struct result_row *rows; /* by event, the most expensive first */
	size_t row_count, row_capacity;
	struct place_row *lines, *addresses; /* in the same order */
	size_t line_count, line_capacity, address_count, address_capacity;
	struct unnamed unnamed[ORIGIN_COUNT];
	uint64_t samples, period; /* in all */
	size_t binaries;         /* that were looked at */
	size_t functions, distinct; /* symbols asked for, addresses */
};

/* Sorts the tally and names it. False with err set when memory is refused. */
bool naming_run(struct results *results, struct buildstat *stat,
                const struct naming_options *options, struct diag *diag, struct err *err);
void results_release(struct results *results);

#endif
