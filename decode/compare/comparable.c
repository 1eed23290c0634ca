#include "decode/compare/comparable.h"

#include "decode/compare/mergedcalls.h"
#include "decode/compare/trend.h"
#include "util/vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOST_MOST 1.0          /* percent */
#define UNKNOWN_MOST 5.0       /* percent */
#define UNKNOWN_MORE 2.0       /* points more than the other side */
#define RUNS_LEAST 3           /* runs per side; with fewer there is a warning */
#define CHANGED_MOST 50.0      /* percent of the cost */
#define SCALES_APART 1.1       /* ratio of the mean scales of both sides */
#define SUCCESSIONS_MOST 10u   /* names that are reported */
#define RUNS_WORTH_ADVICE 100u /* no user records more runs per side */

PRINTF_LIKE(2, 3)
static void add_finding(struct findings *findings, const char *fmt, ...)
{
	char text[ERR_TEXT_SIZE];
	const char *kept;
	uint32_t number;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	number = strings_put_text(findings->strings, text, &findings->err);
	if (number == STRING_NONE)
		return;
	kept = strings_get(findings->strings, number);
	vec_append(&findings->texts, &findings->count, &findings->capacity, &kept, sizeof(kept),
	           &findings->err);
}

/*
 * Moves *cmdline to its next word, without `-o FILE`, which differs between runs. Returns the
 * word's length; 0: there is none.
 */
static size_t next_word(const char **cmdline)
{
	bool skip = false;

	for (;;) {
		const char *word = *cmdline += strspn(*cmdline, " ");
		size_t length = strcspn(word, " ");
		bool output = (length == 2 && !memcmp(word, "-o", 2)) ||
		              (length == 8 && !memcmp(word, "--output", 8));
		bool joined = !strncmp(word, "-o", 2) || !strncmp(word, "--output=", 9);

		if (!length || (!skip && !output && !joined))
			return length;
		skip = output;
		*cmdline += length;
	}
}

static bool is_same_fact(enum run_fact fact, const char *a, const char *b)
{
	size_t length;

	if (fact != RUN_CMDLINE)
		return !strcmp(a, b);
	for (; (length = next_word(&a)) == next_word(&b) && !memcmp(a, b, length);
	     a += length, b += length)
		if (!length)
			return true;
	return false;
}

/*
 * Reports the first run with a fact that differs from that of an earlier run. Unknown facts are not
 * compared.
 */
static void check_fact(const struct comparison *comparison, struct findings *findings,
                       const char *what, enum run_fact fact)
{
	const struct strings *strings = comparison->strings;
	const struct compare_run *first = NULL;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compare_run *run = &comparison->runs[i];
		const char *text = strings_get(strings, run->facts[fact]), *known;

		if (!*text)
			continue;
		first = first ? first : run;
		known = strings_get(strings, first->facts[fact]);
		if (is_same_fact(fact, known, text))
			continue;
		add_finding(findings,
		            "the runs differ in %s: %.120s has '%.120s', %.120s has '%.120s'", what,
		            strings_get(strings, first->file), known,
		            strings_get(strings, run->file), text);
		return;
	}
}

