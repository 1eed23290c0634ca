/* Reasons not to trust a trend, and names that go on under another one. */
#include "decode/compare/comparable.h"
#include "decode/compare/trend.h"

#include <math.h>

#define SUCCESSIONS_MOST 10u /* names that are reported */

/* How many runs of an event exceed a limit, the first of them, and its value. */
struct exceeding {
	size_t count;
	uint32_t file; /* string */
	double percent;
};

static void note_exceeding(struct exceeding *exceeding, const struct compare_run *run,
                           double percent, double most)
{
	if (!(percent > most))
		return;
	if (!exceeding->count++) {
		exceeding->file = run->file;
		exceeding->percent = percent;
	}
}

/* Whether a run sampled an event with other settings than the first run that has it. */
static bool has_other_settings(const struct compare_run *run, const struct compare_event *event)
{
	for (size_t i = 0; i < run->event_count; i++)
		if (run->events[i].name == event->name &&
		    (run->events[i].sample_period != event->sample_period ||
		     run->events[i].frequency != event->frequency))
			return true;
	return false;
}

static void check_trend_runs(const struct comparison *comparison, const struct compare_event *event,
                             struct findings *findings)
{
	const char *name = strings_get(comparison->strings, event->name);
	struct exceeding lost = { 0 }, unknown = { 0 }, other = { 0 };
	size_t wrapped = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct event_run *sums = &event->runs[i];
		const struct compare_run *run = &comparison->runs[i];

		wrapped += sums->wrapped;
		note_exceeding(&other, run, has_other_settings(run, event), 0);
		if (!sums->present || !sums->period)
			continue;
		note_exceeding(&lost, run, lost_percent(sums->lost, sums->samples), LOST_MOST);
		/* some kinds of intervals have no place */
		if (!event->is_interval)
			note_exceeding(&unknown, run,
			               100 * (double)sums->unknown_period / (double)sums->period,
			               UNKNOWN_MOST);
	}
	if (other.count)
		findings_add(
			findings,
			"%zu runs sampled %.100s with another period or frequency than the first run, "
			"the first of them is %.200s",
			other.count, name, strings_get(comparison->strings, other.file));
	if (wrapped)
		findings_add(findings,
		             "in %zu runs, the periods of %.200s add up to more than "
		             "18446744073709551615, so that their costs are wrong",
		             wrapped, name);
	if (lost.count)
		findings_add(
			findings,
			"%zu runs lost more than 1 %% of the samples of %.100s, the first one is "
			"%.200s (%.1f %%)",
			lost.count, name, strings_get(comparison->strings, lost.file),
			lost.percent);
	if (unknown.count)
		findings_add(findings,
		             "in %zu runs, more than 5 %% of the period of %.100s has no function "
		             "name, the first one is %.200s (%.1f %%)",
		             unknown.count, name, strings_get(comparison->strings, unknown.file),
		             unknown.percent);
}

/* Reports an event that is too short for a cut, or that the last version lacks. */
static void check_trend_length(const struct trend *trend, uint32_t number,
                               struct findings *findings)
{
	const struct compare_event *event = &trend->comparison.events[number];
	const struct event_runs *list = &trend->event_runs[number];
	const char *name = strings_get(trend->comparison.strings, event->name);

	/* a kind of intervals that these programs do not have, or what was not asked for */
	if ((event->is_interval || event->excluded) && !list->run_count)
		return;
	if (list->version_count < 2 * CUT_VERSIONS_LEAST || list->run_count < 2 * CUT_RUNS_LEAST)
		findings_add(
			findings,
			"too few runs have samples of %.200s to see a change: %u run%s of %u "
			"version%s; before it and from it on at least %u runs of %u versions are "
			"needed",
			name, list->run_count, list->run_count == 1 ? "" : "s", list->version_count,
			list->version_count == 1 ? "" : "s", CUT_RUNS_LEAST, CUT_VERSIONS_LEAST);
	if (list->version_count && !event->side_runs[SIDE_NEW])
		findings_add(findings, "the last version has no samples of the event %.200s", name);
}

