#include "decode/symbols/symtable.h"

#include "decode/files/elf.h"
#include "decode/symbols/demangle.h"
#include "util/search.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 1024 /* limit of nested functions that are searched */
#define NO_ITEM UINT32_MAX
#define PAGE 4096u

void symtable_release(struct symtable *table)
{
	for (size_t i = 0; i < SYMTABLE_TEXTS; i++)
		if (!table->texts[i].borrowed)
			free(table->texts[i].data);
	free(table->items);
	free(table->links);
	map_release(&table->best);
	*table = (struct symtable){ 0 };
}

int symtable_add_text(struct symtable *table, char *data, size_t size, bool borrowed,
                      struct err *err)
{
	if (table->added_texts + 1 == SYMTABLE_TEXTS || size > UINT32_MAX) {
		err_set(err, ERR_LIMIT, "symbol names of more than 4 GiB");
		if (!borrowed)
			free(data);
		return -1;
	}
	table->added_texts++;
	table->texts[table->added_texts] = (struct symtable_text){ .data = data,
		                                                   .size = size,
		                                                   .borrowed = borrowed };
	return (int)table->added_texts;
}

bool symtable_add_name(struct symtable *table, const char *name, size_t length, uint32_t *offset,
                       struct err *err)
{
	struct symtable_text *text = &table->texts[SYMTABLE_OWN_NAMES];

	if (length >= UINT32_MAX - text->size)
		return err_set(err, ERR_LIMIT, "symbol names of more than 4 GiB");
	if (!vec_reserve(&text->data, text->size + length + 1, &text->capacity, 1, err))
		return false;
	*offset = (uint32_t)text->size;
	memcpy(text->data + text->size, name, length);
	text->data[text->size + length] = '\0';
	text->size += length + 1;
	return true;
}

bool symtable_extend_name(struct symtable *table, const char *more, struct err *err)
{
	uint32_t offset;

	table->texts[SYMTABLE_OWN_NAMES].size--; /* the NUL */
	return symtable_add_name(table, more, strlen(more), &offset, err);
}

bool symtable_put(struct symtable *table, const struct symtable_item *item, struct err *err)
{
	if (table->count >= NO_ITEM)
		return err_set(err, ERR_LIMIT, "more than 2^32 symbols");
	return vec_append(&table->items, &table->count, &table->capacity, item, sizeof(*item), err);
}

/* How many items are in order from the first one on. */
static size_t sorted_count(const struct symtable *table)
{
	size_t count = table->count ? 1 : 0;

	while (count < table->count && table->items[count].start >= table->items[count - 1].start)
		count++;
	return count;
}

/* Sorts the items behind those that are in order, and merges them into these. */
static bool merge_rest(struct symtable *table, size_t sorted, struct err *err)
{
	struct symtable_item *items = table->items, *rest;
	size_t left = table->count - sorted, to = table->count;

	rest = vec_new(left, sizeof(*rest), err);
	if (!rest)
		return false;
	memcpy(rest, items + sorted, left * sizeof(*rest));
	if (!radix_sort_array(&rest, left, sizeof(*rest), err)) {
		free(rest);
		return false;
	}
	while (left && sorted)
		items[--to] = items[sorted - 1].start > rest[left - 1].start ? items[--sorted]
		                                                             : rest[--left];
	memcpy(items, rest, left * sizeof(*rest));
	free(rest);
	return true;
}

/*
 * With qsort() a recording of 14,000 samples took 10 % more CPU time, medians of 40 runs each with
 * a load of 10 on 2 CPUs. Few items that are added to many sorted ones are merged: a program with a
 * million symbols and a few exported ones takes a quarter less CPU time.
 */
bool symtable_sort(struct symtable *table, struct err *err)
{
	const size_t sorted = sorted_count(table);

	map_release(&table->best);
	if (sorted == table->count)
		return true;
	if (sorted > table->count / 2)
		return merge_rest(table, sorted, err);
	table->capacity = table->count;
	return radix_sort_array(&table->items, table->count, sizeof(*table->items), err);
}

static uint64_t item_end(const struct symtable_item *item)
{
	return u64_add_sat(item->start, item->size);
}

void symtable_fix_ends(struct symtable *table)
{
	struct symtable_item *items = table->items;

	for (size_t i = 0, behind; i < table->count; i = behind) {
		bool sized = false;
		uint64_t size;

		for (behind = i; behind < table->count && items[behind].start == items[i].start;
		     behind++)
			sized |= items[behind].size != 0;
		/* if a name has the function's size, another without a size does not extend it */
		if (sized)
			continue;
		size = behind < table->count ? items[behind].start - items[i].start
		                             : -items[i].start % PAGE + PAGE;
		for (; i < behind; i++)
			items[i].size = (uint32_t)u64_min(size, UINT32_MAX);
	}
}

size_t symtable_bytes(const struct symtable *table)
{
	size_t bytes = table->capacity * sizeof(*table->items) +
	               table->link_capacity * sizeof(*table->links);

	for (size_t i = 0; i < SYMTABLE_TEXTS; i++)
		if (!table->texts[i].borrowed)
			bytes += table->texts[i].size;
	return bytes;
}

