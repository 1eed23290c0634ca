#include "decode/exports/pagedata.h"

#include "decode/exports/flame.h"
#include "decode/exports/pageabout.h"
#include "decode/exports/pagepieces.h"
#include "decode/naming/instructions.h"
#include "util/csv.h"
#include "util/search.h"
#include "util/spool.h"
#include "util/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KINDS 8 /* a node is its function * KINDS + its kind */

_Static_assert(FLAME_KINDS < KINDS, "a kind, or that of a remark, fits beside the function");

/*
 * Nodes; with this and that of sampleframes.c, --report of a million samples with random stacks
 * takes 5 % less.
 */
#define AHEAD 8

struct page_data {
	struct page_pieces pieces;
	struct page_planes nodes; /* of samples */
	const struct report *report;
	struct page_tree *tree;
	const struct page_samples *samples;
	struct err *err;
};

/* --- pieces */

/* A new piece, which is filled by put(). */
static struct page_column *add_piece(struct page_data *data, const char *name)
{
	return page_pieces_add(&data->pieces, name);
}

/* These do nothing after an error. */
static void put(struct page_data *data, struct page_column *column, uint64_t number)
{
	if (data->err->code == ERR_NONE)
		page_column_put(column, number, data->err);
}

static void put_text(struct page_data *data, struct page_column *column, uint32_t string)
{
	if (data->err->code == ERR_NONE)
		put(data, column, page_tree_text(data->tree, string, data->err));
}

static void put_function(struct page_data *data, struct page_column *column, uint32_t function)
{
	if (data->err->code == ERR_NONE)
		put(data, column, page_tree_function(data->tree, function, data->err));
}

static void put_address(struct page_data *data, struct page_column *high, struct page_column *low,
                        uint64_t address)
{
	put(data, high, address >> 32);
	put(data, low, address & UINT32_MAX);
}

/* --- what the data are */

static void add_about(struct page_data *data)
{
	struct page_column *column = add_piece(data, "about");
	char *text = NULL;
	FILE *out = open_memstream(&text, &column->size);

	if (!out) {
		err_nomem(data->err, BUFSIZ);
		return;
	}
	page_about_print(out, data->report, data->samples);
	if (fclose(out) != 0)
		err_nomem(data->err, column->size);
	column->bytes = (uint8_t *)text;
}

/* --- samples */

static void add_threads(struct page_data *data)
{
	const struct tuples *threads = &data->samples->threads;
	struct page_column *pid = add_piece(data, "threads.pid");
	struct page_column *tid = add_piece(data, "threads.tid");
	struct page_column *comm = add_piece(data, "threads.comm");
	struct page_column *name = add_piece(data, "threads.name");

	for (size_t i = 0; i < threads->count; i++) {
		const struct page_thread *thread = tuples_get(threads, i);

		put(data, pid, page_signed(thread->pid));
		put(data, tid, page_signed(thread->tid));
		put_text(data, comm, thread->comm);
		put_text(data, name, thread->name);
	}
}

static void add_tasks(struct page_data *data)
{
	const struct tuples *tasks = &data->samples->tasks;
	struct page_column *thread = add_piece(data, "tasks.thread");
	struct page_column *cpu = add_piece(data, "tasks.cpu");
	struct page_column *event = add_piece(data, "tasks.event");

	for (size_t i = 0; i < tasks->count; i++) {
		const struct page_task *task = tuples_get(tasks, i);

		put(data, thread, task->thread);
		put(data, cpu, page_signed(task->cpu));
		put(data, event, task->event);
	}
}

static void add_places(struct page_data *data)
{
	const struct tuples *places = &data->samples->places;
	struct page_column *high = add_piece(data, "places.high");
	struct page_column *low = add_piece(data, "places.low");
	struct page_column *file = add_piece(data, "places.file");
	struct page_column *line = add_piece(data, "places.line");
	struct page_column *function = add_piece(data, "places.function");

	for (size_t i = 0; i < places->count; i++) {
		const uint32_t number = *(const uint32_t *)tuples_get(places, i);
		const struct place_name *place = &data->report->names->places[number];

		put_address(data, high, low, place->link_addr);
		put_text(data, file, place->file);
		put(data, line, place->line);
		put_function(data, function, place->function);
	}
}

