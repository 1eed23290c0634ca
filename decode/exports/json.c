/* The result as JSON: the contents of the Markdown document for programs. */
#include "decode/compare/trend.h"
#include "decode/exports/escape.h"
#include "decode/exports/verdicttext.h"

#include <inttypes.h>
#include <math.h>

/* JSON has no infinity, so such numbers become null. */
static void json_number(FILE *out, const char *key, double value)
{
	if (isfinite(value))
		fprintf(out, ",\"%s\":%.9g", key, value);
	else
		fprintf(out, ",\"%s\":null", key);
}

static void json_string(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	print_json_string(out, text);
}

static void json_row(FILE *out, const struct strings *strings, const struct compare_row *row)
{
	fprintf(out, "{\"verdict\":\"%s\"", verdict_names[row->verdict]);
	json_string(out, "function", strings_get(strings, row->function));
	json_string(out, "binary", strings_get(strings, row->binary));
	json_string(out, "source_file", strings_get(strings, row->file));
	json_number(out, "base_cost", row->cost[SIDE_BASE]);
	json_number(out, "new_cost", row->cost[SIDE_NEW]);
	json_number(out, "change_percent", row->change);
	if (row->tested) {
		json_number(out, "low_percent", row->low);
		json_number(out, "high_percent", row->high);
		json_number(out, "p", row->p);
		json_number(out, "p_adjusted", row->p_adjusted);
		json_number(out, "detectable_percent", row->detectable);
	}
	json_number(out, "base_share", row->share[SIDE_BASE]);
	json_number(out, "new_share", row->share[SIDE_NEW]);
	if (row->match != STRING_NONE)
		json_string(out, "match", strings_get(strings, row->match));
	fputc('}', out);
}

static void json_event(FILE *out, const struct verdict_report *report, uint32_t number)
{
	const struct comparison *comparison = report->comparison;
	const struct compare_event *event = &comparison->events[number];
	uint64_t shown = 0;

	fputs("{\"event\":", out);
	print_json_string(out, strings_get(comparison->strings, event->name));
	fprintf(out, ",\"base_runs\":%u,\"new_runs\":%u,\"total\":", event->side_runs[SIDE_BASE],
	        event->side_runs[SIDE_NEW]);
	json_row(out, comparison->strings, &comparison->own.rows[event->total_row]);
	fputs(",\"functions\":[", out);
	for (size_t i = 0; i < comparison->own.count && shown < report->limit; i++) {
		if (!is_change_of(&comparison->own.rows[i], number))
			continue;
		fputs(shown++ ? ",\n" : "\n", out);
		json_row(out, comparison->strings, &comparison->own.rows[i]);
	}
	fputs("]}", out);
}

static void json_step(FILE *out, const struct trend *trend, const struct trend_step *step)
{
	const struct strings *strings = trend->comparison.strings;
	const struct compare_row *row = &trend->comparison.own.rows[step->row];
	const struct trend_version *versions = trend->history.versions;

	fprintf(out, "{\"verdict\":\"%s\"", verdict_names[step->verdict]);
	json_string(out, "function", strings_get(strings, row->function));
	json_string(out, "binary", strings_get(strings, row->binary));
	json_string(out, "source_file", strings_get(strings, row->file));
	json_string(out, "run", strings_get(strings, versions[step->version].name));
	json_string(out, "previous_run", strings_get(strings, versions[step->previous].name));
	json_number(out, "before_cost", step->cost[SIDE_BASE]);
	json_number(out, "after_cost", step->cost[SIDE_NEW]);
	json_number(out, "change_percent", step->change);
	json_number(out, "low_percent", step->low);
	json_number(out, "high_percent", step->high);
	json_number(out, "p_adjusted", step->p_adjusted);
	fprintf(out, ",\"before_runs\":%u,\"after_runs\":%u", step->runs[SIDE_BASE],
	        step->runs[SIDE_NEW]);
	if (step->match != STRING_NONE)
		json_string(out, "match", strings_get(strings, step->match));
	fputc('}', out);
}

