#include "perffile/record/summary.h"

#include "perffile/record/recordtypes.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void summary_init(struct read_summary *summary)
{
	memset(summary, 0, sizeof(*summary));
	summary->first_time = TIME_NONE;
	for (uint32_t i = 0; i < RECORD_TYPES; i++)
		summary->types[i].type = i;
}

void read_summary_release(struct read_summary *summary)
{
	free(summary->others);
	summary->others = NULL;
	summary->other_count = summary->other_capacity = 0;
}

/* The count of a type that is not in the table. */
static struct record_count *count_of(struct read_summary *summary, uint32_t type, struct err *err)
{
	struct record_count *others;
	size_t at = 0;

	while (at < summary->other_count && summary->others[at].type < type)
		at++;
	if (at < summary->other_count && summary->others[at].type == type)
		return &summary->others[at];
	if (summary->other_count == OTHER_TYPES_MAX)
		return &summary->others[OTHER_TYPES_MAX - 1];
	if (!vec_room(&summary->others, summary->other_count, &summary->other_capacity,
	              sizeof(*others), err))
		return NULL;
	others = summary->others;
	memmove(others + at + 1, others + at, (summary->other_count - at) * sizeof(*others));
	summary->other_count++;
	others[at] = (struct record_count){ type, 0, 0 };
	return &others[at];
}

bool summary_count(struct read_summary *summary, const struct raw_record *raw, struct diag *diag,
                   struct err *err)
{
	struct record_count *count = &summary->types[raw->type % RECORD_TYPES];

	if (raw->type >= RECORD_TYPES && !(count = count_of(summary, raw->type, err)))
		return false;
	count->count++;
	count->bytes += raw->size;
	summary->records++;
	if (!record_type_of(raw->type)) {
		char name[48];

		snprintf(name, sizeof(name), "record of unknown type %" PRIu32, raw->type);
		diag_warn(diag, raw->offset, "%s: skipped", name);
	}
	return true;
}

void summary_count_many(struct read_summary *summary, uint32_t type, uint64_t count, uint64_t bytes)
{
	summary->types[type].count += count;
	summary->types[type].bytes += bytes;
	summary->records += count;
}

static bool is_simpleperf(const struct session *session)
{
	return session->stored_names.any || session->features[PERF_FEATURE_META_INFO].present;
}

/*
 * Whether an id of no event proves damage. It does not where the ids of events have no common
 * position, because a record that perf made itself, whose id is 0, has no event then either; nor in
 * recordings of simpleperf, which stores ids of CPUs that come online later in EVENT_ID records.
 */
static bool unknown_id_is_damage(const struct session *session, bool sample)
{
	return session->ids.count && !is_simpleperf(session) &&
	       (sample ? session->sample_id : session->back_id) >= 0;
}

/* Counts the values of a sample whose ids belong to no event. */
static void note_read_ids(struct read_summary *summary, const struct session *session,
                          const struct record *record)
{
	const struct record_read *read = &record->sample.read;
	uint64_t unknown = 0;

	/* the same conditions under which these ids are looked up when samples are counted */
	if (!read->data || !read->has_id || !session->ids.count || record->event == EVENT_UNKNOWN)
		return;
	for (uint64_t i = 0; i < read->count; i++)
		unknown += map_get(&session->ids, record_word(record, read->data,
		                                              i * read->stride + read->id_at)) >=
		           session->event_count;
	summary->unknown_reads += unknown;
	summary->broken |= unknown && !is_simpleperf(session);
}

void summary_note(struct read_summary *summary, const struct session *session,
                  const struct record *record)
{
	bool sample = record->type == PERF_RECORD_SAMPLE;

	if (record->event == EVENT_UNKNOWN) {
		summary->unknown_ids++;
		summary->broken |= unknown_id_is_damage(session, sample);
	}
	if (sample)
		note_read_ids(summary, session, record);
	if (record->damaged) {
		summary->damaged++;
		return;
	}
	if (record->type == PERF_RECORD_LOST)
		summary->lost_records = u64_add_sat(summary->lost_records, record->lost);
	else if (record->type == PERF_RECORD_LOST_SAMPLES &&
	         !(record->misc & PERF_MISC_LOST_SAMPLES_BPF))
		summary->lost_samples = u64_add_sat(summary->lost_samples, record->lost);
}

void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage)
{
	summary->broken = true;
	diag_warn_err(diag, damage);
}
