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

VALUE(shown, from_function, string(row, row->branch->from.function));
VALUE(shown, from_source_file, string(row, row->branch->from.file));
VALUE(shown, from_line, line_of(&row->branch->from));
VALUE(shown, from_binary, binary_name(row, row->branch->from.binary));
VALUE(shown, from_address, value_address(row->branch->from.addr));
VALUE(shown, to_function, string(row, row->branch->to.function));
VALUE(shown, to_source_file, string(row, row->branch->to.file));
VALUE(shown, to_line, line_of(&row->branch->to));
VALUE(shown, to_binary, binary_name(row, row->branch->to.binary));
VALUE(shown, to_address, value_address(row->branch->to.addr));

static struct value event_name(const struct report *report, uint32_t event)
{
	return value_str(buildstat_event_name(report->session, event));
}

VALUE(shown, branch_event, event_name(row->report, row->branch->event));
VALUE(shown, branch_type, value_str(branch_type_word(row->branch->type)));
VALUE(shown, branch_count, value_u64(row->branch->sum.count));

static struct value branch_mispredicted(const void *row)
{
	const struct shown *shown = row;

	return value_if(branchstat_predicts(&shown->report->stat->branches, shown->branch->event),
	                value_u64(shown->branch->sum.mispredicted));
}

VALUE(shown, branch_in_transaction, value_u64(row->branch->sum.in_transaction));
VALUE(shown, branch_aborts, value_u64(row->branch->sum.aborts));
VALUE(shown, branch_samples, value_u64(row->branch->sum.samples));

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

VALUE(shown, block_function, string(row, row->block->start.function));
VALUE(shown, block_binary, binary_name(row, row->block->start.binary));
VALUE(shown, block_start, value_address(row->block->start.addr));
VALUE(shown, block_end, value_address(row->block->end));
VALUE(shown, block_source_file, string(row, row->block->start.file));
VALUE(shown, block_line, line_of(&row->block->start));
VALUE(shown, block_event, event_name(row->report, row->block->event));
VALUE(shown, block_count, value_u64(row->block->sum->count));

static struct value block_cycles(const void *row)
{
	const struct block_sum *sum = shown_of(row)->block->sum;

	return value_if(sum->cycles_count != 0, value_u64(sum->cycles));
}

VALUE(shown, block_cycles_count, value_u64(row->block->sum->cycles_count));

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
