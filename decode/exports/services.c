/*
 * For CI services: the rules as test cases in JUnit's XML, and regressed functions as annotations
 * of GitHub Actions, errors at their source lines.
 */
#include "decode/exports/escape.h"
#include "decode/exports/verdicttext.h"
#include "util/text.h"

#include <math.h>
#include <string.h>

static size_t count_skipped(const struct rules *rules)
{
	size_t count = 0;

	for (size_t i = 0; i < rules->count; i++)
		count += rule_gap(&rules->items[i]) != NULL;
	return count;
}

static void print_case(FILE *out, const struct verdict_report *report, const struct rule *rule)
{
	char worst[WORST_SIZE];

	fputs("  <testcase classname=\"readperf\" name=\"", out);
	print_escaped(out, TEXT_XML, rule->text);
	if (rule_gap(rule)) {
		fprintf(out, "\">\n    <skipped message=\"%s\"/>\n  </testcase>\n", rule_gap(rule));
	} else if (rule_is_met(rule)) {
		fputs("\">\n    <failure message=\"", out);
		print_escaped(out, TEXT_XML, strings_get(report->strings, rule->subject));
		fprintf(out, " %s\"/>\n  </testcase>\n", format_worst(worst, rule));
	} else {
		fputs("\"/>\n", out);
	}
}

void junit_print(FILE *out, const struct verdict_report *report)
{
	const struct rules *rules = report->rules;

	fprintf(out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	        "<testsuite name=\"readperf\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
	        "skipped=\"%zu\">\n",
	        rules->count, rules_met(rules), count_skipped(rules));
	for (size_t i = 0; i < rules->count; i++)
		print_case(out, report, &rules->items[i]);
	fputs("</testsuite>\n", out);
}

/*
 * The part of the path below the folder; NULL if it is not below it. A relative path is assumed to
 * be below it.
 */
static const char *path_below(const char *path, const char *folder)
{
	const char *rest;

	if (!*path || strstr(path, "/../") || text_starts(path, "../"))
		return NULL;
	if (*path != '/')
		return text_starts(path, "./") ? path + 2 : path;
	rest = text_after(path, folder);
	return rest && *rest == '/' ? rest + 1 : NULL;
}

void annotations_print(FILE *out, const struct verdict_report *report, const char *folder)
{
	const struct comparison *comparison = report->comparison;

	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];
		const char *path = path_below(strings_get(comparison->strings, row->file), folder);

		if (row->is_total || !path ||
		    (row->verdict != VERDICT_REGRESSED && row->verdict != VERDICT_NEW))
			continue;
		fputs("::error file=", out);
		print_escaped(out, TEXT_PROPERTY, path);
		if (row->line)
			fprintf(out, ",line=%u", row->line);
		fputs("::", out);
		print_escaped(out, TEXT_COMMAND, strings_get(comparison->strings, row->function));
		if (isinf(row->change))
			fputs(" is new", out);
		else
			fprintf(out, " costs %+.1f %% (95 %% interval %+.1f %% to %+.1f %%)",
			        row->change, row->low, row->high);
		fputs("\n", out);
	}
}
