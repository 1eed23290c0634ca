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
 * Appends the names of what contains the procedure: a class, or classes in each other, or the
 * procedure around, which may be a method. NULL if it is none of these.
 */
static char *append_container(char *to, const char *start, const char *from, const char *end)
{
	const char *const first = from;
	const char *method;
	size_t name = 0;

	for (; from < end; from = method + strlen(METHOD)) {
		name = identifier_length(from);
		if (!name)
			return NULL;
		/* the identifier takes the first character of what follows with it */
		method = from + name - 1;
		if (strncmp(method, METHOD, strlen(METHOD)) != 0)
			break;
		to = append_word(to, start, from, name - 1);
	}
	if (from >= end)
		return from == end && from != first ? to : NULL;
	if (from + name > end)
		name = (size_t)(end - from);
	method = strstr(from, METHOD);
	/* with a method in it, it is a generic class */
	if ((from[name] != '$' && from + name != end) || (method && method < end))
		return NULL;
	return append_word(to, start, from, name);
}

bool pascal_name_unfold(char *text, const char *name)
{
	const char *separator = strstr(name, SEPARATOR);
	const char *unit = strncmp(name, "P$", 2) ? name : name + 2;
	const char *procedure, *inner, *end;
	char *to = text;
	size_t known, unit_length, name_length;

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
	/* the identifier may take the separator's first character with it */
	known = identifier_length(unit);
	if (!known || !unit_length || (known != unit_length && known != unit_length + 1))
		return false;
	to = append_word(to, text, unit, unit_length);
	if (inner) {
		to = append_container(to, text, inner + strlen(INNER), separator);
		if (!to)
			return false;
	}
	to = append_word(to, text, procedure, name_length);
	*to = '\0';
	return true;
}
