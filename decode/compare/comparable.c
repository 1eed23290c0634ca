#include "decode/compare/comparable.h"

#include "decode/compare/mergedcalls.h"

#include <math.h>

#define UNKNOWN_MORE 2.0       /* points more than the other side */
#define RUNS_LEAST 3           /* runs per side; with fewer there is a warning */
#define SCALES_APART 1.1       /* ratio of the mean scales of both sides */
#define RUNS_WORTH_ADVICE 100u /* no user records more runs per side */

/* Reports an event that only one side has, for example with other modifiers. */
static void check_sides(const struct comparison *comparison, const struct compare_event *event,
                        struct findings *findings)
{
	if (!event->side_runs[SIDE_BASE] != !event->side_runs[SIDE_NEW])
		findings_add(findings, "only the %s side has samples of the event %.200s",
		             event->side_runs[SIDE_BASE] ? "base" : "new",
		             strings_get(comparison->strings, event->name));
}

/* Reports the runs that sampled an event with other settings than the first run. */
static void check_settings(const struct comparison *comparison, const struct compare_event *event,
                           struct findings *findings)
{
	const char *name = strings_get(comparison->strings, event->name);

	for (size_t run = 0; run < comparison->run_count; run++) {
		const struct compare_run *source = &comparison->runs[run];
		bool other = false;

		for (size_t i = 0; i < source->event_count; i++)
			other |= source->events[i].name == event->name &&
			         (source->events[i].sample_period != event->sample_period ||
			          source->events[i].frequency != event->frequency);
		if (other)
			findings_add(
				findings,
				"%.200s: the event %.200s was sampled with another period or frequency than in "
				"the first run",
				strings_get(comparison->strings, source->file), name);
	}
}

static void check_runs(const struct comparison *comparison, const struct compare_event *event,
                       struct findings *findings)
{
	const char *name = strings_get(comparison->strings, event->name);
	double unknown[2] = { 0, 0 };

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct event_run *sums = &event->runs[i];
		const char *file = strings_get(comparison->strings, comparison->runs[i].file);
		double lost, share;

		if (sums->wrapped)
			findings_add(findings,
			             "%.200s: the periods of %.200s add up to more than "
			             "18446744073709551615, so its costs are modulo 2^64 and wrong",
			             file, name);
		if (!sums->present || !sums->period)
			continue;
		lost = lost_percent(sums->lost, sums->samples);
		/* some kinds of intervals have no place */
		share = event->is_interval
		                ? 0
		                : 100 * (double)sums->unknown_period / (double)sums->period;
		unknown[comparison->runs[i].side] += share /
		                                     event->side_runs[comparison->runs[i].side];
		if (lost > LOST_MOST)
			findings_add(findings, "%.200s: %.1f %% of the samples of %.200s were lost",
			             file, lost, name);
		if (share > UNKNOWN_MOST)
			findings_add(findings,
			             "%.200s: %.1f %% of the period of %.200s has no function name",
			             file, share, name);
	}
	if (event->side_runs[SIDE_BASE] && event->side_runs[SIDE_NEW] &&
	    fabs(unknown[0] - unknown[1]) > UNKNOWN_MORE)
		findings_add(
			findings,
			"%.1f %% of the period of %.200s has no function name on the base side, "
			"%.1f %% on the new one",
			unknown[SIDE_BASE], name, unknown[SIDE_NEW]);
}

/* A run without samples counts for nothing: the means of its side are those of the other runs. */
static void check_empty_runs(const struct comparison *comparison, struct findings *findings)
{
	for (size_t run = 0; run < comparison->run_count; run++) {
		bool sampled = false;

		for (size_t i = 0; i < comparison->event_count; i++)
			sampled |= comparison->events[i].runs[run].present;
		if (!sampled)
			findings_add(findings, "%.300s has no samples",
			             strings_get(comparison->strings, comparison->runs[run].file));
	}
}

static void check_run_count(const struct comparison *comparison, struct findings *findings)
{
	size_t base = 0, now;

	while (base < comparison->run_count && comparison->runs[base].side == SIDE_BASE)
		base++;
	now = comparison->run_count - base;
	if (base < 2 || now < 2)
		findings_add(
			findings,
			"with one run per side a change cannot be told from noise: rules use the change alone; record at least three runs per side");
	else if (base < RUNS_LEAST || now < RUNS_LEAST)
		findings_add(
			findings,
			"%zu and %zu runs show only large changes among the noise: record at least three runs per side",
			base, now);
}

static bool is_on_both_sides(const struct compare_row *row)
{
	return row->samples[SIDE_BASE] && row->samples[SIDE_NEW];
}

/* Whether a function changed, or is on one side only, so that no scale makes its costs equal. */
static bool is_changed(const struct compare_row *row)
{
	return row->verdict <= VERDICT_MOVED ||
	       (row->verdict == VERDICT_UNTESTED && !is_on_both_sides(row));
}

/* The sums of the shares of some functions of an event on both sides, in percent. */
static void sum_shares(const struct comparison *comparison, uint32_t event,
                       bool (*counts)(const struct compare_row *), double share[SIDE_COUNT])
{
	share[SIDE_BASE] = share[SIDE_NEW] = 0;
	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->event != event || row->is_total || !counts(row))
			continue;
		share[SIDE_BASE] += row->share[SIDE_BASE];
		share[SIDE_NEW] += row->share[SIDE_NEW];
	}
}

