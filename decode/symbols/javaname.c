#include "decode/symbols/othernames.h"

#include <string.h>

static char *append_text(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	return to + length;
}

/* Appends "java.lang.String" for "java/lang/String". */
static char *append_class(char *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*to++ = from[i] == '/' ? '.' : from[i];
	return to;
}

/* The words for the letters of "BCDFIJSZ"; NULL: it is another letter. */
static const char *primitive_type(char letter)
{
	static const char letters[] = "BCDFIJSZ";
	static const char *const words[] = { "byte", "char", "double", "float",
		                             "int",  "long", "short",  "boolean" };
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? words[found - letters] : NULL;
}

/* Appends the type that *from begins with, and moves *from behind it. NULL if it is no type. */
static char *append_type(char *to, const char **from)
{
	size_t dimensions = strspn(*from, "["), length = 1;
	const char *type = *from + dimensions, *word = primitive_type(*type);

	if (word) {
		to = append_text(to, word, strlen(word));
	} else {
		length = strcspn(type, ";()");
		if (*type != 'L' || length < 2 || type[length] != ';')
			return NULL;
		to = append_class(to, type + 1, length - 1);
		length++;
	}
	*from = type + length;
	while (dimensions--)
		to = append_text(to, "[]", 2);
	return to;
}

bool java_name_unfold(char *text, const char *name)
{
	const size_t class_length = strcspn(name, ";()");
	const char *method = name + class_length + 1, *from;
	size_t method_length;
	char *to = text;

	if (*name != 'L' || class_length < 2 || name[class_length] != ';')
		return false;
	method_length = strcspn(method, ";()[/");
	from = method + method_length;
	if (!method_length || *from != '(')
		return false;
	to = append_class(to, name + 1, class_length - 1);
	*to++ = '.';
	to = append_text(to, method, method_length);
	*to++ = *from++;
	while (to && *from && *from != ')') {
		if (to[-1] != '(')
			to = append_text(to, ", ", 2);
		to = append_type(to, &from);
	}
	if (!to || *from != ')')
		return false;
	to = append_text(to, ")", 2);
	return true;
}
