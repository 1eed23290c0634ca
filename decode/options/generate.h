/* --generate: input for other programs, made from the lists of options and tables. */
#ifndef READPERF_DECODE_OPTIONS_GENERATE_H
#define READPERF_DECODE_OPTIONS_GENERATE_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

#include <stdio.h>

struct generator;

/* What the word asks for; NULL: it is none of them. */
const struct generator *generator_find(const char *word);
/* The word with this index, NULL after the last one; for nearest_name(). */
const char *generate_word(const void *context, size_t index);
/* Prints it. set, groups: the tables for loaders. */
void generate_print(FILE *out, const struct generator *generator, const struct table_set *set,
                    const struct group_tables *groups);

/* Man page and completions: decode/options/generateshell.c. */
void man_print(FILE *out);
void bash_print(FILE *out);
void zsh_print(FILE *out);
void fish_print(FILE *out);

#endif
