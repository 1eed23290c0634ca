/*
 * The rules of --fail-on.
 *
 * In:  the values of the option; a comparison, or the rows of one recording as a run.
 * Out: for each rule whether it is met, by which row, and by how much.
 */
#ifndef READPERF_DECODE_COMPARE_RULES_H
#define READPERF_DECODE_COMPARE_RULES_H

#include "decode/compare/comparison.h"

enum rule_kind {
	RULE_TOTAL,    /* the whole event */
	RULE_FUNCTION, /* any function */
	RULE_NAME,     /* functions whose name matches */
	RULE_CALLS,    /* the same with all that they call: total:NAME */
	RULE_UNKNOWN,  /* the share of samples without a function name; not of intervals */
	RULE_LOST      /* the share of samples that were lost */
};

/* In an order: of several values that a rule was compared with, the later result counts. */
enum rule_result {
	RULE_UNMATCHED, /* nothing that it matches was sampled */
	RULE_UNTESTED,  /* what it matches is too small to be tested */
	RULE_NOT_MET,
	RULE_MET,
	/*
	 * A side has no samples at all, so that no value says anything. Such a rule counts as met,
	 * because a benchmark that did not run must not pass. `subject` is then one of the events.
	 */
	RULE_UNJUDGED
};

struct rule {
	enum rule_kind kind;
	char *text; /* as the user wrote it; owned, as the name */
	/* RULE_NAME, RULE_CALLS: see pattern_matches(); also EVENT:NAME, EVENT:total and
	 * EVENT:function */
	char *name;
	double amount; /* must be exceeded for the rule to be met */
	bool points; /* the amount is in percentage points of share; otherwise percent of change */
	/* The result; without a value that was compared with the amount, the rest is not set. */
	enum rule_result result;
	enum compare_side empty_side; /* of an unjudged rule; SIDE_COUNT: there are no sides */
	double worst;                 /* the largest value that was compared with amount */
	bool share;                   /* worst is a share in percent, no change: of one recording */
	enum verdict verdict;         /* of that row; VERDICT_COUNT: none */
	uint32_t subject;             /* string: name of the worst row; STRING_EMPTY: none */
};

struct rules {
	struct rule *items;
	size_t count, capacity;
};

/*
 * Adds the rules of a list such as "function>10%,total>3%"; a comma inside <>, (), [] or {} is part
 * of a name. False with err set if one is invalid.
 */
bool rules_parse(struct rules *rules, const char *list, struct err *err);
void rules_release(struct rules *rules);
/* Whether a rule is about functions with all that they call. */
bool rules_want_totals(const struct rules *rules);
static inline bool rule_is_met(const struct rule *rule)
{
	return rule->result >= RULE_MET;
}
/* How many are met, after they were checked. */
size_t rules_met(const struct rules *rules);

/* Checks all rules and sets their results. */
void rules_check(struct rules *rules, const struct comparison *comparison);
/*
 * Whether all are about shares, which one recording has, too; else false with err set: a rule with
 * % of change, or about the total, is wrong usage without --base.
 */
bool rules_fit_single(const struct rules *rules, struct err *err);
/* The same for one recording and rules that fit it. min_share is not applied. */
void rules_check_single(struct rules *rules, const struct compare_run *run,
                        const struct strings *strings);

#endif
