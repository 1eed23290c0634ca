/* Turns options into the selection of samples, and reports on it when all samples are counted. */
#ifndef READPERF_DECODE_CHOOSING_H
#define READPERF_DECODE_CHOOSING_H

#include "decode/options.h"

/* Whether selections or groups need names of places. */
bool choosing_needs_names(const struct options *options);
/*
 * Whether the times of the first and the last sample must be known before samples are counted; then
 * a pipe has to be copied to a file.
 */
bool choosing_needs_times(const struct options *options);
/* Before the first record. False with err set when memory is refused. */
bool choosing_begin(const struct options *options, struct buildstat *stat, struct err *err);
/*
 * After the last record and, if functions are selected, after naming: warns of values that matched
 * nothing. False with err set if no sample is left.
 */
bool choosing_end(const struct options *options, const struct buildstat *stat, struct diag *diag,
                  struct err *err);

#endif
