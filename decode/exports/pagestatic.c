#include "decode/exports/pagestatic.h"

#include "decode/exports/flame.h"
#include "decode/tables/about.h"
#include "decode/tables/eventfile.h"
#include "perffile/facts/facts.h"
#include "util/digits.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>

#define FUNCTIONS_SHOWN 50 /* of an event */

static void print_pair(FILE *out, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(out, "<dt>%s</dt><dd>", key);
	page_print_text(out, value);
	fputs("</dd>\n", out);
}

static void print_facts(FILE *out, const struct report *report)
{
	static const struct {
		unsigned feature;
		const char *key;
	} shown[] = {
		{ PERF_FEATURE_HOSTNAME, "host" },        { PERF_FEATURE_OSRELEASE, "os release" },
		{ PERF_FEATURE_CPUDESC, "cpu" },          { PERF_FEATURE_NRCPUS, "cpus" },
		{ PERF_FEATURE_CMDLINE, "command line" }, { PERF_FEATURE_VERSION, "perf version" },
	};
	const struct read_summary *summary = report->summary;
	char text[64];

	fputs("<dl>\n", out);
	print_pair(out, "recording", report->about->file);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		print_pair(out, shown[i].key, facts_value(report->facts, shown[i].feature));
	if (summary->first_time != TIME_NONE) {
		snprintf(text, sizeof(text), "%.3f s",
		         (double)(summary->last_time - summary->first_time) / 1e9);
		print_pair(out, "duration", text);
	}
	print_pair(out, "options", report->about->options);
	fputs("</dl>\n", out);
}

static void print_cost(FILE *out, uint64_t period, bool clock)
{
	if (clock)
		fprintf(out, "%.6f s", (double)period / 1e9);
	else
		fprintf(out, "%" PRIu64, period);
}

static void print_event(FILE *out, const struct report *report, uint32_t event)
{
	const struct event_totals *totals = buildstat_totals(report->stat, event);

	if (event == EVENT_UNKNOWN && !totals->samples)
		return;
	fputs("<tr><td>", out);
	page_print_text(out, buildstat_event_name(report->session, event));
	fprintf(out, "<td class=\"n\">%" PRIu64 "<td class=\"n\">", totals->samples);
	print_cost(out, totals->period, report_event_is_clock(report, event));
	fprintf(out, "<td class=\"n\">%" PRIu64 "<td class=\"n\">", totals->selected_samples);
	print_cost(out, totals->selected_period, report_event_is_clock(report, event));
	fprintf(out, "<td class=\"n\">%" PRIu64 "<td class=\"n\">%" PRIu64 "</tr>\n",
	        totals->processes, totals->lost);
}

static void print_events(FILE *out, const struct report *report)
{
	fputs("<h2>Events</h2>\n<div class=\"scroll\"><table><thead><tr><th>event"
	      "<th class=\"n\">samples<th class=\"n\">period<th class=\"n\">selected samples"
	      "<th class=\"n\">selected period<th class=\"n\">processes<th class=\"n\">lost samples"
	      "</tr></thead><tbody>\n",
	      out);
	for (uint32_t i = 0; i < report->session->event_count; i++)
		print_event(out, report, i);
	print_event(out, report, EVENT_UNKNOWN);
	fputs("</tbody></table></div>\n", out);
}

static void print_warnings(FILE *out, const struct diag *diag)
{
	fputs("<h2>Warnings</h2>\n<ul>\n", out);
	for (const struct diag_format *format = diag->formats; format; format = format->next)
		for (const struct diag_kind *kind = format->kinds; kind; kind = kind->next) {
			fputs("<li>", out);
			page_print_text(out, kind->text);
			if (kind->count > 1)
				fprintf(out, " (%" PRIu64 " times)", kind->count);
			fputs("</li>\n", out);
		}
	if (!diag->formats)
		fputs("<li>none</li>\n", out);
	fputs("</ul>\n", out);
}

