#include "decode/symbols/modulelayout.h"

#include "decode/symbols/elfsymbols.h"
#include "util/bytes.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* A name that the list has more often than that proves little, and would take long to compare. */
#define SAME_NAMES_MOST 8

/* A section of code. */
struct code_section {
	uint64_t place; /* by its order in the file; they are sorted by this at first */
	uint64_t size;
	uint64_t start; /* where it was loaded: offset from the module's start */
	bool found;     /* start is known */
};

/* A symbol of the list may be this one of the file: then its section was loaded so far behind. */
struct match {
	size_t section;
	uint64_t distance; /* modulo 2^64 */
	size_t symbol;     /* number in the list */
};

/* A symbol of the list. */
struct listed {
	const char *name;
	uint64_t start;
	size_t counted; /* number of the section, and 1, for which it was counted last */
};

struct layout {
	struct code_section *sections;
	size_t count;
	struct listed *listed; /* by name */
	size_t listed_count;
	struct match *matches; /* by section, then distance */
	size_t match_count, match_capacity;
};

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : u64_order(x->start, y->start);
}

static int compare_matches(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->distance != y->distance)
		return u64_order(x->distance, y->distance);
	return u64_order(x->symbol, y->symbol);
}

static int compare_starts(const void *a, const void *b)
{
	const struct code_section *x = a, *y = b;

	return u64_order(x->start, y->start);
}

static bool list_sections(struct layout *layout, const struct elf *elf, struct err *err)
{
	layout->sections = vec_new(elf->section_count, sizeof(*layout->sections), err);
	if (!layout->sections)
		return false;
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (section->place != UINT64_MAX && section->size)
			layout->sections[layout->count++] = (struct code_section){
				.place = section->place, .size = section->size
			};
	}
	/* those for the start are behind the others */
	qsort(layout->sections, layout->count, sizeof(*layout->sections), search_compare);
	return true;
}

static bool list_symbols(struct layout *layout, const struct symtable *table, struct err *err)
{
	layout->listed_count = table->count;
	layout->listed = vec_new(table->count, sizeof(*layout->listed), err);
	if (!layout->listed)
		return false;
	for (size_t i = 0; i < table->count; i++)
		layout->listed[i] = (struct listed){ symtable_name(table, &table->items[i]),
			                             table->items[i].start, 0 };
	qsort(layout->listed, table->count, sizeof(*layout->listed), compare_listed);
	return true;
}

