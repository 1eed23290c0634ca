#include "util/table.h"

void table_cells(struct table_writer *out, const void *row, size_t first, size_t last)
{
	const struct table_format *format = out->format;

	for (size_t i = first; i < last; i++) {
		const struct column *column = &format->columns[i];
		const struct value value = column->value ? column->value(row)
		                                         : format->value_at(row, i);

		out->kind->cell(out->context, &value);
	}
}

struct value key_row_key(const void *row)
{
	const struct key_row *of = row;

	return value_str(of->key);
}

struct value key_row_value(const void *row)
{
	const struct key_row *of = row;

	return of->value;
}
