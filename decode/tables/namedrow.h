/*
 * What the rows of most tables of samples have in common: the names of a function, and what the
 * samples of one event add up to. Each function is the value of a column; its row is a struct
 * named_row.
 */
#ifndef READPERF_DECODE_TABLES_NAMEDROW_H
#define READPERF_DECODE_TABLES_NAMEDROW_H

#include "decode/tables/tables.h"

#define BUILD_ID_TEXT (2 * PERF_BUILD_ID_SIZE + 1) /* bytes, with the NUL */

struct named_row {
	const struct report *report;
	uint64_t period, samples;
	const struct call_count *total;  /* with its callees; NULL: not known */
	uint32_t function, binary, file; /* strings, as results.csv has them */
	uint32_t event;                  /* of the session */
	uint32_t build;                  /* number of the binary, for its build id */
	uint64_t address, line;          /* line: 0 if it is not known */
	enum symbol_origin origin;
	char *text; /* room for BUILD_ID_TEXT bytes */
};

struct value named_period(const void *row);
struct value named_samples(const void *row);
struct value named_percent(const void *row); /* of the event's period */
struct value named_total_period(const void *row);
struct value named_total_samples(const void *row);
struct value named_function(const void *row);
struct value named_binary(const void *row);
struct value named_source_file(const void *row);
struct value named_line(const void *row);
struct value named_address(const void *row);
struct value named_event(const void *row);
struct value named_symbols(const void *row);
struct value named_build_id(const void *row);

#endif
