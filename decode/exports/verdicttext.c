#include "decode/exports/verdicttext.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	if (comparison->options.scale != SCALE_SHARE)
		return format_cost(out, row->cost[side], comparison->events[row->event].is_time);
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
