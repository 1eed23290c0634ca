#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/linerows.h"

#include "decode/naming/rows.h"
#include "decode/naming/sharedlines.h"
#include "util/vec.h"

#include <stdlib.h>

struct making {
	struct memory_rows *rows;
	const struct buildstat *stat;
	const struct memory_machine *machine;
	const struct access_names *accesses;
	struct line_part *parts; /* by line, then offset */
	size_t part_count;
	uint32_t *values; /* room for one of each part */
	struct diag *diag;
	struct err *err;
};

static const struct access_key *access_at(const struct making *making, size_t number)
{
	return memorystat_access(&making->stat->memory, number);
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
	if (!shared_lines_join(making->parts, making->part_count, making->stat, mask + 1,
	                       making->diag, making->err))
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

bool line_rows_make(struct memory_rows *rows, const struct buildstat *stat,
                    const struct access_names *names, const struct memory_machine *machine,
                    struct diag *diag, struct err *err)
{
	struct making making = { .rows = rows,
		                 .stat = stat,
		                 .machine = machine,
		                 .accesses = names,
		                 .diag = diag,
		                 .err = err };
	bool ok;

	rows->line_size = machine->line_size;
	ok = list_parts(&making) && put_lines(&making);
	if (ok && rows->line_count)
		qsort(rows->lines, rows->line_count, sizeof(*rows->lines), compare_lines);
	free(making.parts);
	free(making.values);
	return ok;
}
