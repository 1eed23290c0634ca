/*
 * Tells a packed recording from a bomb while it is unpacked. In: the unpacked bytes, piece by
 * piece. Out: an error as soon as there are more than the packed bytes can justify.
 *
 * The ratio alone does not tell: copies of stacks are nearly the same from sample to sample, and
 * real recordings unpack to 5,000 times their packed bytes. But each of their records has a time of
 * its own, which takes packed bytes. So records that differ justify a lot, what is repeated or is
 * no record justifies little.
 */
#ifndef READPERF_PERFFILE_INPUT_UNPACKGUARD_H
#define READPERF_PERFFILE_INPUT_UNPACKGUARD_H

#include "util/errhandler.h"

/* Bytes and records that any recording may unpack to. */
#define UNPACK_ALWAYS ((uint64_t)64 * 1024 * 1024)
#define UNPACK_RECORDS ((uint64_t)4000000)

/* No record takes less than a bit, packed. */
static inline uint64_t unpack_records_most(uint64_t packed)
{
	return u64_add_sat(UNPACK_RECORDS, u64_mul_sat(packed, 8));
}

/* One of 64 KB, the largest, takes four bytes at least: measured are 14. */
static inline uint64_t unpack_bytes_most(uint64_t packed)
{
	return u64_add_sat(UNPACK_ALWAYS, u64_mul_sat(packed, 65536 / 4));
}

/* What the next unpacked byte belongs to. */
enum unpack_state {
	UNPACK_HEADER,      /* the recording's own header */
	UNPACK_GAP,         /* up to the first record, or the payload behind one */
	UNPACK_RECORD_HEAD, /* the first bytes of a record */
	UNPACK_RECORD_BODY, /* the others */
	UNPACK_REST         /* behind the records, or behind damage */
};

struct unpack_guard {
	uint64_t packed; /* bytes of the whole packed recording */
	bool swap;       /* its byte order is not ours */
	enum unpack_state state;
	uint8_t head[104];   /* first bytes of the recording, then of each record */
	size_t held, wanted; /* bytes in head; how many it takes to go on */
	uint64_t left;       /* bytes of the gap or of the body */
	uint64_t payload;    /* bytes behind the body that are no records */
	uint64_t data_left;  /* bytes up to the end of all records */
	uint64_t total, odd; /* bytes: all; those that are no records, or repeated ones */
	uint64_t records;
	uint64_t seen[1024]; /* hashes of the first bytes of records before */
};

/* packed: bytes of the whole packed recording. */
void unpack_guard_init(struct unpack_guard *guard, uint64_t packed);
/* The next unpacked bytes. False with err set (ERR_LIMIT) if they are too many. */
bool unpack_guard_look(struct unpack_guard *guard, const uint8_t *data, size_t size,
                       struct err *err);

#endif
