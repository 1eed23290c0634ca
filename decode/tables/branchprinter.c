/* branches.csv and blocks.csv: branches that were taken, and the code that ran between them. */
#include "decode/naming/branchrows.h"
#include "decode/tables/tables.h"

/* A row of either table. */
struct shown {
	const struct report *report;
	const struct branch_row *branch;
	const struct block_row *block;
};

static const struct shown *shown_of(const void *row)
{
	return row;
}

static struct value string(const void *row, uint32_t number)
{
	return value_str(strings_get(shown_of(row)->report->stat->strings, number));
}

static struct value binary_name(const void *row, uint32_t number)
{
	return string(row, shown_of(row)->report->stat->binaries.items[number].name);
}

static struct value line_of(const struct branch_end *end)
{
	return value_if(end->line != 0, value_u64(end->line));
}

static struct value from_function(const void *row)
{
	return string(row, shown_of(row)->branch->from.function);
}

static struct value from_source_file(const void *row)
{
	return string(row, shown_of(row)->branch->from.file);
}

static struct value from_line(const void *row)
{
	return line_of(&shown_of(row)->branch->from);
}

static struct value from_binary(const void *row)
{
	return binary_name(row, shown_of(row)->branch->from.binary);
}

static struct value from_address(const void *row)
{
	return value_address(shown_of(row)->branch->from.addr);
}

static struct value to_function(const void *row)
{
	return string(row, shown_of(row)->branch->to.function);
}

static struct value to_source_file(const void *row)
{
	return string(row, shown_of(row)->branch->to.file);
}

static struct value to_line(const void *row)
{
	return line_of(&shown_of(row)->branch->to);
}

static struct value to_binary(const void *row)
{
	return binary_name(row, shown_of(row)->branch->to.binary);
}

static struct value to_address(const void *row)
{
	return value_address(shown_of(row)->branch->to.addr);
}

static struct value event_name(const struct report *report, uint32_t event)
{
	return value_str(buildstat_event_name(report->session, event));
}

static struct value branch_event(const void *row)
{
	return event_name(shown_of(row)->report, shown_of(row)->branch->event);
}

static struct value branch_type(const void *row)
{
	return value_str(branch_type_word(shown_of(row)->branch->type));
}

static struct value branch_count(const void *row)
{
	return value_u64(shown_of(row)->branch->sum->count);
}

static struct value branch_mispredicted(const void *row)
{
	const struct shown *shown = row;

	return value_if(branchstat_predicts(&shown->report->stat->branches, shown->branch->event),
	                value_u64(shown->branch->sum->mispredicted));
}

static struct value branch_in_transaction(const void *row)
{
	return value_u64(shown_of(row)->branch->sum->in_transaction);
}

static struct value branch_aborts(const void *row)
{
	return value_u64(shown_of(row)->branch->sum->aborts);
}

static struct value branch_samples(const void *row)
{
	return value_u64(shown_of(row)->branch->sum->samples);
}

static bool print_branches(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct branch_rows *rows = report->branches;

	(void)err;
	for (size_t i = 0; i < rows->branch_count; i++) {
		const struct shown shown = { .report = report, .branch = &rows->branches[i] };

		table_row(out, &shown);
	}
	return true;
}

static bool has_branches(const struct report *report)
{
	return report->stat->branches.branches.count != 0;
}

