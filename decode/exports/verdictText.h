/*
 * The result of a comparison, or what one recording cost and whether its rules hold, for people and
 * for the programs of a CI service: Markdown, JSON, JUnit's XML, workflow commands. Each writes a
 * whole document to a stream, and escapes names so that they stay names.
 */
#ifndef READPERF_DECODE_EXPORTS_VERDICTTEXT_H
#define READPERF_DECODE_EXPORTS_VERDICTTEXT_H

#include "decode/compare/rules.h"

#include <stdio.h>

/* What a result document tells; all of it is borrowed. */
struct verdict_report {
	const struct strings *strings;
	const struct comparison *comparison; /* NULL: of one recording */
	const struct compare_run *run;       /* then: that recording */
	const struct rules *rules;
	const char *const *warnings; /* what comparable_check() found */
	size_t warning_count;
	uint64_t limit; /* functions at most, per event; 0: all */
};

void markdown_print(FILE *out, const struct verdict_report *report);
void json_print(FILE *out, const struct verdict_report *report);
/* A case per rule; those that are met are failures. */
void junit_print(FILE *out, const struct verdict_report *report);
/*
 * "::error file=...,line=...::" for each regressed or new function whose source file lies below the
 * folder, an absolute path without a slash at the end; paths in the output are relative to it. The
 * line is the most expensive one of the function, where it is known.
 */
void annotations_print(FILE *out, const struct verdict_report *report, const char *folder);

/* Whether rows of this verdict are changes: regressed, improved, new, gone, moved. */
bool verdict_is_change(enum verdict verdict);
/* "1.204 s" of a clock event's nanoseconds, "3.1 G" of other counts. Returns out. */
const char *format_cost(char out[32], double cost, bool clock);
#define WORST_SIZE 64 /* bytes */
/* "+5.3 %", "is new", "+7.1 % (noise)": the worst that a rule was held against. Returns out. */
const char *format_worst(char out[WORST_SIZE], const struct rule *rule);
/* Whether the event counts nanoseconds of a clock. */
bool event_is_clock(const char *name);

/* One recording's rows of an event, the most expensive first, in the order of results.csv. */
const struct run_row *next_row_of_event(const struct verdict_report *report, uint32_t event,
                                        const struct run_row *after);

#endif
