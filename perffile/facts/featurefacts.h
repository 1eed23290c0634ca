/* The features as keys and values for people, in the words of `perf report --header`. */
#ifndef READPERF_PERFFILE_FACTS_FEATUREFACTS_H
#define READPERF_PERFFILE_FACTS_FEATUREFACTS_H

#include "perffile/facts/facts.h"
#include "perffile/session/session.h"

/*
 * Appends the facts of one feature, if the recording has it. Of a feature that this program does
 * not decode, the fact is that it is there. A key may come several times, for example once for each
 * socket, cache or node. A damaged feature adds nothing and is a warning. False with err set when
 * memory or the system refuses.
 */
bool feature_facts(struct session *session, unsigned number, struct facts *facts, struct err *err);

#endif
