#include "decode/select/fieldrequest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits at the last point: names of events may have some, names of fields have none. */
static bool set_name(struct field_name *out, const char *option, const char *text, size_t length,
                     struct err *err)
{
	size_t point = length;

	while (length && text[length - 1] == ' ')
		length--;
	for (point = length; point && text[point - 1] != '.';)
		point--;
	if (point == length || length - point >= FIELD_NAME_SIZE || point > FIELD_NAME_SIZE)
		return err_set(err, ERR_USAGE,
		               "%s: expected the name of a field, or EVENT.FIELD, found %.*s",
		               option, (int)(length < 200 ? length : 200),
		               length ? text : "nothing");
	*out = (struct field_name){ .event = "" };
	if (point)
		memcpy(out->event, text, point - 1);
	memcpy(out->name, text + point, length - point);
	return true;
}

static const char *take_operator(const char *text, enum field_operator *operator)
{
	/* longer ones first */
	static const struct {
		const char *text;
		enum field_operator operator;
	} operators[] = {
		{ "!=", FIELD_UNEQUAL }, { "<=", FIELD_LESS_EQUAL }, { ">=", FIELD_GREATER_EQUAL },
		{ "==", FIELD_EQUAL },   { "=", FIELD_EQUAL },       { "<", FIELD_LESS },
		{ ">", FIELD_GREATER },  { "~", FIELD_MATCHES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t length = strlen(operators[i].text);

		if (strncmp(text, operators[i].text, length) == 0) {
			*operator= operators[i].operator;
			return text + length;
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
	if (*digits < '0' || *digits > '9')
		return;
	errno = 0;
	condition->number = strtoull(digits, &end, digits[0] == '0' ? 0 : 10);
	condition->is_number = !*end && !errno;
	if (condition->negative)
		condition->number = -condition->number;
}

bool field_request_where(struct field_request *request, const char *text, struct err *err)
{
	const size_t length = strcspn(text, "=!<>~");
	struct field_condition condition = { .is_number = false };
	const char *value = take_operator(text + length, &condition.operator);

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
	if (!condition.is_number &&
	    condition.operator>= FIELD_LESS && condition.operator<= FIELD_GREATER_EQUAL)
		return err_set(err, ERR_USAGE,
		               "--where: expected a number to compare %s with, found %s",
		               condition.field.name, condition.value);
	request->conditions[request->condition_count++] = condition;
	return true;
}

bool field_request_weight(struct field_request *request, const char *text, struct err *err)
{
	request->has_weight = true;
	return set_name(&request->weight, "--weight", text, strlen(text), err);
}

unsigned field_request_key(struct field_request *request, const char *name, size_t length,
                           struct err *err)
{
	struct field_name key;

	for (unsigned i = 0; i < request->key_count; i++)
		if (strlen(request->keys[i]) == length && !memcmp(request->keys[i], name, length))
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