/* Warns of an event whose functions come and go, so that nothing says how fast a run was. */
static void check_trend_scale(const struct comparison *comparison,
                              const struct compare_event *event, struct findings *findings)
{
	if (event->unscaled)
		findings_add(
			findings,
			"the functions that all runs have are too little of the cost of %.200s for "
			"--scale=robust: costs are as they were counted, as with --scale=none; "
			"--scale=work:... compares per unit of work",
			strings_get(comparison->strings, event->name));
}

/* Warns of versions at which functions with most of the cost of an event changed. */
static void check_trend_changed(const struct trend *trend, struct findings *findings)
{
	const struct comparison *comparison = &trend->comparison;
	double share[SIDE_COUNT] = { 0, 0 };

	for (size_t i = 0; comparison->options.scale == SCALE_ROBUST && i < trend->step_count;
	     i++) {
		const struct trend_step *step = &trend->steps[trend->order[i]];
		const struct trend_step *next = i + 1 < trend->step_count
		                                        ? &trend->steps[trend->order[i + 1]]
		                                        : NULL;
		const struct compare_row *rows = comparison->own.rows;
		const uint32_t event = rows[step->row].event;

		for (unsigned side = 0; side < SIDE_COUNT; side++)
			share[side] += rows[step->row].is_total ? 0 : step->share[side];
		if (next && next->version == step->version && rows[next->row].event == event)
			continue;
		/* intervals are taken as they are */
		if (fmax(share[SIDE_BASE], share[SIDE_NEW]) > CHANGED_MOST &&
		    !comparison->events[event].is_interval)
			findings_add(
				findings,
				"functions with %.0f %% of the cost of %.100s changed with %.200s: "
				"--scale=robust cannot tell them from the others; --scale=none "
				"compares times as they are, --scale=work:... per unit of work",
				fmax(share[SIDE_BASE], share[SIDE_NEW]),
				strings_get(comparison->strings, comparison->events[event].name),
				strings_get(comparison->strings,
			                    trend->history.versions[step->version].name));
		share[SIDE_BASE] = share[SIDE_NEW] = 0;
	}
}

/* A run without samples counts for nothing. */
static void check_empty_runs(const struct comparison *comparison, struct findings *findings)
{
	size_t empty = 0, first = 0;

	for (size_t run = comparison->run_count; run-- > 0;) {
		bool sampled = false;

		for (size_t i = 0; i < comparison->event_count; i++)
			sampled |= comparison->events[i].runs[run].present;
		empty += !sampled;
		first = sampled ? first : run;
	}
	if (empty)
		findings_add(findings, "%zu runs have no samples, the first of them is %.200s",
		             empty, strings_get(comparison->strings, comparison->runs[first].file));
}

/* Says which names go on under another one. */
static void report_successions(const struct trend *trend, struct findings *findings)
{
	const struct strings *strings = trend->comparison.strings;
	const struct lineage *lineage = &trend->lineage;

	for (size_t i = 0; i < lineage->count && i < SUCCESSIONS_MOST; i++) {
		const struct succession *item = &lineage->items[i];

		findings_add(findings, "%.150s goes on as %.150s since %.150s: %s",
		             strings_get(strings, item->before), strings_get(strings, item->now),
		             strings_get(strings, trend->history.versions[item->version].name),
		             item->binary
		                     ? "most of their cost is in functions of the same names"
		                     : "one ends where the other begins, at about the same cost");
	}
	if (lineage->count > SUCCESSIONS_MOST)
		findings_add(findings, "%zu more names go on under another one",
		             lineage->count - SUCCESSIONS_MOST);
}

void comparable_check_trend(const struct trend *trend, const struct rules *rules,
                            struct findings *findings)
{
	static const char *const sides[] = { "the versions before the last one", "the last version",
		                             "" };
	const struct comparison *comparison = &trend->comparison;
	const struct totals_known totals = { .some = false };

	findings_on_fact(comparison, findings, "CPU model", RUN_CPU);
	findings_on_fact(comparison, findings, "kernel release", RUN_OS_RELEASE);
	check_empty_runs(comparison, findings);
	for (uint32_t i = 0; i < comparison->event_count; i++) {
		check_trend_length(trend, i, findings);
		check_trend_runs(comparison, &comparison->events[i], findings);
		check_trend_scale(comparison, &comparison->events[i], findings);
	}
	check_trend_changed(trend, findings);
	report_successions(trend, findings);
	findings_on_rules(rules, &totals, sides, findings);
}
