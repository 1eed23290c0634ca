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
	uint32_t wall_event; /* number in the session, or EVENT_UNKNOWN */
	uint64_t given_up;   /* begins that were too many to be kept */
	/* the strings of values that were asked for last */
	struct kept_word {
		const void *of; /* a field, or names of calls; NULL: none is kept */
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
