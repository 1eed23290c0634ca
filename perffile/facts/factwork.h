/*
 * What the decoders of features work with: a feature in, facts out. For featurefacts.c and
 * topologyfacts.c.
 */
#ifndef READPERF_PERFFILE_FACTS_FACTWORK_H
#define READPERF_PERFFILE_FACTS_FACTWORK_H

#include "perffile/facts/facts.h"
#include "perffile/session/session.h"

#define STR_SIZE_MIN 4 /* bytes of an empty string: its length */

/*
 * What a decoder works with. The cursor is over the feature's bytes; it and the facts have one
 * struct err, so a decoder may go on reading and adding after a failure: nothing comes of it.
 */
struct work {
	struct session *session;
	struct cursor *c;
	struct facts *facts;
};

static inline bool work_fine(const struct work *work)
{
	return work->c->err->code == ERR_NONE;
}

/* The next string, "" after a failure. In the arena. */
const char *work_str(struct work *work);
/* The count in front of a list; 0 if that many entries of size_min bytes cannot be there. */
uint32_t work_count(struct work *work, size_t size_min);
/* A fact that is the next string. */
void work_str_fact(struct work *work, const char *key);
/* A fact for each string of a list. */
void work_str_list(struct work *work, const char *key);

#endif
