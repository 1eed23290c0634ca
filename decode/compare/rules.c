#include "decode/compare/rules.h"

#include "decode/compare/steps.h"
#include "decode/select/pattern.h"
#include "util/digits.h"
#include "util/text.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses the amount, after the last '>': a decimal number, then % or pp. */
static bool parse_amount(struct rule *rule, const char *text, struct err *err)
{
	char *end;

	rule->amount = is_digit(*text) ? strtod(text, &end) : -1;
	if (rule->amount < 0 || !isfinite(rule->amount))
		return err_set(err, ERR_USAGE, "--fail-on=%s: expected a number behind '>'",
		               rule->text);
	if (!strcmp(end, "pp"))
		rule->points = true;
	else if (strcmp(end, "%") != 0)
		return err_set(
			err, ERR_USAGE,
			"--fail-on=%s: expected %% (of change) or pp (of share) behind the number",
			rule->text);
	return true;
}

static bool parse_subject(struct rule *rule, const char *name, size_t length, struct err *err)
{
	static const struct {
		const char *word;
		enum rule_kind kind;
	} words[] = { { "total", RULE_TOTAL },
		      { "function", RULE_FUNCTION },
		      { "unknown", RULE_UNKNOWN },
		      { "lost", RULE_LOST } };
	static const char calls[] = "total:";

	rule->kind = RULE_NAME;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (text_is(name, length, words[i].word)) {
			rule->kind = words[i].kind;
			return true;
		}
	if (length >= strlen(calls) && !memcmp(name, calls, strlen(calls))) {
		rule->kind = RULE_CALLS;
		name += strlen(calls);
		length -= strlen(calls);
	}
	if (length == 0)
		return err_set(err, ERR_USAGE, "--fail-on=%s: expected a name in front of '>'",
		               rule->text);
	rule->name = strndup(name, length);
	return rule->name || err_nomem(err, length + 1);
}

static bool parse_rule(struct rule *rule, const char *text, size_t length, struct err *err)
{
	const char *sign;

	memset(rule, 0, sizeof(*rule));
	rule->text = strndup(text, length);
	if (!rule->text)
		return err_nomem(err, length + 1);
	sign = strrchr(rule->text, '>');
	if (!sign)
		return err_set(err, ERR_USAGE,
		               "--fail-on=%s: expected NAME>AMOUNT%% or NAME>AMOUNTpp", rule->text);
	return parse_subject(rule, rule->text, (size_t)(sign - rule->text), err) &&
	       parse_amount(rule, sign + 1, err);
}

bool rules_parse(struct rules *rules, const char *list, struct err *err)
{
	for (;;) {
		size_t length = pattern_value_length(list);

		if (!vec_room(&rules->items, rules->count, &rules->capacity, sizeof(*rules->items),
		              err) ||
		    !parse_rule(&rules->items[rules->count++], list, length, err))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

void rules_release(struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		free(rules->items[i].text);
		free(rules->items[i].name);
	}
	free(rules->items);
	memset(rules, 0, sizeof(*rules));
}

bool rules_want_totals(const struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].kind == RULE_CALLS)
			return true;
	return false;
}

size_t rules_met(const struct rules *rules)
{
	size_t met = 0;

	for (size_t i = 0; i < rules->count; i++)
		met += rule_is_met(&rules->items[i]);
	return met;
}

/* Only a certain increase meets a rule about cost; shares have no verdict. */
static bool may_meet(enum verdict verdict)
{
	return verdict == VERDICT_REGRESSED || verdict == VERDICT_NEW ||
	       verdict == VERDICT_UNTESTED || verdict == VERDICT_COUNT;
}

static void note_value(struct rule *rule, double value, enum verdict verdict, uint32_t subject)
{
	const enum rule_result result = may_meet(verdict) && value > rule->amount ? RULE_MET
	                                                                          : RULE_NOT_MET;

	if (result < rule->result || (result == rule->result && !(value > rule->worst)))
		return;
	rule->result = result;
	rule->worst = value;
	rule->verdict = verdict;
	rule->subject = subject;
}

