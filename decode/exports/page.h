/*
 * --report: one HTML file to explore a recording in, which loads nothing from elsewhere.
 *
 *   what needs no script   pagestatic.h: summary, functions, a flame graph
 *   data                   pagedata.h: packed and in base64
 *   the script             page/NAME.js, in the order of PAGE_SCRIPTS in the Makefile
 */
#ifndef READPERF_DECODE_EXPORTS_PAGE_H
#define READPERF_DECODE_EXPORTS_PAGE_H

#include "decode/tables/tables.h"

/* What the page needs, of enum table_needs. */
#define PAGE_NEEDS \
	(NEEDS_NAMES | NEEDS_STACKS | NEEDS_SAMPLES | NEEDS_THREAD_NAMES | NEEDS_INTERVALS)

struct page_request {
	const struct report *report; /* of a recording or a comparison */
	const struct verdict_report *verdicts;
	const struct diag *diag; /* its warnings */
	bool places;             /* samples have their source lines and addresses */
	bool instructions;       /* functions have their instructions; then `places`, too */
	bool threads;            /* two may be used */
};

/*
 * Writes the page; ferror() tells if that failed. The samples must have been kept, and their stacks
 * where there are some. False with err set.
 */
bool page_print(FILE *out, const struct page_request *request, struct err *err);

#endif
