#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/memoryrows.h"

#include "decode/naming/rows.h"
#include "util/text.h"
#include "util/vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What an access says besides its key. */
struct access_names {
	uint32_t function, binary, data_symbol, data_binary; /* strings */
};

/* An access as a part of a cache line. */
struct line_part {
	uint64_t line, offset;
	int32_t pid;
	uint32_t event, access; /* access: its number */
	uint32_t shared;        /* number of the shared memory that it is in; 0: it is not shared */
};

struct making {
	struct memory_rows *rows;
	struct buildstat *stat;
	const struct memory_machine *machine;
	struct err *err;
	struct numbered_place
		*items; /* of each access its place in the code, and that of its data */
	uint32_t *place_of;
	struct places places;
	struct place_names names;
	struct access_names *accesses;
	struct line_part *parts; /* by line, then offset */
	size_t part_count;
	uint32_t *values; /* room for one of each part */
	struct diag *diag;
};

static const struct access_key *access_at(const struct making *making, size_t number)
{
	return tuples_get(&making->stat->memory.accesses, number);
}

static uint32_t put_text(const struct making *making, const char *text)
{
	return strings_put_text(making->stat->strings, text, making->err);
}

static bool name_places(struct making *making, const struct naming_options *options)
{
	const size_t count = making->stat->memory.accesses.count;
	struct naming_options how = *options;

	making->items = vec_new(2 * count, sizeof(*making->items), making->err);
	making->place_of = vec_new(2 * count, sizeof(*making->place_of), making->err);
	if (!making->items || !making->place_of)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct access_key *key = access_at(making, i);

		making->items[2 * i] = (struct numbered_place){ key->ip, key->ip_binary,
			                                        (uint32_t)(2 * i) };
		making->items[2 * i + 1] = (struct numbered_place){ key->data, key->data_binary,
			                                            (uint32_t)(2 * i + 1) };
	}
	how.lookup.lines = how.lookup.sources = how.lookup.entry_lines = false;
	return places_make(&making->places, making->items, 2 * count, making->place_of,
	                   making->err) &&
	       naming_run_places(&making->names, making->stat, &making->places, &how, making->err);
}

/* What stands for data without a symbol. */
static const char *region_of(const struct buildstat *stat, const struct binary *binary)
{
	const char *name = strings_get(stat->strings, binary->name);

	if (binary->kind == BINARY_FILE)
		return "[file]";
	if (binary->kind == BINARY_JIT)
		return "[anon]";
	if (binary->kind != BINARY_SPECIAL)
		return "[unknown]";
	if (text_starts(name, "[heap"))
		return "[heap]";
	if (text_starts(name, "[stack"))
		return "[stack]";
	return *name == '[' ? "[unknown]" : "[anon]";
}

static bool name_accesses(struct making *making)
{
	const struct buildstat *stat = making->stat;
	const size_t count = stat->memory.accesses.count;

	making->accesses = vec_new(count, sizeof(*making->accesses), making->err);
	for (size_t i = 0; making->accesses && i < count; i++) {
		const struct place_name *code = &making->names.places[making->place_of[2 * i]];
		const struct place_name *data = &making->names.places[making->place_of[2 * i + 1]];
		const struct function_name *function = &making->names.functions[code->function];
		const struct function_name *object = &making->names.functions[data->function];
		const struct binary *binary = &stat->binaries.items[object->binary];
		const bool known = !symbol_origin_is_reason((enum symbol_origin)object->origin);

		making->accesses[i] = (struct access_names){
			.function = function->name,
			.binary = stat->binaries.items[function->binary].name,
			.data_symbol = known ? object->name
			                     : put_text(making, region_of(stat, binary)),
			.data_binary = binary->name,
		};
	}
	return making->accesses && making->err->code == ERR_NONE;
}

static void add_sum(struct access_sum *to, const struct access_sum *more)
{
	to->samples += more->samples;
	to->period += more->period;
	to->weight += more->weight;
	to->weight_max = u64_max(to->weight_max, more->weight_max);
	to->cost += more->cost;
	to->second += more->second;
	to->third += more->third;
}

