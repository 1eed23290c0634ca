/*
 * One file of the recording, and how far it has been read. Nearly all records are samples that lie
 * one behind the other, and these are read as one span.
 *
 * The first reading of a file notes the smallest time in each part of PART_RECORDS records. Taking
 * the minimum from the end backwards gives a lower bound for each part: no record from that part on
 * is older, whatever the order in the file.
 */
#ifndef READPERF_PERFFILE_ORDER_FILEREADER_H
#define READPERF_PERFFILE_ORDER_FILEREADER_H

#include "perffile/record/decode.h"

#define PART_RECORDS 1024

struct file_reader {
	struct stream *stream;
	uint64_t first_nr, nr;  /* positions of its first record and of the next one to read */
	uint64_t *lower_bounds; /* ns, one for each part; see reader_finish_bounds() */
	size_t bound_count, bound_capacity;
	bool done;
};

/* SAMPLE records with a time of the clock, one behind the other in a block. */
struct sample_span {
	const uint8_t *data, *end;
	size_t count;
	uint64_t first_time, least_time, greatest_time; /* ns */
	uint64_t last_time;                             /* ns; set only if the times ascend */
};

/*
 * Finds at most `most` samples at the front of the stream; if `ascending`, only up to the first one
 * that is older than the one before. False if the next record is not such a sample: then call
 * stream_get().
 */
bool reader_find_samples(const struct file_reader *reader, const struct session *session,
                         size_t most, bool ascending, struct sample_span *span);

/* Records that are left until the next part begins. */
static inline size_t reader_left_in_part(const struct file_reader *reader)
{
	return PART_RECORDS - (size_t)((reader->nr - reader->first_nr) % PART_RECORDS);
}

/* Begins a new part if the next record is its first. False with err set when memory is refused. */
bool reader_begin_part(struct file_reader *reader, struct err *err);

/* Notes the time (ns) of a record of the current part. */
static inline void reader_note_time(struct file_reader *reader, uint64_t time)
{
	uint64_t *bound = &reader->lower_bounds[reader->bound_count - 1];

	*bound = u64_min(*bound, time);
}

/* Turns the smallest time in each part into the smallest time from each part on. */
void reader_finish_bounds(struct file_reader *reader);
/*
 * After that: a lower bound (ns) of the times of all unread records; TIME_NONE if there are none.
 */
uint64_t reader_lower_bound(const struct file_reader *reader);

/* Frees everything in it. */
void reader_release(struct file_reader *reader);

#endif
