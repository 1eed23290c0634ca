/* What the makers of intervals tell: that one begins, how it ends, or that its end is missing. */
#ifndef READPERF_DECODE_INTERVALS_INTERVALSINK_H
#define READPERF_DECODE_INTERVALS_INTERVALSINK_H

#include "util/types.h"

struct err;
struct sched_thread;

/* Where it counts. */
enum interval_place {
	PLACE_WAITS,    /* at the innermost frame that is not of the scheduler or of locks */
	PLACE_USER,     /* at the innermost frame of the user */
	PLACE_FUNCTION, /* at an address that the begin's record tells */
	PLACE_RECORD    /* at the address of the record: its chain is another thread's */
};

/* What begins with the record at hand, or what has ended although its begin is not recorded. */
struct interval_begin {
	uint32_t event; /* number in the session */
	uint64_t time;  /* ns; TIME_NONE: not recorded */
	int32_t cpu;    /* -1: not recorded */
	bool is_off_cpu;
	const struct sched_thread *thread; /* NULL: thread 0 */
	uint32_t what;                     /* string */
	uint64_t function;                 /* 0; or: what is the function at this address */
	bool returns;                      /* it is the address behind a call */
	uint32_t result;                   /* string */
	enum interval_place place;         /* of PLACE_FUNCTION: `function` */
	const struct sched_thread *by;     /* who woke or created it; NULL: nobody */
	bool by_idle;                      /* thread 0 did */
};

enum interval_result { RESULT_NONE, RESULT_TEXT, RESULT_VALUE, RESULT_ERROR };

struct interval_end {
	uint64_t time;
	int32_t cpu;                   /* where the thread runs now, or ran last; -1: unknown */
	enum interval_result kind;     /* RESULT_NONE: as it began */
	uint32_t text;                 /* string, of RESULT_TEXT */
	int64_t value;                 /* of RESULT_VALUE; of RESULT_ERROR: the negative errno */
	const struct sched_thread *by; /* who ended the wait; NULL: as it began */
	/* NULL, or: whose it is, as far as it is known by now */
	const struct sched_thread *thread;
	bool by_idle; /* thread 0 did */
	bool earlier; /* it was not the record at hand that ended it, but nr */
	uint64_t nr;
};

#define INTERVAL_NO_TOKEN UINT32_MAX

/* Who makes samples of the intervals. False with err set ends the reading. */
struct interval_sink {
	void *context;
	/* *token: a number for the interval that is open now, or INTERVAL_NO_TOKEN */
	bool (*begin)(void *context, const struct interval_begin *begin, uint32_t *token,
	              struct err *err);
	bool (*end)(void *context, uint32_t token, const struct interval_end *end, struct err *err);
	/* It has no end that is known. */
	bool (*unfinished)(void *context, uint32_t token, struct err *err);
	/* It turns out that it never began. */
	void (*cancel)(void *context, uint32_t token);
	/* The end of one whose begin is not recorded. */
	bool (*no_begin)(void *context, const struct interval_begin *begin,
	                 const struct interval_end *end, struct err *err);
};

#endif
