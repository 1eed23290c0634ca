/* --help and --version. */
#ifndef READPERF_DECODE_OPTIONS_HELP_H
#define READPERF_DECODE_OPTIONS_HELP_H

#include <stdio.h>

/* Made from option_list; no line has more than 80 columns. */
void help_print(FILE *out);
/* Version, schema number, and the libraries that this build has. */
void version_print(FILE *out);

#endif
