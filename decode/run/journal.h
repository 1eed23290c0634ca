/*
 * What is known of the recordings whose tables lie in a folder: .recordings.journal, a CSV file to
 * which every run appends a row for each recording that it has read, as soon as its tables are
 * there. So a run that is killed goes on where it stopped, a recording that has not changed is not
 * read again, and runs at the same time know of each other. recordings.csv is made from it.
 */
#ifndef READPERF_DECODE_RUN_JOURNAL_H
#define READPERF_DECODE_RUN_JOURNAL_H

#include "decode/tables/recordings.h"
#include "util/strings.h"

enum journal_column {
	JOURNAL_STATE = RECORDINGS_COLUMNS, /* of the file when it was read: see file_state() */
	JOURNAL_TABLES,                     /* that were asked for, with commas around each */
	JOURNAL_QUESTION,                   /* what else changes tables */
	JOURNAL_COLUMNS
};

/* A row; the texts of its cells belong to the journal. */
struct journal_row {
	uint32_t cells[JOURNAL_COLUMNS];
};

struct journal {
	char *path; /* of its file; owned */
	int lock;   /* descriptor of the folder */
	struct strings strings;
	struct journal_row *rows; /* the last one of each file */
	size_t count, capacity;
	struct hash_index by_file, by_recording; /* by_recording: the first one of each */
	uint64_t seed;
	/* how far the file was read, and which it was: another run may put a shorter one there */
	uint64_t read, device, number;
};

/* Reads what is there. False with err set; journal_close() must be called in any case. */
bool journal_open(struct journal *journal, const char *dir, struct err *err);
void journal_close(struct journal *journal);

/*
 * Keeps other runs from changing the journal and the folders, and reads what they have added. False
 * with err set, unlocked.
 */
bool journal_lock(struct journal *journal, struct err *err);
void journal_unlock(struct journal *journal);

/* The row of a file, or of the first file with that recording; NULL: there is none. */
const struct journal_row *journal_of_file(const struct journal *journal, const char *file);
const struct journal_row *journal_of_recording(const struct journal *journal,
                                               const char *recording);
static inline const char *journal_cell(const struct journal *journal, const struct journal_row *row,
                                       size_t column)
{
	return strings_get(&journal->strings, row->cells[column]);
}

/*
 * Appends a row, which replaces that of the same file. The journal must be locked. False with err
 * set if it cannot be written.
 */
bool journal_add(struct journal *journal, const char *const cells[JOURNAL_COLUMNS],
                 struct err *err);
/*
 * Removes rows of recordings whose folder has gone, sorts the others by file, and writes the file
 * anew if it has grown to twice its size. The journal must be locked. False with err set.
 */
bool journal_compact(struct journal *journal, const char *dir, struct err *err);

#endif
