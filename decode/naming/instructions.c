#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/instructions.h"

#include "decode/naming/executed.h"
#include "decode/naming/instructioncode.h"
#include "decode/naming/placelist.h"
#include "decode/naming/rows.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples of an event at a place. */
struct hit {
	uint32_t event, function; /* function: whose symbol covers the place */
	uint32_t place;
	uint64_t addr; /* link-time */
	uint64_t samples, period;
};

struct making {
	struct instructions *made;
	struct buildstat *stat;
	const struct place_names *names;
	struct err *err;
	struct hit *hits; /* by event, function, address */
	size_t hit_count;
	struct wanted_function *wanted; /* ascending by function */
	size_t wanted_count;
	struct instruction_code code;
	/* of instructions, of what they jump to, and of hits, by these numbers: */
	struct place_list places;
	size_t *first_item; /* of a code: of its first instruction, whose target is the next item */
	size_t hit_items;   /* of the first hit */
	struct executed executed;
};

/* The function whose symbol covers a place, into which others may be inlined. */
static uint32_t outermost(const struct place_names *names, uint32_t place)
{
	const struct place_name *name = &names->places[place];
	size_t frame = name->frames;

	if (name->frames == PLACE_NO_FRAMES)
		return name->function;
	while (!names->frames[frame].outermost)
		frame++;
	return names->frames[frame].function;
}

static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool collect_hits(struct making *making)
{
	const struct cells *cells = &making->stat->cells;
	const struct place_names *names = making->names;
	size_t kept = 0;

	making->hits = vec_new(cells->count, sizeof(*making->hits), making->err);
	for (size_t i = 0; making->hits && i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		const uint32_t place = cell_place(cell);

		making->hits[i] = (struct hit){ .event = cells_kind_at(cells, cell->kind)->event,
			                        .function = outermost(names, place),
			                        .place = place,
			                        .addr = names->places[place].link_addr,
			                        .samples = cell->samples,
			                        .period = cell->period };
	}
	if (!making->hits)
		return false;
	qsort(making->hits, cells->count, sizeof(*making->hits), compare_hits);
	for (size_t i = 0; i < cells->count; i++) {
		if (kept && !compare_hits(&making->hits[kept - 1], &making->hits[i])) {
			making->hits[kept - 1].samples += making->hits[i].samples;
			making->hits[kept - 1].period += making->hits[i].period;
		} else {
			making->hits[kept++] = making->hits[i];
		}
	}
	making->hit_count = kept;
	return true;
}

/* Lists the functions with hits. */
static bool collect_functions(struct making *making)
{
	const size_t count = making->names->function_count;
	uint64_t *samples = vec_new(count, sizeof(*samples), making->err);

	making->wanted = vec_new(count, sizeof(*making->wanted), making->err);
	if (samples && making->wanted) {
		for (size_t i = 0; i < making->hit_count; i++)
			samples[making->hits[i].function] += making->hits[i].samples;
		for (size_t i = 0; i < count; i++)
			if (samples[i])
				making->wanted[making->wanted_count++] = (struct wanted_function){
					.function = (uint32_t)i, .samples = samples[i]
				};
	}
	free(samples);
	return samples && making->wanted;
}

/* Adds the instructions of a function, and what they jump to outside of it. */
static void add_code(struct making *making, const struct wanted_function *wanted)
{
	const struct code_function *code = &making->code.codes[wanted->code];
	const uint32_t binary = making->names->functions[wanted->function].binary;

	making->first_item[wanted->code] = making->places.count;
	for (size_t i = 0; i < code->count; i++) {
		const struct code_instruction *instruction = &code->instructions[i];
		const uint64_t addr = wanted->addr + (instruction->addr - code->addr);
		uint64_t target;

		place_list_add(&making->places, binary, addr);
		if (!instruction->has_target || instruction->target - code->addr < code->size ||
		    !binary_code_addr(making->code.binary_of[wanted->code], instruction->target,
		                      &target))
			target = addr; /* it goes unused */
		place_list_add(&making->places, binary, target);
	}
}

/* Names all of these addresses, as naming_run() named those of samples. */
static bool name_items(struct making *making, const struct naming_options *options)
{
	struct naming_options all = *options;
	size_t count = making->hit_count;

	for (size_t i = 0; i < making->code.count; i++)
		count += 2 * making->code.codes[i].count;
	making->first_item = vec_new(making->code.count, sizeof(*making->first_item), making->err);
	if (!place_list_init(&making->places, count, making->err) || !making->first_item)
		return false;
	for (size_t i = 0; i < making->wanted_count; i++)
		if (making->wanted[i].code != SIZE_MAX)
			add_code(making, &making->wanted[i]);
	making->hit_items = making->places.count;
	for (size_t i = 0; i < making->hit_count; i++) {
		const struct place_range *range = &making->stat->places.ranges[places_range(
			&making->stat->places, making->hits[i].place)];

		place_list_add(&making->places, range->binary,
		               making->stat->places.addrs[making->hits[i].place]);
	}
	all.lookup.lines = true;
	all.lookup.sources = false;
	all.lookup.entry_lines = false;
	return place_list_name(&making->places, making->stat, &all, making->err);
}

