/* The columns of latency.csv, which depend on --by=latency=KEY,... */
#ifndef READPERF_DECODE_TABLES_LATENCYFORMAT_H
#define READPERF_DECODE_TABLES_LATENCYFORMAT_H

#include "decode/tables/tables.h"

#define LATENCY_COLUMNS 18u /* with the usual key */

struct latency_format {
	struct table_format format;
	struct column columns[LATENCY_COLUMNS + KEY_COUNT];
};

/* The format points into itself, and to the names of the table's keys. */
void latency_format_init(struct latency_format *format, const struct group_table *table);

#endif