/* A node, and how many rows it has. */
struct node_rows {
	uint64_t fewer; /* 2^64 - 1 less the rows: the key by which nodes are sorted */
	uint64_t node;  /* in the numbers of samples */
};

/*
 * Adds how many rows each node has, and gives nodes numbers by it: those with most rows first, else
 * in the order of the tree. Returns them by node, malloc'd; NULL with err set.
 */
static uint32_t *rank_nodes(struct page_data *data)
{
	const struct page_tree *tree = data->tree;
	struct page_column *column = add_piece(data, "nodes.rows");
	struct node_rows *nodes = vec_new(tree->count, sizeof(*nodes), data->err);
	uint32_t *rank = vec_new(tree->node_count, sizeof(*rank), data->err);
	size_t used = 0;

	for (size_t i = 0; nodes && i < tree->count; i++) {
		const uint32_t node = tree->order[i], rows = tree->rows[node];

		put(data, column, rows);
		if (rows)
			nodes[used++] = (struct node_rows){ UINT64_MAX - rows, node };
	}
	if (nodes && rank && radix_sort_array(&nodes, used, sizeof(*nodes), data->err))
		for (uint32_t i = 0; i < used; i++)
			rank[nodes[i].node] = i;
	free(nodes);
	return rank;
}

static void add_sample_nodes(struct page_data *data)
{
	const struct page_samples *samples = data->samples;
	uint32_t *rank = rank_nodes(data);
	bool ok = page_planes_reserve(&data->nodes, samples->count, data->err) &&
	          data->err->code == ERR_NONE;

	for (size_t i = 0; ok && i < samples->count; i++)
		ok = page_planes_put(&data->nodes, rank[samples->nodes[i]], data->err);
	free(rank);
	page_pieces_add_planes(&data->pieces, "samples.node", &data->nodes);
}

/* The largest ones first, as two threads pack them. */
static void add_samples(struct page_data *data)
{
	const struct page_samples *samples = data->samples;

	add_sample_nodes(data);
	page_pieces_add_planes(&data->pieces, "samples.weight", &samples->weight);
	page_pieces_add_planes(&data->pieces, "samples.time", &samples->time);
	if (samples->sliced)
		page_pieces_add_planes(&data->pieces, "samples.count", &samples->samples);
	if (samples->has_base)
		page_pieces_add_planes(&data->pieces, "samples.base", &samples->base);
	page_pieces_add_planes(&data->pieces, "samples.task", &samples->task);
	if (samples->has_whats) {
		struct page_column *whats = add_piece(data, "whats.text");

		page_pieces_add_planes(&data->pieces, "samples.what", &samples->what);
		for (size_t i = 0; i < samples->whats.count; i++)
			put_text(data, whats, *(const uint32_t *)tuples_get(&samples->whats, i));
	}
	if (!samples->has_places)
		return;
	page_pieces_add_planes(&data->pieces, "samples.place", &samples->place);
	add_places(data);
}

/* --- tables of a comparison */

/* Opens the temporary file of a table for a writer of CSV. */
static int open_temporary(void *context, const char *name, struct packer **packer, struct err *err)
{
	int *file = context;

	(void)name, (void)packer, (void)err;
	return *file;
}

static bool read_back(int file, struct page_column *column, struct err *err)
{
	struct stat st;

	if (fstat(file, &st) != 0)
		return err_errno(err, "a temporary file: cannot read");
	column->size = (size_t)st.st_size;
	column->bytes = vec_new(column->size, 1, err);
	if (!column->bytes)
		return false;
	return pread(file, column->bytes, column->size, 0) == (ssize_t)column->size ||
	       err_errno(err, "a temporary file: cannot read");
}