/* The name of a function and, inside of it, how far: "main+0x1c". */
static uint32_t name_at(struct making *making, const char *name, uint64_t offset)
{
	struct strings *strings = making->stat->strings;
	uint32_t number;
	char *text;

	if (!offset)
		return strings_put_text(strings, name, making->err);
	text = malloc(strlen(name) + 20);
	if (!text) {
		err_nomem(making->err, strlen(name) + 20);
		return STRING_NONE;
	}
	sprintf(text, "%s+0x%" PRIx64, name, offset);
	number = strings_put_text(strings, text, making->err);
	free(text);
	return number;
}

static uint32_t target_text(struct making *making, uint32_t place)
{
	const struct function_name *function =
		&making->places.names.functions[outermost(&making->places.names, place)];
	const uint64_t addr = making->places.names.places[place].link_addr;

	return function->end ? name_at(making, strings_get(making->stat->strings, function->name),
	                               addr - function->start)
	                     : STRING_EMPTY;
}

/* Sets where an instruction of a kernel module leads. */
static void set_module_target(struct making *making, const struct module_calls *calls,
                              const struct code_function *function, size_t at,
                              struct instruction_row *row)
{
	const struct code_instruction *found = &function->instructions[at];
	const uint64_t end = at + 1 < function->count ? found[1].addr
	                                              : function->addr + function->size;
	struct module_target target;

	if (!module_calls_find(calls, found->addr, end, found->target, &target))
		return;
	if (target.addr - function->addr < function->size)
		row->jump = target.addr;
	else
		row->target = name_at(making, target.name, target.offset);
}

static bool put_row(struct making *making, struct instruction_row *row, uint32_t event,
                    uint32_t place)
{
	const struct place_name *name = &making->places.names.places[place];
	const struct places *places = &making->places.places;

	row->addr = name->link_addr;
	row->function = making->places.names.functions[name->function].name;
	row->file = name->file;
	row->line = name->line;
	row->executed = executed_at(&making->executed, event,
	                            places->ranges[places_range(places, place)].binary,
	                            places->addrs[place]);
	return vec_append(&making->made->rows, &making->made->row_count,
	                  &making->made->row_capacity, row, sizeof(*row), making->err);
}

/* hit: the samples at it; NULL: none. code: number; at: of the instruction. */
static bool put_instruction(struct making *making, size_t code, size_t at, uint32_t event,
                            const struct hit *hit)
{
	const struct code_function *function = &making->code.codes[code];
	const struct code_instruction *found = &function->instructions[at];
	const struct module_calls *calls = &making->code.binary_of[code]->calls;
	const size_t item = making->first_item[code] + 2 * at;
	struct instruction_row row = { .text = found->text, .target = STRING_EMPTY };

	if (hit) {
		row.period = hit->period;
		row.samples = hit->samples;
	}
	if (found->has_target && calls->function_count)
		set_module_target(making, calls, function, at, &row);
	else if (found->has_target && found->target - function->addr < function->size)
		row.jump = found->target;
	else if (found->has_target &&
	         making->places.place_of[item] != making->places.place_of[item + 1])
		row.target = target_text(making, making->places.place_of[item + 1]);
	return row.target != STRING_NONE &&
	       put_row(making, &row, event, making->places.place_of[item]);
}

/* Whether the symbol of an instruction is that of the function; others may lie inside of it. */
static bool is_of_function(const struct making *making, const struct function_name *function,
                           size_t item)
{
	const uint32_t own = outermost(&making->places.names, making->places.place_of[item]);

	return making->places.names.functions[own].start == function->start;
}

/* Adds the row of a hit where no instruction begins. */
static bool put_hit(struct making *making, size_t number)
{
	const struct hit *hit = &making->hits[number];
	struct instruction_row row = { .text = STRING_EMPTY,
		                       .target = STRING_EMPTY,
		                       .period = hit->period,
		                       .samples = hit->samples };

	return put_row(making, &row, hit->event,
	               making->places.place_of[making->hit_items + number]);
}

