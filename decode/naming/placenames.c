#include "decode/naming/placenames.h"

#include "decode/machine/binaries.h"
#include "util/tuples.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void place_names_release(struct place_names *names)
{
	free(names->functions);
	free(names->places);
	free(names->frames);
	memset(names, 0, sizeof(*names));
}

bool place_names_find_alike(struct place_names *names, const struct binaries *binaries,
                            struct err *err)
{
	uint32_t *first = vec_new(names->function_count, sizeof(*first), err); /* by row */
	struct tuples rows;
	bool ok = first;

	tuples_init(&rows, 3 * sizeof(uint32_t));
	for (uint32_t i = 0; ok && i < names->function_count; i++) {
		struct function_name *function = &names->functions[i];
		const uint32_t row[3] = { binaries->items[function->binary].name, function->name,
			                  function->file };
		const size_t count = rows.count;
		const uint32_t number = tuples_put(&rows, row, err);

		ok = number != MAP_NONE;
		if (number == count)
			first[number] = i;
		function->alike = ok ? first[number] : 0;
	}
	tuples_release(&rows);
	free(first);
	return ok;
}
