/* What the functions that decode record types share. */
#ifndef READPERF_PERFFILE_RECORD_PAYLOAD_H
#define READPERF_PERFFILE_RECORD_PAYLOAD_H

#include "perffile/input/stream.h"
#include "perffile/record/record.h"

/* The part of a record that the function of its type decodes. */
struct payload {
	size_t end;                /* bytes from the record's start to where the trailer starts */
	const struct event *event; /* whose layout the record has; NULL: no event is known yet */
	struct err *problem;       /* set where the payload is damaged */
};

/*
 * Fields of the raw record, at an offset in bytes from its start. A record that is not damaged has
 * all bytes of its type's least size.
 */
static inline uint64_t record_u64(const struct record *record, size_t at)
{
	return load_u64(record->data + at, record->swap);
}

static inline uint32_t record_u32(const struct record *record, size_t at)
{
	return load_u32(record->data + at, record->swap);
}

static inline uint16_t record_u16(const struct record *record, size_t at)
{
	return load_u16(record->data + at, record->swap);
}

/* A cursor from there to the end, for lists whose size is in the payload. */
static inline struct cursor payload_from(const struct record *record, const struct payload *payload,
                                         size_t at, const char *name)
{
	return cursor_over(record->data + at, payload->end - at, block_offset(record->data) + at,
	                   name, record->swap, payload->problem);
}

/* Decodes the payload of a SAMPLE record. */
void sample_decode(struct record *record, const struct payload *payload);
/*
 * Decodes the READ values of a sample or of a READ record, and moves the cursor behind them. Values
 * that do not fit set the cursor's error.
 */
void read_decode(struct record_read *read, uint64_t format, struct cursor *c);

#endif
