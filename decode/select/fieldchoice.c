#include "decode/select/fieldchoice.h"

#include "decode/select/pattern.h"
#include "util/text.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool field_choice_init(struct field_choice *choice, const struct field_request *request,
                       struct session *session, struct strings *strings, struct err *err)
{
	*choice = (struct field_choice){ .session = session,
		                         .strings = strings,
		                         .formats = { .session = session } };
	if (!request || field_request_is_empty(request))
		return true;
	choice->request = request;
	choice->kept = vec_new(FIELD_TEXTS_KEPT, sizeof(*choice->kept), err);
	choice->text = vec_new(FIELD_TEXT_ROOM, 1, err);
	return choice->kept && choice->text && formats_init(&choice->formats, session, err);
}

void field_choice_release(struct field_choice *choice)
{
	formats_release(&choice->formats);
	free(choice->events);
	free(choice->kept);
	free(choice->text);
}

static const struct field *find_field(const struct event_format *format, const char *event,
                                      const struct field_name *name)
{
	if (*name->event && strcmp(name->event, event) != 0 &&
	    (!format->name || strcmp(name->event, format->name) != 0))
		return NULL;
	return format_find(&format->format, name->name);
}

/* Finds the fields of an event that was not asked for before. */
static bool resolve_fields(struct field_choice *choice, uint32_t event, struct err *err)
{
	const struct field_request *request = choice->request;
	const struct event_format *format = formats_of(&choice->formats, event, err);
	struct event_fields *fields = &choice->events[event];
	const char *name = choice->session->events[event].name;

	if (!format)
		return false;
	name = name ? name : "";
	fields->known = true;
	for (size_t i = 0; i < request->condition_count; i++) {
		fields->conditions[i] = find_field(format, name, &request->conditions[i].field);
		choice->seen[i] |= fields->conditions[i] != NULL;
		fields->any |= fields->conditions[i] != NULL;
		choice->points[i] |= fields->conditions[i] && fields->conditions[i]->is_function;
	}
	if (request->has_weight) {
		fields->weight = find_field(format, name, &request->weight);
		if (fields->weight && !field_is_number(fields->weight))
			fields->weight = NULL;
	}
	choice->weighted |= fields->weight != NULL;
	fields->any |= fields->weight != NULL;
	for (size_t i = 0; i < request->key_count; i++) {
		fields->keys[i] = format_find(&format->format, request->keys[i]);
		choice->keyed[i] |= fields->keys[i] != NULL;
		fields->any |= fields->keys[i] != NULL;
	}
	return true;
}

const struct event_fields *field_choice_event(struct field_choice *choice, uint32_t event,
                                              struct err *err)
{
	static const struct event_fields none = { .known = false };

	if (event >= choice->session->event_count)
		return NULL;
	while (choice->count <= event)
		if (!vec_append(&choice->events, &choice->count, &choice->capacity, &none,
		                sizeof(none), err))
			return NULL;
	if (!choice->events[event].known && !resolve_fields(choice, event, err))
		return NULL;
	return choice->events[event].any ? &choice->events[event] : NULL;
}

static int compare_numbers(const struct field *field, uint64_t value,
                           const struct field_condition *condition)
{
	if (value == condition->number)
		return 0; /* also as it is shown in hex */
	field_is_negative(field, &value);
	if (field->is_signed)
		return ((int64_t)value > (int64_t)condition->number) -
		       ((int64_t)value < (int64_t)condition->number);
	if (condition->negative)
		return 1;
	return (value > condition->number) - (value < condition->number);
}

static bool condition_holds(struct field_choice *choice, const struct field_condition *condition,
                            const struct field *field, const struct raw_data *raw, struct err *err)
{
	uint64_t value;

	if (condition->is_number && condition->relation != FIELD_MATCHES && field_is_number(field))
		return field_number(field, raw, &value) &&
		       field_relation_holds(condition->relation,
		                            compare_numbers(field, value, condition));
	if (!formats_field_text(&choice->formats, field, raw, choice->text, err))
		return false;
	if (condition->relation == FIELD_MATCHES)
		return pattern_matches(condition->value, choice->text);
	/* a text is neither less nor greater than a number */
	return condition->relation <= FIELD_UNEQUAL &&
	       field_relation_holds(condition->relation, strcmp(choice->text, condition->value));
}

