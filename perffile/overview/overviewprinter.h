/*
 * Makes overview.csv, or its sheet of a workbook, from the kernel records, in the order of
 * delivery.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWPRINTER_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWPRINTER_H

#include "perffile/record/handler.h"
#include "util/table.h"

extern const struct table_format overview_format;

struct overview;

/*
 * Begins the table. session, and what out writes to, are borrowed. Records of a pipe may come late,
 * and rows that were written must then be moved: of a pipe, only a CSV table that is not packed can
 * be written. NULL with err set on failure.
 */
struct overview *overview_new(const struct session *session, const struct table_writer *out,
                              struct err *err);
/* Discards the table unless it is finished. */
void overview_free(struct overview *overview);
struct record_handler overview_handler(struct overview *overview);
/* After the last record: ends the table. False with err set if a row could not be written. */
bool overview_finish(struct overview *overview, struct err *err);

#endif
