/*
 * The handlers that one thread works for: decodes each record once for all of them and calls them in
 * their order.
 */
#ifndef READPERF_PERFFILE_ORDER_HANDLERGROUP_H
#define READPERF_PERFFILE_ORDER_HANDLERGROUP_H

#include "perffile/order/merge.h"
#include "perffile/record/handler.h"

#define GROUP_IDS 64 /* each event has an id per CPU */

struct handler_group {
	const struct session *session; /* borrowed, as all of these */
	const struct record_handler **handlers;
	size_t count;
	bool ordered;                 /* a handler wants the samples in order */
	bool bulk;                    /* all handlers take samples by the dozen */
	struct read_summary *summary; /* NULL: another group tells what the records say */
	struct diag *diag;
	struct err *err;
	struct err damage; /* of the record at work */
	struct {
		uint64_t id;
		uint32_t event;
	} ids[GROUP_IDS];                    /* ids of samples seen last; 0: not in use */
	struct sample samples[SAMPLES_MOST]; /* decoded, to be brought before anything else */
	size_t sample_count;
	struct merge merge;
};

/* Records in the order of the handlers' wish. False with err set if one fails. */
bool group_deliver(struct handler_group *group, const struct record_span *spans, size_t count);

/* Samples older than `time` (ns), or as old and not behind position nr. */
struct limit {
	uint64_t time, nr;
};

/*
 * Decodes samples that a span begins with and takes them out of it, up to the limit or one that is not
 * plain. last_time becomes that of the last one taken out, not of what is left. Returns how many.
 */
uint32_t group_decode(struct handler_group *group, struct record_span *span,
                      const struct limit *limit, struct sample *samples, size_t room);
void group_release(struct handler_group *group);

#endif