static void json_trend_event(FILE *out, const struct verdict_report *report, uint32_t number)
{
	const struct trend *trend = report->trend;
	const struct comparison *comparison = &trend->comparison;
	const struct event_runs *list = &trend->event_runs[number];
	uint64_t shown = 0;

	fputs("{\"event\":", out);
	print_json_string(out, strings_get(comparison->strings, comparison->events[number].name));
	fprintf(out, ",\"versions\":%u,\"runs\":%u,\"steps\":[", list->version_count,
	        list->run_count);
	for (size_t i = 0; i < trend->step_count && shown < report->limit; i++) {
		const struct trend_step *step = &trend->steps[trend->order[i]];

		if (comparison->own.rows[step->row].event != number)
			continue;
		fputs(shown++ ? ",\n" : "\n", out);
		json_step(out, trend, step);
	}
	fputs("]}", out);
}

static void json_rules(FILE *out, const struct verdict_report *report)
{
	for (size_t i = 0; i < report->rules->count; i++) {
		const struct rule *rule = &report->rules->items[i];

		fputs(i ? ",\n{\"rule\":" : "\n{\"rule\":", out);
		print_json_string(out, rule->text);
		fprintf(out, ",\"met\":%s", rule_is_met(rule) ? "true" : "false");
		if (!rule_gap(rule)) {
			json_string(out, "subject", strings_get(report->strings, rule->subject));
			json_number(out, "worst", rule->worst);
			if (rule->result == RULE_UNJUDGED)
				fputs(",\"unjudged\":true", out);
			if (rule->verdict < VERDICT_COUNT)
				json_string(out, "verdict", verdict_names[rule->verdict]);
		} else {
			json_string(out, "skipped", rule_gap(rule));
		}
		fputc('}', out);
	}
}

/* Prints the costs of the functions of one recording. */
static void json_single_event(FILE *out, const struct verdict_report *report, uint32_t number)
{
	const struct compare_run *run = report->run;
	const struct run_event *event = &run->events[number];
	uint64_t shown = 0;

	fputs("{\"event\":", out);
	print_json_string(out, strings_get(report->strings, event->name));
	fprintf(out, ",\"samples\":%" PRIu64 ",\"period\":%" PRIu64 ",\"functions\":[",
	        event->samples, event->period);
	for (size_t i = 0; i < run->row_count && shown < report->limit; i++) {
		const struct run_row *row = &run->rows[i];

		if (row->event_index != number || row->calls_only)
			continue;
		fputs(shown++ ? ",\n{\"function\":" : "\n{\"function\":", out);
		print_json_string(out, strings_get(report->strings, row->function));
		json_string(out, "binary", strings_get(report->strings, row->binary));
		json_string(out, "source_file", strings_get(report->strings, row->file));
		fprintf(out, ",\"samples\":%" PRIu64 ",\"period\":%" PRIu64 "}", row->samples,
		        row->period);
	}
	fputs("]}", out);
}

void json_print(FILE *out, const struct verdict_report *report)
{
	fprintf(out, "{\"failed\":%s,\"rules\":[", rules_met(report->rules) ? "true" : "false");
	json_rules(out, report);
	fputs("],\"events\":[", out);
	for (uint32_t i = 0; report->comparison && i < report->comparison->event_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		if (report->trend)
			json_trend_event(out, report, i);
		else
			json_event(out, report, i);
	}
	for (uint32_t i = 0; report->run && i < report->run->event_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_single_event(out, report, i);
	}
	fputs("],\"warnings\":[", out);
	for (size_t i = 0; i < report->findings->count; i++) {
		fputs(i ? ",\n" : "\n", out);
		print_json_string(out, report->findings->texts[i]);
	}
	fputs("]}\n", out);
}
