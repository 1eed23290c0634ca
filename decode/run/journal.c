#include "decode/run/journal.h"

#include "util/csv.h"
#include "util/csvread.h"
#include "util/path.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_NAME ".recordings.journal"
#define JOURNAL_MOST ((size_t)1 << 30) /* bytes; 10,000 recordings take 5 million */

static const char *column_name(size_t column)
{
	static const char *const names[] = { "state", "tables", "question" };

	return column < RECORDINGS_COLUMNS ? recordings_format.columns[column].name
	                                   : names[column - RECORDINGS_COLUMNS];
}

/* --- rows in memory */

struct row_key {
	const struct journal *journal;
	size_t column;
	const char *text;
};

static bool has_key(const void *context, uint32_t number)
{
	const struct row_key *key = context;

	return !strcmp(journal_cell(key->journal, &key->journal->rows[number], key->column),
	               key->text);
}

static uint64_t key_hash(const struct journal *journal, const char *text)
{
	return hash_bytes(journal->seed, text, strlen(text));
}

static const struct journal_row *find_row(const struct journal *journal,
                                          const struct hash_index *index, size_t column,
                                          const char *text)
{
	const struct row_key key = { journal, column, text };
	uint32_t number = hash_index_find(index, key_hash(journal, text), has_key, &key);

	return number == MAP_NONE ? NULL : &journal->rows[number];
}

const struct journal_row *journal_of_file(const struct journal *journal, const char *file)
{
	return find_row(journal, &journal->by_file, RECORDINGS_FILE, file);
}

const struct journal_row *journal_of_recording(const struct journal *journal, const char *recording)
{
	return find_row(journal, &journal->by_recording, RECORDINGS_RECORDING, recording);
}

/* The number of the row of that key, which is the next one if there was none; MAP_NONE: err. */
static uint32_t put_row(struct journal *journal, struct hash_index *index, size_t column,
                        const char *text, uint32_t number, struct err *err)
{
	const struct row_key key = { journal, column, text };

	return hash_index_put(index, key_hash(journal, text), number, has_key, &key, err);
}

static bool keep_row(struct journal *journal, const struct journal_row *row, struct err *err)
{
	const char *file = journal_cell(journal, row, RECORDINGS_FILE);
	const char *recording = journal_cell(journal, row, RECORDINGS_RECORDING);
	uint32_t number;

	if (!vec_room(&journal->rows, journal->count, &journal->capacity, sizeof(*journal->rows),
	              err))
		return false;
	number = put_row(journal, &journal->by_file, RECORDINGS_FILE, file,
	                 (uint32_t)journal->count, err);
	if (number == MAP_NONE)
		return false;
	journal->rows[number] = *row;
	journal->count += number == journal->count;
	return !*recording || put_row(journal, &journal->by_recording, RECORDINGS_RECORDING,
	                              recording, number, err) != MAP_NONE;
}

static bool keep_cells(struct journal *journal, const char *const cells[JOURNAL_COLUMNS],
                       struct err *err)
{
	struct journal_row row;

	for (size_t i = 0; i < JOURNAL_COLUMNS; i++) {
		row.cells[i] = *cells[i] ? strings_put_text(&journal->strings, cells[i], err)
		                         : STRING_EMPTY;
		if (row.cells[i] == STRING_NONE)
			return false;
	}
	return keep_row(journal, &row, err);
}

static void forget_rows(struct journal *journal)
{
	hash_index_release(&journal->by_file);
	hash_index_release(&journal->by_recording);
	journal->count = 0;
	journal->read = 0;
}

/* --- the file */

/* Whether the header row is that of this version; another version's rows are not used. */
static bool has_our_columns(const struct csv_table *table)
{
	for (size_t i = 0; i < JOURNAL_COLUMNS; i++)
		if (csv_table_column(table, column_name(i)) != i)
			return false;
	return table->columns == JOURNAL_COLUMNS;
}