/* A table as it is written with -t. */
static void add_table(struct page_data *data, const struct table *table)
{
	struct page_column *column = add_piece(data, table->format->name);
	int file = temp_file_open(data->report->temp_dir, data->err);
	const struct table_files files = { &file, open_temporary };
	struct table_writer out;
	struct csv csv;

	if (file < 0)
		return;
	csv_init(&csv, &files, false);
	out = csv_writer(&csv);
	if (table_begin(&out, table->format, data->err) &&
	    table->print(&out, data->report, data->err) && table_end(&out, data->err))
		read_back(file, column, data->err);
	table_discard(&out);
	close(file);
}

/* --- instructions */

/* The functions of the recording, by where they start. */
struct function_start {
	uint64_t start;
	uint64_t binary;
};

struct code {
	struct tuples starts; /* struct function_start */
	uint32_t *functions;  /* by number of a start: the first one there */
	size_t count, capacity;
	bool *done; /* by number of a start */
};

static bool find_starts(struct code *code, const struct place_names *names, struct err *err)
{
	for (uint32_t i = 0; i < names->function_count; i++) {
		const struct function_start start = { names->functions[i].start,
			                              names->functions[i].binary };
		const uint32_t number = tuples_put(&code->starts, &start, err);

		if (number == MAP_NONE ||
		    (number == code->count && !vec_append(&code->functions, &code->count,
		                                          &code->capacity, &i, sizeof(i), err)))
			return false;
	}
	code->done = vec_new(code->starts.count, sizeof(*code->done), err);
	return code->done != NULL;
}

/* Pieces of instructions: of blocks, and of the rows in them. */
struct code_columns {
	struct page_column *function, *high, *low, *rows;
	struct page_column *step, *text, *target, *file, *line;
};

/* How many of the rows are instructions, and the number of the first one. */
static size_t count_instructions(const struct instruction_row *rows, size_t count, size_t *first)
{
	size_t found = 0;

	for (size_t i = count; i-- > 0;)
		if (rows[i].text != STRING_EMPTY) {
			*first = i;
			found++;
		}
	return found;
}

/* Without the rows of samples where no instruction begins: these differ from event to event. */
static void put_block(struct page_data *data, const struct code_columns *to, uint32_t function,
                      const struct instruction_block *block)
{
	const struct instruction_row *rows = data->report->instructions->rows + block->first;
	size_t first = 0;
	const size_t count = count_instructions(rows, block->count, &first);
	uint64_t last;

	if (!count)
		return;
	last = rows[first].addr;
	put_function(data, to->function, function);
	put_address(data, to->high, to->low, last);
	put(data, to->rows, count);
	for (size_t i = first; i < block->count; i++) {
		if (rows[i].text == STRING_EMPTY)
			continue;
		put(data, to->step, rows[i].addr - last);
		put_text(data, to->text, rows[i].text);
		put_text(data, to->target, rows[i].target);
		put_text(data, to->file, rows[i].file);
		put(data, to->line, rows[i].line);
		last = rows[i].addr;
	}
}

static void add_instructions(struct page_data *data)
{
	const struct instructions *all = data->report->instructions;
	const struct code_columns to = {
		add_piece(data, "blocks.function"), add_piece(data, "blocks.high"),
		add_piece(data, "blocks.low"),      add_piece(data, "blocks.rows"),
		add_piece(data, "code.step"),       add_piece(data, "code.text"),
		add_piece(data, "code.target"),     add_piece(data, "code.file"),
		add_piece(data, "code.line"),
	};
	struct code code = { .done = NULL };
	bool ok;

	tuples_init(&code.starts, sizeof(struct function_start));
	ok = find_starts(&code, data->report->names, data->err);
	/* a function has the same instructions in each event */
	for (size_t i = 0; ok && i < all->block_count; i++) {
		const struct instruction_block *block = &all->blocks[i];
		const struct function_start start = { block->start, block->binary };
		const uint32_t number = tuples_put(&code.starts, &start, data->err);

		if (number >= code.count || code.done[number])
			continue;
		code.done[number] = true;
		put_block(data, &to, code.functions[number], block);
	}
	tuples_release(&code.starts);
	free(code.functions);
	free(code.done);
}

