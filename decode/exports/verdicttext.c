#include "decode/exports/verdicttext.h"

#include "util/csv.h"
#include "util/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned direction_byte(const char *text)
{
	unsigned char last = (unsigned char)(text[0] && text[1] ? text[2] : 0);

	if (text_starts(text, "\xe2\x80") && last >= 0xaa && last <= 0xae)
		return last;
	return text_starts(text, "\xe2\x81") && last >= 0xa6 && last <= 0xa9 ? last : 0;
}

/* Whether the character is U+FFFE or U+FFFF, which XML 1.0 does not allow, not even as references.
 */
static bool is_no_character(const char *text)
{
	return text_starts(text, "\xef\xbf\xbe") || text_starts(text, "\xef\xbf\xbf");
}

void print_escaped(FILE *out, enum text_format format, const char *name)
{
	static const char *const special[] = {
		[TEXT_JSON] = "\"\\",
		/* within a code span of a table */
		[TEXT_MARKDOWN] = "|",
		[TEXT_XML] = "&<>\"'",
		[TEXT_HTML] = "&<>\"'",
		/* as command.ts of actions/toolkit does */
		[TEXT_COMMAND] = "%",
		[TEXT_PROPERTY] = "%:,",
	};
	char *escaped = text_escaped(name);

	for (const char *text = escaped; text && *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if ((format == TEXT_MARKDOWN || format == TEXT_HTML) && direction_byte(text)) {
			fprintf(out, "\\xe2\\x%02x\\x%02x", (unsigned char)text[1],
			        direction_byte(text));
			text += 2;
		} else if (format == TEXT_XML && is_no_character(text)) {
			fputs("&#65533;", out);
			text += 2;
		} else if (!strchr(special[format], c)) {
			fputc(c, out);
		} else if (format == TEXT_JSON || format == TEXT_MARKDOWN) {
			fprintf(out, "\\%c", c);
		} else {
			fprintf(out, format >= TEXT_COMMAND ? "%%%02X" : "&#%u;", c);
		}
	}
	free(escaped);
}

const char *format_cost(char out[32], double cost, bool clock)
{
	static const struct {
		double from;
		const char *clock, *count;
	} units[] = { { 1e9, "s", "G" }, { 1e6, "ms", "M" }, { 1e3, "us", "k" } };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (fabs(cost) >= units[i].from) {
			snprintf(out, 32, "%.3f %s", cost / units[i].from,
			         clock ? units[i].clock : units[i].count);
			return out;
		}
	if (clock)
		/* per unit of work, it may be less than one */
		snprintf(out, 32, fabs(cost) < 10 ? "%.3g ns" : "%.0f ns", cost);
	else
		snprintf(out, 32, "%.4g", cost);
	return out;
}

const char *format_row_cost(char out[32], const struct comparison *comparison,
                            const struct compare_row *row, enum compare_side side)
{
	const char *event = strings_get(comparison->strings, comparison->events[row->event].name);

	if (comparison->options.scale != SCALE_SHARE)
		return format_cost(out, row->cost[side], event_is_clock(event));
	snprintf(out, 32, "%.2f %%", row->cost[side]);
	return out;
}

const char *format_worst(char out[WORST_SIZE], const struct rule *rule)
{
	static const char *const sides[] = { [SIDE_BASE] = " on the base side",
		                             [SIDE_NEW] = " on the new side",
		                             [SIDE_COUNT] = "" };
	char value[40] = "is new";

	if (rule->result == RULE_UNJUDGED) {
		snprintf(out, WORST_SIZE, "cannot be judged: no samples%s",
		         sides[rule->empty_side]);
		return out;
	}
	if (rule->share)
		snprintf(value, sizeof(value), "%.1f %%", rule->worst);
	else if (isfinite(rule->worst))
		snprintf(value, sizeof(value), "%+.1f %s", rule->worst, rule->points ? "pp" : "%");
	if (rule_is_met(rule) || rule->verdict == VERDICT_COUNT)
		snprintf(out, WORST_SIZE, "%s", value);
	else
		snprintf(out, WORST_SIZE, "%s (%s)", value, verdict_names[rule->verdict]);
	return out;
}

const char *rule_gap(const struct rule *rule)
{
	if (rule->result == RULE_UNMATCHED)
		return "nothing that it matches was sampled";
	return rule->result == RULE_UNTESTED ? "too small to be tested (--min-share)" : NULL;
}
