#include "decode/compare/cuts.h"

#include "decode/compare/noise.h"
#include "decode/compare/student.h"
#include "util/vec.h"

#include <stdlib.h>

#define NO_VERSION UINT32_MAX

/* What all series of a segment have in common. */
struct cut_noise {
	double *typical; /* of each place: the noise of the functions beyond chance */
	size_t places;   /* where it may be cut */
	/* the t of a cut that is just kept: of the segment, and of it as a window */
	double critical, window_critical;
	bool moderated;
};

/* The values of a series in both parts of a split. */
struct parts {
	struct cut_sums side[2];
	double change;   /* of the mean logarithms */
	double variance; /* pooled */
	double floor;
	unsigned freedom;
};

void cut_set_release(struct cut_set *set)
{
	for (size_t i = 0; i < set->noise_count; i++)
		free(set->noises[i].typical);
	free(set->noises);
	map_release(&set->known);
	free(set->sums);
	free(set->windows);
	set->noises = NULL;
	set->windows = NULL;
	set->sums = NULL;
	set->noise_count = set->noise_capacity = 0;
}

static double mean_cost(const struct cut_value *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i].cost;
	return count ? sum / (double)count : 0;
}

/* The sums over the runs of the versions from..to-1. */
static struct cut_sums sums_of(const struct cut_set *set, size_t series, uint32_t from, uint32_t to)
{
	const struct cut_sums *sums = set->sums + series * (set->run_count + 1);
	const struct cut_sums *a = sums + set->first_run[from], *b = sums + set->first_run[to];

	return (struct cut_sums){ .runs = b->runs - a->runs,
		                  .cost = b->cost - a->cost,
		                  .squares = b->squares - a->squares,
		                  .samples = b->samples - a->samples,
		                  .share = b->share - a->share };
}

static void subtract(struct cut_sums *from, struct cut_sums what)
{
	from->runs -= what.runs;
	from->cost -= what.cost;
	from->squares -= what.squares;
	from->samples -= what.samples;
	from->share -= what.share;
}

/* without: a version that is left out, or NO_VERSION. */
static struct parts parts_of(const struct cut_set *set, size_t series,
                             const struct cut_split *split, uint32_t without)
{
	struct parts parts = { .side = { sums_of(set, series, split->from, split->at),
		                         sums_of(set, series, split->at, split->to) } };
	double squares = 0, samples, runs;

	if (without != NO_VERSION)
		subtract(&parts.side[without >= split->at],
		         sums_of(set, series, without, without + 1));
	for (unsigned i = 0; i < 2; i++) {
		const struct cut_sums *side = &parts.side[i];

		squares += fmax(side->squares - side->cost * side->cost / side->runs, 0);
	}
	runs = parts.side[0].runs + parts.side[1].runs;
	samples = parts.side[0].samples + parts.side[1].samples;
	parts.change = parts.side[1].cost / parts.side[1].runs -
	               parts.side[0].cost / parts.side[0].runs;
	parts.freedom = (unsigned)runs - 2;
	parts.variance = squares / parts.freedom;
	parts.floor = set->is_interval ? INTERVAL_NOISE : (1 + set->unequal) * runs / samples;
	return parts;
}

static bool has_share(const struct cut_set *set, const struct parts *parts)
{
	for (unsigned i = 0; i < 2; i++)
		if (parts->side[i].share >= set->min_share * parts->side[i].runs)
			return true;
	return false;
}

/* Whether both parts are long enough. */
static bool is_place(const struct cut_set *set, const struct cut_split *split)
{
	const uint32_t *first = set->first_run;

	return split->at >= split->from + CUT_VERSIONS_LEAST &&
	       split->to >= split->at + CUT_VERSIONS_LEAST &&
	       first[split->at] - first[split->from] >= CUT_RUNS_LEAST &&
	       first[split->to] - first[split->at] >= CUT_RUNS_LEAST;
}

static bool add_up(struct cut_set *set, struct err *err)
{
	const size_t width = set->run_count + 1;

	set->sums = vec_new(set->series_count, width * sizeof(*set->sums), err);
	for (size_t series = 0; set->sums && series < set->series_count; series++) {
		const struct cut_value *values = set->values + series * set->run_count;
		struct cut_sums *sums = set->sums + series * width;
		/* squares of numbers around 0 keep more digits */
		const double mean = mean_cost(values, set->run_count);

		for (size_t run = 0; run < set->run_count; run++) {
			const double cost = values[run].cost - mean;

			sums[run + 1] = (struct cut_sums){
				.runs = sums[run].runs + 1,
				.cost = sums[run].cost + cost,
				.squares = sums[run].squares + cost * cost,
				.samples = sums[run].samples + values[run].samples,
				.share = sums[run].share + values[run].share
			};
		}
	}
	return set->sums != NULL;
}