/* --- names */

static uint8_t kind_of_node(const struct page_tree *tree, const struct page_node *node)
{
	const uint32_t name = page_function_at(tree, node->function)->name;

	return node->kind == CALL_REMARK
	               ? FLAME_KINDS
	               : (uint8_t)flame_kind_of_call((enum call_kind)node->kind,
	                                             strings_get(tree->strings, name));
}

static void add_nodes(struct page_data *data)
{
	const struct page_tree *tree = data->tree;
	struct page_column *depth = add_piece(data, "nodes.depth");
	struct page_column *function = add_piece(data, "nodes.function");
	/* by page_node_label(): the kind + 1; 0: not known yet */
	uint8_t *kinds = vec_new(tree->functions.count, PAGE_KINDS, data->err);

	for (size_t i = 0; kinds && i < tree->count; i++) {
		const struct page_node *node = &tree->nodes[tree->order[i]];
		uint8_t *kind = &kinds[page_node_label(node)];

		/* the order is not that of the nodes in memory */
		if (i + AHEAD < tree->count)
			__builtin_prefetch(&tree->nodes[tree->order[i + AHEAD]]);

		if (!*kind)
			*kind = 1 + kind_of_node(tree, node);
		put(data, depth, node->depth);
		put(data, function, (uint64_t)node->function * KINDS + *kind - 1);
	}
	free(kinds);
}

static void add_functions(struct page_data *data)
{
	struct page_column *name = add_piece(data, "functions.name");
	struct page_column *binary = add_piece(data, "functions.binary");
	struct page_column *file = add_piece(data, "functions.file");

	for (size_t i = 0; i < data->tree->functions.count; i++) {
		const struct page_function *function = page_function_at(data->tree, i);

		put_text(data, name, function->name);
		put_text(data, binary, function->binary);
		put_text(data, file, function->file);
	}
}

/* A text without control characters, and a line feed. False with err set. */
static bool append_text(struct page_column *texts, const char *text, struct err *err)
{
	const size_t length = strlen(text);
	char *end;

	if (!vec_reserve(&texts->bytes, texts->size + 4 * length + 1, &texts->capacity, 1, err))
		return false;
	end = format_escaped((char *)texts->bytes + texts->size, text, length);
	*end++ = '\n';
	texts->size = (size_t)(end - (char *)texts->bytes);
	return true;
}

static void add_texts(struct page_data *data)
{
	const struct strings *strings = data->tree->strings;
	struct page_column *texts = add_piece(data, "texts");
	bool ok = data->err->code == ERR_NONE;

	for (size_t i = 0; ok && i < data->tree->texts.count; i++) {
		const uint32_t string = *(const uint32_t *)tuples_get(&data->tree->texts, i);

		ok = append_text(texts, strings_get(strings, string), data->err);
	}
}

bool page_data_print(FILE *out, struct page_tree *tree, const struct page_samples *samples,
                     bool instructions, bool two_threads, struct err *err)
{
	struct page_data data = {
		.report = tree->report, .tree = tree, .samples = samples, .err = err
	};
	bool ok;

	/* in this order: the later ones have functions and texts that the earlier ones add */
	add_samples(&data);
	add_about(&data);
	add_threads(&data);
	add_tasks(&data);
	if (tree->report->comparison)
		add_table(&data, &diff_table);
	if (instructions)
		add_instructions(&data);
	add_nodes(&data);
	add_functions(&data);
	add_texts(&data);
	ok = err->code == ERR_NONE && page_pieces_print(out, &data.pieces, two_threads, err);
	page_pieces_release(&data.pieces);
	page_planes_release(&data.nodes);
	return ok;
}
