/* flame.svg: a flame graph of the stacks of an event; see flame.h. */
#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "decode/exports/flame.h"
#include "decode/exports/headline.h"
#include "decode/tables/briefname.h"
#include "decode/tables/eventfile.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

enum flame_kind flame_kind_of_call(enum call_kind kind, const char *name)
{
	switch (kind) {
	case CALL_KERNEL:
		return FLAME_KERNEL;
	case CALL_RUN_TIME:
		return FLAME_JIT;
	case CALL_STATE:
		return FLAME_STATE;
	case CALL_INLINED:
		return FLAME_INLINE;
	case CALL_UNNAMED:
	case CALL_REMARK:
		return FLAME_UNNAMED;
	case CALL_USER:
		break;
	}
	return strstr(name, "::") || has_arguments(name) ? FLAME_CPLUSPLUS : FLAME_USER;
}

static void write_flame_label(char *text, const struct call_node *node,
                              const struct strings *strings)
{
	const char *name = strings_get(strings, node->name);
	const char *binary = strings_get(strings, node->binary);

	text = format_escaped(text, name, strlen(name));
	*text++ = '\t';
	text = format_escaped(text, binary, strlen(binary));
	*text++ = '\t';
	*text++ = (char)('0' + flame_kind_of_call((enum call_kind)node->kind, name));
	*text = '\0';
}

/*
 * Puts a frame around all others, and adds to each node all that it calls; modulo 2^64, as periods
 * of a damaged recording may be any.
 */
static bool add_outermost_frame(struct flame_graph *graph, struct err *err)
{
	graph->all.label = strings_put_text(&graph->tree.labels, "all\t\t5", err);
	for (size_t i = graph->tree.count; i-- > 0;) {
		struct label_node *node = &graph->tree.nodes[i];
		struct label_node *outer = node->parent == LABEL_NODE_NONE
		                                   ? &graph->all
		                                   : &graph->tree.nodes[node->parent];

		outer->period += node->period;
		outer->samples += node->samples;
		outer->base += node->base;
		node->depth++;
	}
	return graph->all.label != STRING_NONE;
}

/* Whether there are several processes, so that stacks begin with their names. */
static bool has_several_processes(const struct report *report)
{
	const struct stackstat *stacks = report->stat ? report->stat->stacks : NULL;

	if (report->comparison)
		return report_has_processes(report) &&
		       merged_calls_processes(report->comparison->options.calls) > 1;
	for (size_t i = 1; stacks && i < stacks->groups.count; i++)
		if (stack_group_at(stacks, i)->comm != stack_group_at(stacks, 0)->comm)
			return true;
	return false;
}

static const char compared[] =
	": the new side, red where it costs more than the base, blue where less";

static bool write_flame(FILE *out, const struct report *report, size_t event, struct err *err)
{
	const struct label_request request = { report, event, write_flame_label,
		                               has_several_processes(report) };
	char *title = headline_title(report, event, report->comparison ? compared : "", err);
	char *summary = headline_summary(report, event, err);
	struct flame_graph graph = { .title = title,
		                     .summary = summary,
		                     .clock = report_event_is_clock(report, event),
		                     .differential = report->comparison != NULL };

	if (label_tree_make(&graph.tree, &request, err) && title && summary &&
	    add_outermost_frame(&graph, err))
		flame_print(out, &graph, err);
	free(title);
	free(summary);
	label_tree_release(&graph.tree);
	return err->code == ERR_NONE;
}

const struct table flame_table = {
	.format = FORMAT_OF_FILE("flame"),
	.file = "flame.svg",
	.content =
		"a flame graph of the stacks; of further events flame-EVENT.svg; with --base, of what changed",
	.compares_too = true,
	.needs = NEEDS_LABELS | NEEDS_STACKS | NEEDS_EVERY_STACK | NEEDS_PROCESSES,
	.can_fill = report_has_chains,
	.write_event = write_flame,
};
