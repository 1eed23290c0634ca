/*
 * The rows of intervals.csv, in the order of their begins. A row is complete when its interval
 * ends, so rows wait for older ones in memory, at most INTERVALS_WAITING. One that ends after so
 * many others began is written apart, and put back in its place when the rows are read; so is one
 * with a value too large for struct kept_row:
 *
 *   begin -> number -> window -> rows, by number ---------\
 *                          \---> rows apart, by end -------> interval_rows_next()
 *
 * In:  begins, and rows in the order of their ends.
 * Out: the rows in the order of their begins.
 */
#ifndef READPERF_DECODE_TALLY_INTERVALLOG_H
#define READPERF_DECODE_TALLY_INTERVALLOG_H

#include "util/sorter.h"
#include "util/spool.h"
#include "util/tuples.h"

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
	uint8_t counts; /* it is a sample of its event */
	/* numbers of struct row_thread, which the log sets: its thread; who ended it, or MAP_NONE
	 */
	uint32_t whose, by;
};

/* A thread as rows have it: few are different, so a row has its number. */
struct row_thread {
	int32_t pid, tid;
	uint32_t comm, name; /* strings; comm: of who ended an interval, none */
};

enum kept_flag {
	KEPT_ROW = 1, /* else it is open, or stands for a row that is apart */
	KEPT_ENDED = 2,
	KEPT_BY = 4,
	KEPT_COUNTS = 8,
	KEPT_POINTS = 16,  /* FIELD_POINTS of `what` */
	KEPT_NO_BEGIN = 32 /* `nr` is that of the end */
};

/*
 * A row while it waits and in its file: half of a struct interval_row. With files of whole rows
 * `-t intervals` of 1 million takes 15 % more CPU time and 18 % more time.
 */
struct kept_row {
	uint64_t time, nr;
	int64_t result; /* or the string of it */
	uint64_t weight;
	uint64_t duration : 40;   /* ns: 18 minutes */
	uint64_t end_nr_gap : 24; /* GAP_ZERO + end_nr - nr; 0: end_nr is not recorded */
	uint32_t what, whose, by;
	uint32_t number_gap; /* in the file: from the row before */
	uint16_t event;
	int16_t cpu, end_cpu;
	uint8_t result_kind, flags; /* flags: of enum kept_flag */
};

#define INTERVALS_WAITING 32768 /* rows in memory, except in tests: some 2 MB */
#define ROW_THREADS_RECENT 1024 /* a power of two */

struct interval_log {
	bool open;
	struct waiting_row {
		struct kept_row row;
		uint32_t cell; /* of its stack, or MAP_NONE */
	} * window;            /* of the numbers from first to next - 1, at number % room */
	size_t room;
	uint64_t first, next;
	uint64_t last;                       /* number of the last row in the file */
	struct tuples threads;               /* struct row_thread */
	uint32_t recent[ROW_THREADS_RECENT]; /* numbers of them + 1, by tid; 0: none */
	struct spool rows;                   /* struct kept_row */
	struct spool *cells; /* borrowed: a u32 for each row; NULL: there are none */
	uint64_t count;      /* of entries in the file */
	struct spool apart;  /* struct interval_row */
	uint64_t apart_count;
	struct sorter order; /* struct row_apart */
};

/*
 * room: how many rows may wait. All zeros is a closed log. False with err set, as for all functions
 * below; interval_log_close() must be called in any case.
 */
bool interval_log_open(struct interval_log *log, const char *dir, size_t room, struct err *err);
void interval_log_close(struct interval_log *log);
/* Sets the number of an interval that begins. */
bool interval_log_begin(struct interval_log *log, uint64_t *number, struct err *err);
/* Keeps the row of a number, which has ended; sets the numbers of its threads. */
bool interval_log_put(struct interval_log *log, struct interval_row *row, uint32_t cell,
                      struct err *err);
/*
 * Writes all rows that wait; those of open intervals will be apart. Before the cells in their spool
 * get other numbers, which rows in memory would not.
 */
bool interval_log_flush(struct interval_log *log, struct err *err);
/* After the last row. */
bool interval_log_finish(struct interval_log *log, struct err *err);

/* Reads the rows, beside other readers. All zeros is a closed one. */
struct interval_rows {
	const struct interval_log *log; /* borrowed */
	struct spool file, cells;
	uint64_t taken;               /* entries of the file */
	uint64_t number;              /* of the last row of the file */
	const struct kept_row *ahead; /* its next row; NULL: there is none */
	uint32_t ahead_cell;
	struct sorter_cursor order;
	const struct row_apart *apart; /* the next one; NULL: there is none */
	struct interval_row row;       /* the last one */
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
