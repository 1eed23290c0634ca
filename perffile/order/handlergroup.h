/*
 * The handlers that receive the same records in the same order. In: spans. Out: calls of the
 * handlers: each handler in turn for each record, and for each array of up to SAMPLES_MOST samples.
 */
#ifndef READPERF_PERFFILE_ORDER_HANDLERGROUP_H
#define READPERF_PERFFILE_ORDER_HANDLERGROUP_H

#include "perffile/order/merge.h"
#include "perffile/record/handler.h"

/*
 * group_release() frees what the group allocates; the session is borrowed and set by the caller.
 * The dispatcher's lock protects its two fields.
 */
struct handler_group {
	const struct session *session;
	const struct record_handler **handlers;
	size_t count;
	bool ordered;                        /* the handlers want samples in order of time */
	struct err err;                      /* set when a handler fails */
	const struct record *records;        /* of the batch that is being delivered */
	struct sample samples[SAMPLES_MOST]; /* merged samples, for the next call of the handlers */
	size_t sample_count;
	struct merge merge;
	/* used by the dispatcher */
	bool busy;        /* a thread is delivering to it */
	size_t delivered; /* batches that it has received, counted from the first */
};

/*
 * Makes a group of those handlers that take kernel records and that do, or do not, want samples in
 * order. False: memory is refused.
 */
bool group_init(struct handler_group *group, const struct record_handler *handlers, size_t count,
                bool ordered, struct err *err);
/*
 * Calls the handlers for all records of the spans of a batch, which has these records. False with
 * the group's err set if one fails.
 */
bool group_deliver(struct handler_group *group, const struct record_span *spans, size_t count,
                   const struct record *records);
void group_release(struct handler_group *group);

#endif
