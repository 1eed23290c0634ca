/* The result as Markdown, for the summary of a CI job or a comment on a change. */
#include "decode/exports/trendtext.h"
#include "decode/exports/escape.h"
#include "decode/exports/verdicttext.h"
#include "util/digits.h"
#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The longest run of backticks in a text. */
static size_t longest_fence(const char *text)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/*
 * A text as a code span. It is the only thing in which neither Markdown nor the services that show
 * it make links, mentions, references or pictures of www.example.org, @team, #1, a commit's number
 * or :name:. Entities do not help: services look for these in the page, after Markdown.
 */
static void markdown_name(FILE *out, const char *name)
{
	char *escaped = text_escaped(name);
	const char *text = escaped ? escaped : "";
	const size_t fence = longest_fence(text) + 1, length = strlen(text);
	/* one blank on each side is not shown, and keeps the text apart from the backticks */
	const char *blank = *text && (strchr(" `", text[0]) || strchr(" `", text[length - 1])) ? " "
	                                                                                       : "";

	if (length) {
		for (size_t i = 0; i < fence; i++)
			fputc('`', out);
		fputs(blank, out);
		print_escaped(out, TEXT_MARKDOWN, name);
		fputs(blank, out);
		for (size_t i = 0; i < fence; i++)
			fputc('`', out);
	}
	free(escaped);
}

static void markdown_percent(FILE *out, double value)
{
	if (isinf(value))
		fputs("new", out);
	else
		fprintf(out, "%+.1f %%", value);
}

static void markdown_more(FILE *out, const struct verdict_report *report, uint64_t count,
                          const char *table)
{
	fprintf(out, "\n%" PRIu64 " more", count);
	if (report->table)
		fprintf(out, " are in %s", table);
	fputs(".\n", out);
}

static void markdown_row(FILE *out, const struct comparison *comparison,
                         const struct compare_row *row)
{
	char base[32], now[32];

	fprintf(out, "| %s", verdict_names[row->verdict]);
	if (row->match != STRING_NONE) {
		fputs(" with ", out);
		markdown_name(out, strings_get(comparison->strings, row->match));
	}
	fputs(" | ", out);
	markdown_name(out, strings_get(comparison->strings, row->function));
	fputs(" | ", out);
	markdown_name(out, strings_get(comparison->strings, row->binary));
	fprintf(out, " | %s | %s | ", format_row_cost(base, comparison, row, SIDE_BASE),
	        format_row_cost(now, comparison, row, SIDE_NEW));
	markdown_percent(out, row->change);
	if (row->tested && row->samples[SIDE_BASE] && row->samples[SIDE_NEW])
		fprintf(out, " | %+.1f %% to %+.1f %% | %.3g |", row->low, row->high,
		        row->p_adjusted);
	else if (row->tested)
		fprintf(out, " | | %.3g |", row->p_adjusted);
	else
		fputs(" | | |", out);
	fputs("\n", out);
}

static void markdown_event(FILE *out, const struct verdict_report *report, uint32_t number)
{
	const struct comparison *comparison = report->comparison;
	const struct compare_event *event = &comparison->events[number];
	const char *name = strings_get(comparison->strings, event->name);
	uint64_t changes = 0;

	fputs("\n### ", out);
	markdown_name(out, name);
	if (!compare_event_has_samples(event)) {
		fputs("\n\nNo samples.\n", out);
		return;
	}
	fprintf(out, "\n\nbase: %u run%s, new: %u run%s\n\n", event->side_runs[SIDE_BASE],
	        event->side_runs[SIDE_BASE] == 1 ? "" : "s", event->side_runs[SIDE_NEW],
	        event->side_runs[SIDE_NEW] == 1 ? "" : "s");
	fputs("| verdict | function | binary | base | new | change | 95 % interval | p adjusted |\n"
	      "|---|---|---|--:|--:|--:|--:|--:|\n",
	      out);
	markdown_row(out, comparison, &comparison->own.rows[event->total_row]);
	for (size_t i = 0; i < comparison->own.count; i++)
		if (is_change_of(&comparison->own.rows[i], number) && changes++ < report->limit)
			markdown_row(out, comparison, &comparison->own.rows[i]);
	if (changes > report->limit)
		markdown_more(out, report, changes - report->limit, "diff.csv");
	if (!changes)
		fputs("\nNo function changed.\n", out);
}

static void markdown_version(FILE *out, const struct trend *trend, uint32_t version)
{
	markdown_name(
		out, strings_get(trend->comparison.strings, trend->history.versions[version].name));
}

static void markdown_step(FILE *out, const struct trend *trend, const struct trend_step *step)
{
	const struct comparison *comparison = &trend->comparison;
	struct compare_row row = comparison->own.rows[step->row];
	char bars[SPARKLINE_SIZE];

	sparkline(bars, trend, &row, SPARKLINE_MOST);
	fprintf(out, "| %s", verdict_names[step->verdict]);
	if (step->match != STRING_NONE) {
		fputs(" with ", out);
		markdown_name(out, strings_get(comparison->strings, step->match));
	}
	fputs(" | ", out);
	markdown_name(out, strings_get(comparison->strings, row.function));
	fputs(" | ", out);
	markdown_version(out, trend, step->version);
	for (unsigned side = 0; side < SIDE_COUNT; side++) {
		char cost[32];

		row.cost[side] = step->cost[side];
		fprintf(out, " | %s", format_row_cost(cost, comparison, &row, side));
	}
	fputs(" | ", out);
	markdown_percent(out, step->change);
	if (step->samples[SIDE_BASE] && step->samples[SIDE_NEW])
		fprintf(out, " | %+.1f %% to %+.1f %%", step->low, step->high);
	else
		fputs(" | ", out);
	fprintf(out, " | %.3g | %s |\n", step->p_adjusted, bars);
}

