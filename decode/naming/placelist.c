#include "decode/naming/placelist.h"

#include "util/vec.h"

#include <stdlib.h>

bool place_list_init(struct place_list *list, size_t most, struct err *err)
{
	*list = (struct place_list){ .items = vec_new(most, sizeof(*list->items), err),
		                     .place_of = vec_new(most, sizeof(*list->place_of), err) };
	return list->items && list->place_of;
}

void place_list_release(struct place_list *list)
{
	free(list->items);
	free(list->place_of);
	places_release(&list->places);
	place_names_release(&list->names);
}

bool place_list_name(struct place_list *list, struct buildstat *stat,
                     const struct naming_options *options, struct err *err)
{
	return places_make(&list->places, list->items, list->count, list->place_of, err) &&
	       naming_run_places(&list->names, stat, &list->places, options, err);
}

bool place_list_name_pointed(struct buildstat *stat, const struct naming_options *options,
                             struct err *err)
{
	struct pointed_code *pointed = &stat->pointed;
	const size_t count = pointed->places.count;
	struct naming_options how = *options;
	struct place_list list;
	bool ok = place_list_init(&list, count, err);

	pointed->names = vec_new(count, sizeof(*pointed->names), err);
	ok = ok && pointed->names;
	for (size_t i = 0; ok && i < count; i++) {
		const struct pointed_place *place = tuples_get(&pointed->places, i);

		place_list_add(&list, (uint32_t)place->binary, place->addr);
	}
	how.lookup.sources = how.lookup.lines = how.lookup.inlines = how.lookup.entry_lines = false;
	ok = ok && place_list_name(&list, stat, &how, err);
	for (size_t i = 0; ok && i < count; i++)
		pointed->names[i] = list.names.functions[place_list_get(&list, i)->function].name;
	place_list_release(&list);
	return ok;
}
