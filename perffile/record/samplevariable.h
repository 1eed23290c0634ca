/* The fields of a sample that follow the fixed ones and vary in size. */
#ifndef READPERF_PERFFILE_RECORD_SAMPLEVARIABLE_H
#define READPERF_PERFFILE_RECORD_SAMPLEVARIABLE_H

#include "perffile/record/record.h"

/*
 * Decodes the READ values of a sample or of a READ record, and moves the cursor behind them. Values
 * that do not fit set the cursor's error, here and below.
 */
void read_decode(struct record_read *read, uint64_t format, struct cursor *c);
/*
 * Decodes all fields that follow the fixed ones, in the order of format reference 4.1. c is at the
 * first of them, and sample is all zeros. Bytes left after the last one are an error too.
 */
void sample_decode_variable(struct record_sample *sample, const struct event *event,
                            struct cursor *c);

#endif
