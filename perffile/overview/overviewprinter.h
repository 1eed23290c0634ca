/*
 * Makes overview.csv from the kernel records, in the order of delivery, and the rows of stat.csv
 * from the counts in a summary.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWPRINTER_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWPRINTER_H

#include "perffile/record/handler.h"
#include "util/table.h"

extern const struct table_format overview_format, stat_format;

struct overview;

/*
 * session is borrowed; files is copied. spreadsheet: see csv.h. If the file is packed,
 * the recording must not come from a pipe, where rows may have to be moved. NULL with err set on
 * failure.
 */
struct overview *overview_new(const struct session *session, const struct table_files *files,
                              bool spreadsheet, struct err *err);
void overview_free(struct overview *overview);
struct record_handler overview_handler(struct overview *overview);
/*
 * After the last record: makes sure that all rows are in the file. False with err set if one could
 * not be written.
 */
bool overview_finish(struct overview *overview, struct err *err);

/* Writes all rows of stat.csv. */
void stat_print(struct table_writer *out, const struct read_summary *summary);

#endif
