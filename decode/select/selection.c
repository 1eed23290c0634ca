#include "decode/select/selection.h"

#include "decode/select/pattern.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_OUT 1 /* Flags of decisions about a name. */
#define NAME_IN 2
#define NEAR_MOST 3 /* names that a warning suggests */

bool selection_init(struct selection *selection, const struct select_request *request,
                    const struct strings *strings, struct err *err)
{
	memset(selection, 0, sizeof(*selection));
	selection->request = request;
	selection->strings = strings;
	for (size_t field = 0; field < SELECT_FIELDS; field++) {
		size_t count = request->fields[field].count;

		if (count && field != SELECT_FUNCTION)
			selection->fields |= 1u << field;
		selection->matched[field] = calloc(count + 1, sizeof(bool));
		if (!selection->matched[field])
			return err_nomem(err, count);
	}
	return true;
}

void selection_release(struct selection *selection)
{
	for (size_t field = 0; field < SELECT_FIELDS; field++) {
		free(selection->names[field].known);
		free(selection->matched[field]);
	}
	memset(selection, 0, sizeof(*selection));
}

/* What is compared with the values of a field: a text, a number or a time. */
struct compared {
	const char *text;
	int64_t number;
	uint64_t time;
	const struct time_bounds *bounds;
};

static bool value_matches(const struct select_value *value, enum select_field field,
                          const struct compared *compared)
{
	switch (field) {
	case SELECT_PID:
	case SELECT_TID:
	case SELECT_CPU:
	case SELECT_MODE:
		return compared->number >= value->low && compared->number <= value->high;
	case SELECT_TIME:
		return time_span_holds(&value->span, compared->bounds, compared->time);
	default:
		return pattern_matches(value->text, compared->text);
	}
}

/* Compares every value, so that each that matches is noted as matched. */
static bool field_passes(struct selection *selection, enum select_field field,
                         const struct compared *compared)
{
	const struct select_values *values = &selection->request->fields[field];
	bool included = false, excluded = false, asks = false;

	for (size_t i = 0; i < values->count; i++) {
		const struct select_value *value = &values->items[i];

		asks |= !value->exclude;
		if (!value_matches(value, field, compared))
			continue;
		selection->matched[field][i] = true;
		*(value->exclude ? &excluded : &included) = true;
	}
	return !excluded && (included || !asks);
}

/* Makes room for the decision about a name; doubles, so this is rare. */
static bool make_decision_room(struct select_names *names, uint32_t number, struct err *err)
{
	size_t before = names->count;

	if (!vec_reserve(&names->known, (size_t)number + 1, &names->count, sizeof(*names->known),
	                 err))
		return false;
	memset(names->known + before, 0, names->count - before);
	return true;
}

/* Decides about each name only once. */
static bool name_passes(struct selection *selection, enum select_field field, uint32_t name,
                        struct err *err)
{
	struct select_names *names = &selection->names[field];

	if (name >= names->count && !make_decision_room(names, name, err))
		return false;
	if (!names->known[name]) {
		const struct compared compared = { .text = strings_get(selection->strings, name) };

		names->known[name] = field_passes(selection, field, &compared) ? NAME_IN : NAME_OUT;
	}
	return names->known[name] == NAME_IN;
}

bool selection_passes(struct selection *selection, const struct select_sample *sample,
                      struct err *err)
{
	const struct {
		enum select_field field;
		uint32_t name;
	} names[] = { { SELECT_EVENT, sample->event },
		      { SELECT_COMM, sample->comm },
		      { SELECT_BINARY, sample->binary } };
	const struct {
		enum select_field field;
		bool present; /* a sample may lack it */
		int64_t number;
	} numbers[] = { { SELECT_PID, sample->has_tid, sample->pid },
		        { SELECT_TID, sample->has_tid, sample->tid },
		        { SELECT_CPU, sample->cpu != -1, sample->cpu },
		        { SELECT_MODE, sample->mode != MODE_UNKNOWN, (int64_t)sample->mode },
		        { SELECT_TIME, sample->time != UINT64_MAX, 0 } };
	bool passes = true;

	/* checks every field, so that each value that matches a sample is noted as matched */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (selection_has(selection, names[i].field))
			passes &= name_passes(selection, names[i].field, names[i].name, err);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const enum select_field field = numbers[i].field;
		const struct compared compared = { .number = numbers[i].number };

