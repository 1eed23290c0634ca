/*
 * How the decoders of features (featurefacts.c and topologyfacts.c) make facts. In: the bytes of a
 * feature. Out: facts.
 */
#ifndef READPERF_PERFFILE_FACTS_FACTWORK_H
#define READPERF_PERFFILE_FACTS_FACTWORK_H

#include "perffile/facts/facts.h"

/*
 * facts_say() puts the value of a fact together, then facts_add() appends the fact. What fails sets
 * the cursor's error, and a decoder may go on after that: whatever it reads or adds then is
 * dropped.
 */
void facts_say(struct facts *facts, const char *fmt, ...) PRINTF_LIKE(2, 3);
void facts_add(struct facts *facts, const char *key_fmt, ...) PRINTF_LIKE(2, 3);
/* Both, of a fact whose value is all that follows fmt and what was said before. */
void facts_put(struct facts *facts, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);

#define STR_SIZE_MIN 4 /* bytes of an empty string: its length */

/* Whether nothing of the feature has failed so far. */
static inline bool facts_fine(const struct facts *facts)
{
	return facts->c.err->code == ERR_NONE;
}

/* The next string, in the arena; "" after a failure. */
const char *facts_str(struct facts *facts);
/*
 * The count in front of a list; 0 if there is no room for so many entries of at least size_min
 * bytes.
 */
uint32_t facts_count(struct facts *facts, size_t size_min);
/* Adds a fact whose value is the next string. */
void facts_put_str(struct facts *facts, const char *key);
/* Adds a fact for each string of a list. */
void facts_put_list(struct facts *facts, const char *key);

/* Decoders of the features that describe the hardware of a machine: topologyfacts.c */
void facts_cpu_topology(struct facts *facts);
void facts_numa_topology(struct facts *facts);
void facts_caches(struct facts *facts);
void facts_mem_topology(struct facts *facts);
void facts_hybrid_topology(struct facts *facts);
void facts_cpu_domains(struct facts *facts);

#endif
