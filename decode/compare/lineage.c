#include "decode/compare/lineage.h"

#include "decode/compare/cuts.h"
#include "decode/compare/renamed.h"
#include "decode/compare/steps.h"
#include "util/path.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* minimum of the smaller cost divided by the larger one, as in moved.c */
#define SAME_COST 0.6

void lineage_release(struct lineage *lineage)
{
	free(lineage->items);
	free(lineage->roots);
	memset(lineage, 0, sizeof(*lineage));
}

static bool add_succession(struct lineage *lineage, struct succession succession, struct err *err)
{
	return vec_append(&lineage->items, &lineage->count, &lineage->capacity, &succession,
	                  sizeof(succession), err);
}

/* --- binaries */

/* A binary in all versions. */
struct home {
	uint32_t name;        /* string */
	uint32_t first, last; /* versions */
	uint32_t root;        /* string: the first name of those that it goes on from */
};

struct home_list {
	struct home *items;
	size_t count, capacity;
	struct map number_of; /* string -> number */
};

static struct home *find_home(const struct home_list *homes, uint32_t name)
{
	return &homes->items[map_get(&homes->number_of, name)];
}

static bool add_home(struct home_list *homes, uint32_t name, const struct series *series,
                     struct err *err)
{
	const struct home home = { name, series->first, series->last, name };
	const uint32_t number = map_number(&homes->number_of, name, err);
	struct home *known;

	if (number == MAP_NONE)
		return false;
	if (number == homes->count)
		return vec_append(&homes->items, &homes->count, &homes->capacity, &home,
		                  sizeof(home), err);
	known = &homes->items[number];
	known->first = series->first < known->first ? series->first : known->first;
	known->last = series->last > known->last ? series->last : known->last;
	return true;
}

/* Adds the rows of a version's runs whose binaries began, or ended, with it. */
static bool add_sides(const struct history *history, const struct home_list *homes,
                      const struct trend_version *version, enum compare_side side,
                      struct compare_run *runs, struct err *err)
{
	const uint32_t number = (uint32_t)(version - history->versions);

	for (uint32_t i = 0; i < version->run_count; i++) {
		const struct compare_run *source = &history->runs[version->first_run + i];
		struct unpacker unpacker = history_unpack(history, version->first_run + i);
		struct packed_row row;

		runs[i] = (struct compare_run){ .side = side };
		for (size_t k = 0; k < source->event_count; k++)
			if (!compare_run_add_event(&runs[i], &source->events[k], err))
				return false;
		while (unpacker_next(&unpacker, &row)) {
			const struct series_key *key = history_key(history, row.series);
			const struct home *home = find_home(homes, key->home);
			const struct run_row added = {
				.event = key->event,
				.function = key->function,
				.binary = key->home,
				.samples = row.seen.samples,
				.period = row.seen.period,
				.unnamed = history->series[row.series].unnamed
			};

			if ((side == SIDE_NEW ? home->first : home->last) == number &&
			    !compare_run_add_row(&runs[i], &added, err))
				return false;
		}
	}
	return true;
}

/* Finds binaries of two neighbouring versions that are the same. */
static bool match_versions(struct lineage *lineage, const struct history *history,
                           struct home_list *homes, const struct trend_version *before,
                           const struct trend_version *now, struct err *err)
{
	const size_t count = before->run_count + now->run_count;
	struct compare_run *runs = vec_new(count, sizeof(*runs), err);
	struct renamed renamed = { .count = 0 };
	bool ok = runs && add_sides(history, homes, before, SIDE_BASE, runs, err) &&
	          add_sides(history, homes, now, SIDE_NEW, runs + before->run_count, err) &&
	          renamed_find(&renamed, runs, count, history->strings, err);

	for (size_t i = 0; ok && i < renamed.count; i++) {
		const struct succession succession = { renamed.items[i].base, renamed.items[i].now,
			                               (uint32_t)(now - history->versions), true };

		find_home(homes, succession.now)->root = find_home(homes, succession.before)->root;
		ok = add_succession(lineage, succession, err);
	}
	renamed_release(&renamed);
	for (size_t i = 0; runs && i < count; i++)
		compare_run_release(&runs[i]);
	free(runs);
	return ok;
}

