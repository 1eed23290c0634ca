/* calltree.csv, callers.csv and chains.csv: who calls what, and how complete the stacks are. */
#include "decode/tables/eventfile.h"
#include "decode/tables/namedrow.h"

#include <stdlib.h>

/* A frame of the call tree, and an event. */
struct frame_row {
	struct named_row named; /* first: most columns are those of any function */
	uint64_t frame;
	const uint32_t *parent; /* NULL: the outermost */
	uint32_t depth;
};

VALUE(frame_row, frame_number, value_u64(row->frame));
VALUE(frame_row, frame_parent, row->parent ? value_u64(*row->parent) : value_none());
VALUE(frame_row, frame_depth, value_u64(row->depth));

/* Where rows are written, and what of. */
struct frame_printer {
	struct table_writer *out;
	const struct report *report;
};

static void print_frame(void *context, uint32_t number, size_t event, const uint32_t *frames)
{
	const struct frame_printer *printer = context;
	const struct report *report = printer->report;
	const struct call_node *node = &report->calls->nodes[number];
	const struct call_count *own = call_tree_own(report->calls, number, event);
	const struct frame_row row = {
		.named = { .report = report,
		           .period = own->period,
		           .samples = own->samples,
		           .total = call_tree_total(report->calls, number, event),
		           .function = node->name,
		           .binary = node->binary,
		           .file = node->file,
		           .event = (uint32_t)event,
		           .origin = (enum symbol_origin)node->origin },
		.frame = frames[number],
		.parent = node->parent == CALL_NODE_NONE ? NULL : &frames[node->parent],
		.depth = node->depth,
	};

	table_row(printer->out, &row);
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
	{ "frame", COLUMN_INTEGER, "", "number of the frame, the same in each event", 11,
	  frame_number },
	{ "parent", COLUMN_INTEGER, "", "frame of the caller; empty at the outermost", 12,
	  frame_parent },
	{ "depth", COLUMN_INTEGER, "", "callers outside of it", 1, frame_depth },
	{ "function", COLUMN_TEXT, "", "its name; [unknown], or [cut], [lost], [folded]", 2,
	  named_function },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 8,
	  named_binary },
	{ "source_file", COLUMN_PATH, "", "where the function is defined", 9, named_source_file },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 7, named_event },
	{ "period", COLUMN_INTEGER, "events", "of samples in the frame itself", 5, named_period },
	{ "samples", COLUMN_INTEGER, "samples", "in the frame itself", 6, named_samples },
	{ "total_period", COLUMN_INTEGER, "events", "of the frame and all that it called", 3,
	  named_total_period },
	{ "total_samples", COLUMN_INTEGER, "samples", "in the frame and all that it called", 4,
	  named_total_samples },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 10,
	  named_symbols },
};

const struct table calltree_table = {
	.format = FORMAT_OF("calltree", calltree_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK,
	.can_fill = report_has_chains,
	.print = print_calltree,
};

/* A caller and what it calls, which is the function of the row. */
struct edge_row {
	struct named_row named; /* first */
	const struct call_node *caller;
};

static const struct edge_row *edge_row(const void *row)
{
	return row;
}

static struct value edge_caller(const void *row)
{
	const struct call_node *caller = edge_row(row)->caller;

	return value_str(
		caller ? strings_get(edge_row(row)->named.report->stat->strings, caller->name)
		       : NULL);
}

static struct value edge_caller_binary(const void *row)
{
	const struct call_node *caller = edge_row(row)->caller;

	return value_str(
		caller ? strings_get(edge_row(row)->named.report->stat->strings, caller->binary)
		       : NULL);
}

static void print_edge(struct table_writer *out, const struct report *report,
                       const struct call_edge *edge)
{
	const struct edge_row row = {
		.named = { .report = report,
		           .period = edge->count.period,
		           .samples = edge->count.samples,
		           .function = edge->callee->name,
		           .binary = edge->callee->binary,
		           .event = (uint32_t)edge->event },
		.caller = edge->caller,
	};

	table_row(out, &row);
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
	{ "caller", COLUMN_TEXT, "", "function directly outside; empty: the root", 3, edge_caller },
	{ "caller_binary", COLUMN_PATH, "", "of the caller", 6, edge_caller_binary },
	{ "callee", COLUMN_TEXT, "", "function that it calls", 4, named_function },
	{ "callee_binary", COLUMN_PATH, "", "of the callee", 7, named_binary },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 8, named_event },
	{ "period", COLUMN_INTEGER, "events", "of samples with this pair in their stack", 5,
	  named_period },
	{ "samples", COLUMN_INTEGER, "samples", "with this pair in their stack, each once", 2,
	  named_samples },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1, named_percent },
};

const struct table callers_table = {
	.format = FORMAT_OF("callers", callers_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK,
	.can_fill = report_has_chains,
	.print = print_callers,
};

struct chain_row {
	const char *event, *end;
	const struct call_count *count;
};

VALUE(chain_row, chain_event, value_str(row->event));
VALUE(chain_row, chain_end, value_str(row->end));
VALUE(chain_row, chain_samples, value_u64(row->count->samples));
VALUE(chain_row, chain_period, value_u64(row->count->period));

static bool print_chains(struct table_writer *out, const struct report *report, struct err *err)
{
	const size_t count = report->totals->event_count * STACK_ENDS;
	const struct call_count *ends = report->totals->ends;

	(void)err;
	for (size_t i = 0; ends && i < count; i++) {
		const struct chain_row row = {
			buildstat_event_name(report->session, (uint32_t)(i / STACK_ENDS)),
			chain_end_words[i % STACK_ENDS],
			&ends[i],
		};

		if (ends[i].samples)
			table_row(out, &row);
	}
	return true;
}

static const struct column chains_columns[] = {
	{ "event", COLUMN_TEXT, "", "as the recording names it", 1, chain_event },
	{ "end", COLUMN_TEXT, "", "how the stacks ended", 2, chain_end },
	{ "samples", COLUMN_INTEGER, "samples", "whose stacks ended so", 3, chain_samples },
	{ "period", COLUMN_INTEGER, "events", "of these samples", 4, chain_period },
};

const struct table chains_table = {
	.format = FORMAT_OF("chains", chains_columns),
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK,
	.can_fill = report_has_chains,
	.print = print_chains,
};
