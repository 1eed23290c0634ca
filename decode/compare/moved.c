/*
 * What was renamed, split or inlined changed in two functions at once, one up and one down. Such
 * rows are `moved`, not regressed.
 */
#include "decode/compare/work.h"

#include <math.h>
#include <stdlib.h>

#define CANCEL \
	0.6 /* the smaller change over the larger one, at least: they cancel to within 40 % */

/* A significant change of one function. */
struct change {
	uint64_t place; /* event and source file, or binary where the file is not known */
	double delta;   /* of the cost */
	size_t row;
	bool matched;
};

static int by_place_and_size(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (fabs(x->delta) != fabs(y->delta))
		return fabs(x->delta) > fabs(y->delta) ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static bool cancels(double a, double b)
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

/* One function that changed the other way by about as much: the closest one. */
static struct change *single_partner(struct change *change, struct change *end)
{
	struct change *best = NULL;

	for (struct change *other = change + 1; other < end; other++)
		if (is_partner(change, other) && cancels(change->delta, other->delta) &&
		    (!best ||
		     fabs(change->delta + other->delta) < fabs(change->delta + best->delta)))
			best = other;
	return best;
}

/*
 * Several functions that together changed the other way by about as much, the largest first.
 * Returns their sum, and with mark set gives them their verdict.
 */
static double partners(struct compare_family *family, struct change *change, struct change *end,
                       bool mark)
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

/* The changes of one place, the largest first. */
static void match_place(struct compare_family *family, struct change *changes, struct change *end)
{
	for (struct change *change = changes; change < end; change++) {
		struct change *partner;

		if (change->matched)
			continue;
		partner = single_partner(change, end);
		if (partner) {
			mark_moved(family, change, partner->row);
			mark_moved(family, partner, change->row);
		} else if (cancels(change->delta, partners(family, change, end, false))) {
			partners(family, change, end, true);
		}
	}
}

bool find_moved(struct compare_family *family, struct err *err)
{
	struct change *changes = malloc((family->count + 1) * sizeof(*changes));
	size_t count = 0, end;

	if (!changes)
		return err_nomem(err, (family->count + 1) * sizeof(*changes));
	for (size_t i = 0; i < family->count; i++) {
		const struct compare_row *row = &family->rows[i];
		uint32_t place = row->file != STRING_EMPTY ? row->file : row->binary;

		if (row->is_total || row->verdict > VERDICT_GONE)
			continue;
		changes[count++] = (struct change){ .place = (uint64_t)row->event << 32 | place,
			                            .delta = row->cost[SIDE_NEW] -
			                                     row->cost[SIDE_BASE],
			                            .row = i };
	}
	if (count)
		qsort(changes, count, sizeof(*changes), by_place_and_size);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && changes[end].place == changes[i].place;)
			end++;
		match_place(family, changes + i, changes + end);
	}
	free(changes);
	return true;
}
