/*
 * Brings records to the handlers, in this thread or in one of its own: decodes each, keeps the
 * summary of what was delivered, and calls the handlers in their order.
 */
#ifndef READPERF_PERFFILE_COURIER_H
#define READPERF_PERFFILE_COURIER_H

#include "perffile/perffile.h"

struct courier_thread;

struct courier {
	struct session *session; /* borrowed, as all of these */
	const struct record_handler *handlers;
	size_t handler_count;
	struct diag *diag;
	struct read_summary *summary;
	struct err *err;
	struct err damage;       /* of the record at work */
	uint64_t last;           /* ns, of the youngest record that was brought */
	bool any;                /* a record with a time was brought */
	struct courier_thread *thread; /* NULL: records are brought at once */
};

/* One record. False with err set when a handler fails. */
bool courier_bring(struct courier *courier, const struct raw_record *raw, uint64_t nr,
                   uint64_t time, uint32_t event);
/*
 * From now on courier_send() brings records in a second thread, which has its own copies of them.
 * The session must not change until courier_stop(). Without a thread all goes on as before.
 */
void courier_start(struct courier *courier);
/* courier_bring(), now or soon. A failure may show only in a later call, or in courier_stop(). */
bool courier_send(struct courier *courier, const struct raw_record *raw, uint64_t nr,
                  uint64_t time, uint32_t event);
/* Waits until all is brought, and names the events. False with err set if something failed. */
bool courier_stop(struct courier *courier);

/* Something of the recording is broken: that is said, and what is left of it is used. */
void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage);

#endif