/* What a name says behind "EVENT:", or NULL if it does not begin so. */
static const char *behind_event(const char *name, const char *event)
{
	const size_t length = strlen(event);

	return length && !strncmp(name, event, length) && name[length] == ':' ? name + length + 1
	                                                                      : NULL;
}

/*
 * Whether a rule is about a function, or, with NULL, about the total of an event. The names of both
 * events and functions may have colons, so that each is tried.
 */
static bool is_about(const struct rule *rule, const char *event, const char *function)
{
	const char *rest;

	if (!rule->name)
		return (rule->kind == RULE_TOTAL && !function) ||
		       (rule->kind == RULE_FUNCTION && function);
	rest = behind_event(rule->name, event);
	if (!function)
		return rest && rule->kind == RULE_NAME && !strcmp(rest, "total");
	return pattern_matches(rule->name, function) ||
	       (rest && (pattern_matches(rest, function) ||
	                 (rule->kind == RULE_NAME && !strcmp(rest, "function"))));
}

static bool is_about_row(const struct rule *rule, const struct comparison *comparison,
                         const struct compare_row *row)
{
	const struct strings *strings = comparison->strings;
	const struct compare_event *event = &comparison->events[row->event];

	/* the total of an event without samples says nothing, least of all that it did not grow */
	return (event->side_runs[SIDE_BASE] || event->side_runs[SIDE_NEW]) &&
	       is_about(rule, strings_get(strings, event->name),
	                row->is_total ? NULL : strings_get(strings, row->function));
}

static void check_functions(struct rule *rule, const struct comparison *comparison)
{
	const struct compare_family *family = rule->kind == RULE_CALLS ? &comparison->totals
	                                                               : &comparison->own;

	for (size_t i = 0; i < family->count; i++) {
		const struct compare_row *row = &family->rows[i];

		if (!is_about_row(rule, comparison, row))
			continue;
		if (rule->result == RULE_UNMATCHED)
			rule->result = RULE_UNTESTED;
		if (row->tested || row->verdict == VERDICT_UNTESTED)
			note_value(rule,
			           rule->points ? row->share[SIDE_NEW] - row->share[SIDE_BASE]
			                        : row->change,
			           row->verdict, row->function);
	}
}

/* Sets the mean percentages of the event, without a name or lost, over the runs of each side. */
static void fill_percents(double percent[SIDE_COUNT], const struct comparison *comparison,
                          const struct compare_event *event, enum rule_kind kind)
{
	percent[SIDE_BASE] = percent[SIDE_NEW] = 0;
	for (size_t run = 0; run < comparison->run_count; run++) {
		const struct event_run *sums = &event->runs[run];
		double *sum = &percent[comparison->runs[run].side];

		if (!sums->present)
			continue;
		if (kind == RULE_UNKNOWN && sums->period)
			*sum += 100 * (double)sums->unknown_period / (double)sums->period;
		if (kind == RULE_LOST)
			*sum += lost_percent(sums->lost, sums->samples);
	}
	divide_by_runs(percent, event);
}

static void check_event_shares(struct rule *rule, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->event_count; i++) {
		const struct compare_event *event = &comparison->events[i];
		double percent[SIDE_COUNT];

		if (rule->kind == RULE_UNKNOWN && event->is_interval)
			continue; /* some kinds have no place */
		fill_percents(percent, comparison, event, rule->kind);
		note_value(rule,
		           rule->points ? percent[SIDE_NEW] - percent[SIDE_BASE]
		                        : change_percent(percent),
		           VERDICT_COUNT, event->name);
	}
}

