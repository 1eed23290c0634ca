/*
 * The result of a comparison, or the cost of one recording and its rules, for people and for CI
 * services: the console, Markdown, JSON, JUnit's XML, workflow commands. Each function writes a
 * whole document to a stream, and escapes names (escape.h).
 */
#ifndef READPERF_DECODE_EXPORTS_VERDICTTEXT_H
#define READPERF_DECODE_EXPORTS_VERDICTTEXT_H

#include "decode/compare/comparable.h"

#include <stdio.h>

struct trend;

/* The contents of a result document; all of it is borrowed. */
struct verdict_report {
	const struct strings *strings;
	const struct comparison *comparison; /* NULL: there is only one recording */
	const struct trend *trend;           /* NULL: the comparison is none of a trend */
	const struct compare_run *run;       /* with comparison NULL: that recording */
	const struct rules *rules;
	const struct findings *findings;
	uint64_t limit; /* functions per event */
	bool table;     /* diff.csv, of a trend series.csv, of one recording results.csv has all */
};

/*
 * For the console. One table per event of a comparison: [total], then functions by verdict, the
 * largest change first; ~ means within noise. Functions below the minimum share are left out. On a
 * terminal each row fits into a line, without the interval if the terminal is narrow; elsewhere
 * everything is printed. Then a line per rule: whether it is met, and by how much.
 */
void verdict_print(FILE *out, const struct verdict_report *report);
void markdown_print(FILE *out, const struct verdict_report *report);
void json_print(FILE *out, const struct verdict_report *report);
/* One test case per rule: rules that are met are failures, those without a value are skipped. */
void junit_print(FILE *out, const struct verdict_report *report);
/*
 * "::error file=...,line=...::" for each regressed or new function whose source file is below the
 * folder, an absolute path without a slash at the end; the paths that are printed are relative to
 * it. The line is the function's most expensive one, if that is known.
 */
void annotations_print(FILE *out, const struct verdict_report *report, const char *folder);

/* "1.204 s" of a clock event's nanoseconds, "3.1 G" of other counts. Returns out. */
const char *format_cost(char out[32], double cost, bool clock);
/* The cost of a compared row, of --scale=share "52.31 %". Returns out. */
const char *format_row_cost(char out[32], const struct comparison *comparison,
                            const struct compare_row *row, enum compare_side side);
#define WORST_SIZE 64 /* bytes */
/*
 * "+5.3 %", "is new", "+7.1 % (noise)", of one recording "51.9 %": the worst value that a rule was
 * compared with. Returns out.
 */
const char *format_worst(char out[WORST_SIZE], const struct rule *rule);
/* Why a rule was skipped, as plain text: it had no value to compare with; NULL: it had one. */
const char *rule_gap(const struct rule *rule);

/* Whether a row of the comparison is a function of the event that changed, or was not tested. */
static inline bool is_change_of(const struct compare_row *row, uint32_t event)
{
	return row->event == event && !row->is_total &&
	       (row->verdict <= VERDICT_MOVED || row->verdict == VERDICT_UNTESTED);
}

#endif
