/*
 * Reads one table in the folder of an earlier run: opening, columns by name, texts as strings.
 * Tables are not trusted.
 */
#ifndef READPERF_DECODE_COMPARE_RUNTABLE_H
#define READPERF_DECODE_COMPARE_RUNTABLE_H

#include "util/csvread.h"
#include "util/strings.h"

/*
 * Opens a table of the folder, whose path is written to path. A table that --compress packed is
 * found under its longer name and unpacked. False with err set if it cannot be read, or is cut off.
 * there: NULL if the table is required; else it is set to whether the table exists.
 * csv_table_close() must be called in any case.
 */
bool run_table_open(struct csv_table *table, char *path, size_t room, const char *folder,
                    const char *name, bool *there, struct err *err);
/*
 * Reads the next row. False at the end; false with err set if the row has not as many cells as the
 * header, which a table of readperf always has.
 */
bool run_table_next(struct csv_table *table, struct err *err);
/* Whether the folder has this table, packed or not. */
bool run_table_exists(const char *folder, const char *name);
/* The numbers of columns, by their names; the first `needed` ones are required. */
bool run_table_columns(const struct csv_table *table, const char *const *names, size_t count,
                       size_t needed, size_t *columns, struct err *err);
/* The text of a cell as a string; STRING_NONE with err set when memory is refused. */
uint32_t run_table_string(const struct csv_table *table, size_t column, struct strings *strings,
                          struct err *err);

#endif