static const struct column branches_columns[] = {
	{ "from_function", COLUMN_TEXT, "", "that the branch is in, or [unknown]", 2,
	  from_function },
	{ "from_source_file", COLUMN_PATH, "", "of the branch's line", 10, from_source_file },
	{ "from_line", COLUMN_INTEGER, "", "its number, from 1", 3, from_line },
	{ "from_binary", COLUMN_PATH, "", "as recorded", 12, from_binary },
	{ "from_address", COLUMN_ADDRESS, "", "of the branch, as objdump prints it", 6,
	  from_address },
	{ "to_function", COLUMN_TEXT, "", "that it leads to, or [unknown]", 4, to_function },
	{ "to_source_file", COLUMN_PATH, "", "of the target's line", 11, to_source_file },
	{ "to_line", COLUMN_INTEGER, "", "its number, from 1", 5, to_line },
	{ "to_binary", COLUMN_PATH, "", "as recorded", 13, to_binary },
	{ "to_address", COLUMN_ADDRESS, "", "that it leads to", 7, to_address },
	{ "event", COLUMN_TEXT, "", "whose samples recorded it", 14, branch_event },
	{ "type", COLUMN_TEXT, "", "cond, call, ret and others; empty: not recorded", 8,
	  branch_type },
	{ "count", COLUMN_INTEGER, "branches", "how often it was recorded", 1, branch_count },
	{ "mispredicted", COLUMN_INTEGER, "branches",
	  "of these; empty: the processor does not say it", 9, branch_mispredicted },
	{ "in_transaction", COLUMN_INTEGER, "branches", "in a hardware transaction", 16,
	  branch_in_transaction },
	{ "aborts", COLUMN_INTEGER, "branches", "that aborted a transaction", 17, branch_aborts },
	{ "samples", COLUMN_INTEGER, "samples", "that have the branch at least once", 15,
	  branch_samples },
};

const struct table branches_table = {
	.format = FORMAT_OF("branches", branches_columns),
	.needs = NEEDS_NAMES | NEEDS_BRANCHES,
	.can_fill = has_branches,
	.print = print_branches,
};

static struct value block_function(const void *row)
{
	return string(row, shown_of(row)->block->start.function);
}

static struct value block_binary(const void *row)
{
	return binary_name(row, shown_of(row)->block->start.binary);
}

static struct value block_start(const void *row)
{
	return value_address(shown_of(row)->block->start.addr);
}

static struct value block_end(const void *row)
{
	return value_address(shown_of(row)->block->end);
}

static struct value block_source_file(const void *row)
{
	return string(row, shown_of(row)->block->start.file);
}

static struct value block_line(const void *row)
{
	return line_of(&shown_of(row)->block->start);
}

static struct value block_event(const void *row)
{
	return event_name(shown_of(row)->report, shown_of(row)->block->event);
}

static struct value block_count(const void *row)
{
	return value_u64(shown_of(row)->block->sum->count);
}

static struct value block_cycles(const void *row)
{
	const struct block_sum *sum = shown_of(row)->block->sum;

	return value_if(sum->cycles_count != 0, value_u64(sum->cycles));
}

static struct value block_cycles_count(const void *row)
{
	return value_u64(shown_of(row)->block->sum->cycles_count);
}

static bool print_blocks(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct branch_rows *rows = report->branches;

	(void)err;
	for (size_t i = 0; i < rows->block_count; i++) {
		const struct shown shown = { .report = report, .block = &rows->blocks[i] };

		table_row(out, &shown);
	}
	return true;
}

static const struct column blocks_columns[] = {
	{ "function", COLUMN_TEXT, "", "that it starts in, or [unknown]", 2, block_function },
	{ "binary", COLUMN_PATH, "", "as recorded", 9, block_binary },
	{ "start", COLUMN_ADDRESS, "", "of its first instruction, as objdump prints it", 4,
	  block_start },
	{ "end", COLUMN_ADDRESS, "", "of its last instruction, the branch behind it", 5,
	  block_end },
	{ "source_file", COLUMN_PATH, "", "of the first instruction's line", 8, block_source_file },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 3, block_line },
	{ "event", COLUMN_TEXT, "", "whose samples recorded it", 10, block_event },
	{ "count", COLUMN_INTEGER, "", "how often it was recorded to run", 1, block_count },
	{ "cycles", COLUMN_INTEGER, "cycles", "that it took in all; empty: not recorded", 6,
	  block_cycles },
	{ "cycles_count", COLUMN_INTEGER, "", "how many of count have cycles", 7,
	  block_cycles_count },
};

const struct table blocks_table = {
	.format = FORMAT_OF("blocks", blocks_columns),
	.needs = NEEDS_NAMES | NEEDS_BRANCHES,
	.can_fill = has_branches,
	.print = print_blocks,
};
