/*
 * One file of the recording, and how far it has been read. Nearly all records are samples that lie
 * one behind the other, and these are read as one span.
 *
 * The first reading of a file divides it into parts, and notes the smallest time in each. Taking
 * the minimum from the end backwards gives a lower bound for each part: no record from that part on
 * is older, whatever the order in the file. The second reading goes from part to part.
 */
#ifndef READPERF_PERFFILE_ORDER_FILEREADER_H
#define READPERF_PERFFILE_ORDER_FILEREADER_H

#include "perffile/order/records.h"
#include "perffile/record/decode.h"
#include "perffile/record/summary.h"

/* A part ends with so many records, or with the span that makes it so many bytes of the file. */
#define PART_RECORDS 1024
#define PART_BYTES STREAM_BLOCK_SIZE

struct file_part {
	uint64_t first_nr;    /* position of its first record */
	uint64_t lower_bound; /* ns; see reader_finish_parts() */
};

/* All zeros is a reader of nothing; the caller sets the stream. */
struct file_reader {
	struct stream *stream;
	uint64_t first_nr, nr; /* positions of its first record and of the next one to read */
	struct file_part *parts;
	size_t part_count, part_capacity;
	size_t part;          /* second reading: the part that is being read */
	uint64_t part_offset; /* first reading: where the last part begins in the file */
	bool done;
};

void reader_release(struct file_reader *reader);

/*
 * SAMPLE records with a time of the clock, one behind the other in a block. FINISHED_ROUND records
 * may lie behind each: where system calls are traced, perf writes one after every few samples.
 */
struct sample_span {
	struct waiting_span records; /* of both types */
	const uint8_t *end;
	size_t samples;
	uint64_t least_time, greatest_time; /* ns */
	/* ns: the greatest time before the last FINISHED_ROUND, and before the one before that */
	uint64_t last_round, round_before;
};

/*
 * Finds the span at the front of the stream, of at most `most` records; if `ascending`, only up to
 * the first sample that is older than the one before. False if the next record is not such a
 * sample: then call stream_next().
 */
bool reader_find_samples(const struct file_reader *reader, const struct session *session,
                         size_t most, bool ascending, struct sample_span *span);
/* Counts the records of a span, and notes their times. */
void reader_count_span(const struct sample_span *span, struct read_summary *summary);

/*
 * First reading: begins a new part if the last one has ended. Returns how many records the part may
 * still have; 0 with err set when memory is refused.
 */
size_t reader_begin_part(struct file_reader *reader, struct err *err);

/* Notes the time (ns) of a record of the current part. */
static inline void reader_note_time(struct file_reader *reader, uint64_t time)
{
	uint64_t *bound = &reader->parts[reader->part_count - 1].lower_bound;

	*bound = u64_min(*bound, time);
}

/* Turns the smallest time in each part into the smallest time from each part on. */
void reader_finish_parts(struct file_reader *reader);

/* Second reading: the position of the first record behind the part that the next record is in. */
uint64_t reader_part_end(struct file_reader *reader);
/*
 * After reader_finish_parts(): a lower bound (ns) of the times of all unread records; TIME_NONE if
 * there are none.
 */
uint64_t reader_lower_bound(struct file_reader *reader);

#endif
