/* --generate: input for other programs, made from the lists of options and tables. */
#ifndef READPERF_DECODE_OPTIONS_GENERATE_H
#define READPERF_DECODE_OPTIONS_GENERATE_H

#include "decode/options/options.h"

#include <stdio.h>

/* Prints it. set, groups: the tables for loaders. */
void generate_print(FILE *out, enum generated what, const struct table_set *set,
                    const struct group_tables *groups);

/* Man page and completions: decode/options/generateshell.c. */
void man_print(FILE *out);
void bash_print(FILE *out);
void zsh_print(FILE *out);
void fish_print(FILE *out);

#endif
