/*
 * Reads one table in the folder of an earlier run: opening, columns by name, texts as strings.
 * Tables are not trusted.
 */
#ifndef READPERF_DECODE_COMPARE_RUNTABLE_H
#define READPERF_DECODE_COMPARE_RUNTABLE_H

#include "util/csvread.h"
#include "util/strings.h"

#define RUN_PATH_SIZE 4096 /* bytes of a table's path, with the NUL */

/* Memory for the text of a table, which is used again for the next one. All zeros: none yet. */
struct table_memory {
	char *text; /* malloc'd; NULL while a table has it */
	size_t size;
};

struct run_table {
	struct strings *strings;     /* borrowed; of the comparison */
	struct table_memory *memory; /* borrowed; NULL: none */
	struct csv_table csv;
	char path[RUN_PATH_SIZE];
};

/*
 * Opens a table of the folder. A table that --compress packed is found under its longer name and
 * unpacked. False with err set if it cannot be read, or is cut off. optional: it need not exist,
 * and then has no columns. run_table_close() must be called in any case.
 */
bool run_table_open(struct run_table *table, const char *folder, const char *name, bool optional,
                    struct err *err);
/* Gives its memory back. */
void run_table_close(struct run_table *table);
/*
 * The number of the column with this name, for the functions below; SIZE_MAX with err set: the
 * table has none. csv_table_column() finds those without which a table is read, too.
 */
size_t run_table_column(const struct run_table *table, const char *name, struct err *err);
/*
 * Reads the next row. False at the end; false with err set if the row has not as many cells as the
 * header, which a table of readperf always has.
 */
bool run_table_next(struct run_table *table, struct err *err);
/*
 * Finds the table under its name, or as --compress packs it, and writes its path. False with errno
 * set: the folder does not have it.
 */
bool run_table_find(char path[RUN_PATH_SIZE], const char *folder, const char *name);
bool run_table_exists(const char *folder, const char *name);

/* The cell in a column. */
static inline const char *run_table_text(const struct run_table *table, size_t column)
{
	return csv_table_text(&table->csv, column);
}

/* As a number; 0 with err set if it is none. */
static inline uint64_t run_table_u64(const struct run_table *table, size_t column, struct err *err)
{
	uint64_t value = 0;

	csv_table_u64(&table->csv, column, &value, err);
	return value;
}

/* As a string; STRING_NONE with err set when memory is refused. */
uint32_t run_table_string(const struct run_table *table, size_t column, struct err *err);

#endif
