#include "decode/naming/placerows.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* A row that is looked for. */
struct wanted_row {
	const struct place_rows *rows;
	const struct place_row *row;
};

static bool is_same_row(const void *context, uint32_t number)
{
	const struct wanted_row *wanted = context;
	const struct place_row *a = &wanted->rows->items[number], *b = wanted->row;

	return a->addr == b->addr && a->event == b->event && a->binary == b->binary &&
	       a->function == b->function && a->file == b->file && a->line == b->line;
}

static uint64_t hash_of_row(const struct place_rows *rows, const struct place_row *row)
{
	uint64_t hash = hash_pair(rows->seed, (uint64_t)row->event << 32 | row->binary,
	                          (uint64_t)row->function << 32 | row->file);

	return hash_pair(rows->seed, hash ^ row->addr, row->line);
}

static bool add_place_row(struct place_rows *rows, const struct place_row *added, struct err *err)
{
	const struct wanted_row wanted = { rows, added };
	uint32_t number = hash_index_put(&rows->index, hash_of_row(rows, added),
	                                 (uint32_t)rows->count, is_same_row, &wanted, err);

	if (number == MAP_NONE)
		return false;
	if (number < rows->count) {
		rows->items[number].samples += added->samples;
		rows->items[number].period += added->period;
		return true;
	}
	if (!vec_room(&rows->items, rows->count, &rows->capacity, sizeof(*added), err))
		return false;
	rows->items[rows->count++] = *added;
	return true;
}

static int compare_place_rows(const void *a, const void *b)
{
	const struct strings *strings = ((const struct row_ref *)a)->strings;
	const struct place_row *x = ((const struct row_ref *)a)->row;
	const struct place_row *y = ((const struct row_ref *)b)->row;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = rows_compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order)
		order = rows_compare_texts(strings, x->binary, y->binary);
	if (!order && x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!order)
		order = rows_compare_texts(strings, x->file, y->file);
	if (!order && x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return order ? order : rows_compare_texts(strings, x->function, y->function);
}

bool place_rows_make(struct place_rows *rows, const struct buildstat *stat,
                     const struct place_names *names, bool by_address, struct err *err)
{
	const struct cells *cells = &stat->cells;

	rows->seed = hash_seed();
	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		const struct place_name *place = &names->places[cell_place(cell)];
		const struct function_name *function = &names->functions[place->function];
		struct place_row row = { .period = cell->period,
			                 .samples = cell->samples,
			                 .addr = by_address ? place->link_addr : 0,
			                 .event = cells->kinds[cell->kind].event,
			                 .binary = stat->binaries.items[function->binary].name,
			                 .build = function->binary,
			                 .function = function->name,
			                 .file = place->file,
			                 .line = place->line };

		if (!add_place_row(rows, &row, err))
			return false;
	}
	hash_index_release(&rows->index);
	return rows_sort(stat->strings, rows->items, rows->count, sizeof(*rows->items),
	                 compare_place_rows, err);
}

void place_rows_release(struct place_rows *rows)
{
	free(rows->items);
	hash_index_release(&rows->index);
	memset(rows, 0, sizeof(*rows));
}