/* The ratio of the geometric means of the scales of the new and the base side. */
static double scale_ratio(const struct comparison *comparison, const struct compare_event *event)
{
	double sum[2] = { 0, 0 };

	for (size_t i = 0; i < comparison->run_count; i++) {
		const enum compare_side side = comparison->runs[i].side;

		if (event->runs[i].present && event->runs[i].scale > 0)
			sum[side] += log(event->runs[i].scale) / event->side_runs[side];
	}
	return exp(sum[SIDE_NEW] - sum[SIDE_BASE]);
}

/*
 * Warns if most of the cost changed: the robust scale attributes to the machine what most of the
 * cost has in common, even if that is a change of one dominating function.
 */
static void check_changed(const struct comparison *comparison, uint32_t number,
                          struct findings *findings)
{
	const struct compare_event *event = &comparison->events[number];
	const char *name = strings_get(comparison->strings, event->name);
	double share[SIDE_COUNT], changed, ratio;

	/* an event of one side alone has a finding of its own */
	if (comparison->options.scale != SCALE_ROBUST || event->is_interval ||
	    !event->side_runs[SIDE_BASE] || !event->side_runs[SIDE_NEW])
		return;
	sum_shares(comparison, number, event->unscaled ? is_on_both_sides : is_changed, share);
	changed = fmax(share[SIDE_BASE], share[SIDE_NEW]);
	ratio = scale_ratio(comparison, event);
	if (event->unscaled)
		findings_add(
			findings,
			"the functions that both sides have are %.1f %% and %.1f %% of the cost of "
			"%.200s, too little for --scale=robust: costs are compared as they were counted, "
			"as with --scale=none; --scale=work:... compares per unit of work",
			share[SIDE_BASE], share[SIDE_NEW], name);
	else if (changed > CHANGED_MOST)
		findings_add(
			findings,
			"functions with %.0f %% of the cost of %.200s changed: --scale=robust cannot "
			"tell them from the others; --scale=none compares times as they are, "
			"--scale=work:... per unit of work",
			changed, name);
	else if (fmax(ratio, 1 / ratio) > SCALES_APART)
		findings_add(
			findings,
			"most of the cost of %.200s is %.3g times that of the base side, which "
			"--scale=robust takes for another speed of the machine and evens out; "
			"--scale=none compares times as they are, --scale=work:... per unit of work",
			name, 1 / ratio);
}

/* Says how many more runs would be necessary to confirm the most expensive change that is noise. */
static void advise_runs(const struct comparison *comparison, struct findings *findings)
{
	const struct compare_row *widest = NULL;
	const char *event = NULL;
	double needed;

	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->verdict == VERDICT_NOISE && row->change > 0 && !row->is_total &&
		    (!widest || row->share[SIDE_NEW] > widest->share[SIDE_NEW]))
			widest = row;
	}
	if (!widest || !(widest->detectable > widest->change) || !isfinite(widest->change))
		return;
	if (comparison->event_count > 1) /* each may have a function of this name */
		event = strings_get(comparison->strings, comparison->events[widest->event].name);
	/* the smallest change that can be found is proportional to 1 / sqrt(runs) */
	needed = log1p(widest->detectable / 100) / log1p(widest->change / 100);
	needed = ceil((double)comparison->run_count / 2 * needed * needed);
	if (needed <= RUNS_WORTH_ADVICE)
		findings_add(
			findings,
			"%.120s%s%.100s changed by %+.1f %%, which is within noise: about %.0f runs per side would be enough to confirm it",
			strings_get(comparison->strings, widest->function), event ? " of " : "",
			event ? event : "", widest->change, needed);
}

void comparable_check(const struct comparison *comparison, const struct rules *rules,
                      struct findings *findings)
{
	static const char *const sides[] = { "the base side", "the new side", "" };
	const struct merged_calls *calls = comparison->options.calls;
	struct totals_known totals = { .some = comparison->totals.seen != NULL };

	if (calls && calls->no_chains != STRING_NONE)
		totals.without_chains = strings_get(comparison->strings, calls->no_chains);
	if (calls && calls->missing != STRING_NONE)
		totals.without_tree = strings_get(comparison->strings, calls->missing);
	check_run_count(comparison, findings);
	findings_on_fact(comparison, findings, "CPU model", RUN_CPU);
	findings_on_fact(comparison, findings, "kernel release", RUN_OS_RELEASE);
	findings_on_fact(comparison, findings, "command line", RUN_CMDLINE);
	for (size_t i = 0; i < comparison->event_count; i++) {
		check_sides(comparison, &comparison->events[i], findings);
		check_settings(comparison, &comparison->events[i], findings);
	}
	check_empty_runs(comparison, findings);
	for (uint32_t i = 0; i < comparison->event_count; i++) {
		check_runs(comparison, &comparison->events[i], findings);
		check_changed(comparison, i, findings);
	}
	advise_runs(comparison, findings);
	findings_on_rules(rules, &totals, sides, findings);
}

void comparable_check_single(const struct rules *rules, bool chains, struct findings *findings)
{
	static const char *const sides[] = { "", "", "the recording" };
	const struct totals_known totals = { chains, chains ? NULL : "the recording", NULL };

	findings_on_rules(rules, &totals, sides, findings);
}
