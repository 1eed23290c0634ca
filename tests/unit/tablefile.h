/* Tables as CSV, for tests of their printers. */
#ifndef READPERF_TESTS_UNIT_TABLEFILE_H
#define READPERF_TESTS_UNIT_TABLEFILE_H

#include "decode/tables/tables.h"
#include "util/csv.h"

/* Of struct table_files: all tables go to one file, whose descriptor the context points to. */
int open_same_file(void *context, const char *name, struct packer **packer, struct err *err);
/* Appends the table to the file. False with err set when memory is refused. */
bool table_to_file(int fd, const struct table *table, const struct report *report, struct err *err);

#endif
