/*
 * The rows of intervals.csv, in the order of their begins. A row is complete when its interval
 * ends, so rows wait for older ones in memory, at most INTERVALS_WAITING. One that ends after so
 * many others began is written late, and put back in its place when the rows are read:
 *
 *   begin -> number -> window -> rows, by number ------------------\
 *                          \---> rows that are late -> late.number --> interval_rows_next()
 *
 * In:  begins, and rows in the order of their ends.
 * Out: the rows in the order of their begins.
 */
#ifndef READPERF_DECODE_TALLY_INTERVALLOG_H
#define READPERF_DECODE_TALLY_INTERVALLOG_H

#include "util/sorter.h"
#include "util/spool.h"

/* How an interval ended. */
enum interval_state {
	INTERVAL_OPEN, /* it has no row, and may never have one */
	INTERVAL_ENDED,
	INTERVAL_UNFINISHED
};

/* A row of intervals.csv. Unknown numbers of threads and CPUs are -1. */
struct interval_row {
	uint64_t number;         /* of the begin, which numbers are given to in order */
	uint64_t time, duration; /* ns; time: TIME_NONE if the begin is not recorded */
	uint64_t weight;         /* its period as a sample */
	uint64_t nr, end_nr;     /* of records, as in overview.csv; UINT64_MAX: not recorded */
	uint64_t what;           /* as the word of KEY_WHAT */
	int64_t result;          /* of RESULT_VALUE and RESULT_ERROR */
	uint32_t event, comm, thread;
	uint32_t result_text; /* string */
	uint32_t by_thread;   /* string */
	int32_t pid, tid, cpu, end_cpu, by_pid, by_tid;
	uint8_t result_kind; /* enum interval_result */
	uint8_t state;       /* enum interval_state */
	uint8_t has_by;
	uint8_t counts;  /* it is a sample of its event */
	uint8_t is_late; /* it stands behind rows with larger numbers */
};

#define INTERVALS_WAITING 32768 /* rows in memory, except in tests: some 4 MB */

struct interval_log {
	bool open;
	struct waiting_row {
		struct interval_row row;
		uint32_t cell; /* of its stack, or MAP_NONE */
	} * window;            /* of the numbers from first to next - 1, at number % room */
	size_t room;
	uint64_t first, next;
	struct spool rows;
	struct spool *cells; /* borrowed: a u32 for each row; NULL: there are none */
	uint64_t count;      /* of rows in the file */
	struct sorter late;  /* struct late_row */
};

/*
 * room: how many rows may wait. All zeros is a closed log. False with err set, as for all functions
 * below; interval_log_close() must be called in any case.
 */
bool interval_log_open(struct interval_log *log, const char *dir, size_t room, struct err *err);
void interval_log_close(struct interval_log *log);
/* Sets the number of an interval that begins. */
bool interval_log_begin(struct interval_log *log, uint64_t *number, struct err *err);
/* Keeps the row of a number, which has ended. */
bool interval_log_put(struct interval_log *log, const struct interval_row *row, uint32_t cell,
                      struct err *err);
/*
 * Writes all rows that wait; those of open intervals will be late. Before the cells in their spool
 * get other numbers, which rows in memory would not.
 */
bool interval_log_flush(struct interval_log *log, struct err *err);
/* After the last row. */
bool interval_log_finish(struct interval_log *log, struct err *err);

/* Reads the rows, beside other readers. All zeros is a closed one. */
struct interval_rows {
	const struct interval_log *log; /* borrowed */
	struct spool file, cells;
	uint64_t taken;                   /* rows of the file */
	const struct interval_row *ahead; /* the next one that is not late; NULL: there is none */
	bool ahead_taken;                 /* it was returned, so that another one follows */
	uint32_t ahead_cell;
	struct sorter_cursor late;
	const struct late_row *late_ahead; /* NULL: there is none */
	struct interval_row row;           /* the last one, if it was late */
};

/*
 * After the last row, and before the first reader, where the cells in their spool have their last
 * numbers.
 */
bool interval_readers_begin(struct interval_log *log, struct err *err);
/* After interval_readers_begin(). interval_rows_close() must be called in any case. */
bool interval_rows_open(struct interval_rows *rows, const struct interval_log *log,
                        struct err *err);
void interval_rows_close(struct interval_rows *rows);
/* The next row, valid until the next call, and its cell. NULL: there is none, or err is set. */
const struct interval_row *interval_rows_next(struct interval_rows *rows, uint32_t *cell,
                                              struct err *err);

#endif