void page_print_summary(FILE *out, const struct report *report, const struct diag *diag,
                        const struct verdict_report *verdicts)
{
	if (report->comparison) {
		page_print_rules(out, verdicts);
		page_print_runs(out, report->comparison);
	} else {
		print_facts(out, report);
		page_print_rules(out, verdicts);
		print_events(out, report);
	}
	print_warnings(out, diag);
}

static void print_share(FILE *out, uint64_t part, uint64_t whole)
{
	char text[40];

	*format_percent(text, part, whole, 2) = '\0';
	fprintf(out, "<td class=\"n\">%s %%", text);
}

static void print_function(FILE *out, const struct report *report, const struct result_row *row)
{
	const struct strings *strings = report->stat->strings;
	const uint64_t whole = buildstat_totals(report->stat, row->event)->period;

	fputs("<tr>", out);
	print_share(out, row->period, whole);
	/* narrow windows have no room for what is "wide" (page.css) */
	fputs("<td class=\"n wide\">", out);
	print_cost(out, row->period, report_event_is_clock(report, row->event));
	fprintf(out, "<td class=\"n wide\">%" PRIu64, row->samples);
	if (report->totals->chains)
		print_share(out, row->total.period, whole);
	fputs("<td><span class=\"name\">", out);
	page_print_text(out, strings_get(strings, row->function));
	fputs("</span><td>", out);
	page_print_text(out, strings_get(strings, row->binary));
	fputs("</tr>\n", out);
}

/* rows: those of an event, of which there are so many. */
static void print_functions_of(FILE *out, const struct report *report,
                               const struct result_row *rows, size_t count)
{
	size_t shown = 0;

	fputs("<h2>Functions: ", out);
	page_print_text(out, buildstat_event_name(report->session, rows->event));
	fprintf(out,
	        "</h2>\n<div class=\"scroll\"><table><thead><tr><th class=\"n\">self"
	        "<th class=\"n wide\">period<th class=\"n wide\">samples%s<th>function<th>binary"
	        "</tr></thead><tbody>\n",
	        report->totals->chains ? "<th class=\"n\">total" : "");
	for (size_t i = 0; i < count && shown < FUNCTIONS_SHOWN; i++, shown++)
		print_function(out, report, &rows[i]);
	fputs("</tbody></table></div>\n", out);
	if (shown < count)
		fprintf(out, "<p>%zu more functions are shown where scripts may run.</p>\n",
		        count - shown);
}

void page_print_functions(FILE *out, const struct report *report)
{
	const struct results *results = report->results;
	const struct result_row *end = results->rows + results->row_count, *next;

	for (const struct result_row *rows = results->rows; rows < end; rows = next) {
		for (next = rows + 1; next < end && next->event == rows->event;)
			next++;
		print_functions_of(out, report, rows, (size_t)(next - rows));
	}
}

/* Adds the samples of an event in nodes from the first one on, in the numbers of samples. */
static void add_rows(struct flame_graph *graph, const struct page_tree *tree,
                     const struct page_samples *samples, uint32_t event, size_t first)
{
	struct page_recent recent;

	page_recent_init(&recent);
	for (size_t i = 0; i < samples->count; i++) {
		const uint32_t number = page_recent_get(
			&recent, (uint32_t)page_planes_get(&samples->task, i));
		const struct page_task *task = tuples_get(&samples->tasks, number);
		struct label_node *node = &graph->tree.nodes[tree->number[samples->nodes[i]]];

		if (task->event != event || samples->nodes[i] < first)
			continue;
		node->period += page_planes_get(&samples->weight, i);
		node->samples += samples->sliced ? page_planes_get(&samples->samples, i) : 1;
		node->base += samples->has_base ? page_planes_get(&samples->base, i) : 0;
	}
}

