/* Reads the calltree.csv of an earlier run as one run of the merged call tree. */
#include "decode/compare/mergedcalls.h"
#include "decode/compare/run.h"
#include "decode/compare/runtable.h"
#include "decode/files/origin.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct table_merger {
	struct merged_calls *merged;
	struct csv_table *table;
	struct map seen;  /* see merged_calls_add() */
	uint32_t process; /* the only one; a node */
	uint32_t *open;   /* by depth: the nodes from the root to the last row */
	size_t depth, capacity;
	uint64_t samples; /* of all rows */
	struct err *err;
};

enum { DEPTH, FUNCTION, BINARY, EVENT, PERIOD, SAMPLES, SYMBOLS, SOURCE_FILE, COLUMNS };

static enum symbol_origin origin_of(const char *symbols)
{
	unsigned origin = 0;

	while (origin < ORIGIN_COUNT && strcmp(symbols, origins[origin].word) != 0)
		origin++;
	return (enum symbol_origin)origin;
}

/* The kind of a frame with this name, as in a recording's call tree. */
static enum call_kind kind_of(enum symbol_origin origin, const char *binary)
{
	if (origin == ORIGIN_COUNT)
		return *binary ? CALL_USER : CALL_REMARK;
	if (symbol_origin_is_reason(origin))
		return CALL_UNNAMED;
	if (origin == ORIGIN_INLINE)
		return CALL_INLINED;
	if (origins[origin].run_time)
		return CALL_RUN_TIME;
	return origins[origin].kernel ? CALL_KERNEL : CALL_USER;
}

/* A frame follows its caller, so frames at this depth or deeper have ended. */
static bool enter_depth(struct table_merger *merger, uint64_t depth)
{
	if (depth > merger->depth)
		return err_set(merger->err, ERR_FORMAT,
		               "%s: line %llu: expected a depth of at most %zu, found %llu",
		               merger->table->name, (unsigned long long)merger->table->line,
		               merger->depth, (unsigned long long)depth);
	merger->depth = (size_t)depth;
	return vec_room(&merger->open, merger->depth, &merger->capacity, sizeof(*merger->open),
	                merger->err);
}

static bool add_frame(struct table_merger *merger, const size_t *at)
{
	struct csv_table *table = merger->table;
	struct strings *strings = merger->merged->strings;
	struct call_node node = { .binary = STRING_EMPTY };
	struct merged_cost cost = { .samples = 0 };
	enum symbol_origin origin = origin_of(csv_table_text(table, at[SYMBOLS]));
	uint64_t depth;

	if (!csv_table_u64(table, at[DEPTH], &depth, merger->err) ||
	    !csv_table_u64(table, at[PERIOD], &cost.period, merger->err) ||
	    !csv_table_u64(table, at[SAMPLES], &cost.samples, merger->err) ||
	    !enter_depth(merger, depth))
		return false;
	node.name = run_table_string(table, at[FUNCTION], strings, merger->err);
	node.binary = run_table_string(table, at[BINARY], strings, merger->err);
	node.file = run_table_string(table, at[SOURCE_FILE], strings, merger->err);
	cost.event = run_table_string(table, at[EVENT], strings, merger->err);
	node.kind = (uint8_t)kind_of(origin, csv_table_text(table, at[BINARY]));
	node.origin = (uint8_t)origin;
	if (merger->err->code)
		return false;
	cost.node = merged_calls_put(merger->merged,
	                             depth ? merger->open[depth - 1] : merger->process, &node,
	                             merger->err);
	if (cost.node == CALL_NODE_NONE)
		return false;
	merger->open[merger->depth++] = cost.node;
	merger->samples = u64_add_sat(merger->samples, cost.samples);
	return !cost.samples || merged_calls_add(merger->merged, &merger->seen, &cost, merger->err);
}

static bool add_frames(struct table_merger *merger)
{
	static const char *const names[COLUMNS] = {
		[DEPTH] = "depth",     [FUNCTION] = "function",       [BINARY] = "binary",
		[EVENT] = "event",     [PERIOD] = "period",           [SAMPLES] = "samples",
		[SYMBOLS] = "symbols", [SOURCE_FILE] = "source_file",
	};
	const struct call_node process = { .name = STRING_EMPTY, .binary = STRING_EMPTY };
	size_t at[COLUMNS];

	if (!run_table_columns(merger->table, names, COLUMNS, SYMBOLS, at, merger->err))
		return false;
	merger->process = merged_calls_put(merger->merged, CALL_NODE_NONE, &process, merger->err);
	if (merger->process == CALL_NODE_NONE)
		return false;
	while (run_table_next(merger->table, merger->err))
		if (!add_frame(merger, at))
			return false;
	return merger->err->code == ERR_NONE;
}

/* Both tables have every sample, so a call tree with fewer is cut off between two rows. */
static bool check_samples(const struct table_merger *merger, const char *path,
                          const struct compare_run *run)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < run->row_count; i++)
		samples = u64_add_sat(samples, run->rows[i].samples);
	return merger->samples == samples ||
	       err_set(merger->err, ERR_FORMAT,
	               "%.400s: calltree.csv has %" PRIu64 " samples, results.csv %" PRIu64
	               ": one of them is not whole, or they are of two runs",
	               path, merger->samples, samples);
}

bool merged_calls_add_folder(struct merged_calls *merged, const char *folder,
                             const struct compare_run *run, struct err *err)
{
	struct csv_table table;
	struct table_merger merger = { merged, &table, .err = err };
	char path[4096];
	bool there = true, ok;

	if (!merged_calls_begin_run(merged, err))
		return false;
	merged->without_processes = true;
	map_init(&merger.seen);
	ok = run_table_open(&table, path, sizeof(path), folder, "calltree.csv", &there, err) &&
	     (!there || (add_frames(&merger) && check_samples(&merger, folder, run)));
	if (ok && !merged->runs[merged->run_count - 1].count && merged->missing == STRING_NONE)
		merged->missing = run->file;
	csv_table_close(&table);
	map_release(&merger.seen);
	free(merger.open);
	return ok;
}
