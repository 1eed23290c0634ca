/* instructions.csv: the instructions of each function that has samples. */
#include "decode/naming/instructions.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/namedrow.h"

/* A row of the table; it begins as functions of namedrow.h want it. */
struct listed {
	struct named_row named;
	const struct instruction_row *row;
	const struct instruction_block *block;
};

static const struct listed *listed_of(const void *row)
{
	return row;
}

static struct value text_of(const void *row, uint32_t number)
{
	return value_str(strings_get(listed_of(row)->named.report->stat->strings, number));
}

VALUE(listed, instruction_text, text_of(row, row->row->text));
VALUE(listed, instruction_target, text_of(row, row->row->target));

static struct value instruction_percent(const void *row)
{
	const struct listed *listed = row;

	return value_percent(listed->row->period, listed->block->period);
}

VALUE(listed, instruction_executed, value_if(row->block->executed, value_u64(row->row->executed)));

static bool print_instructions(struct table_writer *out, const struct report *report,
                               struct err *err)
{
	const struct instructions *all = report->instructions;
	const struct binaries *binaries = &report->stat->binaries;
	char text[BUILD_ID_TEXT];

	(void)err;
	for (size_t i = 0; i < all->block_count; i++) {
		const struct instruction_block *block = &all->blocks[i];

		for (size_t k = 0; k < block->count; k++) {
			const struct instruction_row *row = &all->rows[block->first + k];
			const struct listed listed = {
				.named = { .report = report,
				           .period = row->period,
				           .samples = row->samples,
				           .function = row->function,
				           .binary = binaries->items[block->binary].name,
				           .address = row->addr,
				           .file = row->file,
				           .line = row->line,
				           .event = block->event,
				           .build = block->binary,
				           .text = text },
				.row = row,
				.block = block,
			};

			table_row(out, &listed);
		}
	}
	return true;
}

static const struct column instructions_columns[] = {
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 3, named_function },
	{ "binary", COLUMN_PATH, "", "as recorded", 9, named_binary },
	{ "address", COLUMN_ADDRESS, "", "as objdump prints it", 4, named_address },
	{ "instruction", COLUMN_TEXT, "", "as objdump prints it; empty: none begins here", 5,
	  instruction_text },
	{ "target", COLUMN_TEXT, "", "what it calls, or where it jumps outside of the function", 6,
	  instruction_target },
	{ "source_file", COLUMN_PATH, "", "of the address's line", 8, named_source_file },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 7, named_line },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 10, named_event },
	{ "period", COLUMN_INTEGER, "events", "that the address's samples stand for", 11,
	  named_period },
	{ "samples", COLUMN_INTEGER, "samples", "at the address", 2, named_samples },
	{ "percent", COLUMN_DECIMAL, "percent", "of the function's period", 1,
	  instruction_percent },
	{ "build_id", COLUMN_TEXT, "", "of the binary, lower-case hex", 13, named_build_id },
	{ "executed", COLUMN_INTEGER, "", "how often branch stacks say that it ran; empty: none",
	  12, instruction_executed },
};

const struct table instructions_table = {
	.format = FORMAT_OF("instructions", instructions_columns),
	.needs = NEEDS_NAMES | NEEDS_CODE,
	.can_fill = report_has_places,
	.print = print_instructions,
};
