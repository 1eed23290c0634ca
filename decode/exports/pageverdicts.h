/* What the page of a comparison says without a script; rules also of one recording. */
#ifndef READPERF_DECODE_EXPORTS_PAGEVERDICTS_H
#define READPERF_DECODE_EXPORTS_PAGEVERDICTS_H

#include "decode/exports/escape.h"
#include "decode/exports/verdicttext.h"

/* Prints a name in HTML. */
static inline void page_print_text(FILE *out, const char *text)
{
	print_escaped(out, TEXT_HTML, text);
}

void page_print_runs(FILE *out, const struct comparison *comparison);
/* The rows of diff.csv, of each event the first ones. */
void page_print_verdicts(FILE *out, const struct comparison *comparison);
/* The rules of --fail-on with their outcome; nothing if there are none. */
void page_print_rules(FILE *out, const struct verdict_report *verdicts);

#endif