/* The number of the first symbol of the list whose name is not before this one. */
static size_t find_name(const struct layout *layout, const char *name)
{
	size_t low = 0, high = layout->listed_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(layout->listed[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Compares a symbol of the file, which is in this section, with those of the list. */
static bool match_symbol(struct layout *layout, size_t section, const struct symtable *file,
                         const struct symtable_item *item, struct err *err)
{
	const char *name = symtable_name(file, item);
	const size_t first = find_name(layout, name);
	size_t end = first;

	while (end < layout->listed_count && !strcmp(layout->listed[end].name, name))
		if (++end - first > SAME_NAMES_MOST)
			return true;
	for (size_t i = first; i < end; i++) {
		const struct match match = { section, layout->listed[i].start - item->start, i };

		if (!vec_append(&layout->matches, &layout->match_count, &layout->match_capacity,
		                &match, sizeof(match), err))
			return false;
	}
	return true;
}

static bool match_all(struct layout *layout, const struct elf *elf, struct err *err)
{
	const struct elf_symbols source = { .names = elf,
		                            .runtime = elf,
		                            .space = ELF_SPACE_MODULE,
		                            .origin = ORIGIN_MODULE,
		                            .with_init = true };
	struct symtable file = { .items = NULL };
	size_t section = 0;
	bool ok = elf_symbols_put(&file, &source, err);

	for (size_t i = 0; ok && i < file.count; i++) {
		const uint64_t start = file.items[i].start;

		while (section < layout->count && start >= layout->sections[section].place &&
		       start - layout->sections[section].place >= layout->sections[section].size)
			section++;
		if (section == layout->count)
			break;
		if (start >= layout->sections[section].place)
			ok = match_symbol(layout, section, &file, &file.items[i], err);
	}
	symtable_release(&file);
	if (ok && layout->match_count)
		qsort(layout->matches, layout->match_count, sizeof(*layout->matches),
		      compare_matches);
	return ok;
}

/* How many symbols of the list have a name that is in the section, too. */
static size_t count_symbols(struct layout *layout, const struct match *matches, size_t count)
{
	size_t symbols = 0;

	for (size_t i = 0; i < count; i++) {
		struct listed *listed = &layout->listed[matches[i].symbol];

		symbols += listed->counted != matches[i].section + 1;
		listed->counted = matches[i].section + 1;
	}
	return symbols;
}

/*
 * Finds where a section was loaded, from its matches: where most symbols say, if that is half of
 * those with a name in common, because different functions of a module may have the same name. Of
 * places that are as likely, only that by the order in the file is believed.
 */
static void place_section(struct layout *layout, const struct match *matches, size_t count)
{
	struct code_section *section = &layout->sections[matches->section];
	size_t most = 0, same = 0, in_order = 0;
	uint64_t distance = 0;

	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count; end++)
			if (matches[end].distance != matches[first].distance)
				break;
		same = end - first > most ? 1 : same + (end - first == most);
		if (end - first > most)
			distance = matches[first].distance;
		most = (size_t)u64_max(most, end - first);
		if (!matches[first].distance)
			in_order = end - first;
	}
	if (same > 1)
		distance = 0;
	section->found = (same == 1 || in_order == most) &&
	                 2 * most >= count_symbols(layout, matches, count);
	section->start = section->place + distance;
}

/*
 * Places all sections, and leaves those that were found, by their starts. One symbol places what is
 * for the start of the module, so that this alone proves nothing.
 */
static void place_all(struct layout *layout)
{
	size_t found = 0, kept = 0;

	for (size_t first = 0, end; first < layout->match_count; first = end) {
		for (end = first + 1; end < layout->match_count; end++)
			if (layout->matches[end].section != layout->matches[first].section)
				break;
		place_section(layout, &layout->matches[first], end - first);
	}
	for (size_t i = 0; i < layout->count; i++)
		if (layout->sections[i].found) {
			kept += layout->sections[i].place < ELF_MODULE_INIT;
			layout->sections[found++] = layout->sections[i];
		}
	layout->count = found = kept ? found : 0;
	qsort(layout->sections, found, sizeof(*layout->sections), compare_starts);
}

/* Adds the sections, and what is between them; returns how many; -1 with err set. */
static int add_links(struct symtable *table, const struct layout *layout, uint64_t start,
                     struct err *err)
{
	uint64_t end = 0;
	int added = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct code_section *section = &layout->sections[i];
		const uint64_t behind = u64_add_sat(section->start, section->size);

		/* sections that lie over each other are none of a module that was loaded */
		if (section->start < end)
			continue;
		if (!symtable_add_link(table, end, section->start, start, err) ||
		    !symtable_add_link(table, section->start, behind,
		                       section->place - section->start, err))
			return -1;
		end = behind;
		added++;
	}
	return !added || symtable_add_link(table, end, UINT64_MAX, start, err) ? added : -1;
}

int module_layout_link(struct symtable *table, const struct elf *elf, uint64_t start, bool *common,
                       struct err *err)
{
	struct layout layout = { .sections = NULL };
	int added = -1;

	*common = false;
	if (list_sections(&layout, elf, err) && list_symbols(&layout, table, err) &&
	    match_all(&layout, elf, err)) {
		*common = layout.match_count;
		place_all(&layout);
		added = add_links(table, &layout, start, err);
	}
	free(layout.sections);
	free(layout.listed);
	free(layout.matches);
	return added;
}
