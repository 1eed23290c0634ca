/*
 * Finds pairs of changes: when a function is renamed, split or inlined, one function becomes
 * cheaper and another one more expensive. Such rows are `moved`, not regressed.
 */
#include "decode/compare/steps.h"
#include "util/path.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* minimum of the smaller change divided by the larger one: they cancel to within 40 % */
#define CANCEL 0.6

/* A significant change of one function. */
struct change {
	struct compare_row *row;
	/* of the path only the last part, because builds lie in folders of their own; "": unknown
	 */
	const char *file;
	double delta; /* of the cost */
};

/* Functions of one event, binary and file are equal. */
static int compare_sources(const struct change *a, const struct change *b)
{
	if (a->row->event != b->row->event)
		return a->row->event < b->row->event ? -1 : 1;
	if (a->row->home != b->row->home)
		return a->row->home < b->row->home ? -1 : 1;
	return strcmp(a->file, b->file);
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	const int order = compare_sources(x, y);

	if (order)
		return order;
	if (fabs(x->delta) != fabs(y->delta))
		return fabs(x->delta) > fabs(y->delta) ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static bool is_cancelled_by(double a, double b)
{
	double small = fmin(fabs(a), fabs(b)), large = fmax(fabs(a), fabs(b));

	return small >= CANCEL * large;
}

static void mark_moved(struct change *change, const struct change *partner)
{
	change->row->verdict = VERDICT_MOVED;
	change->row->match = partner->row->function;
}

static bool is_partner(const struct change *change, const struct change *other)
{
	return other->row->verdict != VERDICT_MOVED && change->delta * other->delta < 0;
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
static double sum_of_partners(struct change *change, struct change *end, bool mark)
{
	double sum = 0;

	for (struct change *other = change + 1; other < end; other++) {
		if (!is_partner(change, other) ||
		    fabs(sum + other->delta) * CANCEL > fabs(change->delta))
			continue;
		sum += other->delta;
		if (!mark)
			continue;
		if (change->row->verdict != VERDICT_MOVED)
			mark_moved(change, other);
		mark_moved(other, change);
	}
	return sum;
}

/* Matches the changes in one source file, the largest first. */
static void match_source(struct change *changes, struct change *end)
{
	for (struct change *change = changes; change < end; change++) {
		struct change *partner;

		if (change->row->verdict == VERDICT_MOVED)
			continue;
		partner = single_partner(change, end);
		if (partner) {
			mark_moved(change, partner);
			mark_moved(partner, change);
		} else if (is_cancelled_by(change->delta, sum_of_partners(change, end, false))) {
			sum_of_partners(change, end, true);
		}
	}
}

bool find_moved(const struct comparison *comparison, struct compare_family *family, struct err *err)
{
	struct change *changes = vec_new(family->count, sizeof(*changes), err);
	size_t count = 0, end;

	for (size_t i = 0; changes && i < family->count; i++) {
		struct compare_row *row = &family->rows[i];

		if (!row->is_total && row->verdict <= VERDICT_GONE)
			changes[count++] = (struct change){
				row, path_base(strings_get(comparison->strings, row->file)),
				row->cost[SIDE_NEW] - row->cost[SIDE_BASE]
			};
	}
	if (count)
		qsort(changes, count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && !compare_sources(&changes[i], &changes[end]);)
			end++;
		match_source(changes + i, changes + end);
	}
	free(changes);
	return err->code == ERR_NONE;
}