/* Adds up accesses that are equal in all that memory.csv shows. */
static bool put_rows(struct making *making)
{
	struct memory_rows *rows = making->rows;
	struct memory_row row;
	struct tuples keys;
	const size_t key_size = offsetof(struct memory_row, sum);
	bool ok = true;

	memset(&row, 0, sizeof(row));
	tuples_init(&keys, key_size);
	for (size_t i = 0; ok && i < making->stat->memory.accesses.count; i++) {
		const struct access_key *key = access_at(making, i);
		const struct access_names *names = &making->accesses[i];
		char text[DATA_WORD_SIZE];
		uint32_t number;

		row.function = names->function;
		row.binary = names->binary;
		row.data_symbol = names->data_symbol;
		row.data_binary = names->data_binary;
		row.event = key->event;
		for (int k = 0; k < DATA_QUESTIONS; k++) {
			data_word(key->source, (enum data_question)k, text);
			row.words[k] = put_text(making, text);
		}
		number = tuples_put(&keys, &row, making->err);
		ok = number != MAP_NONE && making->err->code == ERR_NONE &&
		     (number < rows->row_count ||
		      vec_append(&rows->rows, &rows->row_count, &rows->row_capacity, &row,
		                 sizeof(row), making->err));
		if (ok)
			add_sum(&rows->rows[number].sum, &making->stat->memory.sums[i]);
	}
	tuples_release(&keys);
	return ok;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct memory_row *x = a, *y = b;
	const struct strings *strings = context;
	const uint32_t *m = &x->function, *n = &y->function;
	int order = 0;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->sum.cost != y->sum.cost)
		return x->sum.cost > y->sum.cost ? -1 : 1;
	for (size_t i = 0; !order && i < 4; i++)
		order = rows_compare_texts(strings, m[i], n[i]);
	for (size_t i = 0; !order && i < DATA_QUESTIONS; i++)
		order = rows_compare_texts(strings, x->words[i], y->words[i]);
	return order;
}

static int compare_parts(const void *a, const void *b)
{
	const struct line_part *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->shared != y->shared)
		return x->shared < y->shared ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->access < y->access ? -1 : x->access > y->access;
}

/* Shared memory: a line that several processes access is one. */
struct sharing {
	struct map numbers;        /* hash of what tells that lines are the same -> number */
	struct shared_line *lines; /* by number */
	size_t count, capacity;
	uint64_t seed;
	bool apart; /* a process accesses memory of which that cannot be told */
	int32_t apart_pid;
	bool several_apart; /* several do */
};

struct shared_line {
	uint64_t line; /* its address in the process with the lowest pid */
	int32_t pid;
	bool several; /* processes */
};

/* What tells it: the physical address, or else the place in the file. False: nothing does. */
static bool identity_of(const struct making *making, const struct access_key *key, uint64_t seed,
                        uint64_t *identity)
{
	const struct binary *binary = &making->stat->binaries.items[key->data_binary];
	const uint64_t mask = making->rows->line_size - 1;

	if (key->physical)
		*identity = hash_pair(seed, UINT64_MAX, key->physical & ~mask);
	else if (binary->kind == BINARY_FILE)
		*identity = hash_pair(seed, key->data_binary, key->data & ~mask);
	else
		return false;
	return true;
}

/* Sets the number of a part in shared memory, and notes its process. */
static bool note_shared(const struct making *making, struct sharing *sharing,
                        struct line_part *part)
{
	const struct access_key *key = access_at(making, part->access);
	struct shared_line *shared;
	uint64_t identity;
	uint32_t number;

	if (part->pid < 0 || !making->stat->binaries.items[key->data_binary].shared)
		return true;
	if (!identity_of(making, key, sharing->seed, &identity)) {
		sharing->several_apart |= sharing->apart && sharing->apart_pid != part->pid;
		sharing->apart = true;
		sharing->apart_pid = part->pid;
		return true;
	}
	number = map_number(&sharing->numbers, identity, making->err);
	if (number == MAP_NONE ||
	    (number == sharing->count &&
	     !vec_append(&sharing->lines, &sharing->count, &sharing->capacity,
	                 &(struct shared_line){ part->line, part->pid, false },
	                 sizeof(*sharing->lines), making->err)))
		return false;
	shared = &sharing->lines[number];
	shared->several |= shared->pid != part->pid;
	if (part->pid < shared->pid || (part->pid == shared->pid && part->line < shared->line)) {
		shared->pid = part->pid;
		shared->line = part->line;
	}
	part->shared = number + 1;
	return true;
}