void symtable_finish(struct symtable *table)
{
	struct symtable_item *items = table->items;

	for (size_t i = 0; i < table->count; i++) {
		uint32_t outer = i ? (uint32_t)(i - 1) : NO_ITEM;

		while (outer != NO_ITEM && item_end(&items[outer]) <= item_end(&items[i]))
			outer = items[outer].outer;
		items[i].outer = outer;
	}
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

/* One of several items with the same start. */
struct candidate {
	const struct symtable_item *item;
	/* of its name as it will be printed, which is what perf compares */
	size_t dashes, length;
	bool syscall; /* it is an alias of a system call */
};

/* If memory is refused, the raw name counts. */
static struct candidate make_candidate(const struct symtable *table,
                                       const struct symtable_item *item)
{
	const char *raw = symtable_name(table, item);
	char *demangled = is_mangled(raw) ? symbol_demangle(raw, false) : NULL;
	const char *name = demangled ? demangled : raw;
	struct candidate made = { .item = item,
		                  .dashes = strspn(name, "_"),
		                  .length = strlen(name),
		                  .syscall = text_starts(name, "SyS") ||
		                             text_starts(name, "compat_SyS") };

	free(demangled);
	return made;
}

/*
 * Whether `one`, which comes later in the table, is a better name than `best`. If nothing else
 * decides, fewer leading underscores are better, then a longer name, then one that is no alias of a
 * system call.
 */
static bool is_better(const struct symtable *table, const struct candidate *one,
                      const struct candidate *best)
{
	const struct symtable_item *a = one->item, *b = best->item;

	if (!a->size != !b->size)
		return a->size != 0;
	if (a->type != b->type && (a->type == STT_NOTYPE || b->type == STT_NOTYPE))
		return b->type == STT_NOTYPE;
	if ((a->binding ^ b->binding) & SYMTABLE_OLD_VERSION)
		return b->binding & SYMTABLE_OLD_VERSION;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return b->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL;
	if (one->dashes != best->dashes)
		return one->dashes < best->dashes;
	if (one->length != best->length)
		return one->length > best->length;
	return best->syscall && strcmp(symtable_name(table, a), symtable_name(table, b)) != 0;
}

/* The best of those of the first count items that have the same start as item `any`. */
static size_t find_best(const struct symtable *table, size_t count, size_t any)
{
	const struct symtable_item *items = table->items;
	uint64_t start = items[any].start;
	struct candidate best;

	while (any && items[any - 1].start == start)
		any--;
	if (any + 1 == count || items[any + 1].start != start)
		return any;
	best = make_candidate(table, &items[any]);
	for (size_t i = any + 1; i < count && items[i].start == start; i++) {
		struct candidate one = make_candidate(table, &items[i]);

		if (is_better(table, &one, &best))
			best = one;
	}
	return (size_t)(best.item - items);
}

/*
 * The same. Identical functions that were merged can have thousands of names, so the best one is
 * remembered; if memory is refused, it is found again.
 */
static size_t best_of(struct symtable *table, size_t count, size_t any)
{
	const struct symtable_item *items = table->items;
	uint64_t start = items[any].start;
	struct err refused = { .code = ERR_NONE };
	size_t best;

	if ((!any || items[any - 1].start != start) &&
	    (any + 1 >= count || items[any + 1].start != start))
		return any;
	best = map_get(&table->best, start);
	if (best == MAP_NONE) {
		best = find_best(table, count, any);
		map_put(&table->best, start, (uint32_t)best, &refused);
	}
	return best;
}

const char *symtable_name_at(struct symtable *table, size_t count, uint64_t start)
{
	size_t found = search_equal(table->items, count, sizeof(*table->items), start);

	if (found == count)
		return NULL;
	return symtable_name(table, &table->items[best_of(table, count, found)]);
}

const struct symbol *symtable_find(struct symtable *table, uint64_t addr)
{
	size_t until = search_until(table->items, table->count, sizeof(*table->items), addr);
	const struct symtable_item *item;
	uint32_t nearest = (uint32_t)until - 1; /* NO_ITEM if all items start behind it */

	for (int depth = 0; nearest != NO_ITEM && item_end(&table->items[nearest]) <= addr; depth++)
		nearest = depth < DEPTH_MAX ? table->items[nearest].outer : NO_ITEM;
	if (nearest == NO_ITEM)
		return NULL;
	item = &table->items[best_of(table, table->count, nearest)];
	/* the symbol that perf would choose is too short; another one is better than none */
	if (item_end(item) <= addr)
		item = &table->items[nearest];
	table->found = (struct symbol){ .start = item->start,
		                        .end = item_end(item),
		                        .entry = symtable_link_addr(table, item->start),
		                        .name = symtable_name(table, item),
		                        .origin = item->origin };
	return &table->found;
}

bool symtable_add_link(struct symtable *table, uint64_t start, uint64_t end, uint64_t delta,
                       struct err *err)
{
	const struct symtable_link link = { start, end, delta };
	size_t count = table->link_count;

	table->links_disordered |= count && start < table->links[count - 1].end;
	return vec_append(&table->links, &table->link_count, &table->link_capacity, &link,
	                  sizeof(link), err);
}

/* The link of an address, or NULL. */
static const struct symtable_link *find_link(const struct symtable *table, uint64_t addr)
{
	size_t first = 0, behind = table->link_count;

	if (!table->links_disordered) {
		behind = search_until(table->links, behind, sizeof(*table->links), addr);
		first = behind ? behind - 1 : 0;
	}
	for (size_t i = first; i < behind; i++)
		if (addr >= table->links[i].start && addr < table->links[i].end)
			return &table->links[i];
	return NULL;
}

uint64_t symtable_link_addr(const struct symtable *table, uint64_t addr)
{
	const struct symtable_link *link = find_link(table, addr);

	return link ? addr + link->delta : addr;
}

uint64_t symtable_link_end(const struct symtable *table, uint64_t addr)
{
	const struct symtable_link *link = find_link(table, addr);

	return link ? link->end : UINT64_MAX;
}
