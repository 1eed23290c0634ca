#include "decode/symbols/othernames.h"

#include "util/digits.h"

#define SEPARATOR "_$$_" /* before the name of the procedure */
#define METHOD "_$_"     /* before that, behind a class */
#define INNER "$_$"      /* between a unit and what is in it */

/* How many characters from there on are an identifier; 0: none begins there. */
static size_t identifier_length(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return is_digit(*text) || strspn(text, "_") == length ? 0 : length;
}

/* Appends "NAME", and a dot before it if it is not the first. */
static char *append_word(char *to, const char *start, const char *name, size_t length)
{
	if (to != start)
		*to++ = '.';
	memcpy(to, name, length);
	return to + length;
}

/*
 * The length of what contains the procedure: a class, or the procedure around with its parameters.
 * 0 if it is neither.
 */
static size_t container_length(const char *from, const char *end)
{
	size_t length = (size_t)(end - from), suffix = strlen(METHOD), name;

	if (length > suffix && !memcmp(end - suffix, METHOD, suffix)) {
		/* the identifier takes the suffix's first character with it */
		name = identifier_length(from);
		return name == length - suffix + 1 ? name - 1 : 0;
	}
	name = identifier_length(from);
	return name < length && from[name] == '$' ? name : 0;
}

bool pascal_name_unfold(char *text, const char *name)
{
	const char *separator = strstr(name, SEPARATOR);
	const char *unit = strncmp(name, "P$", 2) ? name : name + 2;
	const char *procedure, *inner, *end;
	char *to = text;
	size_t known, unit_length, name_length, inner_length = 0;

	if (!separator)
		return false;
	procedure = separator + strlen(SEPARATOR);
	name_length = identifier_length(procedure);
	if (!name_length || (procedure[name_length] && procedure[name_length] != '$'))
		return false;
	inner = strstr(unit, INNER);
	if (inner > separator)
		inner = NULL;
	end = inner ? inner : separator;
	unit_length = (size_t)(end - unit);
	if (inner) {
		inner += strlen(INNER);
		inner_length = container_length(inner, separator);
		if (!inner_length)
			return false;
	}
	/* the identifier may take the separator's first character with it */
	known = identifier_length(unit);
	if (!known || !unit_length || (known != unit_length && known != unit_length + 1))
		return false;
	to = append_word(to, text, unit, unit_length);
	if (inner)
		to = append_word(to, text, inner, inner_length);
	to = append_word(to, text, procedure, name_length);
	*to = '\0';
	return true;
}
