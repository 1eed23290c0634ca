/* What a page of --report shows where scripts are forbidden. */
#ifndef READPERF_DECODE_EXPORTS_PAGESTATIC_H
#define READPERF_DECODE_EXPORTS_PAGESTATIC_H

#include "decode/exports/pagetree.h"
#include "decode/exports/pageverdicts.h"

/* What was recorded, or compared; rules with their outcome, the events, the warnings. */
void page_print_summary(FILE *out, const struct report *report, const struct diag *diag,
                        const struct verdict_report *verdicts);
/* The most expensive functions of each event. */
void page_print_functions(FILE *out, const struct report *report);
/*
 * The flame graph of the first event that has samples. Nothing if there is none. False with err set
 * when memory is refused.
 */
bool page_print_flame(FILE *out, const struct page_tree *tree, const struct page_samples *samples,
                      struct err *err);

#endif
