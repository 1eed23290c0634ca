/* The fields of a sample that lie behind the fixed ones, and have no fixed size. */
#ifndef READPERF_PERFFILE_RECORD_SAMPLEVARIABLE_H
#define READPERF_PERFFILE_RECORD_SAMPLEVARIABLE_H

#include "perffile/record/record.h"

/*
 * READ values: of a sample, or of a READ record. Leaves the cursor behind them. Values that do not
 * fit set the cursor's error, as in the function below.
 */
void read_decode(struct record_read *read, uint64_t format, struct cursor *c);
/*
 * All fields behind the fixed ones, in the order of format reference 4.1; c is at the first, and
 * sample is all zeros. Bytes behind the last one are an error too.
 */
void sample_decode_variable(struct record_sample *sample, const struct event *event,
                            struct cursor *c);

#endif
