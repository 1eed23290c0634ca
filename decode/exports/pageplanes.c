#include "decode/exports/pageplanes.h"

#include <stdlib.h>

#define ROWS_LEAST 1024

bool page_planes_reserve(struct page_planes *column, size_t count, struct err *err)
{
	size_t wanted = column->capacity ? column->capacity : ROWS_LEAST;

	while (wanted < count)
		wanted = wanted > SIZE_MAX / 2 ? count : 2 * wanted;
	for (unsigned i = 0; i < column->plane_count; i++) {
		uint8_t *plane = wanted == column->capacity ? column->planes[i]
		                                            : realloc(column->planes[i], wanted);

		if (!plane)
			return err_nomem(err, wanted);
		column->planes[i] = plane;
	}
	column->capacity = wanted;
	return column->plane_count || page_planes_widen(column, err);
}

bool page_planes_widen(struct page_planes *column, struct err *err)
{
	uint8_t *plane = vec_new(column->capacity, 1, err);

	if (plane)
		column->planes[column->plane_count++] = plane;
	return plane;
}

void page_planes_clear(struct page_planes *column)
{
	column->count = 0;
}

void page_planes_release(struct page_planes *column)
{
	for (unsigned i = 0; i < column->plane_count; i++)
		free(column->planes[i]);
	*column = (struct page_planes){ .count = 0 };
}
