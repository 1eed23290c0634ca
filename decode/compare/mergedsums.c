/* Computes the costs of both sides in the nodes of the merged call trees. */
#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "util/vec.h"

/* The factor from scaled values to periods: 1 if the scale only compensates for the machines. */
static double period_of_unit(const struct comparison *comparison, const struct compare_event *event)
{
	double counted = 0, scaled = 0;

	if (comparison->options.scale == SCALE_ROBUST || comparison->options.scale == SCALE_NONE)
		return 1;
	for (size_t run = 0; run < comparison->run_count; run++) {
		counted += (double)event->runs[run].period;
		scaled += (double)event->runs[run].period * event->runs[run].scale;
	}
	return scaled > 0 ? counted / scaled : 1;
}

struct merged_sum *merged_calls_sum(const struct comparison *comparison, uint32_t number,
                                    struct err *err)
{
	const struct merged_calls *calls = comparison->options.calls;
	const struct compare_event *event = &comparison->events[number];
	const double unit = period_of_unit(comparison, event);
	struct merged_sum *sums = vec_new(calls->count, sizeof(*sums), err);

	if (!sums)
		return NULL;
	for (size_t run = 0; run < calls->run_count; run++) {
		const enum compare_side side = comparison->runs[run].side;
		const double scale = event->runs[run].scale;

		for (size_t i = 0; i < calls->runs[run].count; i++) {
			const struct call_cost *cost = &calls->runs[run].costs[i];
			struct merged_sum *sum = &sums[cost->node];

			if (cost->event != event->name)
				continue;
			sum->samples[side] = u64_add_sat(sum->samples[side], cost->samples);
			sum->cost[side] += (double)cost->period * scale;
		}
	}
	for (size_t i = 0; i < calls->count; i++)
		for (unsigned side = 0; side < SIDE_COUNT; side++)
			if (event->side_runs[side])
				sums[i].cost[side] *= unit / event->side_runs[side];
	return sums;
}
