#include "decode/naming/placenames.h"

#include "decode/machine/binaries.h"
#include "decode/naming/rows.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void place_names_release(struct place_names *names)
{
	free(names->functions);
	free(names->bounds);
	free(names->places);
	free(names->frames);
	memset(names, 0, sizeof(*names));
}

uint32_t place_names_add_function(struct place_names *names, const struct function_name *function,
                                  struct err *err)
{
	if (!vec_room(&names->functions, names->function_count, &names->function_capacity,
	              sizeof(*function), err))
		return MAP_NONE;
	names->functions[names->function_count] = *function;
	return (uint32_t)names->function_count++;
}

bool place_names_set_bounds(struct place_names *names, uint32_t function,
                            const struct function_bounds *bounds, struct err *err)
{
	while (names->bounds_count <= function) {
		if (!vec_room(&names->bounds, names->bounds_count, &names->bounds_capacity,
		              sizeof(*bounds), err))
			return false;
		names->bounds[names->bounds_count++] = (struct function_bounds){ 0 };
	}
	names->bounds[function] = *bounds;
	return true;
}

bool place_names_add_frame(struct place_names *names, const struct frame_name *frame,
                           struct err *err)
{
	if (!vec_room(&names->frames, names->frame_count, &names->frame_capacity, sizeof(*frame),
	              err))
		return false;
	names->frames[names->frame_count++] = *frame;
	return true;
}

/* A function for which one that is the same row is looked for. */
struct wanted_function {
	const struct place_names *names;
	const struct function_name *function;
	const struct binaries *binaries;
};

static bool are_alike(const void *context, uint32_t number)
{
	const struct wanted_function *wanted = context;
	const struct binary *items = wanted->binaries->items;
	const struct function_name *a = &wanted->names->functions[number], *b = wanted->function;

	return a->name == b->name && a->file == b->file &&
	       items[a->binary].name == items[b->binary].name;
}

bool place_names_find_alike(struct place_names *names, const struct binaries *binaries,
                            struct err *err)
{
	const uint64_t seed = hash_seed();
	struct hash_index index = { .slots = NULL };

	for (size_t i = 0; i < names->function_count && err->code == ERR_NONE; i++) {
		struct function_name *function = &names->functions[i];
		const struct wanted_function wanted = { names, function, binaries };
		uint64_t hash = hash_pair(seed, binaries->items[function->binary].name,
		                          (uint64_t)function->name << 32 | function->file);

		function->alike = hash_index_put(&index, hash, (uint32_t)i, are_alike, &wanted,
		                                 err);
	}
	hash_index_release(&index);
	return err->code == ERR_NONE;
}
