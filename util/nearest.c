#include "util/nearest.h"

#include "util/types.h"

#include <stdio.h>
#include <string.h>

size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
	size_t rows[3][WORD_MOST + 1];

	for (size_t k = 0; k <= to_length; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= from_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *second = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t k = 1; k <= to_length; k++) {
			bool same = from[i - 1] == to[k - 1];

			row[k] = (size_t)u64_min(above[k - 1] + !same,
			                         u64_min(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && from[i - 1] == to[k - 2] && from[i - 2] == to[k - 1])
				row[k] = (size_t)u64_min(row[k], second[k - 2] + 1);
		}
	}
	return rows[from_length % 3][to_length];
}

const char *nearest_name(const char *word, name_at *names, const void *context)
{
	size_t length = strlen(word), best = length / 3 + 1;
	const char *nearest = NULL, *name;

	if (length > WORD_MOST)
		return NULL;
	for (size_t i = 0; (name = names(context, i)); i++) {
		size_t name_length = strlen(name), distance;

		if (name_length > WORD_MOST)
			continue;
		distance = edit_distance(word, length, name, name_length);
		if (distance < best) {
			best = distance;
			nearest = name;
		}
	}
	return nearest;
}

void list_name(char *list, size_t size, const char *separator, const char *name)
{
	const size_t used = strlen(list);

	snprintf(list + used, size - used, "%s%s", used ? separator : "", name);
}

void join_names(char *text, size_t size, name_at *names, const void *context)
{
	const char *name;

	*text = '\0';
	for (size_t i = 0; (name = names(context, i)); i++)
		list_name(text, size, ", ", name);
}
