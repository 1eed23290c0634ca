/* The rules as test cases in JUnit's XML, which CI services read. */
#include "decode/exports/verdicttext.h"
#include "util/csv.h"

#include <stdlib.h>
#include <string.h>

/*
 * Escapes the value of an attribute. U+FFFE and U+FFFF become U+FFFD, because XML 1.0 does not
 * allow them, not even as references.
 */
static void print_attribute(FILE *out, const char *name)
{
	char *escaped = text_escaped(name);

	for (const char *text = escaped; text && *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3)) {
			fputs("&#65533;", out);
			text += 2;
		} else if (strchr("&<>\"'", c)) {
			fprintf(out, "&#%u;", c);
		} else {
			fputc(c, out);
		}
	}
	free(escaped);
}

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
	print_attribute(out, rule->text);
	if (rule_gap(rule)) {
		fprintf(out, "\">\n    <skipped message=\"%s\"/>\n  </testcase>\n", rule_gap(rule));
	} else if (rule_is_met(rule)) {
		fputs("\">\n    <failure message=\"", out);
		print_attribute(out, strings_get(report->strings, rule->subject));
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
