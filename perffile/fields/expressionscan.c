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

const char *expression_literal(struct expression_source *source)
{
	char *out;
	size_t length = 0;
	const char *start;

	expression_skip_blanks(source);
	start = source->at;
	if (start == source->end || *start != '"')
		return NULL;
	while (expression_take(source, "\"")) {
		while (source->at < source->end && *source->at != '"') {
			if (*source->at == '\\' && source->at + 1 < source->end)
				source->at++;
			source->at++;
			length++;
		}
		if (source->at == source->end)
			return NULL;
		source->at++;
	}
	out = arena_alloc(source->arena, length + 1, source->err);
	if (!out)
		return NULL;
	length = 0;
	for (bool inside = false; start < source->at; start++) {
		if (*start == '"') {
			inside = !inside;
			continue;
		}
		if (!inside)
			continue;
		if (*start == '\\') {
			start++;
			out[length++] = *start == 'n' ? '\n' : *start == 't' ? '\t' : *start;
		} else {
			out[length++] = *start;
		}
	}
	out[length] = '\0';
	return out;
}

void expression_skip_argument(struct expression_source *source)
{
	size_t open = 0;

	for (; source->at < source->end; source->at++) {
		const char c = *source->at;

		if (c == '"') {
			for (source->at++; source->at < source->end && *source->at != '"';
			     source->at++)
				if (*source->at == '\\' && source->at + 1 < source->end)
					source->at++;
			if (source->at == source->end)
				return;
		} else if (!open && (c == ',' || c == ')' || c == '}')) {
			return;
		} else if (c == '(' || c == '{') {
			open++;
		} else if (c == ')' || c == '}') {
			open--;
		}
	}
}