/* A row that a killed run has not written to its end is skipped. */
static bool read_rows(struct journal *journal, char *text, size_t size, struct err *err)
{
	const char *cells[JOURNAL_COLUMNS];
	struct err ignored = { 0 };
	struct csv_table table;
	bool ok = csv_table_open(&table, text, size, journal->path, &ignored) &&
	          has_our_columns(&table);

	while (ok && csv_table_next(&table)) {
		for (size_t i = 0; i < JOURNAL_COLUMNS; i++)
			cells[i] = csv_table_text(&table, i);
		if (table.width == JOURNAL_COLUMNS && *cells[RECORDINGS_FILE])
			ok = keep_cells(journal, cells, err);
	}
	csv_table_close(&table);
	return !err->code && err_pass_nomem(err, &ignored);
}

/* The whole file is read again where another run has added to it, which is rare. */
static bool read_file(struct journal *journal, struct err *err)
{
	int fd = open(journal->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	char *text;
	size_t got;
	bool ok;

	if (fd < 0)
		return errno == ENOENT || err_errno(err, "%s", journal->path);
	ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= JOURNAL_MOST;
	if (!ok)
		err_set(err, ERR_IO, "%s: expected a journal of readperf", journal->path);
	if (!ok || ((uint64_t)st.st_size == journal->read && journal->device == st.st_dev &&
	            journal->number == st.st_ino)) {
		close(fd);
		return ok;
	}
	forget_rows(journal);
	text = malloc((size_t)st.st_size + 1);
	ok = text && read_whole(fd, text, (size_t)st.st_size, &got);
	close(fd);
	if (!ok) {
		free(text);
		return text ? err_errno(err, "%s", journal->path)
		            : err_nomem(err, (size_t)st.st_size);
	}
	journal->read = got;
	journal->device = st.st_dev;
	journal->number = st.st_ino;
	/* the last row is not whole without a line end */
	while (got && text[got - 1] != '\n')
		got--;
	return read_rows(journal, text, got, err);
}

bool journal_open(struct journal *journal, const char *dir, struct err *err)
{
	*journal = (struct journal){ .lock = -1, .seed = hash_seed() };
	journal->path = path_format(err, "%s/" JOURNAL_NAME, dir);
	if (!journal->path || !strings_init(&journal->strings, err))
		return false;
	journal->lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (journal->lock < 0)
		return err_errno(err, "%s", dir);
	if (!journal_lock(journal, err))
		return false;
	journal_unlock(journal);
	return true;
}

void journal_close(struct journal *journal)
{
	forget_rows(journal);
	free(journal->rows);
	free(journal->path);
	strings_release(&journal->strings);
	if (journal->lock >= 0)
		close(journal->lock);
	*journal = (struct journal){ .lock = -1 };
}

bool journal_lock(struct journal *journal, struct err *err)
{
	while (flock(journal->lock, LOCK_EX) != 0)
		if (errno != EINTR)
			return err_errno(err, "%s: cannot lock its folder", journal->path);
	if (read_file(journal, err))
		return true;
	journal_unlock(journal);
	return false;
}

void journal_unlock(struct journal *journal)
{
	flock(journal->lock, LOCK_UN);
}

/* A line of CSV: malloc'd. names: of columns, in place of cells. NULL with err set. */
static char *make_line(const char *const cells[JOURNAL_COLUMNS], size_t *size, struct err *err)
{
	size_t room = 2;
	char *line, *at;

	for (size_t i = 0; i < JOURNAL_COLUMNS; i++)
		room += CSV_CELL_MOST(strlen(cells[i])) + 1;
	line = malloc(room);
	if (!line) {
		err_nomem(err, room);
		return NULL;
	}
	at = line;
	for (size_t i = 0; i < JOURNAL_COLUMNS; i++) {
		if (i)
			*at++ = ',';
		at = csv_cell(at, cells[i], strlen(cells[i]));
	}
	*at++ = '\n';
	*size = (size_t)(at - line);
	return line;
}

static bool write_line(int fd, const char *const cells[JOURNAL_COLUMNS], struct err *err)
{
	size_t size;
	char *line = make_line(cells, &size, err);
	const bool ok = line && write_whole(fd, line, size);
	const int error = errno;

	free(line);
	errno = error;
	return ok;
}

static bool write_header(int fd, struct err *err)
{
	const char *names[JOURNAL_COLUMNS];

	for (size_t i = 0; i < JOURNAL_COLUMNS; i++)
		names[i] = column_name(i);
	return write_line(fd, names, err);
}

/* Notes how far the file is known. */
static void note_end(struct journal *journal, int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0) {
		journal->read = (uint64_t)st.st_size;
		journal->device = st.st_dev;
		journal->number = st.st_ino;
	}
}

