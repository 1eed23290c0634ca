/* What the functions that decode record types share. */
#ifndef READPERF_PERFFILE_RECORD_PAYLOAD_H
#define READPERF_PERFFILE_RECORD_PAYLOAD_H

#include "perffile/record/record.h"

/* A raw record that has at least the bytes that its type needs. */
struct payload {
	const uint8_t *data; /* the record's header */
	size_t end;      /* bytes from there to the end of the payload, where the trailer starts */
	uint64_t offset; /* of the record in its file */
	bool swap;
	const struct event *event; /* whose layout the record has; NULL: no event is known yet */
	struct err *problem;       /* set where the payload is damaged */
};

/* Fields at an offset in bytes from the start of the record. */
static inline uint64_t payload_u64(const struct payload *payload, size_t at)
{
	return load_u64(payload->data + at, payload->swap);
}

static inline uint32_t payload_u32(const struct payload *payload, size_t at)
{
	return load_u32(payload->data + at, payload->swap);
}

static inline int32_t payload_s32(const struct payload *payload, size_t at)
{
	return (int32_t)payload_u32(payload, at);
}

static inline uint16_t payload_u16(const struct payload *payload, size_t at)
{
	return load_u16(payload->data + at, payload->swap);
}

/* A cursor from there to the end, for lists whose size is in the payload. */
static inline struct cursor payload_from(const struct payload *payload, size_t at, const char *name)
{
	return cursor_over(payload->data + at, payload->end - at, payload->offset + at, name,
	                   payload->swap, payload->problem);
}

/* Decodes the payload of a SAMPLE record. */
void sample_decode(struct record *record, const struct payload *payload);
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
