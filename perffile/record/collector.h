/* What is kept of the records while they are read, for whoever wants it afterwards. */
#ifndef READPERF_PERFFILE_RECORD_COLLECTOR_H
#define READPERF_PERFFILE_RECORD_COLLECTOR_H

#include "perffile/record/handler.h"

struct session;

struct collector {
	size_t size; /* bytes of what it keeps; all are zero before open() */
	/*
	 * Before the first record. session: borrowed. False with err set when memory is refused;
	 * close() is called then, too. NULL: zeros are ready to be used.
	 */
	bool (*open)(void *kept, const struct session *session, struct err *err);
	/* Releases what `kept` points to, not `kept` itself; of zeros: nothing. */
	void (*close)(void *kept);
	/* kept outlives it */
	struct record_handler (*handler)(void *kept);
};

#define COLLECTORS_MOST 16

/* All that is kept of one recording. All zeros is empty. */
struct collection {
	struct collected {
		const struct collector *collector;
		void *kept; /* malloc'd */
	} items[COLLECTORS_MOST];
	unsigned count;
};

/*
 * Adds a collector, unless it is there, before the first record. session: borrowed. False with err
 * set when memory is refused; release the collection in any case.
 */
bool collection_add(struct collection *collection, const struct collector *collector,
                    const struct session *session, struct err *err);
void collection_release(struct collection *collection);
/* The handler of an item. */
struct record_handler collection_handler(const struct collection *collection, unsigned item);
/* What the collector kept; NULL: nobody added it. */
const void *collection_get(const struct collection *collection, const struct collector *collector);

#endif
