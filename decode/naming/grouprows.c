#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/grouprows.h"

#include "decode/files/origin.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static const struct column key_columns[KEY_COUNT] = {
	[KEY_PID] = { "pid", COLUMN_INTEGER, "", "process", 0, NULL },
	[KEY_TID] = { "tid", COLUMN_INTEGER, "", "thread", 0, NULL },
	[KEY_COMM] = { "comm", COLUMN_TEXT, "", "name of the process at that moment", 0, NULL },
	[KEY_THREAD] = { "thread", COLUMN_TEXT, "", "name of the thread at that moment", 0, NULL },
	[KEY_CPU] = { "cpu", COLUMN_INTEGER, "", "CPU", 0, NULL },
	[KEY_MODE] = { "mode", COLUMN_TEXT, "",
	               "user, kernel, guest-user, guest-kernel or hypervisor: where code ran", 0,
	               NULL },
	[KEY_CGROUP] = { "cgroup", COLUMN_PATH, "", "control group, if recorded", 0, NULL },
	[KEY_TIME] = { "time", COLUMN_TIME, "ns", "start of the slice of time", 0, NULL },
	[KEY_BINARY] = { "binary", COLUMN_PATH, "",
	                 "as recorded, or [kernel.kallsyms] and the like", 0, NULL },
	[KEY_BUILD_ID] = { "build_id", COLUMN_TEXT, "", "of the binary, if known", 0, NULL },
	[KEY_FUNCTION] = { "function", COLUMN_TEXT, "", "its name, or [unknown]", 0, NULL },
	[KEY_SOURCE_FILE] = { "source_file", COLUMN_PATH, "",
	                      "where the function is defined; beside the key line: the file of the "
	                      "line",
	                      0, NULL },
	[KEY_LINE] = { "line", COLUMN_INTEGER, "", "its number, from 1", 0, NULL },
	[KEY_ADDRESS] = { "address", COLUMN_ADDRESS, "", "as objdump prints it", 0, NULL },
	[KEY_SYMBOLS] = { "symbols", COLUMN_TEXT, "",
	                  "where the name came from, or why there is none", 0, NULL },
	[KEY_CALLER] = { "caller", COLUMN_TEXT, "",
	                 "the function directly outside, with call chains; empty: none", 0, NULL },
};

const struct group_table line_table = {
	.keys = { KEY_BINARY, KEY_SOURCE_FILE, KEY_LINE, KEY_FUNCTION },
	.key_count = 4,
	.by_samples = true,
};

const struct group_table address_table = {
	.keys = { KEY_BINARY, KEY_ADDRESS, KEY_SOURCE_FILE, KEY_LINE, KEY_FUNCTION },
	.key_count = 5,
	.by_samples = true,
};

const struct column *group_key_column(enum group_key key)
{
	return &key_columns[key];
}

enum group_key group_key_find(const char *name, size_t length)
{
	for (int key = 0; key < KEY_COUNT; key++) {
		const char *known = key_columns[key].name;

		if (known && strlen(known) == length && !memcmp(known, name, length))
			return (enum group_key)key;
	}
	return KEY_COUNT;
}

bool group_key_is_text(enum group_key key)
{
	return key_columns[key].type == COLUMN_TEXT || key_columns[key].type == COLUMN_PATH;
}

bool group_word_is_empty(enum group_key key, uint64_t word)
{
	if (key == KEY_LINE)
		return word == 0;
	if (key >= KEY_FIELD && key <= KEY_FIELD_LAST)
		return word == STRING_EMPTY;
	return (key == KEY_CPU || key == KEY_TIME) && word == WORD_NONE;
}

unsigned group_table_keys(const struct group_table *table)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < table->key_count; i++)
		bits |= 1u << table->keys[i];
	return bits;
}

/* What a table is computed from. */
struct projection {
	struct group_rows *rows;
	const struct group_table *table;
	const struct buildstat *stat;
	const struct place_names *names;
	const struct call_tree *calls;
	uint32_t caller;             /* string; of the samples that are added next */
	const struct groups *groups; /* those that have the table's keys */
	bool has_line;
	struct err *err;
};

static uint64_t text_word(struct projection *projection, const char *text)
{
	return strings_put_text(projection->stat->strings, text, projection->err);
}

