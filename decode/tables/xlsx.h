/*
 * --workbook: the tables as sheets of one .xlsx file, in the order and with the formats that people
 * want; before them a summary with charts. A table_writer.
 */
#ifndef READPERF_DECODE_TABLES_XLSX_H
#define READPERF_DECODE_TABLES_XLSX_H

#include "decode/tables/tables.h"

struct xlsx;

/*
 * path: a file that is made or replaced when the workbook is closed. set: the tables that will be
 * sheets. NULL with err set when memory is refused, or in a build without libxlsxwriter.
 */
struct xlsx *xlsx_new(const char *path, const char *temp_dir, const struct table_set *set,
                      struct err *err);
void xlsx_free(struct xlsx *xlsx);
/*
 * A writer to its sheets. Text is text, never a formula or a link; numbers of more than 15 digits
 * are text too; times are seconds since xlsx_start().
 */
struct table_writer xlsx_writer(struct xlsx *xlsx);
/* The time of the first sample, in ns. context: the workbook. */
void xlsx_start(void *context, uint64_t time);
/*
 * Fills the summary: the recording, its events, warnings, the costliest functions and binaries with
 * charts. Writes the file. False with err set.
 */
bool xlsx_finish(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                 const char *file, struct err *err);

#endif
