/* results.csv, lines.csv, addresses.csv, and the overview on the console. */
#ifndef READPERF_DECODE_TABLES_FUNCPRINTER_H
#define READPERF_DECODE_TABLES_FUNCPRINTER_H

#include "decode/naming/placerows.h"
#include "decode/naming/results.h"
#include "util/csv.h"

#include <stdio.h>

#define RESULTS_CSV_HEADER "period,samples,source_file,function,binary,event,percent,symbols"
#define LINES_CSV_HEADER "period,samples,percent,source_file,line,function,binary,event"
#define ADDRESSES_CSV_HEADER "period,samples,percent,address,function,source_file,line,binary,event"

void results_print(struct csv *csv, const struct buildstat *stat, const struct results *results);
void lines_print(struct csv *csv, const struct buildstat *stat, const struct place_rows *rows);
void addresses_print(struct csv *csv, const struct buildstat *stat, const struct place_rows *rows);

/*
 * Writes the most expensive functions of each event to out; limit: of each event, 0 for all.
 * in_results: results.csv, which has the others, is written too.
 */
void console_print(FILE *out, const struct buildstat *stat, const struct results *results,
                   const struct read_summary *summary, size_t limit, bool in_results);

/*
 * Tells diag how much has no name, by reason, and what could be done about the largest. Nothing is
 * told where all is named.
 */
void unnamed_report(const struct results *results, const struct strings *strings,
                    const struct symbol_options *options, struct diag *diag);

#endif
