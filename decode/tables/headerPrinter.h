/* header.csv: what the recording says about itself and its machine. */
#ifndef READPERF_DECODE_TABLES_HEADERPRINTER_H
#define READPERF_DECODE_TABLES_HEADERPRINTER_H

#include "perffile/perffile.h"
#include "util/csv.h"

#define HEADER_CSV_HEADER "key,value"

/*
 * Writes all rows. Keys that `perf report --header-only -I` has too are its words, with its values;
 * some come several times, once for each socket, cache or node. session_names_fill() has run.
 * summary: of the whole reading, or NULL if nothing was read. False with err set when memory or the
 * system refuses.
 */
bool header_print(struct csv *csv, struct session *session, const struct read_summary *summary,
                  struct err *err);

#endif
