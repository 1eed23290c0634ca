/* From the options to the choice of samples, and what is said of it when all are counted. */
#ifndef READPERF_DECODE_CHOOSING_H
#define READPERF_DECODE_CHOOSING_H

#include "decode/options.h"

/* Whether functions are selected: what each table of samples says is known when places have names.
 */
bool choosing_functions(const struct options *options);
/* Whether selections or groups need the names of places. */
bool choosing_needs_names(const struct options *options);
/* Before the first record. False with err set when memory is refused. */
bool choosing_begin(const struct options *options, struct buildstat *stat, struct err *err);
/*
 * After the last record, and the names of functions where these are selected: warns of what matched
 * nothing. False with err set if no sample is left.
 */
bool choosing_end(const struct options *options, const struct buildstat *stat, struct diag *diag,
                  struct err *err);

#endif