static bool match_all_versions(struct lineage *lineage, const struct history *history,
                               struct home_list *homes, struct err *err)
{
	const struct trend_version *before = NULL;

	for (uint32_t i = 0; i < history->version_count; i++) {
		const struct trend_version *now = &history->versions[i];
		bool began = false, ended = false;

		if (!now->run_count)
			continue;
		for (size_t k = 0; before && k < homes->count; k++) {
			began |= homes->items[k].first == i;
			ended |= homes->items[k].last == (uint32_t)(before - history->versions);
		}
		if (began && ended && !match_versions(lineage, history, homes, before, now, err))
			return false;
		before = now;
	}
	return true;
}

/* Makes a series part of another one. */
static void join_series(struct series *root, const struct series *part)
{
	root->large |= part->large;
	root->versions += part->versions;
	root->runs += part->runs;
	root->first = part->first < root->first ? part->first : root->first;
	if (part->last < root->last)
		return;
	root->last = part->last;
	root->binary = part->binary;
	root->unnamed = part->unnamed;
	if (part->file != STRING_EMPTY) {
		root->file = part->file;
		root->line = part->line;
	}
}

static bool set_roots(struct lineage *lineage, struct history *history,
                      const struct home_list *homes, struct err *err)
{
	const size_t count = history_series_count(history);

	lineage->roots = vec_new(2 * count, sizeof(*lineage->roots), err);
	for (uint32_t i = 0; lineage->roots && i < count; i++) {
		struct series_key key = *history_key(history, i);
		const size_t before = history_series_count(history);
		uint32_t root = i;

		if (find_home(homes, key.home)->root != key.home) {
			key.home = find_home(homes, key.home)->root;
			root = tuples_put(&history->keys, &key, err);
		}
		if (root == MAP_NONE ||
		    !vec_room(&history->series, before, &history->series_capacity,
		              sizeof(struct series), err))
			return false;
		if (root == before)
			history->series[root] = history->series[i];
		else if (root != i)
			join_series(&history->series[root], &history->series[i]);
		lineage->roots[i] = root;
	}
	for (size_t i = count; lineage->roots && i < history_series_count(history); i++)
		lineage->roots[i] = (uint32_t)i;
	return lineage->roots;
}

bool lineage_of_binaries(struct lineage *lineage, struct history *history, struct err *err)
{
	const size_t count = history_series_count(history);
	struct home_list homes = { .count = 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++)
		ok = add_home(&homes, history_key(history, i)->home, &history->series[i], err);
	ok = ok && match_all_versions(lineage, history, &homes, err) &&
	     set_roots(lineage, history, &homes, err);
	free(homes.items);
	map_release(&homes.number_of);
	return ok;
}

/* --- functions */

static struct row_life life_of(const struct compare_row *row, const struct event_runs *runs)
{
	struct row_life life = { .versions = 0 };

	for (uint32_t version = 0; version < runs->version_count; version++) {
		uint32_t seen = 0;

		for (uint32_t i = runs->first_run[version]; i < runs->first_run[version + 1]; i++)
			seen += row->seen[runs->runs[i]].samples != 0;
		if (!seen)
			continue;
		if (!life.versions++)
			life.first = version;
		life.last = version;
		life.runs += seen;
	}
	return life;
}

/* A row that lasted long enough to be one side of a cut. */
static bool has_lasted(const struct row_life *life)
{
	return life->versions >= CUT_VERSIONS_LEAST && life->runs >= CUT_RUNS_LEAST;
}

/* The mean share of a row in the versions from..to-1. */
static double mean_share(const struct comparison *comparison, const struct compare_row *row,
                         const struct event_runs *runs, uint32_t from, uint32_t to)
{
	const struct compare_event *event = &comparison->events[row->event];
	double share = 0;

	for (uint32_t i = runs->first_run[from]; i < runs->first_run[to]; i++)
		share += (double)row->seen[runs->runs[i]].period /
		         (double)event->runs[runs->runs[i]].period;
	return share / (runs->first_run[to] - runs->first_run[from]);
}