bool journal_add(struct journal *journal, const char *const cells[JOURNAL_COLUMNS], struct err *err)
{
	int fd = open(journal->path,
	              O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	char last = '\n';
	struct stat st;
	bool ok;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_errno(err, "%s: cannot write", journal->path);
	/* a row that was not written to its end must not run into this one */
	ok = st.st_size ? pread(fd, &last, 1, st.st_size - 1) == 1 &&
	                          (last == '\n' || write_whole(fd, "\n", 1))
	                : write_header(fd, err);
	ok = ok && write_line(fd, cells, err);
	if (!ok)
		err_errno(err, "%s: cannot write", journal->path);
	note_end(journal, fd);
	close(fd);
	/* what is known is right even if it could not be written */
	return keep_cells(journal, cells, err) && ok;
}

/* --- the rows that stay */

static bool has_folder(const struct journal *journal, const struct journal_row *row,
                       const char *dir, struct err *err)
{
	const char *recording = journal_cell(journal, row, RECORDINGS_RECORDING);
	char *path;
	struct stat st;
	bool found;

	if (!*recording)
		return true;
	path = path_format(err, "%s/recording=%s", dir, recording);
	found = path && stat(path, &st) == 0;
	free(path);
	return found;
}

struct sorted_row {
	const char *file;
	struct journal_row row;
};

static int by_file(const void *one, const void *other)
{
	return strcmp(((const struct sorted_row *)one)->file,
	              ((const struct sorted_row *)other)->file);
}

static bool sort_rows(struct journal *journal, struct err *err)
{
	struct sorted_row *sorted = vec_new(journal->count, sizeof(*sorted), err);
	const size_t count = journal->count;
	uint64_t read = journal->read;
	bool ok = sorted != NULL;

	for (size_t i = 0; ok && i < count; i++)
		sorted[i] = (struct sorted_row){
			journal_cell(journal, &journal->rows[i], RECORDINGS_FILE), journal->rows[i]
		};
	if (ok && count)
		qsort(sorted, count, sizeof(*sorted), by_file);
	if (ok)
		forget_rows(journal);
	for (size_t i = 0; ok && i < count; i++)
		ok = keep_row(journal, &sorted[i].row, err);
	journal->read = read;
	free(sorted);
	return ok;
}

/* A run that is killed here leaves the old one, and a file that the next one writes over. */
static bool write_anew(struct journal *journal, struct err *err)
{
	char *path = path_format(err, "%s.new", journal->path);
	int fd = path ? open(path,
	                     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	                     0666)
	              : -1;
	bool ok = fd >= 0 && write_header(fd, err);

	for (size_t i = 0; ok && i < journal->count; i++) {
		const char *cells[JOURNAL_COLUMNS];

		for (size_t k = 0; k < JOURNAL_COLUMNS; k++)
			cells[k] = journal_cell(journal, &journal->rows[i], k);
		ok = write_line(fd, cells, err);
	}
	ok = ok && rename(path, journal->path) == 0;
	if (!ok)
		err_errno(err, "%s: cannot write", journal->path);
	if (ok)
		note_end(journal, fd);
	if (fd >= 0)
		close(fd);
	free(path);
	return ok;
}

bool journal_compact(struct journal *journal, const char *dir, struct err *err)
{
	uint64_t size = 0;
	size_t kept = 0;

	for (size_t i = 0; i < journal->count; i++) {
		if (!has_folder(journal, &journal->rows[i], dir, err))
			continue;
		for (size_t k = 0; k < JOURNAL_COLUMNS; k++)
			size += strlen(journal_cell(journal, &journal->rows[i], k)) + 1;
		journal->rows[kept++] = journal->rows[i];
	}
	journal->count = kept;
	return !err->code && sort_rows(journal, err) &&
	       (journal->read < 2 * size + 4096 || write_anew(journal, err));
}