bool field_choice_passes(struct field_choice *choice, const struct event_fields *fields,
                         const struct raw_data *raw, struct err *err)
{
	const struct field_request *request = choice->request;
	bool all = true;

	for (size_t i = 0; i < request->condition_count; i++) {
		bool met;

		if (!fields->conditions[i])
			continue;
		met = condition_holds(choice, &request->conditions[i], fields->conditions[i], raw,
		                      err);
		choice->met[i] |= met;
		all &= met;
	}
	return all && err->code == ERR_NONE;
}

uint64_t field_choice_weight(struct field_choice *choice, const struct event_fields *fields,
                             const struct raw_data *raw)
{
	uint64_t value;

	if (field_number(fields->weight, raw, &value) && !field_is_negative(fields->weight, &value))
		return value;
	choice->weightless++;
	return 0;
}

uint32_t field_choice_key(struct field_choice *choice, const struct event_fields *fields,
                          unsigned key, const struct raw_data *raw, struct err *err)
{
	const struct field *field = fields->keys[key];
	struct kept_text *kept = NULL;
	uint64_t value;
	uint32_t string;

	if (!field)
		return STRING_EMPTY;
	if (field_is_number(field)) {
		if (!field_number(field, raw, &value))
			return STRING_EMPTY;
		kept = field->decider
		               ? NULL
		               : &choice->kept[(value ^ value >> 10 ^ (uintptr_t)field >> 4) %
		                               FIELD_TEXTS_KEPT];
		if (kept && kept->field == field && kept->value == value)
			return kept->string;
	}
	if (!formats_field_text(&choice->formats, field, raw, choice->text, err))
		return STRING_EMPTY;
	/* a string ends at its first NUL */
	string = strings_put(choice->strings, choice->text, strlen(choice->text), err);
	if (kept && string != STRING_NONE)
		*kept = (struct kept_text){ value, field, string };
	return string;
}

uint64_t field_choice_word(struct field_choice *choice, const struct event_fields *fields,
                           unsigned key, const struct raw_data *raw, bool *missing, struct err *err)
{
	const struct field *field = fields->keys[key];
	uint64_t value = 0;

	*missing = false;
	if (!field || !field_is_number(field) || field->decider)
		return field_choice_key(choice, fields, key, raw, err);
	*missing = !field_number(field, raw, &value);
	return value;
}

/* Whether all events have the field: -t trace leaves it out. */
static bool is_common(const char *name)
{
	return text_starts(name, "common_");
}

/* Names a similar field of the events that were sampled. */
static void warn_of_name(const struct field_choice *choice, const char *option, const char *name,
                         struct diag *diag)
{
	const char *best = NULL;
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < choice->formats.count; i++) {
		const struct event_format *item = choice->formats.items[i];

		for (size_t k = 0; item && k < item->format.count; k++) {
			uint32_t distance;

			if (is_common(item->format.fields[k].name) && !is_common(name))
				continue;
			distance = pattern_distance(name, item->format.fields[k].name);
			if (distance < least) {
				least = distance;
				best = item->format.fields[k].name;
			}
		}
	}
	if (best && strcmp(best, name) == 0) {
		diag_warn(diag, ERR_NO_OFFSET, "%s: the values of %s are no numbers", option, name);
		return;
	}
	diag_warn(diag, ERR_NO_OFFSET, "%s: no event with samples has a field %s%s%s%s", option,
	          name, best ? " (did you mean " : "", best ? best : "", best ? "?)" : "");
}

void field_choice_report(const struct field_choice *choice, struct diag *diag)
{
	const struct field_request *request = choice->request;

	if (!request)
		return;
	for (size_t i = 0; i < request->condition_count; i++)
		if (!choice->seen[i])
			warn_of_name(choice, "--where", request->conditions[i].field.name, diag);
		else if (!choice->met[i])
			diag_warn(diag, ERR_NO_OFFSET, "--where: no sample has such a %s (%s)%s",
			          request->conditions[i].field.name, request->conditions[i].value,
			          choice->points[i] ? ": it is compared as an address" : "");
	for (size_t i = 0; i < request->key_count; i++)
		if (!choice->keyed[i])
			warn_of_name(choice, "--by", request->keys[i], diag);
	if (request->has_weight && !choice->weighted)
		warn_of_name(choice, "--weight", request->weight.name, diag);
	if (choice->weightless)
		diag_warn(diag, ERR_NO_OFFSET,
		          "--weight: %" PRIu64 " samples count 0: their %s is missing or negative",
		          choice->weightless, request->weight.name);
}