/* Adds a window, if it can be cut. */
static bool add_window(struct cut_set *set, uint32_t from, uint32_t to, struct err *err)
{
	const struct cut_window window = { from, to };
	const size_t before = set->window_places;

	for (uint32_t at = from; at < to; at++)
		set->window_places += is_place(set, &(struct cut_split){ from, at, to });
	return set->window_places == before ||
	       vec_append(&set->windows, &set->window_count, &set->window_capacity, &window,
	                  sizeof(window), err);
}

/* Windows of a half, a quarter and so on of all versions, each of which half overlaps the next. */
static bool add_windows(struct cut_set *set, struct err *err)
{
	const uint32_t count = set->version_count;

	for (uint32_t length = count / 2; length >= 2 * CUT_VERSIONS_LEAST; length /= 2) {
		uint32_t from = 0;

		for (; from + length < count; from += length / 2)
			if (!add_window(set, from, from + length, err))
				return false;
		if (!add_window(set, count - length, count, err))
			return false;
	}
	return true;
}

bool cut_set_init(struct cut_set *set, struct err *err)
{
	return add_up(set, err) && add_windows(set, err);
}

/* --- noise of a segment */

/*
 * Sets the typical noise of a place: the median over the functions, of what their variance has
 * beyond chance. Marks which functions were large enough.
 */
static double typical_at(const struct cut_set *set, const struct cut_split *split,
                         struct weighted *excesses, bool *large)
{
	size_t count = 0;

	for (size_t series = set->has_total; series < set->series_count; series++) {
		const struct parts parts = parts_of(set, series, split, NO_VERSION);

		if (!has_share(set, &parts))
			continue;
		large[series] = true;
		excesses[count++] = (struct weighted){ parts.variance - parts.floor, 1 };
	}
	return fmax(weighted_median(excesses, count), 0);
}

/* The t that is just large enough at one of so many places. */
static double critical_t(const struct cut_set *set, size_t places, unsigned freedom)
{
	return places ? student_quantile(set->alpha / ((double)places * (double)set->tested),
	                                 freedom)
	              : INFINITY;
}

static bool measure_noise(const struct cut_set *set, struct cut_noise *noise, uint32_t from,
                          uint32_t to, struct err *err)
{
	struct weighted *excesses = vec_new(set->series_count, sizeof(*excesses), err);
	bool *large = vec_new(set->series_count, sizeof(*large), err);
	size_t functions = 0;

	noise->typical = vec_new(to - from, sizeof(*noise->typical), err);
	for (uint32_t at = from; excesses && large && noise->typical && at < to; at++) {
		const struct cut_split split = { from, at, to };

		if (!is_place(set, &split))
			continue;
		noise->places++;
		noise->typical[at - from] = typical_at(set, &split, excesses, large);
	}
	for (size_t i = 0; large && i < set->series_count; i++)
		functions += large[i];
	noise->moderated = functions >= TYPICAL_LEAST;
	if (noise->places) {
		const unsigned freedom = set->first_run[to] - set->first_run[from] - 2 +
		                         (noise->moderated ? TYPICAL_FREEDOM : 0);

		noise->critical = critical_t(set, noise->places, freedom);
		noise->window_critical = critical_t(set, set->window_places, freedom);
	}
	free(excesses);
	free(large);
	return err->code == ERR_NONE;
}

/* What the series of a segment have in common; NULL with err set. Valid until the next call. */
static const struct cut_noise *noise_of(struct cut_set *set, uint32_t from, uint32_t to,
                                        struct err *err)
{
	const uint32_t number = map_number(&set->known, (uint64_t)from << 32 | to, err);
	struct cut_noise *noise;

	if (number == MAP_NONE)
		return NULL;
	if (number < set->noise_count)
		return &set->noises[number];
	if (!vec_room(&set->noises, number, &set->noise_capacity, sizeof(*set->noises), err))
		return NULL;
	noise = &set->noises[set->noise_count++];
	*noise = (struct cut_noise){ .moderated = false };
	return measure_noise(set, noise, from, to, err) ? noise : NULL;
}

