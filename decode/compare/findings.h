/* Reasons not to trust a result, of comparisons and of trends; checks that both have. */
#ifndef READPERF_DECODE_COMPARE_FINDINGS_H
#define READPERF_DECODE_COMPARE_FINDINGS_H

#include "decode/compare/rules.h"

#define LOST_MOST 1.0     /* percent */
#define UNKNOWN_MOST 5.0  /* percent */
#define CHANGED_MOST 50.0 /* percent of the cost */

/*
 * Reasons not to trust a result: each is a clause in lower case without a full stop. Set the
 * strings, and the rest to zeros.
 */
struct findings {
	struct strings *strings; /* borrowed; its arena has the texts */
	const char **texts;      /* malloc'd */
	size_t count, capacity;
	struct err err; /* set when memory was refused, so that findings are missing */
};

/* Whether functions have totals. */
struct totals_known {
	bool some; /* there are call chains */
	/* Why functions have none: the run that lacks something. NULL: it does not. */
	const char *without_chains, *without_tree;
};

PRINTF_LIKE(2, 3)
void findings_add(struct findings *findings, const char *fmt, ...);
/*
 * Reports the first run with a fact that differs from that of an earlier run. Unknown facts are not
 * compared.
 */
void findings_on_fact(const struct comparison *comparison, struct findings *findings,
                      const char *what, enum run_fact fact);
/*
 * Warns of rules that match nothing, and of those that count as met for want of samples; sides:
 * what has none.
 */
void findings_on_rules(const struct rules *rules, const struct totals_known *totals,
                       const char *const sides[SIDE_COUNT + 1], struct findings *findings);
/* Warns of what was found; if strict, the first of it is an error. False with err set. */
bool findings_report(const struct findings *findings, bool strict, struct diag *diag,
                     struct err *err);

#endif