/* Makes a rule fail that cannot be judged, whatever values it has been given. */
static void set_unjudged(struct rule *rule, enum compare_side side, uint32_t event)
{
	rule->result = RULE_UNJUDGED;
	rule->empty_side = side;
	rule->subject = event;
	rule->worst = NAN;
	rule->verdict = VERDICT_COUNT;
}

/* The side that has no samples of any event; SIDE_COUNT if both have some. */
static enum compare_side find_empty_side(const struct comparison *comparison)
{
	bool sampled[SIDE_COUNT] = { false, false };

	for (size_t i = 0; i < comparison->event_count; i++)
		for (unsigned side = 0; side < SIDE_COUNT; side++)
			sampled[side] |= comparison->events[i].side_runs[side] > 0;
	return !sampled[SIDE_NEW] ? SIDE_NEW : !sampled[SIDE_BASE] ? SIDE_BASE : SIDE_COUNT;
}

void rules_check(struct rules *rules, const struct comparison *comparison)
{
	const enum compare_side empty = find_empty_side(comparison);
	const uint32_t first = comparison->event_count ? comparison->events[0].name : STRING_EMPTY;

	for (size_t i = 0; i < rules->count; i++) {
		struct rule *rule = &rules->items[i];

		if (rule->kind == RULE_UNKNOWN || rule->kind == RULE_LOST)
			check_event_shares(rule, comparison);
		else
			check_functions(rule, comparison);
		/* an event alone may have no samples: rare ones are sampled in some runs only */
		if (!rule_is_met(rule) && empty != SIDE_COUNT)
			set_unjudged(rule, empty, first);
	}
}

/* Checks the share of an event that a rule's functions have, together or each alone. */
static void check_single_event(struct rule *rule, const struct compare_run *run,
                               const struct run_event *event, const struct strings *strings)
{
	double whole = (double)event->period, unnamed = 0;

	for (size_t i = 0; i < run->row_count; i++) {
		const struct run_row *row = &run->rows[i];
		uint64_t period = rule->kind == RULE_CALLS ? row->total_period : row->period;

		if (row->event_index != (size_t)(event - run->events) || event->period == 0)
			continue;
		unnamed += row->unnamed ? (double)row->period : 0;
		if (row->calls_only != (rule->kind == RULE_CALLS))
			continue;
		if (is_about(rule, strings_get(strings, event->name),
		             strings_get(strings, row->function)))
			note_value(rule, 100 * (double)period / whole, VERDICT_COUNT,
			           row->function);
	}
	if (rule->kind == RULE_UNKNOWN && event->period && !event->is_interval)
		note_value(rule, 100 * unnamed / whole, VERDICT_COUNT, event->name);
	if (rule->kind == RULE_LOST && (event->lost || event->samples))
		note_value(rule, lost_percent(event->lost, event->samples), VERDICT_COUNT,
		           event->name);
}

static bool run_has_samples(const struct compare_run *run)
{
	for (size_t i = 0; i < run->event_count; i++)
		if (run->events[i].samples)
			return true;
	return run->row_count > 0;
}

bool rules_fit_single(const struct rules *rules, struct err *err)
{
	for (size_t i = 0; i < rules->count; i++)
		if (!rules->items[i].points || rules->items[i].kind == RULE_TOTAL)
			return err_set(err, ERR_USAGE,
			               "--fail-on=%s: there is no change without --base; of one "
			               "recording shares are checked, as NAME>5pp, unknown>5pp, "
			               "lost>1pp",
			               rules->items[i].text);
	return true;
}

void rules_check_single(struct rules *rules, const struct compare_run *run,
                        const struct strings *strings)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct rule *rule = &rules->items[i];

		rule->share = true;
		for (size_t event = 0; event < run->event_count; event++)
			check_single_event(rule, run, &run->events[event], strings);
		if (!rule_is_met(rule) && !run_has_samples(run))
			set_unjudged(rule, SIDE_COUNT,
			             run->event_count ? run->events[0].name : STRING_EMPTY);
	}
}
