#include "decode/naming/rows.h"

#include <stdlib.h>
#include <string.h>

int rows_compare_texts(const struct strings *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(strings_get(strings, a), strings_get(strings, b));
}

int rows_compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                       uint64_t other_samples)
{
	if (period != other_period)
		return period > other_period ? -1 : 1;
	return samples > other_samples ? -1 : samples < other_samples;
}

bool rows_sort(const struct strings *strings, void *rows, size_t count, size_t size,
               int (*compare)(const void *, const void *), struct err *err)
{
	struct row_ref *order = calloc(count ? count : 1, sizeof(*order));
	uint8_t *sorted = malloc(count ? count * size : 1);

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return err_nomem(err, count * size);
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (struct row_ref){ strings, (uint8_t *)rows + i * size };
	qsort(order, count, sizeof(*order), compare);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * size, order[i].row, size);
	if (count)
		memcpy(rows, sorted, count * size);
	free(order);
	free(sorted);
	return true;
}
