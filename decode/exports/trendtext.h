/* A trend for people: on the console, and the parts of it that Markdown has as well. */
#ifndef READPERF_DECODE_EXPORTS_TRENDTEXT_H
#define READPERF_DECODE_EXPORTS_TRENDTEXT_H

#include "decode/compare/trend.h"
#include "decode/exports/verdicttext.h"

#define SPARKLINE_MOST 24                       /* characters */
#define SPARKLINE_SIZE (3 * SPARKLINE_MOST + 1) /* bytes */

/*
 * The costs of a row in at most so many characters, a version each, or the mean of several; a blank
 * where no version has samples of the event. Returns its number of characters.
 */
size_t sparkline(char out[SPARKLINE_SIZE], const struct trend *trend, const struct compare_row *row,
                 size_t most);

/*
 * The rows of an event as people look at them: [total], those with steps, the last one first, then
 * the others. Malloc'd; NULL with err set.
 */
size_t *trend_rows_to_show(const struct trend *trend, uint32_t event, size_t *count,
                           struct err *err);

/*
 * The part of a version's name that tells it from the others: of runs/v1/perf.data and
 * runs/v2/perf.data, v1 and v2. It is not terminated. Sets its length.
 */
const char *version_label(const struct trend *trend, uint32_t version, size_t *length);

/* For the console: a table per event, a sparkline per function. */
void trend_text_print(FILE *out, const struct verdict_report *report);

#endif
