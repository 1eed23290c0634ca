/*
 * What the decoders of features share (featurefacts.c and topologyfacts.c). In: the bytes of a
 * feature. Out: facts.
 */
#ifndef READPERF_PERFFILE_FACTS_FACTWORK_H
#define READPERF_PERFFILE_FACTS_FACTWORK_H

#include "perffile/facts/facts.h"
#include "perffile/session/session.h"

#define STR_SIZE_MIN 4 /* bytes of an empty string: its length */

/*
 * The state of a decoder. The cursor is over the feature's bytes. The cursor and the facts share
 * one struct err, so a decoder may go on after a failure: whatever it reads or adds then is
 * dropped.
 */
struct work {
	struct session *session;
	unsigned number; /* of the feature */
	struct cursor *c;
	struct facts *facts;
};

static inline bool work_fine(const struct work *work)
{
	return work->c->err->code == ERR_NONE;
}

/* The next string, in the arena; "" after a failure. */
const char *work_str(struct work *work);
/*
 * The count in front of a list; 0 if there is no room for so many entries of at least size_min
 * bytes.
 */
uint32_t work_count(struct work *work, size_t size_min);
/* Adds a fact whose value is the next string. */
void work_str_fact(struct work *work, const char *key);
/* Adds a fact for each string of a list. */
void work_str_list(struct work *work, const char *key);

/* Decoders of the features that describe the hardware of a machine: topologyfacts.c */
void facts_cpu_topology(struct work *work);
void facts_numa_topology(struct work *work);
void facts_caches(struct work *work);
void facts_mem_topology(struct work *work);
void facts_hybrid_topology(struct work *work);
void facts_cpu_domains(struct work *work);

#endif
