#include "decode/tables/briefname.h"

#include "util/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the "<" at this place begins template arguments: "vector<", but not "operator<". */
static bool begins_arguments(const char *name, const char *place)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1, before = (size_t)(place - name);

	if (!before || !(isalnum((unsigned char)place[-1]) || place[-1] == '_'))
		return false;
	return before < length || strncmp(place - length, word, length) != 0;
}

bool has_arguments(const char *name)
{
	for (const char *at = name; (at = strchr(at, '<')); at++)
		if (begins_arguments(name, at) && strchr(at, '>'))
			return true;
	return false;
}

char *without_arguments(const char *name)
{
	/* no arguments become more than twice as long: "a<>" and "a<...>" */
	char *made = malloc(2 * strlen(name) + 1), *to = made;
	unsigned depth = 0;

	for (const char *from = name; made && *from; from++) {
		const bool opens = *from == '<' && (depth || begins_arguments(name, from));

		if (depth && *from == '>' && from[-1] != '-')
			depth--;
		if (!depth)
			*to++ = *from;
		if (opens && depth++ == 0)
			to += sprintf(to, "...");
	}
	if (made && depth)
		strcpy(made, name);
	else if (made)
		*to = '\0';
	return made;
}

const char *without_scope(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";

	for (; *name; name++) {
		if (text_starts(name, "::"))
			return name + 2;
		if (text_starts(name, anonymous))
			name += sizeof(anonymous) - 2;
		else if (*name == '(')
			break;
	}
	return NULL;
}
