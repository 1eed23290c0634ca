/*
 * One file of the recording, and how far it has been read. Nearly all records are samples that lie one
 * behind the other: they are taken by the run.
 *
 * The first reading of a file keeps the smallest time of every FLOOR_RECORDS records. The running minimum
 * of those from the end is the bound that the second reading needs: nothing behind can be older, whatever
 * order the recorder wrote.
 */
#ifndef READPERF_PERFFILE_LANE_H
#define READPERF_PERFFILE_LANE_H

#include "perffile/sample.h"

#define FLOOR_RECORDS 1024 /* a part of the lane */

struct lane {
	struct stream *stream;
	uint64_t first_nr, nr; /* positions of its first and its next record */
	uint64_t meet;         /* offset in the file that no run passes; UINT64_MAX: none */
	uint64_t *
		floors; /* ns: no record of a part is older, or from a part on: lane_run_floors() */
	size_t floor_count, floor_capacity;
	bool done;
};

/* SAMPLE records with a time, one behind the other in a block. */
struct run {
	const uint8_t *data, *end;
	size_t count;
	uint64_t first_time, least_time; /* ns */
	uint64_t last_time;              /* ns; of ascending samples alone */
};

/*
 * The run of at most `most` samples at the stream's front; if ascending, as queue_run() wants them, up to
 * one that is older than the one before. False if they are not that simple: each record is then looked at
 * alone.
 */
bool lane_run(const struct lane *lane, const struct session *session, size_t most, bool ascending,
              struct run *run);

/* Records up to the next part. */
static inline size_t lane_left(const struct lane *lane)
{
	return FLOOR_RECORDS - (size_t)((lane->nr - lane->first_nr) % FLOOR_RECORDS);
}

/* A part for the next record, if that starts one. False with err set when memory is refused. */
bool lane_add_floor(struct lane *lane, struct err *err);

/* A time of the part at work. */
static inline void lane_note(struct lane *lane, uint64_t time)
{
	uint64_t *floor = &lane->floors[lane->floor_count - 1];

	*floor = u64_min(*floor, time);
}

/* The records of `rest` follow. Its floors are of its own parts. False with err set when memory is refused. */
bool lane_append(struct lane *lane, const struct lane *rest, struct err *err);
/* From the smallest time of each part to the smallest time from each part on. */
void lane_run_floors(struct lane *lane);
/* Then: what nothing that is still unread can be older than, in ns. */
uint64_t lane_floor(const struct lane *lane);

/* Frees all that is in it. */
void lane_release(struct lane *lane);

#endif