/* Adds the samples of an event to the nodes of the graph. */
static void add_samples(struct flame_graph *graph, const struct page_tree *tree,
                        const struct page_samples *samples, uint32_t event)
{
	const struct call_tree *calls = tree->report->calls;

	if (!calls) {
		add_rows(graph, tree, samples, event, 0);
		return;
	}
	for (uint32_t i = 0; i < calls->count; i++) {
		const struct call_count *own = call_tree_own(calls, i, event);

		if (!tree->nodes[i].used)
			continue;
		graph->tree.nodes[tree->number[i]].period = own->period;
		graph->tree.nodes[tree->number[i]].samples = own->samples;
	}
	if (samples->singles.count)
		add_rows(graph, tree, samples, event, calls->count);
}

/* The first event that has samples here. */
static uint32_t first_event(const struct page_samples *samples)
{
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < samples->tasks.count; i++) {
		const struct page_task *task = tuples_get(&samples->tasks, i);

		first = task->event < first ? task->event : first;
	}
	return first;
}

/* The label of a node, as struct flame_graph wants it. STRING_NONE with err set. */
static uint32_t label_of(struct strings *labels, const struct page_tree *tree,
                         const struct page_node *node, struct err *err)
{
	const struct strings *strings = tree->strings;
	const struct page_function *function = page_function_at(tree, node->function);
	const char *name = strings_get(strings, function->name);
	const char *binary = strings_get(strings, function->binary);
	char *text = vec_new(4 * (strlen(name) + strlen(binary)) + 5, 1, err), *end;
	uint32_t label = STRING_NONE;

	if (text) {
		end = format_shown(text, name, strlen(name));
		*end++ = '\t';
		end = format_shown(end, binary, strlen(binary));
		*end++ = '\t';
		*end = (char)('0' + flame_kind_of_call((enum call_kind)node->kind, name));
		label = strings_put_text(labels, text, err);
	}
	free(text);
	return label;
}

/* Adds what nodes call, and gives labels to all. False with err set. */
static bool complete_graph(struct flame_graph *graph, const struct page_tree *tree, struct err *err)
{
	struct label_node *nodes = graph->tree.nodes;
	/* by page_node_label(): the label + 1; 0: none yet */
	uint32_t *labels = vec_new(tree->functions.count, PAGE_KINDS * sizeof(*labels), err);

	graph->all.label = strings_put_text(&graph->tree.labels, "all\t\t5", err);
	for (size_t i = tree->count; i-- > 0 && err->code == ERR_NONE;) {
		const struct page_node *node = &tree->nodes[tree->order[i]];
		struct label_node *outer = node->parent == CALL_NODE_NONE
		                                   ? &graph->all
		                                   : &nodes[tree->number[node->parent]];
		uint32_t *known;

		outer->period += nodes[i].period;
		outer->samples += nodes[i].samples;
		outer->base += nodes[i].base;
		nodes[i].depth = node->depth + 1;
		known = &labels[page_node_label(node)];
		if (!*known)
			*known = 1 + label_of(&graph->tree.labels, tree, node, err);
		nodes[i].label = *known - 1;
		graph->tree.order[i] = (uint32_t)i;
	}
	free(labels);
	return err->code == ERR_NONE;
}

bool page_print_flame(FILE *out, const struct page_tree *tree, const struct page_samples *samples,
                      struct err *err)
{
	const struct report *report = tree->report;
	struct flame_graph graph = { .title = "Flame graph", .differential = samples->has_base };
	bool ok = strings_init(&graph.tree.labels, err) &&
	          (graph.tree.nodes = vec_new(tree->count, sizeof(*graph.tree.nodes), err)) &&
	          (graph.tree.order = vec_new(tree->count, sizeof(*graph.tree.order), err));
	const uint32_t event = first_event(samples);

	graph.tree.count = tree->count;
	if (ok && samples->count) {
		graph.clock = report_event_is_clock(report, event);
		add_samples(&graph, tree, samples, event);
	}
	if (ok && samples->count && complete_graph(&graph, tree, err)) {
		fputs("<h2>Flame graph: ", out);
		page_print_text(out, report_event_name(report, event));
		fputs("</h2>\n<div class=\"scroll\">", out);
		ok = flame_print_still(out, &graph, err);
		fputs("</div>\n", out);
	}
	label_tree_release(&graph.tree);
	return ok && err->code == ERR_NONE;
}
