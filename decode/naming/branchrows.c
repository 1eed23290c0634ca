#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/branchrows.h"

#include "decode/naming/placelist.h"
#include "decode/naming/rows.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct making {
	struct branch_rows *rows;
	struct buildstat *stat;
	struct err *err;
	/* two of each branch (from, to), then two of each block (start, end) */
	struct place_list places;
};

static bool name_places(struct making *making, const struct naming_options *options)
{
	const struct branchstat *branches = &making->stat->branches;
	const size_t count = 2 * (branches->branches.count + branches->blocks.count);
	struct naming_options how = *options;

	if (!place_list_init(&making->places, count, making->err))
		return false;
	for (size_t i = 0; i < branches->branches.count; i++) {
		const struct branch_key *key = tuples_get(&branches->branches, i);

		place_list_add(&making->places, key->from.binary, key->from.addr);
		place_list_add(&making->places, key->to.binary, key->to.addr);
	}
	for (size_t i = 0; i < branches->blocks.count; i++) {
		const struct block_key *key = tuples_get(&branches->blocks, i);

		place_list_add(&making->places, key->binary, key->start);
		place_list_add(&making->places, key->binary, key->end);
	}
	how.lookup.lines = true;
	how.lookup.sources = false;
	how.lookup.entry_lines = false;
	return place_list_name(&making->places, making->stat, &how, making->err);
}

static struct branch_end end_of(const struct making *making, size_t item)
{
	const struct place_name *place = place_list_get(&making->places, item);
	const struct function_name *function = &making->places.names.functions[place->function];

	return (struct branch_end){ .addr = place->link_addr,
		                    .function = function->name,
		                    .file = place->file,
		                    .line = place->line,
		                    .binary = function->binary };
}

static bool put_branches(struct making *making)
{
	const struct branchstat *branches = &making->stat->branches;
	struct branch_rows *rows = making->rows;

	rows->branches = vec_new(branches->branches.count, sizeof(*rows->branches), making->err);
	rows->functions = vec_new(branches->branches.count, sizeof(*rows->functions), making->err);
	for (size_t i = 0; rows->branches && rows->functions && i < branches->branches.count; i++) {
		const struct branch_key *key = tuples_get(&branches->branches, i);
		const struct branch_row row = { .from = end_of(making, 2 * i),
			                        .to = end_of(making, 2 * i + 1),
			                        .sum = branches->branch_sums[i],
			                        .event = key->event,
			                        .type = key->type };

		rows->functions[i] = (struct branch_functions){
			row.from.function, row.to.function,
			buildstat_function_passes(making->stat, row.from.function, making->err) ||
				buildstat_function_passes(making->stat, row.to.function,
			                                  making->err)
		};
		if (rows->functions[i].passes)
			rows->branches[rows->branch_count++] = row;
	}
	return rows->branches && rows->functions && making->err->code == ERR_NONE;
}

static bool put_blocks(struct making *making)
{
	const struct branchstat *branches = &making->stat->branches;
	const size_t first = 2 * branches->branches.count;
	struct branch_rows *rows = making->rows;

	rows->blocks = vec_new(branches->blocks.count, sizeof(*rows->blocks), making->err);
	for (size_t i = 0; rows->blocks && i < branches->blocks.count; i++) {
		const struct block_key *key = tuples_get(&branches->blocks, i);
		const struct block_row row = { .start = end_of(making, first + 2 * i),
			                       .end = end_of(making, first + 2 * i + 1).addr,
			                       .sum = &branches->block_sums[i],
			                       .event = key->event };

		if (buildstat_function_passes(making->stat, row.start.function, making->err))
			rows->blocks[rows->block_count++] = row;
	}
	return rows->blocks && making->err->code == ERR_NONE;
}

static int compare_ends(const struct buildstat *stat, const struct branch_end *x,
                        const struct branch_end *y)
{
	int order = rows_compare_texts(stat->strings, stat->binaries.items[x->binary].name,
	                               stat->binaries.items[y->binary].name);

	if (!order)
		order = u64_order(x->addr, y->addr);
	return order ? order : rows_compare_texts(stat->strings, x->function, y->function);
}

static int compare_places(const struct branch_row *x, const struct branch_row *y, void *context)
{
	int order = u64_order(x->event, y->event);

	if (!order)
		order = compare_ends(context, &x->from, &y->from);
	if (!order)
		order = compare_ends(context, &x->to, &y->to);
	return order ? order : (int)x->type - (int)y->type;
}

static int compare_branch_places(const void *a, const void *b, void *context)
{
	return compare_places(a, b, context);
}

static int compare_branches(const void *a, const void *b, void *context)
{
	const struct branch_row *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->sum.count != y->sum.count)
		return x->sum.count > y->sum.count ? -1 : 1;
	return compare_places(x, y, context);
}

/* Makes one row of those that differ only in the group of their samples. */
static void merge_groups(struct branch_rows *rows, struct buildstat *stat)
{
	size_t kept = 0;

	qsort_r(rows->branches, rows->branch_count, sizeof(*rows->branches), compare_branch_places,
	        stat);
	for (size_t i = 0; i < rows->branch_count; i++) {
		const struct branch_row *row = &rows->branches[i];
		struct branch_sum *sum;

		if (!kept || compare_places(&rows->branches[kept - 1], row, stat) != 0) {
			rows->branches[kept++] = *row;
			continue;
		}
		sum = &rows->branches[kept - 1].sum;
		sum->count += row->sum.count;
		sum->mispredicted += row->sum.mispredicted;
		sum->in_transaction += row->sum.in_transaction;
		sum->aborts += row->sum.aborts;
		sum->samples += row->sum.samples;
	}
	rows->branch_count = kept;
}

static int compare_blocks(const void *a, const void *b, void *context)
{
	const struct block_row *x = a, *y = b;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->sum->count != y->sum->count)
		return x->sum->count > y->sum->count ? -1 : 1;
	order = compare_ends(context, &x->start, &y->start);
	return order ? order : u64_order(x->end, y->end);
}

static void warn_of_branches(const struct branchstat *branches, struct diag *diag)
{
	if (branches->call_stacks)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"--call-graph lbr recorded calls that were still open, not branches that were taken: they are no rows of branches and blocks");
	if (branches->odd_pairs)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%" PRIu64 " of %" PRIu64
			" pairs of branches have no code between them that is less than 64 KiB, and are no blocks",
			branches->odd_pairs, branches->pairs);
}

bool branch_rows_make(struct branch_rows *rows, struct buildstat *stat,
                      const struct naming_options *options, struct diag *diag, struct err *err)
{
	struct making making = { .rows = rows, .stat = stat, .err = err };
	bool ok = name_places(&making, options) && put_branches(&making) && put_blocks(&making);

	if (ok && stat->groups_branches)
		merge_groups(rows, stat);
	if (ok) {
		qsort_r(rows->branches, rows->branch_count, sizeof(*rows->branches),
		        compare_branches, stat);
		qsort_r(rows->blocks, rows->block_count, sizeof(*rows->blocks), compare_blocks,
		        stat);
		warn_of_branches(&stat->branches, diag);
	}
	place_list_release(&making.places);
	return ok;
}

void branch_rows_release(struct branch_rows *rows)
{
	free(rows->branches);
	free(rows->functions);
	free(rows->blocks);
	memset(rows, 0, sizeof(*rows));
}