		if (!selection_has(selection, field))
			continue;
		if (!numbers[i].present)
			selection->missing[field] += sample->count;
		/* the time is compared later: see selection_time_passes() */
		passes &= numbers[i].present &&
		          (field == SELECT_TIME || field_passes(selection, field, &compared));
	}
	return passes;
}

bool selection_takes_event(struct selection *selection, uint32_t event, struct err *err)
{
	return !selection_has(selection, SELECT_EVENT) ||
	       name_passes(selection, SELECT_EVENT, event, err);
}

void selection_time_window(const struct selection *selection, uint64_t time,
                           const struct time_bounds *bounds, uint64_t *from, uint64_t *until)
{
	const struct select_values *values = &selection->request->fields[SELECT_TIME];

	for (size_t i = 0; i < values->count; i++)
		time_span_window(&values->items[i].span, bounds, time, from, until);
}

bool selection_time_passes(struct selection *selection, uint64_t time,
                           const struct time_bounds *bounds)
{
	const struct compared compared = { .time = time, .bounds = bounds };

	selection->reached_times = true;
	return field_passes(selection, SELECT_TIME, &compared);
}

bool selection_function_passes(struct selection *selection, uint32_t name, struct err *err)
{
	return name_passes(selection, SELECT_FUNCTION, name, err);
}

struct near_name {
	uint32_t distance;
	const char *text;
};

static bool is_nearer(const struct near_name *a, const struct near_name *b)
{
	if (a->distance != b->distance)
		return a->distance < b->distance;
	if (strlen(a->text) != strlen(b->text))
		return strlen(a->text) < strlen(b->text);
	return strcmp(a->text, b->text) < 0;
}

/* Keeps the name if it is among the nearest so far. */
static void note_near(struct near_name nearest[NEAR_MOST], size_t *count, struct near_name name)
{
	size_t at = *count;

	for (; at && is_nearer(&name, &nearest[at - 1]); at--)
		if (at < NEAR_MOST)
			nearest[at] = nearest[at - 1];
	if (at >= NEAR_MOST)
		return;
	nearest[at] = name;
	*count += *count < NEAR_MOST;
}

/* Writes "; near it are ..." with the similar names that occurred; "" if there are none. */
static void find_near(const struct selection *selection, enum select_field field,
                      const char *pattern, char *text, size_t size)
{
	const struct select_names *names = &selection->names[field];
	struct near_name nearest[NEAR_MOST];
	size_t count = 0, used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < names->count; i++) {
		struct near_name name;

		if (!names->known[i])
			continue;
		name.text = strings_get(selection->strings, i);
		name.distance = pattern_distance(pattern, name.text);
		if (name.distance != UINT32_MAX)
			note_near(nearest, &count, name);
	}
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.150s",
		                         i ? ", " : "; near it are ", nearest[i].text);
}

static void report_missing(const struct selection *selection, enum select_field field,
                           struct diag *diag)
{
	uint64_t count = selection->missing[field];

	if (count)
		diag_warn_about(diag, (struct diag_about){ select_field_name(field), 0 },
		                "--%s: %" PRIu64 " sample%s %s no such field and %s not selected",
		                select_field_name(field), count, count == 1 ? "" : "s",
		                count == 1 ? "has" : "have", count == 1 ? "is" : "are");
}

static void report_unmatched_values(const struct selection *selection, enum select_field field,
                                    struct diag *diag)
{
	const struct select_values *values = &selection->request->fields[field];
	char near[500];

	/* if nothing got as far as a field that is selected last, its values are not to blame */
	if ((field == SELECT_TIME && !selection->reached_times) ||
	    (field == SELECT_FUNCTION && !selection->names[field].count))
		return;
	for (size_t i = 0; i < values->count; i++) {
		const char *text = values->items[i].text;

		if (selection->matched[field][i])
			continue;
		find_near(selection, field, text, near, sizeof(near));
		diag_warn_about(diag, (struct diag_about){ text, 0 },
		                "--%s=%s%.200s: matches nothing%s", select_field_name(field),
		                values->items[i].exclude ? "!" : "", text, near);
	}
}

void selection_report(const struct selection *selection, struct diag *diag)
{
	for (enum select_field field = 0; field < SELECT_FIELDS; field++) {
		report_unmatched_values(selection, field, diag);
		report_missing(selection, field, diag);
	}
}
