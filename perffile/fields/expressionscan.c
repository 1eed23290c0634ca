/* The parts of the text of an expression: words, operators, literals, arguments. */
#include "perffile/fields/expression.h"

#include "util/text.h"

#include <string.h>

void expression_skip_blanks(struct expression_source *source)
{
	while (source->at < source->end && strchr(" \t\n", *source->at) && *source->at)
		source->at++;
}

bool expression_take(struct expression_source *source, const char *text)
{
	size_t length = strlen(text);

	expression_skip_blanks(source);
	if ((size_t)(source->end - source->at) < length || memcmp(source->at, text, length) != 0)
		return false;
	source->at += length;
	return true;
}

size_t expression_word_length(struct expression_source *source)
{
	const char *at;

	expression_skip_blanks(source);
	at = source->at;
	if (at == source->end || !begins_identifier(*at))
		return 0;
	while (at < source->end && is_of_identifier(*at))
		at++;
	return (size_t)(at - source->at);
}

bool expression_take_word(struct expression_source *source, const char *word)
{
	size_t length = expression_word_length(source);

	if (!length || !text_is(source->at, length, word))
		return false;
	source->at += length;
	return true;
}

/* Behind an opening quote: moves behind the closing one. False: there is none, and it is the end.
 */
static bool skip_quoted(struct expression_source *source)
{
	while (source->at < source->end && *source->at != '"') {
		source->at += *source->at == '\\' && source->at + 1 < source->end;
		source->at++;
	}
	if (source->at == source->end)
		return false;
	source->at++;
	return true;
}

/* Copies what is inside of quotes, with escapes resolved, and a NUL. */
static void copy_quoted(char *out, const char *at, const char *end)
{
	bool inside = false;

	for (; at < end; at++) {
		if (*at == '"') {
			inside = !inside;
		} else if (inside && *at == '\\') {
			at++;
			*out++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
		} else if (inside) {
			*out++ = *at;
		}
	}
	*out = '\0';
}

const char *expression_literal(struct expression_source *source)
{
	const char *start;
	char *out;

	expression_skip_blanks(source);
	start = source->at;
	if (start == source->end || *start != '"')
		return NULL;
	while (expression_take(source, "\""))
		if (!skip_quoted(source))
			return NULL;
	/* the quotes leave room for the NUL */
	out = arena_alloc(source->arena, (size_t)(source->at - start), source->err);
	if (out)
		copy_quoted(out, start, source->at);
	return out;
}

void expression_skip_argument(struct expression_source *source)
{
	size_t open = 0;

	while (source->at < source->end) {
		const char c = *source->at;

		if (!open && (c == ',' || c == ')' || c == '}'))
			return;
		source->at++;
		if (c == '(' || c == '{')
			open++;
		else if (c == ')' || c == '}')
			open--;
		else if (c == '"' && !skip_quoted(source))
			return;
	}
}
