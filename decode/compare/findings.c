#include "decode/compare/findings.h"

#include "util/text.h"
#include "util/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_COMMON 60 /* bytes of a fact, up to what differs, that are shown */

void findings_add(struct findings *findings, const char *fmt, ...)
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
		bool joined = text_starts(word, "-o") || text_starts(word, "--output=");

		if (!length || (!skip && !output && !joined))
			return length;
		skip = output;
		*cmdline += length;
	}
}

/* Moves both to the first word of a command line, or byte of other facts, that differs. */
static void skip_common(enum run_fact fact, const char **a, const char **b)
{
	size_t length;

	while (fact == RUN_CMDLINE && (length = next_word(a)) == next_word(b) && length &&
	       !memcmp(*a, *b, length)) {
		*a += length;
		*b += length;
	}
	while (fact != RUN_CMDLINE && **a && **a == **b) {
		++*a;
		++*b;
	}
}

static bool is_same_fact(enum run_fact fact, const char *a, const char *b)
{
	skip_common(fact, &a, &b);
	return !*a && !*b;
}

/* How a message shows a fact: without its begin, if that is the same and long. */
struct shown_fact {
	const char *dots, *text;
};

static struct shown_fact shown_fact(enum run_fact fact, const char *text, const char *other)
{
	const char *at = text;

	skip_common(fact, &at, &other);
	return at - text < SHOWN_COMMON ? (struct shown_fact){ "", text }
	                                : (struct shown_fact){ "... ", at };
}

/*
 * Reports the first run with a fact that differs from that of an earlier run. Unknown facts are not
 * compared.
 */
void findings_on_fact(const struct comparison *comparison, struct findings *findings,
                      const char *what, enum run_fact fact)
{
	const struct strings *strings = comparison->strings;
	const struct compare_run *first = NULL;
	struct shown_fact one, other;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compare_run *run = &comparison->runs[i];
		const char *text = strings_get(strings, run->facts[fact]), *known;

		if (!*text)
			continue;
		first = first ? first : run;
		known = strings_get(strings, first->facts[fact]);
		if (is_same_fact(fact, known, text))
			continue;
		one = shown_fact(fact, known, text);
		other = shown_fact(fact, text, known);
		findings_add(findings,
		             "the runs differ in %s: %.120s has '%s%.120s', %.120s has '%s%.120s'",
		             what, strings_get(strings, first->file), one.dots, one.text,
		             strings_get(strings, run->file), other.dots, other.text);
		return;
	}
}

/* Warns of a rule that matches nothing, usually because the runs lack the necessary data. */
static void report_unmatched_rule(const struct rule *rule, const struct totals_known *totals,
                                  struct findings *findings)
{
	if (rule->kind == RULE_CALLS && totals->without_chains)
		findings_add(
			findings,
			"--fail-on=%.200s: %.200s has no call chains: record with --call-graph",
			rule->text, totals->without_chains);
	else if (rule->kind == RULE_CALLS && totals->without_tree)
		findings_add(
			findings,
			"--fail-on=%.200s: %.200s has no calltree.csv with stacks, without which only "
			"functions that every run sampled have totals: keep it (-t "
			"results,events,calltree)",
			rule->text, totals->without_tree);
	else if (rule->kind == RULE_NAME && rule->share && text_ends(rule->name, ":total"))
		findings_add(
			findings,
			"--fail-on=%.200s: nothing that it matches was sampled; the total of an event is compared with --base only",
			rule->text);
	else if (rule->kind == RULE_NAME && totals->some)
		findings_add(
			findings,
			"--fail-on=%.200s: nothing that it matches was sampled; total:%.200s is about a function with all that it calls",
			rule->text, rule->text);
	else
		findings_add(findings, "--fail-on=%.200s: nothing that it matches was sampled",
		             rule->text);
}

/* Warns of rules that match nothing, and of those that count as met for want of samples. */
void findings_on_rules(const struct rules *rules, const struct totals_known *totals,
                       const char *const sides[SIDE_COUNT + 1], struct findings *findings)
{

	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->items[i];

		if (rule->result == RULE_UNJUDGED)
			findings_add(
				findings,
				"--fail-on=%.200s: cannot be judged and counts as met: %s has no "
				"samples of the event %.200s",
				rule->text, sides[rule->empty_side],
				strings_get(findings->strings, rule->subject));
		else if (rule->result == RULE_UNMATCHED)
			report_unmatched_rule(rule, totals, findings);
	}
}

bool findings_report(const struct findings *findings, bool strict, struct diag *diag,
                     struct err *err)
{
	if (findings->err.code)
		return err_pass(err, &findings->err);
	if (strict && findings->count)
		return err_set(err, ERR_FORMAT, "--strict: %s", findings->texts[0]);
	for (size_t i = 0; i < findings->count; i++)
		diag_warn(diag, ERR_NO_OFFSET, "%s", findings->texts[i]);
	return true;
}
