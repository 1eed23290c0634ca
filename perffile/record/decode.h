/*
 * Decodes a raw record: only its time, or all of it. Format reference, sections 3 and 4;
 * recordtypes.c has the part of each type.
 */
#ifndef READPERF_PERFFILE_RECORD_DECODE_H
#define READPERF_PERFFILE_RECORD_DECODE_H

#include "perffile/input/stream.h"
#include "perffile/record/sample.h"

/*
 * The time that orders the record at data, or TIME_NONE: that of a sample is its own, that of other
 * records is in the trailer; FORK and EXIT without a trailer have it in their payload. 0 and ~0
 * count as none.
 */
uint64_t record_time(const struct session *session, const uint8_t *data);

/*
 * Decodes the record at data, in a block, which has one of the kernel's types; event: its number,
 * or EVENT_UNKNOWN. The caller sets nr and time. A record that is too short for its type is marked
 * as damaged, and problem says why.
 */
void record_decode(struct record *record, const struct session *session, const uint8_t *data,
                   uint32_t event, struct err *problem);

/*
 * Decodes all fields of a sample that was passed to samples(), into the struct record that record()
 * would have received. It points into the raw record, and is valid as long as the callback that
 * received the sample.
 */
void sample_record(struct record *record, const struct session *session,
                   const struct sample *sample);

#endif
