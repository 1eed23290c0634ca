/* Reads the calltree.csv of an earlier run as one run of the merged call tree. */
#include "decode/compare/mergedcalls.h"
#include "decode/compare/run.h"
#include "decode/compare/runtable.h"
#include "decode/files/origin.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_merger {
	struct merged_calls *merged;
	struct compare_run *run;
	struct run_table *table;
	struct frame_columns {
		size_t frame, parent, depth, function, binary, event, period, samples, symbols;
		size_t source_file;
	} at;             /* their numbers */
	uint32_t process; /* the only one; a node */
	struct open_frame {
		uint32_t node;
		uint64_t number; /* in its table */
	} * open;                /* by depth: from the root to the last row */
	size_t depth, capacity;
	uint64_t samples, period; /* of all rows, modulo 2^64 */
	struct err *err;
};

/* The kind of a frame with this name, as in a recording's call tree. */
static enum call_kind kind_of_frame(enum symbol_origin origin, const char *binary)
{
	if (origin == ORIGIN_COUNT)
		return *binary ? CALL_USER : CALL_REMARK;
	if (origin == ORIGIN_STATE)
		return CALL_STATE;
	if (symbol_origin_is_reason(origin))
		return CALL_UNNAMED;
	if (origin == ORIGIN_INLINE)
		return CALL_INLINED;
	if (origins[origin].run_time)
		return CALL_RUN_TIME;
	return origins[origin].kernel ? CALL_KERNEL : CALL_USER;
}

/* Frames at this depth or deeper have ended; the caller is the last one above. */
static bool enter_depth(struct table_merger *merger, uint64_t depth, const char *parent)
{
	char caller[24] = "";

	if (depth > merger->depth)
		return err_set(merger->err, ERR_FORMAT,
		               "%s: line %" PRIu64
		               ": expected a depth of at most %zu, found %" PRIu64,
		               merger->table->path, merger->table->csv.line, merger->depth, depth);
	if (depth)
		snprintf(caller, sizeof(caller), "%" PRIu64, merger->open[depth - 1].number);
	if (strcmp(caller, parent) != 0)
		return err_set(merger->err, ERR_FORMAT,
		               "%s: line %" PRIu64 ": expected parent '%s', found '%.40s'",
		               merger->table->path, merger->table->csv.line, caller, parent);
	merger->depth = (size_t)depth;
	return vec_room(&merger->open, merger->depth, &merger->capacity, sizeof(*merger->open),
	                merger->err);
}

static bool add_table_frame(struct table_merger *merger)
{
	const struct run_table *table = merger->table;
	const struct frame_columns *at = &merger->at;
	struct call_node node = { .binary = STRING_EMPTY };
	struct call_cost cost = { .samples = 0 };
	enum symbol_origin origin = symbol_origin_find(run_table_text(table, at->symbols));
	uint64_t number = run_table_u64(table, at->frame, merger->err);
	uint64_t depth = run_table_u64(table, at->depth, merger->err);

	cost.period = run_table_u64(table, at->period, merger->err);
	cost.samples = run_table_u64(table, at->samples, merger->err);
	if (merger->err->code || !enter_depth(merger, depth, run_table_text(table, at->parent)))
		return false;
	node.name = run_table_string(table, at->function, merger->err);
	node.binary = run_table_string(table, at->binary, merger->err);
	node.file = run_table_string(table, at->source_file, merger->err);
	cost.event = run_table_string(table, at->event, merger->err);
	node.kind = (uint8_t)kind_of_frame(origin, run_table_text(table, at->binary));
	if (merger->err->code)
		return false;
	cost.node = merged_calls_put(merger->merged,
	                             depth ? merger->open[depth - 1].node : merger->process, &node,
	                             merger->err);
	if (cost.node == CALL_NODE_NONE)
		return false;
	merger->open[merger->depth++] = (struct open_frame){ cost.node, number };
	merger->samples += cost.samples;
	merger->period += cost.period;
	return !cost.samples || merged_calls_add(merger->merged, merger->run, &cost, merger->err);
}

static void find_columns(struct table_merger *merger)
{
	const struct run_table *table = merger->table;

	merger->at.frame = run_table_column(table, "frame", merger->err);
	merger->at.parent = run_table_column(table, "parent", merger->err);
	merger->at.depth = run_table_column(table, "depth", merger->err);
	merger->at.function = run_table_column(table, "function", merger->err);
	merger->at.binary = run_table_column(table, "binary", merger->err);
	merger->at.event = run_table_column(table, "event", merger->err);
	merger->at.period = run_table_column(table, "period", merger->err);
	merger->at.samples = run_table_column(table, "samples", merger->err);
	merger->at.symbols = csv_table_column(&table->csv, "symbols");
	merger->at.source_file = csv_table_column(&table->csv, "source_file");
}

static bool add_table_frames(struct table_merger *merger)
{
	const struct call_node process = { .name = STRING_EMPTY, .binary = STRING_EMPTY };

	find_columns(merger);
	if (merger->err->code)
		return false;
	merger->process = merged_calls_put(merger->merged, CALL_NODE_NONE, &process, merger->err);
	if (merger->process == CALL_NODE_NONE)
		return false;
	while (run_table_next(merger->table, merger->err))
		if (!add_table_frame(merger))
			return false;
	return merger->err->code == ERR_NONE;
}

/*
 * Both tables have every sample, so a call tree with other sums (modulo 2^64) lacks rows. One
 * without any rows is of a recording without call chains.
 */
static bool check_call_sums(const struct table_merger *merger, const char *path)
{
	const struct compare_run *run = merger->run;
	uint64_t samples = 0, period = 0;
	bool chains = merger->samples;

	for (size_t i = 0; i < run->row_count; i++) {
		chains |= run->rows[i].has_totals;
		samples += run->rows[i].samples;
		period += run->rows[i].period;
	}
	return !chains || (merger->samples == samples && merger->period == period) ||
	       err_set(merger->err, ERR_FORMAT,
	               "%.300s: calltree.csv has %" PRIu64 " samples with a period of %" PRIu64
	               ", results.csv %" PRIu64 " and %" PRIu64
	               ": one of them is not whole, or they are of two runs",
	               path, merger->samples, merger->period, samples, period);
}

bool merged_calls_add_folder(struct merged_calls *merged, struct compare_run *run,
                             const char *folder, struct err *err)
{
	struct run_table table = { .strings = merged->strings };
	struct table_merger merger = { merged, run, &table, .err = err };
	bool ok;

	map_release(&merged->cost_of);
	merged->without_processes = true;
	ok = run_table_open(&table, folder, "calltree.csv", true, err) &&
	     (!table.csv.columns ||
	      (add_table_frames(&merger) && check_call_sums(&merger, folder)));
	if (!ok)
		run->cost_count = 0;
	if (!run->cost_count && merged->missing == STRING_NONE)
		merged->missing = run->file;
	run_table_close(&table);
	free(merger.open);
	return ok;
}