/* Makes one line of the same memory in several processes. */
static bool join_shared(struct making *making)
{
	struct sharing sharing = { .seed = hash_seed() };
	bool ok = true;

	for (size_t i = 0; ok && i < making->part_count; i++)
		ok = note_shared(making, &sharing, &making->parts[i]);
	for (size_t i = 0; ok && i < making->part_count; i++) {
		struct line_part *part = &making->parts[i];
		const struct shared_line *shared = part->shared ? &sharing.lines[part->shared - 1]
		                                                : NULL;

		if (!shared || !shared->several) {
			part->shared = 0;
			continue;
		}
		part->line = shared->line;
		part->pid = -1;
	}
	if (ok && sharing.several_apart)
		diag_warn(
			making->diag, ERR_NO_OFFSET,
			"processes share memory that is of no file, so that their cache lines are "
			"apart in cachelines.csv: record with --phys-data");
	map_release(&sharing.numbers);
	free(sharing.lines);
	return ok;
}

static bool list_parts(struct making *making)
{
	const size_t count = making->stat->memory.accesses.count;
	const uint64_t mask = making->rows->line_size - 1;

	making->parts = vec_new(count, sizeof(*making->parts), making->err);
	making->values = vec_new(count, sizeof(*making->values), making->err);
	if (!making->parts || !making->values)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct access_key *key = access_at(making, i);
		const bool kernel = key->addr >> 63;

		if (!data_source_is_access(key->source))
			continue;
		making->parts[making->part_count++] = (struct line_part){
			.line = key->addr & ~mask,
			.offset = key->addr & mask,
			.pid = kernel ? -1 : key->pid,
			.event = key->event,
			.access = (uint32_t)i
		};
	}
	if (!join_shared(making))
		return false;
	qsort(making->parts, making->part_count, sizeof(*making->parts), compare_parts);
	return true;
}

enum distinct { THREADS, CPUS, NODES, FUNCTIONS, OFFSETS };