static uint64_t build_id_text(struct projection *projection, uint32_t binary)
{
	char text[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(&projection->stat->binaries.items[binary].build_id, text);
	return text_word(projection, text);
}

static uint64_t sample_word(struct projection *projection, enum group_key key, uint32_t group)
{
	const struct choice *choice = &projection->stat->choice;
	uint64_t word = groups_word(projection->groups, group, key);

	if (key == KEY_MODE)
		return text_word(projection, cpu_mode_name((enum cpu_mode)word));
	if (key == KEY_TIME && word != WORD_NONE)
		return choice_slice_start(choice, word);
	if (key == KEY_CGROUP && word == WORD_NONE)
		return STRING_EMPTY;
	if (key >= KEY_FIELD && key <= KEY_FIELD_LAST && word & FIELD_POINTS)
		return projection->stat->pointed.names[(uint32_t)word];
	return word;
}

static uint64_t place_word(struct projection *projection, enum group_key key,
                           const struct place_name *place)
{
	const struct function_name *function = &projection->names->functions[place->function];

	switch (key) {
	case KEY_BINARY:
		return projection->stat->binaries.items[function->binary].name;
	case KEY_BUILD_ID:
		return build_id_text(projection, function->binary);
	case KEY_FUNCTION:
		return function->name;
	case KEY_SOURCE_FILE:
		/*
		 * the file of the line, if the table has lines; otherwise the one where the
		 * function is defined
		 */
		return projection->has_line ? place->file : function->file;
	case KEY_LINE:
		return place->line;
	case KEY_ADDRESS:
		return place->link_addr;
	case KEY_CALLER:
		return projection->caller;
	default:
		return text_word(projection,
		                 symbol_origin_name((enum symbol_origin)function->origin));
	}
}

/* The sum of the row with these words, which is added if there is none; NULL with err set. */
static struct group_sum *find_row(struct group_rows *rows, const uint64_t *words, struct err *err)
{
	const uint32_t row = tuples_put(&rows->words, words, err);

	if (row == MAP_NONE ||
	    !vec_room(&rows->sums, row, &rows->sum_capacity, sizeof(*rows->sums), err))
		return NULL;
	if (row == rows->sum_count)
		rows->sums[rows->sum_count++] = (struct group_sum){ 0 };
	return &rows->sums[row];
}

/* Adds samples of a group and, if the table has keys of places, of a place; place may be NULL. */
static bool add_samples(struct projection *projection, uint32_t event, uint32_t group,
                        const struct place_name *place, uint64_t samples, uint64_t period)
{
	const struct group_table *table = projection->table;
	uint64_t words[KEY_COUNT + 1];
	struct group_sum *sum;

	for (unsigned k = 0; k < table->key_count; k++) {
		enum group_key key = table->keys[k];

		words[k] = key < KEY_SAMPLE_END ? sample_word(projection, key, group)
		                                : place_word(projection, key, place);
	}
	words[table->key_count] = event;
	sum = find_row(projection->rows, words, projection->err);
	if (!sum || projection->err->code != ERR_NONE)
		return false;
	if (place && !sum->samples)
		sum->binary = projection->names->functions[place->function].binary;
	sum->period += period;
	sum->samples += samples;
	return true;
}

static bool add_cells(struct projection *projection)
{
	const struct cells *cells = &projection->stat->cells;

	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		const struct cell_kind *kind = cells_kind_at(cells, cell->kind);
		const struct place_name *place = &projection->names->places[cell_place(cell)];

		if (!add_samples(projection, kind->event, kind->group, place, cell->samples,
		                 cell->period))
			return false;
	}
	return true;
}

/* The name of the function that called the innermost one of a cell's stack; "" if it is none. */
static uint32_t caller_of(const struct call_tree *calls, size_t cell)
{
	uint32_t node = calls->node_of_cell[cell];
	uint32_t parent = node == CALL_NODE_NONE ? CALL_NODE_NONE : calls->nodes[node].parent;

	return parent == CALL_NODE_NONE ? STRING_EMPTY : calls->nodes[parent].name;
}

