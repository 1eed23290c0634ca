/* What the data in the page of --report are: the piece of JSON `about`, which page/data.js reads.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGEABOUT_H
#define READPERF_DECODE_EXPORTS_PAGEABOUT_H

#include "decode/exports/pagesamples.h"

#include <stdio.h>

/* Prints an object and a line feed; the caller sees errors of `out`. */
void page_about_print(FILE *out, const struct report *report, const struct page_samples *samples);

#endif
