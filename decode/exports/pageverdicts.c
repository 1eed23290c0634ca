#include "decode/exports/pageverdicts.h"

#include <inttypes.h>
#include <math.h>

#define VERDICTS_SHOWN 50 /* of an event */

static void print_cell(FILE *out, const struct comparison *comparison, uint32_t string)
{
	fputs("<td>", out);
	page_print_text(out, strings_get(comparison->strings, string));
}

static void print_run(FILE *out, const struct comparison *comparison, const struct compare_run *run,
                      const struct compare_event *event, const struct event_run *sums)
{
	const double unknown = sums->period
	                               ? 100.0 * (double)sums->unknown_period / (double)sums->period
	                               : 0;

	fprintf(out, "<tr><td>%s", run->side == SIDE_BASE ? "base" : "new");
	print_cell(out, comparison, run->file);
	print_cell(out, comparison, event->name);
	fprintf(out,
	        "<td class=\"n\">%" PRIu64 "<td class=\"n\">%.4f<td class=\"n\">%" PRIu64
	        "<td class=\"n\">%.2f %%",
	        sums->samples, sums->scale, sums->lost, unknown);
	print_cell(out, comparison, run->facts[RUN_HOST]);
	fputs("<td class=\"text\">", out);
	page_print_text(out, strings_get(comparison->strings, run->facts[RUN_CMDLINE]));
	fputs("</tr>\n", out);
}

void page_print_runs(FILE *out, const struct comparison *comparison)
{
	fputs("<h2>Runs</h2>\n<div class=\"scroll\"><table><thead><tr><th>side<th>run<th>event"
	      "<th class=\"n\">samples<th class=\"n\">scale<th class=\"n\">lost samples"
	      "<th class=\"n\">unknown<th>host<th>command line</tr></thead><tbody>\n",
	      out);
	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t event = 0; event < comparison->event_count; event++)
			if (comparison->events[event].runs[run].present)
				print_run(out, comparison, &comparison->runs[run],
				          &comparison->events[event],
				          &comparison->events[event].runs[run]);
	fputs("</tbody></table></div>\n", out);
}

static void print_change(FILE *out, const struct compare_row *row)
{
	if (isinf(row->change))
		fputs("<td class=\"n\">new", out);
	else
		fprintf(out, "<td class=\"n\">%+.1f %%", row->change);
	if (row->tested && row->samples[SIDE_BASE] && row->samples[SIDE_NEW])
		fprintf(out, "<td class=\"n\">%+.1f..%+.1f %%", row->low, row->high);
	else
		fputs("<td>", out);
	if (row->tested)
		fprintf(out,
		        row->p_adjusted < 0.001 ? "<td class=\"n\">&lt;.001"
		                                : "<td class=\"n\">%.3f",
		        row->p_adjusted);
	else
		fputs("<td>", out);
}

static void print_row(FILE *out, const struct comparison *comparison, const struct compare_row *row)
{
	char base[32], now[32];

	fprintf(out, "<tr><td class=\"%s\">%s", verdict_names[row->verdict],
	        verdict_names[row->verdict]);
	if (row->match != STRING_NONE) {
		fputs(" with ", out);
		page_print_text(out, strings_get(comparison->strings, row->match));
	}
	fprintf(out, "<td class=\"n\">%s<td class=\"n\">%s",
	        format_row_cost(base, comparison, row, SIDE_BASE),
	        format_row_cost(now, comparison, row, SIDE_NEW));
	print_change(out, row);
	fputs("<td><span class=\"name\">", out);
	page_print_text(out, strings_get(comparison->strings, row->function));
	fputs("</span>", out);
	print_cell(out, comparison, row->binary);
	fputs("</tr>\n", out);
}

static void print_event(FILE *out, const struct comparison *comparison, uint32_t event)
{
	size_t count = 0;

	fputs("<h2>Changes: ", out);
	page_print_text(out, strings_get(comparison->strings, comparison->events[event].name));
	fputs("</h2>\n<div class=\"scroll\"><table><thead><tr><th>verdict<th class=\"n\">base"
	      "<th class=\"n\">new<th class=\"n\">change<th class=\"n\">95 % interval"
	      "<th class=\"n\">p<th>function<th>binary</tr></thead><tbody>\n",
	      out);
	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->event == event && (row->is_total || count++ < VERDICTS_SHOWN))
			print_row(out, comparison, row);
	}
	fputs("</tbody></table></div>\n", out);
	if (count > VERDICTS_SHOWN)
		fprintf(out, "<p>%zu more functions are shown where scripts may run.</p>\n",
		        count - VERDICTS_SHOWN);
}

void page_print_verdicts(FILE *out, const struct comparison *comparison)
{
	for (uint32_t i = 0; i < comparison->event_count; i++)
		if (compare_event_has_samples(&comparison->events[i]))
			print_event(out, comparison, i);
}

void page_print_rules(FILE *out, const struct verdict_report *verdicts)
{
	const struct rules *rules = verdicts->rules;
	char worst[WORST_SIZE];

	if (!rules->count)
		return;
	fputs("<h2>Rules</h2>\n<div class=\"scroll\"><table><thead><tr><th>outcome<th>rule<th>by"
	      "</tr></thead><tbody>\n",
	      out);
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->items[i];
		const char *gap = rule_gap(rule);
		const char *outcome = rule_is_met(rule) ? "met" : gap ? "skipped" : "not met";

		fprintf(out, "<tr><td class=\"%s\">%s<td class=\"name\">",
		        rule_is_met(rule) ? "regressed" : "", outcome);
		page_print_text(out, rule->text);
		fputs("<td>", out);
		if (gap) {
			page_print_text(out, gap);
		} else {
			page_print_text(out, strings_get(verdicts->strings, rule->subject));
			fprintf(out, " %s", format_worst(worst, rule));
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}