static void markdown_trend_event(FILE *out, const struct verdict_report *report, uint32_t number)
{
	const struct trend *trend = report->trend;
	const struct comparison *comparison = &trend->comparison;
	const struct event_runs *list = &trend->event_runs[number];
	uint64_t changes = 0;

	fputs("\n### ", out);
	markdown_name(out, strings_get(comparison->strings, comparison->events[number].name));
	fprintf(out, "\n\n%u version%s, %u run%s\n", list->version_count,
	        list->version_count == 1 ? "" : "s", list->run_count,
	        list->run_count == 1 ? "" : "s");
	for (size_t i = 0; i < trend->step_count; i++) {
		const struct trend_step *step = &trend->steps[trend->order[i]];

		if (comparison->own.rows[step->row].event != number || changes++ >= report->limit)
			continue;
		if (changes == 1)
			fputs("\n| verdict | function | since | before | after | change | 95 % "
			      "interval | p adjusted | versions |\n"
			      "|---|---|---|--:|--:|--:|--:|--:|---|\n",
			      out);
		markdown_step(out, trend, step);
	}
	if (changes > report->limit)
		markdown_more(out, report, changes - report->limit, "trend.csv");
	if (!changes)
		fputs("\nNo function changed.\n", out);
}

static void markdown_rules(FILE *out, const struct verdict_report *report)
{
	if (!report->rules->count)
		return;
	fputs("\n| rule | result | worst |\n|---|---|---|\n", out);
	for (size_t i = 0; i < report->rules->count; i++) {
		const struct rule *rule = &report->rules->items[i];
		char worst[WORST_SIZE];

		fputs("| ", out);
		markdown_name(out, rule->text);
		fprintf(out, " | %s | ",
		        rule_is_met(rule) ? "**failed**"
		        : rule_gap(rule)  ? "skipped"
		                          : "passed");
		if (rule_gap(rule)) {
			fputs(rule_gap(rule), out);
		} else {
			markdown_name(out, strings_get(report->strings, rule->subject));
			fprintf(out, " %s", format_worst(worst, rule));
		}
		fputs(" |\n", out);
	}
}

/* Prints the costs of the functions of one recording, as on the console. */
static void markdown_single_event(FILE *out, const struct verdict_report *report, uint32_t number)
{
	const struct compare_run *run = report->run;
	const struct run_event *event = &run->events[number];
	const char *name = strings_get(report->strings, event->name);
	uint64_t rows = 0;
	char cost[32], percent[40];

	fputs("\n### ", out);
	markdown_name(out, name);
	fputs("\n\n| percent | period | samples | function | binary |\n|--:|--:|--:|---|---|\n",
	      out);
	for (size_t i = 0; i < run->row_count; i++) {
		const struct run_row *row = &run->rows[i];

		if (row->event_index != number || row->calls_only || rows++ >= report->limit)
			continue;
		*format_percent(percent, row->period, event->period, 2) = '\0';
		fprintf(out, "| %s %% | %s | %" PRIu64 " | ", percent,
		        format_cost(cost, (double)row->period, event->is_time), row->samples);
		markdown_name(out, strings_get(report->strings, row->function));
		fputs(" | ", out);
		markdown_name(out, strings_get(report->strings, row->binary));
		fputs(" |\n", out);
	}
	if (rows > report->limit)
		markdown_more(out, report, rows - report->limit, "results.csv");
}

static bool has_functions(const struct compare_run *run, uint32_t number)
{
	for (size_t i = 0; i < run->row_count; i++)
		if (run->rows[i].event_index == number && !run->rows[i].calls_only)
			return true;
	return false;
}

/* Prints a recording, as the console does: events without selected samples are left out. */
static void markdown_recording(FILE *out, const struct verdict_report *report)
{
	bool any = false;

	for (uint32_t i = 0; i < report->run->event_count; i++)
		if (has_functions(report->run, i)) {
			markdown_single_event(out, report, i);
			any = true;
		}
	if (!any)
		fputs("\nNo samples.\n", out);
}

void markdown_print(FILE *out, const struct verdict_report *report)
{
	const size_t rules = report->rules->count, met = rules_met(report->rules);

	if (met)
		fprintf(out, "## readperf: failed, %zu of %zu rule%s met\n", met, rules,
		        rules == 1 ? "" : "s");
	else
		fprintf(out, "## readperf%s\n", rules ? ": passed, no rule met" : "");
	markdown_rules(out, report);
	for (uint32_t i = 0; report->comparison && i < report->comparison->event_count; i++) {
		if (report->comparison->events[i].excluded)
			continue;
		if (report->trend)
			markdown_trend_event(out, report, i);
		else
			markdown_event(out, report, i);
	}
	if (report->run)
		markdown_recording(out, report);
	if (report->findings->count)
		fputs("\n**Warnings**\n\n", out);
	for (size_t i = 0; i < report->findings->count; i++) {
		fputs("- ", out);
		markdown_name(out, report->findings->texts[i]);
		fputs("\n", out);
	}
}