static struct cut_test test_of(const struct cut_noise *noise, const struct cut_split *split,
                               const struct parts *parts)
{
	const double variance = noise_variance(parts->variance, parts->freedom, parts->floor,
	                                       noise->typical[split->at - split->from],
	                                       noise->moderated);

	return (struct cut_test){
		.change = parts->change,
		.error = sqrt(variance * (1 / parts->side[0].runs + 1 / parts->side[1].runs)),
		.freedom = parts->freedom + (noise->moderated ? TYPICAL_FREEDOM : 0)
	};
}

/* --- cutting */

/* A series while it is cut. */
struct cutting {
	struct cut_set *set;
	size_t series;
	struct cut_split *waiting; /* segments that are still to be cut */
	size_t count, capacity;
};

/* The version of one side whose costs speak most for the change. */
static uint32_t strongest_version(const struct cutting *cutting, uint32_t from, uint32_t to,
                                  bool highest)
{
	uint32_t strongest = from;
	double best = 0;

	for (uint32_t version = from; version < to; version++) {
		const struct cut_sums sums = sums_of(cutting->set, cutting->series, version,
		                                     version + 1);
		const double mean = (highest ? 1 : -1) * sums.cost / sums.runs;

		if (version != from && !(mean > best))
			continue;
		best = mean;
		strongest = version;
	}
	return strongest;
}

/*
 * Whether the change is still there when one version of a side, that which speaks most for it, is
 * left out: a version with one outlying run, or recorded on a busy machine, is no step. p is not
 * multiplied by the number of series here, because the whole series has passed that test: so there
 * is a change in at most 2 % of 2,000 series of three programs, and a function that costs 1.5 times
 * as much is found in 100 %, not 97 %.
 */
static bool is_supported(const struct cutting *cutting, const struct cut_noise *noise,
                         const struct cut_split *split, size_t places, double change)
{
	const struct cut_set *set = cutting->set;
	const uint32_t strongest[2] = {
		strongest_version(cutting, split->from, split->at, change < 0),
		strongest_version(cutting, split->at, split->to, change > 0),
	};

	for (unsigned i = 0; i < 2; i++) {
		const struct parts parts = parts_of(set, cutting->series, split, strongest[i]);
		const struct cut_test test = test_of(noise, split, &parts);

		if (!(test.change * change > 0) ||
		    student_two_sided(test.change / test.error, test.freedom) * (double)places >=
		            set->alpha)
			return false;
	}
	return true;
}

/* A cut that was found in a segment. */
struct found_cut {
	uint32_t version; /* NO_VERSION: there is none */
	double p_adjusted;
};

/*
 * Finds the place where a segment is cut, which is one of so many places; critical: the t of a cut
 * that is just kept.
 */
static struct found_cut find_cut(const struct cutting *cutting, const struct cut_noise *noise,
                                 struct cut_split split, size_t places, double critical)
{
	const struct cut_set *set = cutting->set;
	struct found_cut found = { NO_VERSION, 1 };
	double best = critical, change = 0;
	unsigned freedom = 0;

	for (split.at = split.from; split.at < split.to; split.at++) {
		struct cut_test test;
		struct parts parts;
		double t;

		if (!is_place(set, &split))
			continue;
		parts = parts_of(set, cutting->series, &split, NO_VERSION);
		test = test_of(noise, &split, &parts);
		t = fabs(test.change / test.error);
		/* all places have the same degrees of freedom: the largest t has the smallest p */
		if (!(t > best) || !has_share(set, &parts) ||
		    !is_supported(cutting, noise, &split, places, test.change))
			continue;
		best = t;
		freedom = test.freedom;
		change = test.change;
		found.version = split.at;
	}
	if (fabs(100 * expm1(change)) < set->min_change)
		found.version = NO_VERSION;
	if (freedom)
		found.p_adjusted = student_two_sided(best, freedom) * (double)places *
		                   (double)set->tested;
	return found;
}

/* The same in the windows of a segment. False with err set when memory is refused. */
static bool find_cut_in_windows(const struct cutting *cutting, const struct cut_split *segment,
                                struct found_cut *found, struct err *err)
{
	struct cut_set *set = cutting->set;

	for (size_t i = 0; i < set->window_count; i++) {
		const struct cut_window *window = &set->windows[i];
		const struct cut_noise *noise;
		struct found_cut other;

		if (window->from < segment->from || window->to > segment->to)
			continue;
		noise = noise_of(set, window->from, window->to, err);
		if (!noise)
			return false;
		other = find_cut(cutting, noise, (struct cut_split){ window->from, 0, window->to },
		                 set->window_places, noise->window_critical);
		if (other.version != NO_VERSION &&
		    (found->version == NO_VERSION || other.p_adjusted < found->p_adjusted))
			*found = other;
	}
	return true;
}

