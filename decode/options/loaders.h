/*
 * Loaders: statements that load tables into a database with the types of the schema, or write them
 * as Parquet.
 */
#ifndef READPERF_DECODE_OPTIONS_LOADERS_H
#define READPERF_DECODE_OPTIONS_LOADERS_H

#include "decode/options/options.h"

#include <stdio.h>

/* Where tables lie. */
struct loader_place {
	/* Without *?[]{}'"\ and control characters. NULL: in the current folder. */
	const char *folder;
	/* KEY: in its folders KEY=VALUE, which are all loaded as one table with a column KEY, and
	   may be packed. NULL: in the folder itself. */
	const char *partition;
};

bool is_loader(enum generated what);
/* Whether it loads a folder of folders KEY=VALUE. */
bool loads_partitions(enum generated what);
/* A comment: how to call it. folder: as in struct loader_place. */
void loader_print_head(FILE *out, enum generated what, const char *folder);
/*
 * The statements of a table. Names of columns and of the table must be without quotes, backslashes
 * and control characters.
 */
void loader_print(FILE *out, enum generated what, const struct table_format *format,
                  const struct loader_place *place);

#endif