/* The rows of hits [first, end), which are of one event and function, and of its instructions. */
static bool put_rows(struct making *making, const struct function_name *function, size_t code,
                     size_t first, size_t end)
{
	const struct code_function *found = code == SIZE_MAX ? NULL : &making->code.codes[code];
	const uint32_t event = making->hits[first].event;
	const size_t count = found ? found->count : 0;
	size_t at = 0, i = first;

	/* both are in the order of their addresses */
	while (i < end || at < count) {
		const struct hit *hit = i < end ? &making->hits[i] : NULL;
		const struct code_instruction *next = at < count ? &found->instructions[at] : NULL;
		bool ok = true;

		if (!next || (hit && hit->addr < next->addr)) {
			ok = put_hit(making, i++);
		} else if (hit && hit->addr == next->addr) {
			ok = put_instruction(making, code, at++, event, hit);
			i++;
		} else {
			if (is_of_function(making, function, making->first_item[code] + 2 * at))
				ok = put_instruction(making, code, at, event, NULL);
			at++;
		}
		if (!ok)
			return false;
	}
	return true;
}

static size_t code_of(const struct making *making, uint32_t function)
{
	size_t low = 0, high = making->wanted_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (making->wanted[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return making->wanted[low].code;
}

static bool put_blocks(struct making *making)
{
	struct instructions *made = making->made;

	for (size_t first = 0, end; first < making->hit_count; first = end) {
		const struct hit *hit = &making->hits[first];
		const struct function_name *function = &making->names->functions[hit->function];
		struct instruction_block block = { .first = made->row_count,
			                           .event = hit->event,
			                           .binary = function->binary,
			                           .start = function->start,
			                           .name = function->name,
			                           .executed = executed_known(&making->executed,
			                                                      hit->event) };

		for (end = first; end < making->hit_count; end++) {
			if (making->hits[end].event != hit->event ||
			    making->hits[end].function != hit->function)
				break;
			block.period += making->hits[end].period;
			block.samples += making->hits[end].samples;
		}
		if (!put_rows(making, function, code_of(making, hit->function), first, end))
			return false;
		block.count = made->row_count - block.first;
		if (!vec_append(&made->blocks, &made->block_count, &made->block_capacity, &block,
		                sizeof(block), making->err))
			return false;
	}
	return true;
}

static int compare_blocks(const void *a, const void *b, void *context)
{
	const struct buildstat *stat = context;
	const struct instruction_block *x = a, *y = b;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = rows_compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order)
		order = rows_compare_texts(stat->strings, x->name, y->name);
	if (!order)
		order = rows_compare_texts(stat->strings, stat->binaries.items[x->binary].name,
		                           stat->binaries.items[y->binary].name);
	return order ? order : u64_order(x->start, y->start);
}

/* Says of which binaries the code is not there. */
static void warn_without_code(const struct making *making, struct diag *diag)
{
	const struct strings *strings = making->stat->strings;
	uint64_t samples = 0;

	for (size_t i = 0; i < making->wanted_count; i++) {
		const struct wanted_function *wanted = &making->wanted[i];
		const struct function_name *function = &making->names->functions[wanted->function];
		const struct binary *binary = &making->stat->binaries.items[function->binary];
		const char *name = strings_get(strings, binary->name);
		const bool last = i + 1 == making->wanted_count ||
		                  making->names->functions[wanted[1].function].binary !=
		                          function->binary;

		if (wanted->code == SIZE_MAX && function->end > function->start &&
		    !wanted->left_out)
			samples += wanted->samples;
		if (!last || !samples)
			continue;
		diag_warn_about(
			diag, (struct diag_about){ name, samples },
			"the code of %s is not here: %" PRIu64 " samples have no instructions%s",
			name, samples,
			binary->kind == BINARY_KERNEL
				? " (the running kernel's cannot be read; --vmlinux is used)"
				: "");
		samples = 0;
	}
}

bool instructions_make(struct instructions *made, const struct instruction_source *source,
                       struct err *err)
{
	struct making making = {
		.made = made, .stat = source->stat, .names = source->names, .err = err
	};
	bool ok = executed_make(&making.executed, &source->stat->branches, err) &&
	          collect_hits(&making) && collect_functions(&making) &&
	          instruction_code_make(&making.code, making.wanted, making.wanted_count, source,
	                                err) &&
	          name_items(&making, source->options) && put_blocks(&making);

	made->files = &source->options->lookup.symbols.files;
	if (ok) {
		warn_without_code(&making, source->diag);
		if (made->block_count)
			qsort_r(made->blocks, made->block_count, sizeof(*made->blocks),
			        compare_blocks, source->stat);
	}
	executed_release(&making.executed);
	free(making.hits);
	free(making.wanted);
	instruction_code_release(&making.code);
	free(making.first_item);
	place_list_release(&making.places);
	return ok;
}

void instructions_release(struct instructions *made)
{
	free(made->rows);
	free(made->blocks);
	memset(made, 0, sizeof(*made));
}
