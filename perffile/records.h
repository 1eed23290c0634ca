/*
 * The timestamp-sorted AVL tree: records wait here until nothing older can come. The key is (time,
 * position), so equal times keep file order.
 *
 * A recording is a few ascending streams, written in turn: records that follow each other in a block
 * and in time are one run, and a run is one node. The node's key is that of the run's first record
 * that still waits; what follows it lies behind it in memory. So a record costs an insertion only
 * where one stream ends and another begins.
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
/*
 * Adds a record of size bytes. *started tells whether a new run begins with it: its block must then
 * be held until records_take() says that the run is used up.
 */
bool records_insert(struct records *records, const struct waiting *waiting, size_t size,
                    bool *started, struct err *err);
/*
 * The first record in order, if its time is at most bound. It stays until records_next() is called,
 * which is due before the next call of any other function here.
 */
bool records_first(const struct records *records, uint64_t bound, struct waiting *waiting);
/* Whether another record of the same run follows the first one in memory. */
bool records_run_goes_on(const struct records *records);
/*
 * Takes the first record out. With records_run_goes_on(), next and time tell where its successor
 * lies and its time in ns; without, they are not used, and the run's block may be given back.
 */
bool records_next(struct records *records, const uint8_t *next, uint64_t time, struct err *err);
size_t records_count(const struct records *records);
size_t records_most(const struct records *records);

#endif
