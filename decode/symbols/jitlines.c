#include "decode/symbols/jitlines.h"

#include "decode/source/source.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

#define ENTRY_SIZE 17 /* with an empty name */
#define ELF_HEADER_SIZE UINT64_C(64)

static uint32_t put_file(struct jit_lines *lines, const char *name, size_t length, struct err *err)
{
	if (!lines->files.count && !strings_init(&lines->files, err))
		return STRING_NONE;
	/* the names that node gives to files of its modules begin with "file://" */
	if (length >= strlen("file:///") && !memcmp(name, "file:///", strlen("file:///"))) {
		name += strlen("file://");
		length -= strlen("file://");
	}
	return strings_put(&lines->files, name, length, err);
}

/*
 * Reads one entry; its name may say that it has the same file as the one before, *line. order: its
 * position in the record.
 */
static bool read_entry(struct jit_lines *lines, struct cursor *c, uint64_t code, uint32_t order,
                       struct jit_line *line, struct err *err)
{
	uint64_t addr = cur_u64(c);
	const char *name;
	size_t length;

	line->line = cur_u32(c);
	cur_u32(c);
	name = (const char *)c->pos;
	length = strnlen(name, cur_left(c));
	if (length == cur_left(c)) {
		cur_take(c, length); /* cut off within the name */
		return true;
	}
	cur_take(c, length + 1);
	if (length != 1 || name[0] != '\xff')
		line->file = put_file(lines, name, length, err);
	if (line->file == STRING_NONE)
		return false;
	/* an address before its code, or too far behind */
	if (addr < code || addr - code > UINT32_MAX)
		return true;
	line->key = (addr - code) << 32 | order;
	return vec_append(&lines->items, &lines->count, &lines->capacity, line, sizeof(*line), err);
}

bool jit_lines_read(struct jit_lines *lines, struct cursor *record, struct err *err)
{
	struct jit_line line = { .file = STRING_EMPTY };
	struct jit_source source = { .place = 0 };
	size_t first = lines->count;
	uint64_t code, count;
	uint32_t order = 0;

	if (cur_left(record) < 2 * sizeof(uint64_t))
		return true;
	code = cur_u64(record);
	for (count = cur_u64(record); count && cur_left(record) >= ENTRY_SIZE; count--)
		if (!read_entry(lines, record, code, order++, &line, err))
			return false;
	/*
	 * more entries than announced: V8 10 writes names that it has already freed, and a NUL in
	 * one of them ends the name too early
	 */
	if (!count && cur_left(record) >= ENTRY_SIZE) {
		lines->count = first;
		lines->damaged++;
	}
	source.first = (uint32_t)first;
	source.count = (uint32_t)(lines->count - first);
	return vec_append(&lines->sources, &lines->source_count, &lines->source_capacity, &source,
	                  sizeof(source), err) &&
	       map_put(&lines->latest, code, (uint32_t)lines->source_count - 1, err);
}

void jit_lines_place(struct jit_lines *lines, uint64_t addr, uint64_t place, uint64_t end)
{
	uint32_t number = map_get(&lines->latest, addr);

	/* lines of code that was loaded there before are not those of this code */
	if (number == MAP_NONE || lines->sources[number].place)
		return;
	lines->sources[number].place = place;
	lines->sources[number].end = end;
}

/*
 * Costs only one pass if the lines are sorted already, as they usually are: qsort() alone takes
 * 10 % of the CPU time of a job with the jitdump file of node.
 */
static void sort_lines(struct jit_line *items, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (items[i].key < items[i - 1].key) {
			qsort(items, count, sizeof(*items), search_compare);
			break;
		}
}

/*
 * V8 and LLVM count addresses from the ELF header that perf inject writes in front of the code.
 * They are recognised by the fact that in the whole file no line is nearer to the start of its code
 * than the length of this header.
 */
static void take_header_off(struct jit_lines *lines)
{
	const uint64_t header = ELF_HEADER_SIZE << 32;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < lines->count; i++)
		least = u64_min(least, lines->items[i].key);
	for (size_t i = 0; least >= header && i < lines->count; i++)
		lines->items[i].key -= header;
}

void jit_lines_finish(struct jit_lines *lines)
{
	size_t kept = 0;

	take_header_off(lines);
	for (size_t i = 0; i < lines->source_count; i++) {
		struct jit_source source = lines->sources[i];

		if (source.place >= source.end || !source.count)
			continue;
		sort_lines(lines->items + source.first, source.count);
		lines->sources[kept++] = source;
	}
	lines->source_count = kept;
	if (kept)
		qsort(lines->sources, kept, sizeof(*lines->sources), search_compare);
	map_release(&lines->latest);
}

static const struct jit_source *find_source(const struct jit_lines *lines, uint64_t place)
{
	size_t until = search_until(lines->sources, lines->source_count, sizeof(*lines->sources),
	                            place);

	return until && place < lines->sources[until - 1].end ? &lines->sources[until - 1] : NULL;
}

/* The last line at or before an offset, or NULL. */
static const struct jit_line *find_line(const struct jit_lines *lines, uint64_t place)
{
	const struct jit_source *source = find_source(lines, place);
	const struct jit_line *items;
	size_t behind;

	if (!source)
		return NULL;
	items = lines->items + source->first;
	behind = search_until(items, source->count, sizeof(*items),
	                      (place - source->place) << 32 | UINT32_MAX);
	return behind ? &items[behind - 1] : NULL;
}

/* Sets the number of the file among the query's strings. */
static bool answer_file(const struct jit_lines *lines, const struct jit_line *line,
                        struct source_query *query, uint32_t *file, struct err *err)
{
	if (line->file != STRING_EMPTY)
		*file = strings_put_text(query->strings, strings_get(&lines->files, line->file),
		                         err);
	return *file != STRING_NONE;
}

bool jit_lines_answer(const struct jit_lines *lines, struct source_query *query, struct err *err)
{
	for (size_t i = 0; i < query->function_count; i++) {
		struct source_function *function = &query->functions[i];
		const struct jit_source *source = find_source(lines, function->entry);

		if (source &&
		    !answer_file(lines, &lines->items[source->first], query, &function->file, err))
			return false;
	}
	for (size_t i = 0; i < query->addr_count; i++) {
		struct source_addr *addr = &query->addrs[i];
		const struct jit_line *line = find_line(lines, addr->addr);

		if (!line)
			continue;
		if (!answer_file(lines, line, query, &addr->file, err))
			return false;
		addr->line = line->line;
	}
	return true;
}

void jit_lines_release(struct jit_lines *lines)
{
	free(lines->items);
	free(lines->sources);
	strings_release(&lines->files);
	map_release(&lines->latest);
	memset(lines, 0, sizeof(*lines));
}