static bool wait_for(struct cutting *cutting, uint32_t from, uint32_t to, struct err *err)
{
	const struct cut_split split = { from, from, to };

	return vec_append(&cutting->waiting, &cutting->count, &cutting->capacity, &split,
	                  sizeof(split), err);
}

static bool cut_segment(struct cutting *cutting, struct cut_split split, struct cut_list *list,
                        struct err *err)
{
	const struct cut_noise *noise = noise_of(cutting->set, split.from, split.to, err);
	struct found_cut found;
	struct cut cut;

	if (!noise)
		return false;
	found = find_cut(cutting, noise, split, noise->places, noise->critical);
	if (found.version == NO_VERSION && !find_cut_in_windows(cutting, &split, &found, err))
		return false;
	if (found.version == NO_VERSION)
		return true;
	cut = (struct cut){ found.version, found.p_adjusted };
	return vec_append(&list->items, &list->count, &list->capacity, &cut, sizeof(cut), err) &&
	       wait_for(cutting, split.from, found.version, err) &&
	       wait_for(cutting, found.version, split.to, err);
}

static int compare_cuts(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	return (x->version > y->version) - (x->version < y->version);
}

/* The change at a cut, in percent, from the segment before it to that behind it. */
static double change_at(const struct cut_set *set, size_t series, const struct cut_list *list,
                        size_t number)
{
	const struct cut_split split = { number ? list->items[number - 1].version : 0,
		                         list->items[number].version,
		                         number + 1 < list->count ? list->items[number + 1].version
		                                                  : set->version_count };

	return fabs(100 * expm1(parts_of(set, series, &split, NO_VERSION).change));
}

/*
 * A cut was found in a segment that was cut again later. If the segments beside it differ by less
 * than the least change, it is none any more.
 */
static void drop_small(const struct cut_set *set, size_t series, struct cut_list *list)
{
	for (;;) {
		double least = set->min_change;
		size_t smallest = list->count;

		for (size_t i = 0; i < list->count; i++) {
			const double change = change_at(set, series, list, i);

			if (!(change < least))
				continue;
			least = change;
			smallest = i;
		}
		if (smallest == list->count)
			return;
		list->count--;
		memmove(list->items + smallest, list->items + smallest + 1,
		        (list->count - smallest) * sizeof(*list->items));
	}
}

bool cut_series(struct cut_set *set, size_t series, struct cut_list *list, struct err *err)
{
	struct cutting cutting = { .set = set, .series = series };
	bool ok = wait_for(&cutting, 0, set->version_count, err);

	while (ok && cutting.count)
		ok = cut_segment(&cutting, cutting.waiting[--cutting.count], list, err);
	free(cutting.waiting);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_cuts);
	drop_small(set, series, list);
	return ok;
}

bool cut_test(struct cut_set *set, size_t series, const struct cut_split *split,
              struct cut_test *test, struct err *err)
{
	const struct cut_noise *noise = noise_of(set, split->from, split->to, err);
	const struct parts parts = parts_of(set, series, split, NO_VERSION);

	if (noise)
		*test = test_of(noise, split, &parts);
	return noise;
}

bool cut_detectable(struct cut_set *set, size_t series, uint32_t from, uint32_t to,
                    double *detectable, struct err *err)
{
	const struct cut_noise *noise = noise_of(set, from, to, err);
	const double middle = (set->first_run[from] + set->first_run[to]) / 2.0;
	struct cut_split split = { from, from, to };
	uint32_t best = from;
	double least = INFINITY;
	struct parts parts;
	struct cut_test test;

	*detectable = NAN;
	if (!noise)
		return false;
	for (; split.at < to; split.at++)
		if (is_place(set, &split) && fabs(set->first_run[split.at] - middle) < least) {
			least = fabs(set->first_run[split.at] - middle);
			best = split.at;
		}
	if (best == from)
		return true;
	split.at = best;
	parts = parts_of(set, series, &split, NO_VERSION);
	test = test_of(noise, &split, &parts);
	*detectable = fmax(
		set->min_change,
		100 * expm1(test.error * (student_quantile(set->alpha / ((double)noise->places *
	                                                                 (double)set->tested),
	                                                   test.freedom) +
	                                  student_quantile(POWER_TAIL, test.freedom))));
	return true;
}
