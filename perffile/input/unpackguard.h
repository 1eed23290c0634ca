/*
 * Tells a real packed recording from a decompression bomb while it is unpacked. In: the unpacked
 * bytes, piece by piece. Out: an error as soon as there are more of them than the packed bytes can
 * justify.
 *
 * The ratio alone is not enough: copies of stacks are nearly the same in all samples, and real
 * recordings unpack to 5,000 times their packed bytes. But each of their records has a different
 * time, which takes up packed bytes. So records that differ justify a large ratio; repeated ones,
 * and bytes that are no records, justify only a small one.
 */
#ifndef READPERF_PERFFILE_INPUT_UNPACKGUARD_H
#define READPERF_PERFFILE_INPUT_UNPACKGUARD_H

#include "util/errhandler.h"

/* Bytes and records that any recording may unpack to. */
#define UNPACK_ALWAYS ((uint64_t)64 * 1024 * 1024)
#define UNPACK_RECORDS ((uint64_t)4000000)

/* A packed record takes one bit at least. */
static inline uint64_t unpack_records_most(uint64_t packed)
{
	return u64_add_sat(UNPACK_RECORDS, u64_mul_sat(packed, 8));
}

/* A packed record of 64 KB, the largest size, takes four bytes at least; 14 were measured. */
static inline uint64_t unpack_bytes_most(uint64_t packed)
{
	return u64_add_sat(UNPACK_ALWAYS, u64_mul_sat(packed, 65536 / 4));
}

struct unpack_guard {
	uint64_t packed;     /* bytes of the whole packed recording */
	bool swap;           /* its byte order is not ours */
	bool in_records;     /* behind the recording's own header */
	uint8_t head[104];   /* first bytes of the recording, then of each record */
	size_t held, wanted; /* held: bytes in head; wanted: bytes that are necessary to go on */
	uint64_t body;       /* bytes that are left of the record */
	/* bytes behind it that belong to no record: up to the first one, the payload that follows
	   some, or all that comes after the last record or after damage */
	uint64_t gap;
	uint64_t data_left;  /* bytes up to the end of all records */
	uint64_t total, odd; /* total: all unpacked bytes; odd: those that are no records, or
	                        repeated ones */
	uint64_t records;
	uint64_t seen[1024]; /* hashes of the first bytes of recent records */
};

/* packed: bytes of the whole packed recording. */
void unpack_guard_init(struct unpack_guard *guard, uint64_t packed);
/*
 * Checks the next unpacked bytes, for struct inflate_watch; context: the guard. False with err set
 * (ERR_LIMIT) if they are too many.
 */
bool unpack_guard_look(void *context, const uint8_t *data, size_t size, struct err *err);

#endif