/* add_cells() by stacks: only these know who called. */
static bool add_stacks(struct projection *projection)
{
	const struct stackstat *stacks = projection->stat->stacks;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		const struct stack_group *group = stackstat_group(stacks, cell);

		projection->caller = caller_of(projection->calls, i);
		if (cell->samples &&
		    !add_samples(projection, group->event, group->choice,
		                 &projection->names->places[stack_cell_place(cell)], cell->samples,
		                 cell->period))
			return false;
	}
	return true;
}

/* Whether the table has the key `caller`, and the recording has stacks. */
static bool has_callers(const struct projection *projection)
{
	const struct buildstat *stat = projection->stat;

	return (group_table_keys(projection->table) >> KEY_CALLER & 1) && projection->calls &&
	       projection->calls->node_of_cell && stat->stacks->cells.count &&
	       stat->stacks->options.by_choice;
}

static bool add_sums(struct projection *projection)
{
	const struct sums *sums = &projection->stat->choice.sums;

	for (size_t i = 0; i < sums->count; i++) {
		const struct sum *sum = &sums->items[i];

		if (!add_samples(projection, sum->event, sum->number, NULL, sum->samples,
		                 sum->period))
			return false;
	}
	return true;
}

/* Whether the table's samples were counted without places. */
static bool is_apart(const struct buildstat *stat, const struct group_table *table)
{
	return (group_table_keys(table) & ~stat->choice.apart.keys) == 0;
}

static int compare_words(const struct projection *projection, enum group_key key, uint64_t x,
                         uint64_t y)
{
	if (group_key_is_text(key))
		return rows_compare_texts(projection->stat->strings, (uint32_t)x, (uint32_t)y);
	if (key == KEY_PID || key == KEY_TID)
		return (int64_t)x < (int64_t)y ? -1 : 1;
	return x < y ? -1 : 1;
}

static int compare_group_rows(const void *a, const void *b, void *context)
{
	const struct projection *projection = context;
	const struct group_row *x = a, *y = b;
	const struct group_sum *m = x->sum, *n = y->sum;
	const uint64_t *v = x->words, *w = y->words;
	unsigned count = projection->table->key_count;
	int order = 0;

	if (v[count] != w[count])
		return v[count] < w[count] ? -1 : 1;
	if (m->period != n->period)
		return m->period > n->period ? -1 : 1;
	if (projection->table->by_samples && m->samples != n->samples)
		return m->samples > n->samples ? -1 : 1;
	for (unsigned i = 0; !order && i < count; i++)
		if (v[i] != w[i])
			order = compare_words(projection, projection->table->keys[i], v[i], w[i]);
	return order;
}

static bool sort_group_rows(struct projection *projection)
{
	struct group_rows *rows = projection->rows;

	rows->order = vec_new(rows->words.count, sizeof(*rows->order), projection->err);
	if (!rows->order)
		return false;
	for (size_t i = 0; i < rows->words.count; i++)
		rows->order[i] = (struct group_row){ tuples_get(&rows->words, i), &rows->sums[i] };
	qsort_r(rows->order, rows->words.count, sizeof(*rows->order), compare_group_rows,
	        projection);
	return true;
}

bool group_rows_make(struct group_rows *rows, const struct group_table *table,
                     const struct group_source *source, struct err *err)
{
	const struct buildstat *const stat = source->stat;
	struct projection projection = { .rows = rows,
		                         .table = table,
		                         .stat = stat,
		                         .names = source->names,
		                         .calls = source->calls,
		                         .caller = STRING_EMPTY,
		                         .err = err };
	bool apart = is_apart(stat, table);

	tuples_init(&rows->words, (table->key_count + 1) * sizeof(uint64_t));
	for (unsigned i = 0; i < table->key_count; i++)
		projection.has_line |= table->keys[i] == KEY_LINE;
	projection.groups = apart ? &stat->choice.apart : &stat->choice.groups;
	return (apart                      ? add_sums(&projection)
	        : has_callers(&projection) ? add_stacks(&projection)
	                                   : add_cells(&projection)) &&
	       sort_group_rows(&projection);
}

void group_rows_release(struct group_rows *rows)
{
	tuples_release(&rows->words);
	free(rows->sums);
	free(rows->order);
	memset(rows, 0, sizeof(*rows));
}
