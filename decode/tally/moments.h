/*
 * What happened to threads, by the records that say so: a new name, a new program, the start of a
 * child, the end, lost records.
 */
#ifndef READPERF_DECODE_TALLY_MOMENTS_H
#define READPERF_DECODE_TALLY_MOMENTS_H

#include "perffile/record/collector.h"
#include "util/strings.h"

enum moment_kind { MOMENT_NAME, MOMENT_EXEC, MOMENT_FORK, MOMENT_EXIT, MOMENT_LOST, MOMENT_KINDS };

struct moment {
	uint64_t time;    /* ns */
	int32_t pid, tid; /* of the thread; of a fork, of the one that started the other */
	enum moment_kind kind;
	/*
	 * NAME, EXEC: the name, a string of `names`; FORK: the thread that was started; LOST: how
	 * many records or samples
	 */
	uint64_t what;
};

/* In order of time. All zeros is empty. */
struct moments {
	struct strings names;          /* its own: the handler may run in a thread of its own */
	const struct session *session; /* borrowed */
	struct moment *items;
	size_t count, capacity;
};

/* Keeps them: a struct moments. Those of records without a time, or with time 0, are no moments. */
extern const struct collector moments_collector;

#endif
