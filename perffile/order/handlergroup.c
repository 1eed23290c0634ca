#include "perffile/order/handlergroup.h"

#include <stdlib.h>

bool group_init(struct handler_group *group, const struct record_handler *handlers, size_t count,
                bool ordered, struct err *err)
{
	group->ordered = ordered;
	group->handlers = calloc(count + 1, sizeof(*group->handlers));
	if (!group->handlers)
		return err_nomem(err, (count + 1) * sizeof(*group->handlers));
	for (size_t i = 0; i < count; i++)
		if (handlers[i].record && handlers[i].any_sample_order != ordered)
			group->handlers[group->count++] = &handlers[i];
	return true;
}

void group_release(struct handler_group *group)
{
	free(group->handlers);
	merge_release(&group->merge);
	group->handlers = NULL;
}

/* Passes samples to a handler that takes them one by one. */
static bool call_record_for_each(struct handler_group *group, const struct record_handler *handler,
                                 const struct sample *samples, size_t count)
{
	struct record record;

	for (size_t i = 0; i < count; i++) {
		sample_record(&record, group->session, &samples[i]);
		if (!handler->record(handler->context, &record, &group->err))
			return false;
	}
	return true;
}

/* Calls the handlers for samples that are contiguous in memory. */
static bool deliver_samples(struct handler_group *group, const struct sample *samples, size_t count)
{
	size_t most;

	for (size_t at = 0; at < count; at += most) {
		most = count - at < SAMPLES_MOST ? count - at : SAMPLES_MOST;
		for (size_t i = 0; i < group->count; i++) {
			const struct record_handler *handler = group->handlers[i];

			if (handler->samples
			            ? !handler->samples(handler->context, samples + at, most,
			                                &group->err)
			            : !call_record_for_each(group, handler, samples + at, most))
				return false;
		}
	}
	return true;
}

/* Calls the handlers for the samples that have been merged so far. */
static bool deliver_merged(struct handler_group *group)
{
	size_t count = group->sample_count;

	group->sample_count = 0;
	return deliver_samples(group, group->samples, count);
}

/* Calls the handlers for one record. */
static bool deliver_record(struct handler_group *group, uint32_t number)
{
	const struct record *record = &group->records[number];

	for (size_t i = 0; i < group->count; i++) {
		const struct record_handler *handler = group->handlers[i];

		if (!handler->record(handler->context, record, &group->err))
			return false;
	}
	return true;
}

/* Delivers the oldest span of a merge up to `end`, and moves it behind what was delivered. */
static bool deliver_oldest(struct handler_group *group, struct record_span *span,
                           struct order_key end)
{
	const struct sample *sample = span->samples, *last;

	if (!sample) {
		span->count = 0;
		return deliver_merged(group) && deliver_record(group, span->record);
	}
	last = sample + span->count;
	do {
		if (group->sample_count == SAMPLES_MOST && !deliver_merged(group))
			return false;
		group->samples[group->sample_count++] = *sample++;
	} while (sample < last && key_before(sample_key(sample), end));
	span->samples = sample;
	span->count = (uint32_t)(last - sample);
	if (span->count)
		span->first = sample_key(sample);
	return true;
}

/*
 * The number of spans from this one on whose samples are contiguous in memory; *samples: how many
 * samples they have together.
 */
static size_t count_adjoining(const struct record_span *spans, size_t count, size_t *samples)
{
	size_t n = 1;

	for (*samples = spans->count; n < count && spans[n].samples == spans->samples + *samples;
	     n++)
		*samples += spans[n].count;
	return n;
}

/* Delivers spans in the order in which they are. */
static bool deliver_in_turn(struct handler_group *group, const struct record_span *spans,
                            size_t count)
{
	size_t samples, adjoining;

	for (size_t i = 0; i < count; i += adjoining) {
		adjoining = 1;
		if (!spans[i].samples) {
			if (!deliver_record(group, spans[i].record))
				return false;
			continue;
		}
		adjoining = count_adjoining(&spans[i], count - i, &samples);
		if (!deliver_samples(group, spans[i].samples, samples))
			return false;
	}
	return true;
}

/* Whether each of these spans is younger than the one before. */
static bool are_in_order(const struct record_span *spans, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (key_before(spans[i].first, span_last(&spans[i - 1])))
			return false;
	return true;
}

/* Merges spans of samples that overlap in time, and delivers them in order. */
static bool deliver_in_order(struct handler_group *group, const struct record_span *spans,
                             size_t count)
{
	struct record_span *oldest;
	struct order_key end;

	if (are_in_order(spans, count))
		return deliver_in_turn(group, spans, count);
	if (!merge_start(&group->merge, spans, count, &group->err))
		return false;
	while ((oldest = merge_next(&group->merge, &end)))
		if (!deliver_oldest(group, oldest, end))
			return false;
	return deliver_merged(group);
}

/* Whether the handlers get the next samples in order of time. */
static bool is_ordered(const struct handler_group *group)
{
	/* the value of a counter is meaningful only after the one before it */
	if (group->ordered || group->session->reads)
		return true;
	for (size_t i = 0; i < group->count; i++)
		if (group->handlers[i]->in_order && *group->handlers[i]->in_order)
			return true;
	return false;
}

bool group_deliver(struct handler_group *group, const struct record_span *spans, size_t count,
                   const struct record *records)
{
	size_t end;

	if (!group->count)
		return true;
	group->records = records;
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && spans[i].is_sample && spans[end].is_sample;)
			end++;
		if (is_ordered(group) ? !deliver_in_order(group, &spans[i], end - i)
		                      : !deliver_in_turn(group, &spans[i], end - i))
			return false;
	}
	return true;
}
