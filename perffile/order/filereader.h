/*
 * One file of the recording, and how far it has been read. Nearly all records are samples that lie one
 * behind the other: they are taken by the run.
 *
 * The first reading of a file keeps the smallest time of every FLOOR_RECORDS records. The running minimum
 * of those from the end is the bound that the second reading needs: nothing behind can be older, whatever
 * order the recorder wrote.
 */
#ifndef READPERF_PERFFILE_ORDER_FILEREADER_H
#define READPERF_PERFFILE_ORDER_FILEREADER_H

#include "perffile/record/decode.h"

#define FLOOR_RECORDS 1024 /* a part of the file_reader */

struct file_reader {
	struct stream *stream;
	uint64_t first_nr, nr; /* positions of its first and its next record */
	uint64_t meet;         /* offset in the file that no run passes; UINT64_MAX: none */
	uint64_t *
		floors; /* ns: no record of a part is older, or from a part on: file_reader_run_floors() */
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
bool file_reader_run(const struct file_reader *file_reader, const struct session *session,
                     size_t most, bool ascending, struct run *run);

/* Records up to the next part. */
static inline size_t file_reader_left(const struct file_reader *file_reader)
{
	return FLOOR_RECORDS - (size_t)((file_reader->nr - file_reader->first_nr) % FLOOR_RECORDS);
}

/* A part for the next record, if that starts one. False with err set when memory is refused. */
bool file_reader_add_floor(struct file_reader *file_reader, struct err *err);

/* A time of the part at work. */
static inline void file_reader_note(struct file_reader *file_reader, uint64_t time)
{
	uint64_t *floor = &file_reader->floors[file_reader->floor_count - 1];

	*floor = u64_min(*floor, time);
}

/* The records of `rest` follow. Its floors are of its own parts. False with err set when memory is refused. */
bool file_reader_append(struct file_reader *file_reader, const struct file_reader *rest,
                        struct err *err);
/* From the smallest time of each part to the smallest time from each part on. */
void file_reader_run_floors(struct file_reader *file_reader);
/* Then: what nothing that is still unread can be older than, in ns. */
uint64_t file_reader_floor(const struct file_reader *file_reader);

/* Frees all that is in it. */
void file_reader_release(struct file_reader *file_reader);

#endif
