#include "perffile/record/collector.h"

#include <assert.h>
#include <stdlib.h>

const void *collection_get(const struct collection *collection, const struct collector *collector)
{
	for (unsigned i = 0; collection && i < collection->count; i++)
		if (collection->items[i].collector == collector)
			return collection->items[i].kept;
	return NULL;
}

bool collection_add(struct collection *collection, const struct collector *collector,
                    const struct session *session, struct err *err)
{
	void *kept;

	if (collection_get(collection, collector))
		return true;
	kept = calloc(1, collector->size);
	if (!kept)
		return err_nomem(err, collector->size);
	assert(collection->count < COLLECTORS_MOST);
	collection->items[collection->count++] = (struct collected){ collector, kept };
	return !collector->open || collector->open(kept, session, err);
}

void collection_release(struct collection *collection)
{
	for (unsigned i = 0; i < collection->count; i++) {
		collection->items[i].collector->close(collection->items[i].kept);
		free(collection->items[i].kept);
	}
	*collection = (struct collection){ .count = 0 };
}

struct record_handler collection_handler(const struct collection *collection, unsigned item)
{
	const struct collected *collected = &collection->items[item];

	return collected->collector->handler(collected->kept);
}
