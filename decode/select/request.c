#include "decode/select/request.h"

#include "decode/select/pattern.h"
#include "util/digits.h"
#include "util/nearest.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static const char *const field_names[SELECT_FIELDS] = {
	[SELECT_EVENT] = "event",       [SELECT_COMM] = "comm", [SELECT_PID] = "pid",
	[SELECT_TID] = "tid",           [SELECT_CPU] = "cpu",   [SELECT_BINARY] = "binary",
	[SELECT_FUNCTION] = "function", [SELECT_MODE] = "mode", [SELECT_TIME] = "time",
};

const char *select_field_name(enum select_field field)
{
	return field_names[field];
}

/* Reads a number of 32 bits, or a range: "7", "-1", "2-5". */
static bool parse_numbers(struct select_value *value, enum select_field field, struct err *err)
{
	char *end;

	value->low = value->high = strtoll(value->text, &end, 10);
	if (end != value->text && *end == '-' && is_digit(end[1]))
		value->high = strtoll(end + 1, &end, 10);
	if (end == value->text || *end || value->low < INT32_MIN || value->high > INT32_MAX ||
	    value->low > value->high || strchr("-0123456789", *value->text) == NULL)
		return err_set(err, ERR_USAGE, "--%s=%s: give a number, or a range as 2-5",
		               field_names[field], value->text);
	return true;
}

const char *select_mode_at(const void *context, size_t index)
{
	(void)context;
	return index < MODE_UNKNOWN ? cpu_mode_name((enum cpu_mode)index) : NULL;
}

static bool parse_mode(struct select_value *value, struct err *err)
{
	char known[100];

	for (enum cpu_mode mode = MODE_USER; mode < MODE_UNKNOWN; mode++) {
		if (strcmp(value->text, cpu_mode_name(mode)))
			continue;
		value->low = value->high = mode;
		return true;
	}
	join_names(known, sizeof(known), select_mode_at, NULL);
	return err_set(err, ERR_USAGE, "--mode=%s: known are %s", value->text, known);
}

static bool parse_value(struct select_value *value, enum select_field field, struct err *err)
{
	if (!*value->text)
		return err_set(err, ERR_USAGE, "--%s: a value is empty", field_names[field]);
	switch (field) {
	case SELECT_PID:
	case SELECT_TID:
	case SELECT_CPU:
		return parse_numbers(value, field, err);
	case SELECT_MODE:
		return parse_mode(value, err);
	case SELECT_TIME:
		return time_span_parse(&value->span, value->text, err);
	default:
		return true;
	}
}

static bool add_value(struct select_values *values, enum select_field field, const char *text,
                      size_t length, struct err *err)
{
	bool exclude = length && *text == '!';
	struct select_value *value;

	if (!vec_room(&values->items, values->count, &values->capacity, sizeof(*value), err))
		return false;
	value = &values->items[values->count];
	*value = (struct select_value){ .text = strndup(text + exclude, length - exclude),
		                        .exclude = exclude };
	if (!value->text)
		return err_nomem(err, length + 1);
	values->count++;
	return parse_value(value, field, err);
}

bool select_request_add(struct select_request *request, enum select_field field, const char *list,
                        struct err *err)
{
	for (;;) {
		size_t length = pattern_value_length(list);

		if (!add_value(&request->fields[field], field, list, length, err))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

void select_request_release(struct select_request *request)
{
	for (size_t field = 0; field < SELECT_FIELDS; field++) {
		struct select_values *values = &request->fields[field];

		for (size_t i = 0; i < values->count; i++)
			free(values->items[i].text);
		free(values->items);
	}
	memset(request, 0, sizeof(*request));
}

bool select_request_is_empty(const struct select_request *request)
{
	for (size_t field = 0; field < SELECT_FIELDS; field++)
		if (request->fields[field].count)
			return false;
	return true;
}

bool select_request_needs_times(const struct select_request *request)
{
	const struct select_values *values = &request->fields[SELECT_TIME];

	for (size_t i = 0; i < values->count; i++)
		if (time_span_needs_bounds(&values->items[i].span))
			return true;
	return false;
}
