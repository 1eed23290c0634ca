/*
 * What fails a comparison, or a single recording: the rules of --fail-on.
 *
 * In: the texts of the option; a comparison, or the rows of one recording as a run. Out: for each
 * rule whether it is met, by which row, and by how much.
 */
#ifndef READPERF_DECODE_COMPARE_RULES_H
#define READPERF_DECODE_COMPARE_RULES_H

#include "decode/compare/comparison.h"

enum rule_kind {
	RULE_TOTAL,    /* the whole event */
	RULE_FUNCTION, /* any function */
	RULE_NAME,     /* functions whose name matches */
	RULE_CALLS,    /* likewise, with all that they call: total:NAME */
	RULE_UNKNOWN,  /* the share of samples without a function name */
	RULE_LOST      /* the share of samples that were lost */
};

struct rule {
	enum rule_kind kind;
	char *text;    /* as the user wrote it; owned, as the name */
	char *name;    /* RULE_NAME, RULE_CALLS: a literal name or a glob */
	double amount; /* that must be exceeded */
	bool points;   /* percentage points of share; else percent of change */
	/* the result */
	bool met;
	bool matched;         /* there is something that the rule is about */
	bool measured;        /* and it has a value: worst and subject are set */
	double worst;         /* what was compared with amount, of the worst row */
	enum verdict verdict; /* of that row; VERDICT_COUNT: it has none */
	uint32_t subject;     /* string: what the worst row is about; STRING_EMPTY: nothing */
};

struct rules {
	struct rule *items;
	size_t count, capacity;
};

/*
 * Adds the rules of a list such as "function>10%,total>3%"; a comma inside <>, (), [] or {} does
 * not separate. False with err set if one cannot be read.
 */
bool rules_parse(struct rules *rules, const char *list, struct err *err);
void rules_release(struct rules *rules);

/* Fills in the results. Returns whether any rule is met. */
bool rules_check(struct rules *rules, const struct comparison *comparison);
/*
 * The same for one recording: only shares can be told, so a rule with % of change, or about the
 * total, is wrong usage: false with err set. *met tells whether any rule is met. min_share does not
 * apply.
 */
bool rules_check_single(struct rules *rules, const struct compare_run *run,
                        const struct strings *strings, bool *met, struct err *err);

/* Whether a name is the pattern, or matches it as a glob. */
bool rule_name_matches(const char *pattern, const char *name);

#endif
