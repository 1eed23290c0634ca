/* A list of keys and values for header.csv, and how to word some of them. */
#ifndef READPERF_PERFFILE_FACTS_FACTS_H
#define READPERF_PERFFILE_FACTS_FACTS_H

#include "perffile/session/session.h"

struct fact {
	unsigned feature;
	const char *key, *value; /* in the arena */
};

/* A growing list. Set the session and the rest to zeros. */
struct facts {
	struct session *session; /* borrowed; its arena has the texts */
	struct fact *items;      /* malloc'd */
	size_t count, capacity;
	/* the feature that is decoded */
	unsigned number;
	struct cursor c;   /* over its bytes */
	char *line;        /* the value so far; malloc'd */
	size_t used, size; /* bytes */
};

void facts_release(struct facts *facts);
/*
 * Appends the facts of one feature, if the recording has it, in the words of `perf report
 * --header`. Of a feature that this program does not decode, the fact is that it is there. A key
 * may come several times, for example once for each socket, cache or node. A damaged feature adds
 * nothing and is a warning. False with err set when memory or the system refuses.
 */
bool feature_facts(struct facts *facts, unsigned number, struct err *err);
/*
 * After the last record: the facts of all features. This decodes every feature, whatever tables are
 * made, so that afterwards session->damaged says whether any is damaged.
 */
bool facts_fill(struct facts *facts, struct err *err);
/* The first value of a feature; NULL if it has none. */
const char *facts_value(const struct facts *facts, unsigned feature);

/* The name of a clockid; "(not found)" for one that perf does not know either. */
const char *clock_name(uint32_t clockid);
/* YYYY-MM-DD and hh:mm:ss of UTC, with separator between them. out has room for 32 bytes. */
void format_utc(char out[32], uint64_t seconds, char separator);

#endif
