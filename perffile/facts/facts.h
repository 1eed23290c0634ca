/* A list of keys and values for header.csv, and how to word some of them. */
#ifndef READPERF_PERFFILE_FACTS_FACTS_H
#define READPERF_PERFFILE_FACTS_FACTS_H

#include "util/arena.h"
#include "util/errhandler.h"

struct fact {
	const char *key, *value; /* in the arena */
};

/*
 * A growing list. facts_say() and the functions beside it put the value of a fact together, then
 * facts_add() appends the fact. The first failure is kept in err; after it nothing is added.
 */
struct facts {
	struct arena *arena; /* borrowed */
	struct err *err;     /* borrowed */
	struct fact *items;  /* malloc'd */
	size_t count, capacity;
	char *line;        /* the value so far; malloc'd */
	size_t used, size; /* bytes */
};

void facts_init(struct facts *facts, struct arena *arena, struct err *err);
void facts_release(struct facts *facts);
void facts_say(struct facts *facts, const char *fmt, ...) PRINTF_LIKE(2, 3);
void facts_add(struct facts *facts, const char *key_fmt, ...) PRINTF_LIKE(2, 3);
/* Both, of a fact whose value is all that follows fmt and what was said before. */
void facts_put(struct facts *facts, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The features of a session as facts, in the words of `perf report --header`. */
struct session;
/*
 * Appends the facts of one feature, if the recording has it. Of a feature that this program does
 * not decode, the fact is that it is there. A key may come several times, for example once for each
 * socket, cache or node. A damaged feature adds nothing and is a warning. False with err set when
 * memory or the system refuses.
 */
bool feature_facts(struct session *session, unsigned number, struct facts *facts, struct err *err);

/* The name of a clockid; "(not found)" for one that perf does not know either. */
const char *clock_name(uint32_t clockid);
/* YYYY-MM-DD and hh:mm:ss of UTC, with separator between them. out has room for 32 bytes. */
void format_utc(char out[32], uint64_t seconds, char separator);

#endif
