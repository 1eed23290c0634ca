#include "decode/select/fieldrequest.h"

#include "util/digits.h"
#include "util/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits at the last point: names of events may have some, names of fields have none. */
static bool set_name(struct field_name *out, const char *option, const char *text, size_t length,
                     struct err *err)
{
	size_t point;

	while (length && text[length - 1] == ' ')
		length--;
	for (point = length; point && text[point - 1] != '.';)
		point--;
	if (point == length || length - point >= FIELD_NAME_SIZE || point > FIELD_NAME_SIZE)
		return err_set(err, ERR_USAGE,
		               "%s: expected the name of a field, or EVENT.FIELD, found %.*s",
		               option, (int)(length && length < 200 ? length : 200),
		               length ? text : "nothing");
	*out = (struct field_name){ .event = "" };
	if (point)
		memcpy(out->event, text, point - 1);
	memcpy(out->name, text + point, length - point);
	return true;
}

static const char *take_relation(const char *text, enum field_relation *relation)
{
	/* longer ones first */
	static const struct {
		const char *text;
		enum field_relation relation;
	} relations[] = {
		{ "!=", FIELD_UNEQUAL }, { "<=", FIELD_LESS_EQUAL }, { ">=", FIELD_GREATER_EQUAL },
		{ "==", FIELD_EQUAL },   { "=", FIELD_EQUAL },       { "<", FIELD_LESS },
		{ ">", FIELD_GREATER },  { "~", FIELD_MATCHES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(relations); i++) {
		const char *rest = text_after(text, relations[i].text);

		if (rest) {
			*relation = relations[i].relation;
			return rest;
		}
	}
	return NULL;
}

static void read_number(struct field_condition *condition)
{
	const char *digits = condition->value;
	char *end;

	condition->negative = *digits == '-';
	digits += condition->negative;
	if (!is_digit(*digits))
		return;
	errno = 0;
	condition->number = strtoull(digits, &end, digits[0] == '0' ? 0 : 10);
	condition->is_number = !*end && !errno;
	if (condition->negative)
		condition->number = -condition->number;
}

/* A length of time: a number and ns, us, ms or s; ns if there is no unit. */
static bool read_length(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	const double number = strtod(text, &end);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (end > text && strcmp(end, units[i].name) == 0 && number >= 0 &&
		    number * units[i].ns < 9e18) {
			*ns = (uint64_t)(number * units[i].ns + 0.5);
			return true;
		}
	return false;
}

static bool add_duration(struct field_request *request, const char *text, struct err *err)
{
	struct duration_condition condition;
	const char *value = take_relation(text, &condition.relation);

	if (!value || condition.relation == FIELD_MATCHES || !read_length(value, &condition.ns))
		return err_set(err, ERR_USAGE,
		               "--where=duration: expected = != < <= > >= and a time such as 1ms, "
		               "found '%.200s'",
		               text);
	if (request->duration_count == FIELD_CONDITIONS_MOST)
		return err_set(err, ERR_USAGE, "--where: no more than %d conditions",
		               FIELD_CONDITIONS_MOST);
	request->durations[request->duration_count++] = condition;
	return true;
}

bool field_request_has_duration(const struct field_request *request, bool ended, uint64_t duration)
{
	if (request && request->unfinished && ended)
		return false;
	for (size_t i = 0; request && i < request->duration_count; i++) {
		const uint64_t ns = request->durations[i].ns;

		if (!ended || !field_relation_holds(request->durations[i].relation,
		                                    (duration > ns) - (duration < ns)))
			return false;
	}
	return true;
}

bool field_relation_holds(enum field_relation relation, int order)
{
	switch (relation) {
	case FIELD_EQUAL:
		return order == 0;
	case FIELD_UNEQUAL:
		return order != 0;
	case FIELD_LESS:
		return order < 0;
	case FIELD_LESS_EQUAL:
		return order <= 0;
	case FIELD_GREATER:
		return order > 0;
	case FIELD_GREATER_EQUAL:
		return order >= 0;
	default:
		return false;
	}
}

bool field_request_where(struct field_request *request, const char *text, struct err *err)
{
	const size_t length = strcspn(text, "=!<>~");
	struct field_condition condition = { .is_number = false };
	const char *value = take_relation(text + length, &condition.relation);

	if (strcmp(text, "unfinished") == 0) {
		request->unfinished = true;
		return true;
	}
	if (text_is(text, length, "duration"))
		return add_duration(request, text + length, err);
	if (request->condition_count == FIELD_CONDITIONS_MOST)
		return err_set(err, ERR_USAGE, "--where: no more than %d conditions",
		               FIELD_CONDITIONS_MOST);
	if (!value)
		return err_set(err, ERR_USAGE,
		               "--where: expected FIELD and one of = != < <= > >= ~ and a value, "
		               "found %s",
		               text);
	if (!set_name(&condition.field, "--where", text, length, err))
		return false;
	condition.value = value + strspn(value, " ");
	read_number(&condition);
	if (!condition.is_number && condition.relation >= FIELD_LESS &&
	    condition.relation <= FIELD_GREATER_EQUAL)
		return err_set(
			err, ERR_USAGE, "--where: expected a number to compare %s with, found %s",
			condition.field.name, *condition.value ? condition.value : "nothing");
	request->conditions[request->condition_count++] = condition;
	return true;
}

bool field_request_weight(struct field_request *request, const char *text, struct err *err)
{
	request->wall = strcmp(text, "wall") == 0;
	request->has_weight = !request->wall;
	return request->wall || set_name(&request->weight, "--weight", text, strlen(text), err);
}

unsigned field_request_key(struct field_request *request, const char *name, size_t length,
                           struct err *err)
{
	struct field_name key;

	for (unsigned i = 0; i < request->key_count; i++)
		if (text_is(name, length, request->keys[i]))
			return i;
	if (request->key_count == FIELD_KEYS_MOST) {
		err_set(err, ERR_USAGE, "--by: no more than %d fields", FIELD_KEYS_MOST);
		return FIELD_KEYS_MOST;
	}
	if (!set_name(&key, "--by", name, length, err) || *key.event) {
		err_set(err, ERR_USAGE, "--by: expected field.NAME, found field.%.*s",
		        (int)(length < 200 ? length : 200), name);
		return FIELD_KEYS_MOST;
	}
	snprintf(request->headers[request->key_count], sizeof(request->headers[0]), "field.%s",
	         key.name);
	request->keys[request->key_count] = request->headers[request->key_count] + 6;
	return (unsigned)request->key_count++;
}
