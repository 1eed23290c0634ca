/* Warnings about the tables: what the recording lacks, and what has no name. */
#ifndef READPERF_DECODE_TABLES_REMARKS_H
#define READPERF_DECODE_TABLES_REMARKS_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

/* Warns of what was lost, skipped or guessed while reading. file: path of the recording. */
void remarks_on_reading(const struct report *report, const struct table_set *set, const char *file,
                        struct diag *diag);
/* Warns of keys of --by that no sample has. */
void remarks_on_keys(const struct report *report, struct diag *diag);
/*
 * Warns how much has no name, by reason, and says what to do about the most frequent one. Silent
 * below 1 %, unless verbose, and if everything has a name.
 */
void remarks_on_names(const struct results *results, const struct strings *strings,
                      const struct symbol_options *options, bool verbose, struct diag *diag);

/* Warns if stacks are not complete, saying what to record instead, and if stacks were folded. */
void remarks_on_stacks(const struct report *report, struct diag *diag);

#endif
