/*
 * The timestamp-sorted AVL tree: records wait here until nothing older can come. Its nodes are
 * small, live in one pool and point at the raw record; the key is (time, position), so equal times
 * keep file order.
 */
#ifndef READPERF_PERFFILE_RECORDS_H
#define READPERF_PERFFILE_RECORDS_H

#include "util/errhandler.h"

struct records;

/* What waits. */
struct waiting {
	uint64_t time; /* ns */
	uint64_t nr;   /* position in the recording; those that wait together lie within 2^31 */
	const uint8_t *data; /* the raw record; its block is held by whoever inserts */
};

struct records *records_new(struct err *err);
void records_free(struct records *records);
bool records_insert(struct records *records, const struct waiting *waiting, struct err *err);
/* Takes out the first record in order, if its time is at most bound. */
bool records_take(struct records *records, uint64_t bound, struct waiting *waiting);
size_t records_count(const struct records *records);
size_t records_most(const struct records *records);

#endif
