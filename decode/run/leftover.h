/* The tables in a folder: those that a run writes, and those that earlier runs left there. */
#ifndef READPERF_DECODE_RUN_LEFTOVER_H
#define READPERF_DECODE_RUN_LEFTOVER_H

#include "decode/tables/about.h"
#include "decode/tables/grouptables.h"
#include "util/output.h"

#define ALL_NAMES_SIZE (TABLE_NAMES_SIZE + GROUP_TABLES_MOST * GROUP_NAME_SIZE)

/* "stat,overview,groups": the tables of this run, without about itself. */
void tables_written(const struct table_set *set, const struct report *report,
                    char names[ALL_NAMES_SIZE]);
/*
 * Whether a file is of any table: of one that every run can write, or of one of --by, which only
 * about.csv knows. names: those in about.csv, with commas between.
 */
bool leftover_is_table(const char *names, const char *file);
/*
 * When all tables are written, but do not have their names yet: if the folder has an about.csv of
 * another recording than the one written, warns, and names its tables that will stay in the folder.
 */
void leftover_compare(const char *folder, const char *written, const struct outputs *outputs,
                      struct diag *diag);

#endif
