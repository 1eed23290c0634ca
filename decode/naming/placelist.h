/*
 * More addresses of a recording, which are named after those of samples: of instructions, branches
 * and data.
 *
 * In:  addresses of binaries, one after the other; each has a number, from 0.
 * Out: the name of each.
 */
#ifndef READPERF_DECODE_NAMING_PLACELIST_H
#define READPERF_DECODE_NAMING_PLACELIST_H

#include "decode/machine/places.h"
#include "decode/naming/naming.h"

struct place_list {
	struct numbered_place *items; /* in no order once they are named */
	size_t count;
	/* when they are named: */
	uint32_t *place_of; /* by number: the place, equal addresses have the same one */
	struct places places;
	struct place_names names;
};

/* most: how many may be added. False with err set; place_list_release() in any case. */
bool place_list_init(struct place_list *list, size_t most, struct err *err);
void place_list_release(struct place_list *list);

static inline void place_list_add(struct place_list *list, uint32_t binary, uint64_t addr)
{
	list->items[list->count] = (struct numbered_place){ addr, binary, (uint32_t)list->count };
	list->count++;
}

/*
 * Names all that were added. options: those of naming_run(), but for what is asked of each address.
 * False with err set when memory is refused.
 */
bool place_list_name(struct place_list *list, struct buildstat *stat,
                     const struct naming_options *options, struct err *err);

/* The name of the address with this number. */
static inline const struct place_name *place_list_get(const struct place_list *list, size_t number)
{
	return &list->names.places[list->place_of[number]];
}

/*
 * Names what fields of tracepoints point to: stat->pointed. After naming_run(), if that is run.
 * False with err set when memory is refused.
 */
bool place_list_name_pointed(struct buildstat *stat, const struct naming_options *options,
                             struct err *err);

#endif