static int compare_values(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The value of a part; false: it has none. */
static bool value_of(const struct making *making, const struct line_part *part, enum distinct what,
                     uint32_t *value)
{
	const struct access_key *key = access_at(making, part->access);
	const struct memory_machine *machine = making->machine;
	const bool has_cpu = key->cpu >= 0;

	switch (what) {
	case THREADS:
		*value = (uint32_t)key->tid;
		return true;
	case CPUS:
		*value = (uint32_t)key->cpu;
		return has_cpu;
	case NODES:
		if (!has_cpu || (size_t)key->cpu >= machine->cpu_count ||
		    machine->node_of[key->cpu] < 0)
			return false;
		*value = (uint32_t)machine->node_of[key->cpu];
		return true;
	case FUNCTIONS:
		*value = making->accesses[part->access].function;
		return true;
	case OFFSETS:
		break;
	}
	*value = (uint32_t)part->offset;
	return true;
}

/* How many different values parts [first, end) have. */
static uint32_t count_distinct(struct making *making, size_t first, size_t end, enum distinct what)
{
	uint32_t count = 0;
	size_t used = 0;

	for (size_t i = first; i < end; i++)
		used += value_of(making, &making->parts[i], what, &making->values[used]);
	qsort(making->values, used, sizeof(*making->values), compare_values);
	for (size_t i = 0; i < used; i++)
		count += !i || making->values[i] != making->values[i - 1];
	return count;
}

/* What parts [first, end) have together. */
static struct line_row sum_parts(struct making *making, size_t first, size_t end)
{
	const struct line_part *part = &making->parts[first];
	const struct access_names *names = &making->accesses[part->access];
	struct line_row row = { .line = part->line,
		                .pid = part->pid,
		                .event = part->event,
		                .offset = (uint32_t)part->offset,
		                .function = names->function,
		                .binary = names->binary,
		                .data_symbol = names->data_symbol,
		                .data_binary = names->data_binary };
	uint64_t most = 0;

	for (size_t i = first; i < end; i++) {
		const uint32_t access = making->parts[i].access;
		const struct access_key *key = access_at(making, access);
		const struct access_sum *sum = &making->stat->memory.sums[access];

		line_counts_add(&row.counts, key->source, key->addr, sum->samples);
		row.weight += sum->weight;
		if (key->physical)
			row.physical = key->physical & ~(making->rows->line_size - 1);
		if (sum->cost > most) {
			most = sum->cost;
			row.data_symbol = making->accesses[access].data_symbol;
			row.data_binary = making->accesses[access].data_binary;
		}
	}
	row.threads = count_distinct(making, first, end, THREADS);
	row.cpus = count_distinct(making, first, end, CPUS);
	row.nodes = count_distinct(making, first, end, NODES);
	return row;
}

/* Within a line: by offset, then function and binary. */
static int compare_functions(const void *a, const void *b, void *context)
{
	const struct making *making = context;
	const struct strings *strings = making->stat->strings;
	const struct line_part *x = a, *y = b;
	const struct access_names *m = &making->accesses[x->access],
				  *n = &making->accesses[y->access];
	int order;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	order = rows_compare_texts(strings, m->function, n->function);
	return order ? order : rows_compare_texts(strings, m->binary, n->binary);
}

/* The same; equal ones stay in the order of their accesses. */
static int compare_in_line(const void *a, const void *b, void *context)
{
	const struct line_part *x = a, *y = b;
	const int order = compare_functions(a, b, context);

	return order ? order : (x->access < y->access ? -1 : x->access > y->access);
}

/* The rows of a line's offsets: by offset and function. */
static bool put_offsets(struct making *making, size_t first, size_t end)
{
	struct memory_rows *rows = making->rows;

	for (size_t next; first < end; first = next) {
		struct line_row row;

		for (next = first + 1; next < end; next++)
			if (compare_functions(&making->parts[next], &making->parts[first], making))
				break;
		row = sum_parts(making, first, next);
		if (!vec_append(&rows->offsets, &rows->offset_count, &rows->offset_capacity, &row,
		                sizeof(row), making->err))
			return false;
	}
	return true;
}

static bool put_lines(struct making *making)
{
	struct memory_rows *rows = making->rows;

	for (size_t first = 0, end; first < making->part_count; first = end) {
		const struct line_part *part = &making->parts[first];
		struct line_row row;

		for (end = first + 1; end < making->part_count; end++)
			if (making->parts[end].line != part->line ||
			    making->parts[end].pid != part->pid ||
			    making->parts[end].shared != part->shared ||
			    making->parts[end].event != part->event)
				break;
		row = sum_parts(making, first, end);
		row.functions = count_distinct(making, first, end, FUNCTIONS);
		row.offsets = count_distinct(making, first, end, OFFSETS);
		row.first_row = rows->offset_count;
		qsort_r(making->parts + first, end - first, sizeof(*making->parts), compare_in_line,
		        making);
		if (!put_offsets(making, first, end))
			return false;
		row.row_count = rows->offset_count - row.first_row;
		if (!vec_append(&rows->lines, &rows->line_count, &rows->line_capacity, &row,
		                sizeof(row), making->err))
			return false;
	}
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (line_contention(x) != line_contention(y))
		return line_contention(x) > line_contention(y) ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->counts.samples != y->counts.samples)
		return x->counts.samples > y->counts.samples ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static void free_work(struct making *making)
{
	free(making->items);
	free(making->place_of);
	free(making->accesses);
	free(making->parts);
	free(making->values);
	places_release(&making->places);
	place_names_release(&making->names);
}

bool memory_rows_make(struct memory_rows *rows, struct buildstat *stat,
                      const struct naming_options *options, const struct memory_machine *machine,
                      struct diag *diag, struct err *err)
{
	struct making making = {
		.rows = rows, .stat = stat, .machine = machine, .diag = diag, .err = err
	};
	bool ok;

	rows->line_size = machine->line_size;
	ok = name_places(&making, options) && name_accesses(&making) && put_rows(&making) &&
	     list_parts(&making) && put_lines(&making);
	if (ok && rows->row_count)
		qsort_r(rows->rows, rows->row_count, sizeof(*rows->rows), compare_rows,
		        stat->strings);
	if (ok && rows->line_count)
		qsort(rows->lines, rows->line_count, sizeof(*rows->lines), compare_lines);
	free_work(&making);
	return ok;
}

void memory_rows_release(struct memory_rows *rows)
{
	free(rows->rows);
	free(rows->lines);
	free(rows->offsets);
	memset(rows, 0, sizeof(*rows));
}
