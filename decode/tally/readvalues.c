#include "decode/tally/readvalues.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void read_values_init(struct read_values *reads)
{
	memset(reads, 0, sizeof(*reads));
	reads->seed = hash_seed();
}

void read_values_release(struct read_values *reads)
{
	free(reads->values);
	map_release(&reads->numbers);
	memset(reads, 0, sizeof(*reads));
}

/* The last value of an id; if the event is inherited, each thread has a count of its own. */
static uint64_t *last_value(struct read_values *reads, uint64_t id, int32_t tid, bool inherit,
                            struct err *err)
{
	uint64_t key = inherit ? hash_pair(reads->seed, id, (uint32_t)tid) : id;
	uint32_t at = map_number(&reads->numbers, key, err);

	if (at == MAP_NONE ||
	    !vec_room(&reads->values, at, &reads->capacity, sizeof(*reads->values), err))
		return NULL;
	if (at == reads->count)
		reads->values[reads->count++] = 0;
	return &reads->values[at];
}

/*
 * The event of a value of a sample, and a number for its counter. Without ids, a value is
 * identified by its position: the leader of the group comes first, then its members in the order of
 * the events. Each event may have several counters, which are then distinguished by the sample's
 * own id.
 */
static uint32_t counter_of_value(const struct read_values *reads, const struct session *session,
                                 const struct record *record, uint64_t i, uint64_t *id)
{
	const struct record_read *read = &record->sample.read;
	uint64_t own = record->sample.id ? record->sample.id : record->event;

	if (!read->has_id) {
		*id = hash_pair(reads->seed, own, i + 1);
		return i < EVENT_UNKNOWN - record->event ? record->event + (uint32_t)i
		                                         : EVENT_UNKNOWN;
	}
	*id = record_word(record, read->data, i * read->stride + read->id_at);
	/* recordings without ids cannot tell events apart, and mostly have only one */
	return session->ids.count ? map_get(&session->ids, *id) : record->event;
}

bool read_values_take(struct read_values *reads, const struct session *session,
                      const struct record *record, uint64_t number, uint32_t *event,
                      uint64_t *period, struct err *err)
{
	const struct record_read *read = &record->sample.read;
	uint64_t value = load_u64(read->data + number * read->stride * 8, record->swap), *last, id;
	bool known;

	*event = counter_of_value(reads, session, record, number, &id);
	known = *event < session->event_count;
	if (!known)
		*event = EVENT_UNKNOWN;
	last = last_value(reads, id, record->tid,
	                  known && attr_flag(&session->events[*event].attr, PERF_FLAG_INHERIT),
	                  err);
	if (!last)
		return false;
	/* a value that decreased belongs to a new thread with the same tid */
	*period = value >= *last ? value - *last : value;
	*last = value;
	return true;
}
