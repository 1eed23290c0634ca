/*
 * Finds pairs of changes: when a function is renamed, split or inlined, one function becomes
 * cheaper and another one more expensive. Such rows are `moved`, not regressed.
 */
#include "decode/compare/steps.h"
#include "util/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* minimum of the smaller change divided by the larger one: they cancel to within 40 % */
#define CANCEL 0.6

/* A significant change of one function. */
struct change {
	uint64_t source; /* the event, and the number of the source file or binary */
	double delta;    /* of the cost */
	size_t row;
	bool matched;
};

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (fabs(x->delta) != fabs(y->delta))
		return fabs(x->delta) > fabs(y->delta) ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static bool is_cancelled_by(double a, double b)
{
	double small = fmin(fabs(a), fabs(b)), large = fmax(fabs(a), fabs(b));

	return small >= CANCEL * large;
}

static void mark_moved(struct compare_family *family, struct change *change, size_t match)
{
	change->matched = true;
	family->rows[change->row].verdict = VERDICT_MOVED;
	family->rows[change->row].match = match;
}

static bool is_partner(const struct change *change, const struct change *other)
{
	return !other->matched && change->delta * other->delta < 0;
}

/* A single function that changed in the other direction by about as much: the closest one. */
static struct change *single_partner(struct change *change, struct change *end)
{
	struct change *best = NULL;

	for (struct change *other = change + 1; other < end; other++)
		if (is_partner(change, other) && is_cancelled_by(change->delta, other->delta) &&
		    (!best ||
		     fabs(change->delta + other->delta) < fabs(change->delta + best->delta)))
			best = other;
	return best;
}

/*
 * Several functions that together changed in the other direction by about as much, the largest
 * first. Returns their sum; with mark set, gives them their verdict.
 */
static double sum_of_partners(struct compare_family *family, struct change *change,
                              struct change *end, bool mark)
{
	double sum = 0;

	for (struct change *other = change + 1; other < end; other++) {
		if (!is_partner(change, other) ||
		    fabs(sum + other->delta) * CANCEL > fabs(change->delta))
			continue;
		sum += other->delta;
		if (!mark)
			continue;
		if (family->rows[change->row].verdict != VERDICT_MOVED)
			mark_moved(family, change, other->row);
		mark_moved(family, other, change->row);
	}
	return sum;
}

/* Matches the changes in one source file, the largest first. */
static void match_source(struct compare_family *family, struct change *changes, struct change *end)
{
	for (struct change *change = changes; change < end; change++) {
		struct change *partner;

		if (change->matched)
			continue;
		partner = single_partner(change, end);
		if (partner) {
			mark_moved(family, change, partner->row);
			mark_moved(family, partner, change->row);
		} else if (is_cancelled_by(change->delta,
		                           sum_of_partners(family, change, end, false))) {
			sum_of_partners(family, change, end, true);
		}
	}
}

/* Numbers of source files. */
struct sources {
	struct strings *strings;
	struct map number_of; /* base name of the file << 32 | binary -> number */
	uint32_t count;
	struct err *err;
};

/*
 * The number of a row's source file, or of its binary where the file is not known. Builds lie in
 * folders of their own, so only the last part of the path counts. MAP_NONE with err set.
 */
static uint32_t source_of(struct sources *sources, const struct compare_row *row)
{
	const char *name = path_base(strings_get(sources->strings, row->file));
	uint32_t file = strings_put_text(sources->strings, name, sources->err);
	uint64_t key = (uint64_t)file << 32 | row->home;
	uint32_t number;

	if (file == STRING_NONE)
		return MAP_NONE;
	number = map_get(&sources->number_of, key);
	if (number != MAP_NONE)
		return number;
	return map_put(&sources->number_of, key, sources->count, sources->err) ? sources->count++
	                                                                       : MAP_NONE;
}

static bool collect_changes(const struct compare_family *family, struct sources *sources,
                            struct change *changes, size_t *count)
{
	for (size_t i = 0; i < family->count; i++) {
		const struct compare_row *row = &family->rows[i];
		uint32_t source;

		if (row->is_total || row->verdict > VERDICT_GONE)
			continue;
		source = source_of(sources, row);
		if (source == MAP_NONE)
			return false;
		changes[(*count)++] = (struct change){
			.source = (uint64_t)row->event << 32 | source,
			.delta = row->cost[SIDE_NEW] - row->cost[SIDE_BASE],
			.row = i
		};
	}
	return true;
}

bool find_moved(struct comparison *comparison, struct compare_family *family, struct err *err)
{
	struct change *changes = malloc((family->count + 1) * sizeof(*changes));
	struct sources sources = { .strings = comparison->strings, .err = err };
	size_t count = 0, end;
	bool ok;

	if (!changes)
		return err_nomem(err, (family->count + 1) * sizeof(*changes));
	map_init(&sources.number_of);
	ok = collect_changes(family, &sources, changes, &count);
	if (ok && count)
		qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; ok && i < count; i = end) {
		for (end = i + 1; end < count && changes[end].source == changes[i].source;)
			end++;
		match_source(family, changes + i, changes + end);
	}
	map_release(&sources.number_of);
	free(changes);
	return ok;
}
