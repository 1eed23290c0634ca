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

/* The combined result of a field's values; the caller checks one value after the other. */
struct verdict {
	bool included, excluded, asks; /* asks: there is a value that does not exclude */
};

static inline void add_match(struct verdict *verdict, const struct select_value *value,
                             bool matches, bool *matched)
{
	verdict->asks |= !value->exclude;
	if (!matches)
		return;
	*matched = true;
	if (value->exclude)
		verdict->excluded = true;
	else
		verdict->included = true;
}

static inline bool verdict_passes(const struct verdict *verdict)
{
	return !verdict->excluded && (verdict->included || !verdict->asks);
}

static bool text_passes(struct selection *selection, enum select_field field, const char *text)
{
	const struct select_values *values = &selection->request->fields[field];
	struct verdict verdict = { false, false, false };

	for (size_t i = 0; i < values->count; i++)
		add_match(&verdict, &values->items[i], pattern_matches(values->items[i].text, text),
		          &selection->matched[field][i]);
	return verdict_passes(&verdict);
}

/* Makes room for the decision about a name; doubles, so this is rare. */
static bool make_room(struct select_names *names, uint32_t number, struct err *err)
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
	bool passes;

	if (name >= names->count && !make_room(names, name, err))
		return false;
	if (!names->known[name]) {
		passes = text_passes(selection, field, strings_get(selection->strings, name));
		names->known[name] = passes ? NAME_IN : NAME_OUT;
	}
	return names->known[name] == NAME_IN;
}

static bool number_passes(struct selection *selection, enum select_field field, int64_t number)
{
	const struct select_values *values = &selection->request->fields[field];
	struct verdict verdict = { false, false, false };

	for (size_t i = 0; i < values->count; i++)
		add_match(&verdict, &values->items[i],
		          number >= values->items[i].low && number <= values->items[i].high,
		          &selection->matched[field][i]);
	return verdict_passes(&verdict);
}

/* number_passes() for a field that a sample may lack. */
static bool present_passes(struct selection *selection, enum select_field field, bool present,
                           int64_t number, uint64_t count)
{
	if (present)
		return number_passes(selection, field, number);
	selection->missing[field] += count;
	return false;
}

bool selection_passes(struct selection *selection, const struct select_sample *sample,
                      struct err *err)
{
	const unsigned fields = selection->fields;
	bool passes = true;

	/* checks every field, so that each value that matches a sample is noted as matched */
	if (fields & 1u << SELECT_EVENT)
		passes &= name_passes(selection, SELECT_EVENT, sample->event, err);
	if (fields & 1u << SELECT_COMM)
		passes &= name_passes(selection, SELECT_COMM, sample->comm, err);
	if (fields & 1u << SELECT_BINARY)
		passes &= name_passes(selection, SELECT_BINARY, sample->binary, err);
	if (fields & 1u << SELECT_PID)
		passes &= present_passes(selection, SELECT_PID, sample->has_tid, sample->pid,
		                         sample->count);
	if (fields & 1u << SELECT_TID)
		passes &= present_passes(selection, SELECT_TID, sample->has_tid, sample->tid,
		                         sample->count);
	if (fields & 1u << SELECT_CPU)
		passes &= present_passes(selection, SELECT_CPU, sample->cpu != -1, sample->cpu,
		                         sample->count);
	if (fields & 1u << SELECT_MODE)
		passes &= present_passes(selection, SELECT_MODE, sample->mode != MODE_UNKNOWN,
		                         (int64_t)sample->mode, sample->count);
	if (fields & 1u << SELECT_TIME && sample->time == UINT64_MAX) {
		selection->missing[SELECT_TIME] += sample->count;
		passes = false;
	}
	return passes;
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
	const struct select_values *values = &selection->request->fields[SELECT_TIME];
	struct verdict verdict = { false, false, false };

	selection->reached_times = true;
	for (size_t i = 0; i < values->count; i++)
		add_match(&verdict, &values->items[i],
		          time_span_holds(&values->items[i].span, bounds, time),
		          &selection->matched[SELECT_TIME][i]);
	return verdict_passes(&verdict);
}

bool selection_function_passes(struct selection *selection, uint32_t name, struct err *err)
{
	selection->reached_functions = true;
	return name_passes(selection, SELECT_FUNCTION, name, err);
}

/* A name to be suggested. */
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

static void report_unmatched(const struct selection *selection, enum select_field field,
                             struct diag *diag)
{
	const struct select_values *values = &selection->request->fields[field];
	char near[500];

	if ((field == SELECT_TIME && !selection->reached_times) ||
	    (field == SELECT_FUNCTION && !selection->reached_functions))
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
		report_unmatched(selection, field, diag);
		report_missing(selection, field, diag);
	}
}
