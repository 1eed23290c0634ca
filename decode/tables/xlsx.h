/*
 * --workbook: the tables as sheets of an .xlsx file, in an order and with formats for people,
 * preceded by a summary with charts. A table_writer.
 */
#ifndef READPERF_DECODE_TABLES_XLSX_H
#define READPERF_DECODE_TABLES_XLSX_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

struct xlsx;

/*
 * path: the file, which is made or replaced when the workbook is closed. set, groups: the tables
 * that become sheets; those of --by come first. NULL with err set when memory is refused, or if
 * this build has no libxlsxwriter.
 */
struct xlsx *xlsx_new(const char *path, const char *temp_dir, const struct table_set *set,
                      const struct group_tables *groups, struct err *err);
void xlsx_free(struct xlsx *xlsx);
/*
 * A writer to the sheets. Text is never a formula or a link; numbers of more than 15 digits are
 * written as text; times are seconds since xlsx_start().
 */
struct table_writer xlsx_writer(struct xlsx *xlsx);
/* Sets the time of the first sample, in ns. context: the workbook. */
void xlsx_start(void *context, uint64_t time);
/*
 * Writes the summary (the recording, its events, warnings, the most expensive functions and
 * binaries with charts) and then the file. False with err set.
 */
bool xlsx_finish(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                 const char *file, struct err *err);

#endif
