/* Spans of samples in one order: against the order that sorting all samples gives. */
#include "perffile/order/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define SAMPLES 2000

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static int compare(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static int compare_spans(const void *a, const void *b)
{
	const struct record_span *x = a, *y = b;

	return key_before(x->first, y->first) ? -1 : key_before(y->first, x->first);
}

/* Moves a decoded span behind its first sample. */
static void move_on(struct record_span *span)
{
	span->samples++;
	if (--span->count)
		span->first = sample_key(span->samples);
}

struct laid {
	struct sample samples[SAMPLES], sorted[SAMPLES];
	struct record_span spans[SAMPLES];
	size_t count; /* spans */
};

/* CPUs take turns; each writes a few samples with ascending times, some of them the same as others have. */
static void lay(struct laid *laid, size_t cpus, uint32_t longest, uint64_t *random)
{
	uint64_t times[200] = { 0 };

	laid->count = 0;
	for (size_t at = 0; at < SAMPLES;) {
		uint64_t *time = &times[next_random(random) % cpus];
		size_t end = at + 1 + next_random(random) % longest, first = at;

		for (; at < end && at < SAMPLES; at++) {
			laid->samples[at].nr = at;
			laid->samples[at].time = *time += next_random(random) % 3;
		}
		laid->spans[laid->count++] = (struct record_span){
			.first = sample_key(&laid->samples[first]), .count = (uint32_t)(at - first),
			.samples = &laid->samples[first], .is_sample = true
		};
	}
	memcpy(laid->sorted, laid->samples, sizeof(laid->sorted));
	qsort(laid->sorted, SAMPLES, sizeof(*laid->sorted), compare);
}

static void expect_order(struct merge *merge, const struct laid *laid)
{
	struct record_span *oldest;
	struct order_key end;
	struct err err = { 0 };
	size_t at = 0;

	assert_true(merge_start(merge, laid->spans, laid->count, &err));
	while ((oldest = merge_next(merge, &end))) {
		do {
			assert_true(at < SAMPLES);
			assert_int_equal(oldest->first.nr, laid->sorted[at].nr);
			assert_int_equal(oldest->first.time, laid->sorted[at++].time);
			move_on(oldest);
		} while (oldest->count && key_before(oldest->first, end));
	}
	assert_int_equal(at, SAMPLES);
}

static void any_spans_come_in_order(void **state)
{
	static const size_t cpus[] = { 1, 2, 3, 8, 63, 64, 65, 200 };
	static struct laid laid;
	struct merge merge = { 0 };
	uint64_t random = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (uint32_t longest = 1; longest < 200; longest *= 3) {
			lay(&laid, cpus[i], longest, &random);
			/* given by their start, as they are read */
			qsort(laid.spans, laid.count, sizeof(*laid.spans), compare_spans);
			expect_order(&merge, &laid);
			/* and the order is right in whatever order they are given */
			for (size_t k = laid.count; k > 1; k--) {
				size_t other = next_random(&random) % k;
				struct record_span held = laid.spans[k - 1];

				laid.spans[k - 1] = laid.spans[other];
				laid.spans[other] = held;
			}
			expect_order(&merge, &laid);
		}
	}
	merge_release(&merge);
}

/* At the same time the position decides, also where one span ends and the next begins. */
static void equal_times_keep_their_order(void **state)
{
	static struct laid laid;
	struct merge merge = { 0 };

	(void)state;
	for (size_t at = 0; at < SAMPLES; at++) {
		laid.samples[at].nr = at;
		laid.samples[at].time = 5;
	}
	memcpy(laid.sorted, laid.samples, sizeof(laid.sorted));
	laid.count = 2;
	for (size_t i = 0; i < 2; i++) { /* the second half is given first */
		size_t first = i ? 0 : SAMPLES / 2;

		laid.spans[i] = (struct record_span){ .first = { 5, first }, .count = SAMPLES / 2,
			                              .samples = &laid.samples[first], .is_sample = true };
	}
	expect_order(&merge, &laid);
	merge_release(&merge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_spans_come_in_order),
		cmocka_unit_test(equal_times_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