/* Reports an event that only one side has, for example with other modifiers. */
static void check_sides(const struct comparison *comparison, const struct compare_event *event,
                        struct findings *findings)
{
	if (!event->side_runs[SIDE_BASE] != !event->side_runs[SIDE_NEW])
		add_finding(findings, "only the %s side has samples of the event %.200s",
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
			add_finding(
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
			add_finding(findings,
			            "%.200s: the periods of %.200s add up to more than "
			            "18446744073709551615, so its costs are modulo 2^64 and wrong",
			            file, name);
		if (!sums->present || !sums->period)
			continue;
		lost = lost_percent(sums->lost, sums->samples);
		share = 100 * (double)sums->unknown_period / (double)sums->period;
		unknown[comparison->runs[i].side] += share /
		                                     event->side_runs[comparison->runs[i].side];
		if (lost > LOST_MOST)
			add_finding(findings, "%.200s: %.1f %% of the samples of %.200s were lost",
			            file, lost, name);
		if (share > UNKNOWN_MOST)
			add_finding(findings,
			            "%.200s: %.1f %% of the period of %.200s has no function name",
			            file, share, name);
	}
	if (event->side_runs[SIDE_BASE] && event->side_runs[SIDE_NEW] &&
	    fabs(unknown[0] - unknown[1]) > UNKNOWN_MORE)
		add_finding(
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
			add_finding(findings, "%.300s has no samples",
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
		add_finding(
			findings,
			"with one run per side a change cannot be told from noise: rules use the change alone; record at least three runs per side");
	else if (base < RUNS_LEAST || now < RUNS_LEAST)
		add_finding(
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
	if (comparison->options.scale != SCALE_ROBUST || !event->side_runs[SIDE_BASE] ||
	    !event->side_runs[SIDE_NEW])
		return;
	sum_shares(comparison, number, event->unscaled ? is_on_both_sides : is_changed, share);
	changed = fmax(share[SIDE_BASE], share[SIDE_NEW]);
	ratio = scale_ratio(comparison, event);
	if (event->unscaled)
		add_finding(
			findings,
			"the functions that both sides have are %.1f %% and %.1f %% of the cost of "
			"%.200s, too little for --scale=robust: costs are compared as they were counted, "
			"as with --scale=none; --scale=work:... compares per unit of work",
			share[SIDE_BASE], share[SIDE_NEW], name);
	else if (changed > CHANGED_MOST)
		add_finding(
			findings,
			"functions with %.0f %% of the cost of %.200s changed: --scale=robust cannot "
			"tell them from the others; --scale=none compares times as they are, "
			"--scale=work:... per unit of work",
			changed, name);
	else if (fmax(ratio, 1 / ratio) > SCALES_APART)
		add_finding(
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
	double needed;

	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->verdict == VERDICT_NOISE && row->change > 0 && !row->is_total &&
		    (!widest || row->share[SIDE_NEW] > widest->share[SIDE_NEW]))
			widest = row;
	}
	if (!widest || !(widest->detectable > widest->change) || !isfinite(widest->change))
		return;
	/* the smallest change that can be found is proportional to 1 / sqrt(runs) */
	needed = log1p(widest->detectable / 100) / log1p(widest->change / 100);
	needed = ceil((double)comparison->run_count / 2 * needed * needed);
	if (needed <= RUNS_WORTH_ADVICE)
		add_finding(
			findings,
			"%.120s changed by %+.1f %%, which is within noise: about %.0f runs per side would be enough to confirm it",
			strings_get(comparison->strings, widest->function), widest->change, needed);
}

/* Whether functions have totals. */
struct totals_known {
	bool some; /* there are call chains */
	/* Why functions have none: the run that lacks something. NULL: it does not. */
	const char *without_chains, *without_tree;
};

/* Warns of a rule that matches nothing, usually because the runs lack the necessary data. */
static void report_unmatched_rule(const struct rule *rule, const struct totals_known *totals,
                                  struct findings *findings)
{
	if (rule->kind == RULE_CALLS && totals->without_chains)
		add_finding(findings,
		            "--fail-on=%.200s: %.200s has no call chains: record with --call-graph",
		            rule->text, totals->without_chains);
	else if (rule->kind == RULE_CALLS && totals->without_tree)
		add_finding(
			findings,
			"--fail-on=%.200s: %.200s has no calltree.csv with stacks, without which only "
			"functions that every run sampled have totals: keep it (-t "
			"results,events,calltree)",
			rule->text, totals->without_tree);
	else if (rule->kind == RULE_NAME && totals->some)
		add_finding(
			findings,
			"--fail-on=%.200s: nothing that it matches was sampled; total:%.200s is about a function with all that it calls",
			rule->text, rule->text);
	else
		add_finding(findings, "--fail-on=%.200s: nothing that it matches was sampled",
		            rule->text);
}

/* Warns of rules that match nothing, and of those that count as met for want of samples. */
static void check_rules(const struct rules *rules, const struct totals_known *totals,
                        const char *const sides[SIDE_COUNT + 1], struct findings *findings)
{

	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->items[i];

		if (rule->result == RULE_UNJUDGED)
			add_finding(
				findings,
				"--fail-on=%.200s: cannot be judged and counts as met: %s has no "
				"samples of the event %.200s",
				rule->text, sides[rule->empty_side],
				strings_get(findings->strings, rule->subject));
		else if (rule->result == RULE_UNMATCHED)
			report_unmatched_rule(rule, totals, findings);
	}
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
	check_fact(comparison, findings, "CPU model", RUN_CPU);
	check_fact(comparison, findings, "kernel release", RUN_OS_RELEASE);
	check_fact(comparison, findings, "command line", RUN_CMDLINE);
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
	check_rules(rules, &totals, sides, findings);
}

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

static void check_trend_runs(const struct comparison *comparison, const struct compare_event *event,
                             struct findings *findings)
{
	const char *name = strings_get(comparison->strings, event->name);
	struct exceeding lost = { 0 }, unknown = { 0 };
	size_t wrapped = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct event_run *sums = &event->runs[i];
		const struct compare_run *run = &comparison->runs[i];

		wrapped += sums->wrapped;
		if (!sums->present || !sums->period)
			continue;
		note_exceeding(&lost, run, lost_percent(sums->lost, sums->samples), LOST_MOST);
		note_exceeding(&unknown, run,
		               100 * (double)sums->unknown_period / (double)sums->period,
		               UNKNOWN_MOST);
	}
	if (wrapped)
		add_finding(findings,
		            "in %zu runs, the periods of %.200s add up to more than "
		            "18446744073709551615, so that their costs are wrong",
		            wrapped, name);
	if (lost.count)
		add_finding(
			findings,
			"%zu runs lost more than 1 %% of the samples of %.100s, the first one is "
			"%.200s (%.1f %%)",
			lost.count, name, strings_get(comparison->strings, lost.file),
			lost.percent);
	if (unknown.count)
		add_finding(findings,
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

	if (list->version_count < 2 * CUT_VERSIONS_LEAST || list->run_count < 2 * CUT_RUNS_LEAST)
		add_finding(
			findings,
			"too few runs have samples of %.200s to see a change: %u, of %u versions; "
			"%u of %u versions are needed on either side of it",
			name, list->run_count, list->version_count, CUT_RUNS_LEAST,
			CUT_VERSIONS_LEAST);
	if (list->version_count && !event->side_runs[SIDE_NEW])
		add_finding(findings, "the last version has no samples of the event %.200s", name);
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
		if (fmax(share[SIDE_BASE], share[SIDE_NEW]) > CHANGED_MOST)
			add_finding(
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

/* Says which names go on under another one. */
static void report_successions(const struct trend *trend, struct findings *findings)
{
	const struct strings *strings = trend->comparison.strings;
	const struct lineage *lineage = &trend->lineage;

	for (size_t i = 0; i < lineage->count && i < SUCCESSIONS_MOST; i++) {
		const struct succession *item = &lineage->items[i];

		add_finding(findings, "%.150s goes on as %.150s since %.150s: %s",
		            strings_get(strings, item->before), strings_get(strings, item->now),
		            strings_get(strings, trend->history.versions[item->version].name),
		            item->binary
		                    ? "most of their cost is in functions of the same names"
		                    : "one ends where the other begins, at about the same cost");
	}
	if (lineage->count > SUCCESSIONS_MOST)
		add_finding(findings, "%zu more names go on under another one",
		            lineage->count - SUCCESSIONS_MOST);
}

void comparable_check_trend(const struct trend *trend, const struct rules *rules,
                            struct findings *findings)
{
	static const char *const sides[] = { "the versions before the last one", "the last version",
		                             "" };
	const struct comparison *comparison = &trend->comparison;
	const struct totals_known totals = { .some = false };

	check_fact(comparison, findings, "CPU model", RUN_CPU);
	check_fact(comparison, findings, "kernel release", RUN_OS_RELEASE);
	check_empty_runs(comparison, findings);
	for (uint32_t i = 0; i < comparison->event_count; i++) {
		check_settings(comparison, &comparison->events[i], findings);
		check_trend_length(trend, i, findings);
		check_trend_runs(comparison, &comparison->events[i], findings);
	}
	check_trend_changed(trend, findings);
	report_successions(trend, findings);
	check_rules(rules, &totals, sides, findings);
}

void comparable_check_single(const struct rules *rules, bool chains, struct findings *findings)
{
	static const char *const sides[] = { "", "", "the recording" };
	const struct totals_known totals = { chains, chains ? NULL : "the recording", NULL };

	check_rules(rules, &totals, sides, findings);
}