/* Lives of the rows of one event. */
struct lives {
	struct comparison *comparison;
	const struct event_runs *runs;
	struct row_life *items; /* of each row */
	uint32_t event;
};

/* The smaller cost of both divided by the larger one, where one row ends and the other begins. */
static double cost_ratio(const struct lives *lives, const struct compare_row *before,
                         const struct compare_row *now, uint32_t at)
{
	const uint32_t to = at + CUT_VERSIONS_LEAST, from = at - CUT_VERSIONS_LEAST;
	const double a = mean_share(lives->comparison, before, lives->runs, from, at);
	const double b = mean_share(lives->comparison, now, lives->runs, at, to);

	return fmin(a, b) / fmax(a, b);
}

static bool is_same_source(const struct strings *strings, const struct compare_row *a,
                           const struct compare_row *b)
{
	return a->file == STRING_EMPTY || b->file == STRING_EMPTY ||
	       !strcmp(path_base(strings_get(strings, a->file)),
	               path_base(strings_get(strings, b->file)));
}

static bool is_function_of(const struct lives *lives, const struct compare_row *row)
{
	return row->event == lives->event && !row->is_total &&
	       has_lasted(&lives->items[row - lives->comparison->own.rows]);
}

/* The row that a function which begins with a version goes on from; NULL: none. */
static struct compare_row *find_ancestor(const struct lives *lives, const struct compare_row *now,
                                         uint32_t at)
{
	const struct compare_family *own = &lives->comparison->own;
	struct compare_row *best = NULL;
	double closest = SAME_COST;

	for (size_t i = 0; i < own->count; i++) {
		struct compare_row *row = &own->rows[i];
		double ratio;

		if (!is_function_of(lives, row) || lives->items[i].last + 1 != at ||
		    row->home != now->home || !is_same_source(lives->comparison->strings, row, now))
			continue;
		ratio = cost_ratio(lives, row, now, at);
		if (!(ratio >= closest))
			continue;
		closest = ratio;
		best = row;
	}
	return best;
}

/* Gives all samples of a row to that which goes on from it. */
static void pass_on(const struct lives *lives, struct compare_row *before, struct compare_row *now)
{
	struct row_life *from = &lives->items[before - lives->comparison->own.rows];
	struct row_life *to = &lives->items[now - lives->comparison->own.rows];

	for (size_t i = 0; i < lives->comparison->run_count; i++) {
		observation_add(&now->seen[i], before->seen[i].samples, before->seen[i].period);
		before->seen[i] = (struct observation){ 0 };
	}
	to->first = from->first;
	to->versions += from->versions;
	to->runs += from->runs;
	*from = (struct row_life){ .versions = 0 };
}

static bool match_functions(struct lineage *lineage, const struct lives *lives, struct err *err)
{
	const struct compare_family *own = &lives->comparison->own;
	const uint32_t versions = lives->runs->version_count;

	for (uint32_t at = CUT_VERSIONS_LEAST; at + CUT_VERSIONS_LEAST <= versions; at++)
		for (size_t i = 0; i < own->count; i++) {
			struct compare_row *now = &own->rows[i], *before;

			if (!is_function_of(lives, now) || lives->items[i].first != at)
				continue;
			before = find_ancestor(lives, now, at);
			if (!before)
				continue;
			pass_on(lives, before, now);
			if (!add_succession(lineage,
			                    (struct succession){ before->function, now->function,
			                                         lives->runs->versions[at], false },
			                    err))
				return false;
		}
	return true;
}

bool lineage_of_functions(struct lineage *lineage, struct comparison *comparison, uint32_t event,
                          const struct event_runs *runs, struct err *err)
{
	struct lives lives = { comparison, runs,
		               vec_new(comparison->own.count, sizeof(*lives.items), err), event };
	bool ok = lives.items;

	for (size_t i = 0; ok && i < comparison->own.count; i++)
		if (comparison->own.rows[i].event == event)
			lives.items[i] = life_of(&comparison->own.rows[i], runs);
	ok = ok && match_functions(lineage, &lives, err);
	free(lives.items);
	return ok;
}
