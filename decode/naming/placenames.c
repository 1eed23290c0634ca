#include "decode/naming/placenames.h"

#include "decode/machine/binaries.h"
#include "util/hash.h"
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
	struct function_name *functions = vec_grow(names->functions, names->function_count,
	                                           &names->function_capacity, sizeof(*functions),
	                                           err);

	if (!functions)
		return MAP_NONE;
	names->functions = functions;
	functions[names->function_count] = *function;
	return (uint32_t)names->function_count++;
}

bool place_names_set_bounds(struct place_names *names, uint32_t function,
                            const struct function_bounds *bounds, struct err *err)
{
	while (names->bounds_count <= function) {
		struct function_bounds *grown = vec_grow(names->bounds, names->bounds_count,
		                                         &names->bounds_capacity, sizeof(*grown),
		                                         err);

		if (!grown)
			return false;
		names->bounds = grown;
		grown[names->bounds_count++] = (struct function_bounds){ 0 };
	}
	names->bounds[function] = *bounds;
	return true;
}

bool place_names_add_frame(struct place_names *names, const struct frame_name *frame,
                           struct err *err)
{
	struct frame_name *frames = vec_grow(names->frames, names->frame_count,
	                                     &names->frame_capacity, sizeof(*frames), err);

	if (!frames)
		return false;
	names->frames = frames;
	frames[names->frame_count++] = *frame;
	return true;
}

static bool are_alike(const struct function_name *a, const struct function_name *b,
                      const struct binaries *binaries)
{
	return a->name == b->name && a->file == b->file &&
	       binaries->items[a->binary].name == binaries->items[b->binary].name;
}

bool place_names_find_alike(struct place_names *names, const struct binaries *binaries,
                            struct err *err)
{
	uint64_t seed = hash_seed();
	size_t slot_count = 16;
	uint32_t *slots; /* number of a function + 1; 0: free */

	while (slot_count < 2 * names->function_count)
		slot_count *= 2;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	for (size_t i = 0; i < names->function_count; i++) {
		struct function_name *function = &names->functions[i];
		uint64_t hash = hash_pair(seed, binaries->items[function->binary].name,
		                          (uint64_t)function->name << 32 | function->file);
		size_t slot = (size_t)hash & (slot_count - 1);

		while (slots[slot] &&
		       !are_alike(&names->functions[slots[slot] - 1], function, binaries))
			slot = (slot + 1) & (slot_count - 1);
		if (!slots[slot])
			slots[slot] = (uint32_t)i + 1;
		function->alike = slots[slot] - 1;
	}
	free(slots);
	return true;
}
