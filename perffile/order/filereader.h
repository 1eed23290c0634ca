/*
 * One file of the recording, and how far it has been read. Nearly all records are samples that lie
 * one behind the other: they are read by the span.
 *
 * The first reading of a file notes the smallest time of each part of PART_RECORDS records. From
 * its end backwards, the minimum of these is a lower bound: nothing from that part on is older,
 * whatever order the recorder wrote.
 */
#ifndef READPERF_PERFFILE_ORDER_FILEREADER_H
#define READPERF_PERFFILE_ORDER_FILEREADER_H

#include "perffile/record/decode.h"

#define PART_RECORDS 1024

struct file_reader {
	struct stream *stream;
	uint64_t first_nr, nr;  /* positions of its first and its next record */
	uint64_t *lower_bounds; /* ns, of each part; see reader_finish_bounds() */
	size_t bound_count, bound_capacity;
	bool done;
};

/* SAMPLE records with a time, one behind the other in a block. */
struct sample_span {
	const uint8_t *data, *end;
	size_t count;
	uint64_t first_time, least_time; /* ns */
	uint64_t last_time;              /* ns; only if they ascend */
};

/*
 * Finds at most `most` samples at the stream's front; if `ascending`, up to one that is older than
 * the one before. False if there are none of that kind: then stream_get() is due.
 */
bool reader_find_samples(const struct file_reader *reader, const struct session *session,
                         size_t most, bool ascending, struct sample_span *span);

/* Records up to the next part. */
static inline size_t reader_left_in_part(const struct file_reader *reader)
{
	return PART_RECORDS - (size_t)((reader->nr - reader->first_nr) % PART_RECORDS);
}

/* Begins a part with the next record, if one is due. False with err set when memory is refused. */
bool reader_begin_part(struct file_reader *reader, struct err *err);

/* Notes the time (ns) of a record of the part that was begun last. */
static inline void reader_note_time(struct file_reader *reader, uint64_t time)
{
	uint64_t *bound = &reader->lower_bounds[reader->bound_count - 1];

	*bound = u64_min(*bound, time);
}

/* Turns the smallest time of each part into the smallest time from each part on. */
void reader_finish_bounds(struct file_reader *reader);
/* Then: the lower bound (ns) of all that is unread, TIME_NONE if nothing is. */
uint64_t reader_lower_bound(const struct file_reader *reader);

/* Frees all that is in it. */
void reader_release(struct file_reader *reader);

#endif
