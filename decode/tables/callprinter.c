/* calltree.csv, callers.csv and chains.csv: who calls what, and how complete the stacks are. */
#include "decode/tables/eventfile.h"

#include <stdlib.h>

/* What rows are printed of, and where to. */
struct frame_printer {
	struct table_writer *out;
	const struct report *report;
};

static void print_frame(void *context, uint32_t number, size_t event, const uint32_t *frames)
{
	const struct frame_printer *printer = context;
	const struct report *report = printer->report;
	struct table_writer *out = printer->out;
	const struct strings *strings = report->stat->strings;
	const struct call_node *node = &report->calls->nodes[number];
	const bool outermost = node->parent == CALL_NODE_NONE;
	const struct call_count *own = call_tree_own(report->calls, number, event);
	const struct call_count *total = call_tree_total(report->calls, number, event);

	table_u64(out, frames[number]);
	table_u64_if(out, !outermost, outermost ? 0 : frames[node->parent]);
	table_u64(out, node->depth);
	table_str(out, strings_get(strings, node->name));
	table_str(out, strings_get(strings, node->binary));
	table_str(out, strings_get(strings, node->file));
	table_str(out, buildstat_event_name(report->session, (uint32_t)event));
	table_u64(out, own->period);
	table_u64(out, own->samples);
	table_u64(out, total->period);
	table_u64(out, total->samples);
	table_str(out, symbol_origin_name((enum symbol_origin)node->origin));
	table_end_row(out);
}

static bool print_calltree(struct table_writer *out, const struct report *report, struct err *err)
{
	struct frame_printer printer = { out, report };
	uint32_t *frames = call_tree_frames(report->calls, report->stat->strings, print_frame,
	                                    &printer, err);

	free(frames);
	return err->code == ERR_NONE;
}

static const struct column calltree_columns[] = {
	{ "frame", COLUMN_INTEGER, "", "number of the frame, the same in each event", 11 },
	{ "parent", COLUMN_INTEGER, "", "frame of the caller; empty at the outermost", 12 },
	{ "depth", COLUMN_INTEGER, "", "callers outside of it", 1 },
	{ "function", COLUMN_TEXT, "", "its name; [unknown], or [cut], [lost], [folded]", 2 },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 8 },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 9 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 7 },
	{ "period", COLUMN_INTEGER, "events", "of samples in the frame itself", 5 },
	{ "samples", COLUMN_INTEGER, "samples", "in the frame itself", 6 },
	{ "total_period", COLUMN_INTEGER, "events", "of the frame and all that it called", 3 },
	{ "total_samples", COLUMN_INTEGER, "samples", "in the frame and all that it called", 4 },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 10 },
};

const struct table calltree_table = {
	.format = FORMAT_OF("calltree", calltree_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK,
	.can_fill = report_has_chains,
	.print = print_calltree,
};

static void print_edge(struct table_writer *out, const struct report *report,
                       const struct call_edge *edge)
{
	const struct strings *strings = report->stat->strings;
	const struct call_node *caller = edge->caller;

	table_str(out, caller ? strings_get(strings, caller->name) : NULL);
	table_str(out, caller ? strings_get(strings, caller->binary) : NULL);
	table_str(out, strings_get(strings, edge->callee->name));
	table_str(out, strings_get(strings, edge->callee->binary));
	table_str(out, buildstat_event_name(report->session, (uint32_t)edge->event));
	table_u64(out, edge->count.period);
	table_u64(out, edge->count.samples);
	table_percent(out, edge->count.period, buildstat_totals(report->stat, edge->event)->period);
	table_end_row(out);
}

static bool print_callers(struct table_writer *out, const struct report *report, struct err *err)
{
	struct call_edge *edges;
	size_t count;
	bool ok = call_tree_edges(report->calls, report->stat->strings, &edges, &count, err);

	for (size_t i = 0; ok && i < count; i++)
		print_edge(out, report, &edges[i]);
	free(edges);
	return ok;
}

static const struct column callers_columns[] = {
	{ "caller", COLUMN_TEXT, "", "function directly outside; empty: the root", 3 },
	{ "caller_binary", COLUMN_PATH, "", "of the caller", 6 },
	{ "callee", COLUMN_TEXT, "", "function that it calls", 4 },
	{ "callee_binary", COLUMN_PATH, "", "of the callee", 7 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 8 },
	{ "period", COLUMN_INTEGER, "events", "of samples with this pair in their stack", 5 },
	{ "samples", COLUMN_INTEGER, "samples", "with this pair in their stack, each once", 2 },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1 },
};

const struct table callers_table = {
	.format = FORMAT_OF("callers", callers_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK,
	.can_fill = report_has_chains,
	.print = print_callers,
};

static bool print_chains(struct table_writer *out, const struct report *report, struct err *err)
{
	const size_t count = report->totals->event_count * STACK_ENDS;
	const struct call_count *ends = report->totals->ends;

	(void)err;
	for (size_t i = 0; ends && i < count; i++) {
		if (!ends[i].samples)
			continue;
		table_str(out, buildstat_event_name(report->session, (uint32_t)(i / STACK_ENDS)));
		table_str(out, chain_end_words[i % STACK_ENDS]);
		table_u64(out, ends[i].samples);
		table_u64(out, ends[i].period);
		table_end_row(out);
	}
	return true;
}

static const struct column chains_columns[] = {
	{ "event", COLUMN_TEXT, "", "as the recording names it", 1 },
	{ "end", COLUMN_TEXT, "", "how the stacks ended", 2 },
	{ "samples", COLUMN_INTEGER, "samples", "whose stacks ended so", 3 },
	{ "period", COLUMN_INTEGER, "events", "of these samples", 4 },
};

const struct table chains_table = {
	.format = FORMAT_OF("chains", chains_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK,
	.can_fill = report_has_chains,
	.print = print_chains,
};
