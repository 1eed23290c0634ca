/*
 * Makes intervals of records: pairs their begins with their ends.
 *
 *   records --> sched.h: who wrote it; off-cpu, wait, on-cpu, idle --\
 *         \--> roles of the event (pairings.h) --> opens.h -----------> interval_sink
 *
 * In:  records in order of time.
 * Out: for each interval a call of the sink when it begins, and another one when it ends or when it
 *      is known that its end is missing.
 */
#ifndef READPERF_DECODE_INTERVALS_ENGINE_H
#define READPERF_DECODE_INTERVALS_ENGINE_H

#include "decode/intervals/callabi.h"
#include "decode/intervals/opens.h"
#include "decode/intervals/pairings.h"
#include "decode/intervals/schedreader.h"

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
	int32_t cpu;
	enum interval_result kind; /* RESULT_NONE: as it began */
	uint32_t text;             /* string, of RESULT_TEXT */
	int64_t value;             /* of RESULT_VALUE; of RESULT_ERROR: the negative errno */
	const struct sched_thread *by;
	bool by_idle;
	bool earlier; /* it was not the record at hand that ended it, but nr */
	uint64_t nr;  /* UINT64_MAX: not known */
};

/* Who makes samples of the intervals. False with err set ends the reading. */
struct interval_sink {
	void *context;
	/* *token: a number for the interval that is open now, or SCHED_NO_TOKEN */
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

#define WORDS_KEPT 1024 /* a power of two */
#define ODD_CALLS 4

struct interval_engine {
	const struct interval_request *request; /* borrowed */
	struct session *session;                /* borrowed */
	struct strings *strings;                /* borrowed */
	struct interval_sink sink;
	struct sched_reader reader;
	struct formats formats;
	struct pairings pairings;
	struct opens opens;
	struct call_abis calls;
	/* strings: what does not return, or not as a call of its own; and what makes a thread */
	uint32_t no_return[ODD_CALLS], makes_thread[ODD_CALLS];
	uint64_t seed;
	uint32_t sched_events[SCHED_EVENTS]; /* numbers in the session, or EVENT_UNKNOWN */
	uint32_t wall_event;                 /* the same */
	uint64_t given_up;                   /* begins that were too many to be kept */
	/* the strings of values that were asked for last */
	struct kept_word {
		const void *of; /* a field, a text, or names of calls; NULL: none is kept */
		uint64_t value;
		uint32_t string;
	} kept[WORDS_KEPT];
	char *text; /* room for one: FIELD_TEXT_ROOM */
};

/*
 * Before the first record. False with err set, as for all functions below; engine_release() must be
 * called in any case.
 */
bool engine_init(struct interval_engine *engine, const struct interval_request *request,
                 struct session *session, struct strings *strings, const struct interval_sink *sink,
                 struct err *err);
void engine_release(struct interval_engine *engine);
/* When all recorded events are known, in times(): adds the derived ones. */
bool engine_begin(struct interval_engine *engine, struct err *err);
/* A sample that was passed to samples(), and a record that was passed to record(). */
bool engine_sample(struct interval_engine *engine, const struct sample *sample, struct err *err);
bool engine_record(struct interval_engine *engine, const struct record *record, struct err *err);
/* After the last record: what is open is unfinished. Warns, with advice what to record. */
bool engine_finish(struct interval_engine *engine, struct diag *diag, struct err *err);

#endif
