/* The AVL tree and the window of waiting records, against a sorted array. */
#include "util/tree.h"

#include "perffile/order/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MODEL_MAX 4000

struct model {
	uint64_t keys[MODEL_MAX];
	uint32_t ties[MODEL_MAX];
	size_t count;
};

/* Knuth's 64-bit linear congruential generator: the same numbers in every run. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static void model_insert(struct model *model, uint64_t key, uint32_t tie)
{
	size_t at = model->count;

	while (at > 0 && (model->keys[at - 1] > key ||
	                  (model->keys[at - 1] == key && model->ties[at - 1] > tie)))
		at--;
	memmove(model->keys + at + 1, model->keys + at, (model->count - at) * sizeof(uint64_t));
	memmove(model->ties + at + 1, model->ties + at, (model->count - at) * sizeof(uint32_t));
	model->keys[at] = key;
	model->ties[at] = tie;
	model->count++;
}

static void model_take(struct model *model, const struct tree_node *node)
{
	assert_int_equal(node->key, model->keys[0]);
	assert_int_equal(node->tie, model->ties[0]);
	model->count--;
	memmove(model->keys, model->keys + 1, model->count * sizeof(uint64_t));
	memmove(model->ties, model->ties + 1, model->count * sizeof(uint32_t));
}

/* Height of the subtree; every rule of an AVL tree holds in it. Depth is bounded by its balance. */
static int check_node(const struct tree *tree, uint32_t n, uint32_t parent)
{
	int left, right;

	if (n == TREE_NIL)
		return 0;
	assert_int_equal(tree_parent(tree, n), parent);
	left = check_node(tree, tree->nodes[n].child[0], n);
	right = check_node(tree, tree->nodes[n].child[1], n);
	assert_in_range(right - left + 1, 0, 2);
	assert_int_equal(tree_balance(tree, n), right - left);
	return 1 + (left > right ? left : right);
}

static void check_tree(const struct tree *tree, const struct model *model)
{
	uint32_t n;

	assert_int_equal(tree->count, model->count);
	if (!model->count) {
		assert_int_equal(tree->root, TREE_NIL);
		return;
	}
	check_node(tree, tree->root, TREE_NIL);
	for (n = tree->root; tree->nodes[n].child[0] != TREE_NIL; n = tree->nodes[n].child[0])
		;
	assert_int_equal(tree->first, n);
	assert_int_equal(tree->nodes[tree->first].key, model->keys[0]);
}

enum order { ASCENDING, DESCENDING, RANDOM, FEW_KEYS, STREAMS };

static uint64_t key_of(enum order order, uint32_t i, uint64_t *state)
{
	switch (order) {
	case ASCENDING:
		return i;
	case DESCENDING:
		return 1000000 - i;
	case FEW_KEYS:
		return next_random(state) % 5;
	case STREAMS: /* four CPUs, each ascending, each with its own delay */
		return 100 * (uint64_t)i + 5000 * (i % 4) + next_random(state) % 50;
	default:
		return next_random(state);
	}
}

static void runs_as_the_model(enum order order, unsigned takes_in_eight)
{
	struct model *model = calloc(1, sizeof(*model));
	struct tree tree = { 0 };
	struct err err = { 0 };
	uint64_t state = 42 + order;

	assert_non_null(model);
	for (uint32_t i = 0; i < 3000; i++) {
		uint64_t key = key_of(order, i, &state);

		assert_true(tree_insert(&tree, key, i, 0, &err));
		model_insert(model, key, i);
		if (model->count && next_random(&state) % 8 < takes_in_eight)
			model_take(model, tree_take_first(&tree));
		if (i % 64 == 0)
			check_tree(&tree, model);
	}
	while (model->count) {
		model_take(model, tree_take_first(&tree));
		if (model->count % 64 == 0)
			check_tree(&tree, model);
	}
	/* nodes are used again */
	assert_true(tree.used <= 3001);
	free(tree.nodes);
	free(model);
}

static void orders_and_removals(void **state)
{
	(void)state;
	for (enum order order = ASCENDING; order <= STREAMS; order++)
		for (unsigned takes = 0; takes <= 8; takes += 4)
			runs_as_the_model(order, takes);
}

static void equal_keys_keep_order(void **state)
{
	struct tree tree = { 0 };
	struct err err = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		assert_true(tree_insert(&tree, 7, i, 0, &err));
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(tree_take_first(&tree)->tie, i);
	free(tree.nodes);
}

/* The position may pass 2^32: it is compared as a difference. */
static void ties_pass_the_wrap(void **state)
{
	struct tree tree = { 0 };
	struct err err = { 0 };
	uint32_t tie = UINT32_MAX - 3;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		assert_true(tree_insert(&tree, 7, tie + i, 0, &err));
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(tree_take_first(&tree)->tie, (uint32_t)(tie + i));
	free(tree.nodes);
}

static void emptied_and_filled_again(void **state)
{
	struct tree tree = { 0 };
	struct err err = { 0 };

	(void)state;
	for (int round = 0; round < 3; round++) {
		assert_true(tree_insert(&tree, 5, 0, 0, &err));
		assert_true(tree_insert(&tree, 3, 1, 0, &err));
		assert_int_equal(tree_take_first(&tree)->key, 3);
		assert_int_equal(tree_take_first(&tree)->key, 5);
		assert_int_equal(tree.count, 0);
	}
	assert_true(tree.used <= 3);
	free(tree.nodes);
}

/* --- records.h: the window of waiting records, where runs of them share a node */

#define RECORDS 6000

/* Records as they lie in memory, one behind the other but for a gap here and there. */
struct fake {
	uint8_t memory[32 * RECORDS];
	const uint8_t *data[RECORDS];
	size_t sizes[RECORDS];
	uint64_t times[RECORDS];
	bool waits[RECORDS];
	size_t spans; /* that hold their block */
};

static void lay_out(struct fake *fake, enum order order)
{
	uint64_t state = 99;
	size_t at = 0;

	memset(fake, 0, sizeof(*fake));
	for (uint32_t i = 0; i < RECORDS; i++) {
		at += next_random(&state) % 50 == 0 ? 8 : 0;
		fake->data[i] = fake->memory + at;
		fake->sizes[i] = 8 + 8 * (next_random(&state) % 2);
		at += fake->sizes[i];
		/* bursts of one CPU's records, as ring buffers are emptied */
		fake->times[i] = order == STREAMS ? 10 * (uint64_t)(i / 40) + i % 20 : key_of(order, i, &state);
	}
}

/* The record that must come next, by time and then position; RECORDS if none waits up to bound. */
static size_t oldest(const struct fake *fake, size_t end, uint64_t bound)
{
	size_t best = RECORDS;

	for (size_t i = 0; i < end; i++)
		if (fake->waits[i] && fake->times[i] <= bound &&
		    (best == RECORDS || fake->times[i] < fake->times[best]))
			best = i;
	return best;
}

/* Takes up to `most` records out of the span that comes first. Returns how many. */
static size_t take(struct records *records, struct fake *fake, uint64_t first_nr, size_t end,
                   uint64_t bound, uint32_t most)
{
	size_t expected = oldest(fake, end, bound), next;
	const struct waiting_span *first = records_first(records);
	struct waiting_span got, rest;
	uint32_t count;

	if (expected == RECORDS) {
		assert_true(!first || first->time > bound);
		return 0;
	}
	assert_non_null(first);
	got = *first;
	assert_in_range(got.time, 0, bound);
	assert_int_equal(got.nr, first_nr + expected);
	assert_int_equal(got.time, fake->times[expected]);
	assert_ptr_equal(got.data, fake->data[expected]);
	assert_in_range(got.count, 1, end - expected);
	/* the whole span waits, one behind the other, in order */
	for (size_t i = expected; i < expected + got.count; i++) {
		assert_true(fake->waits[i]);
		if (i > expected) {
			assert_ptr_equal(fake->data[i], fake->data[i - 1] + fake->sizes[i - 1]);
			assert_true(fake->times[i] >= fake->times[i - 1]);
		}
	}
	count = most < got.count ? most : got.count;
	fake->spans -= count == got.count;
	next = count == got.count ? expected : expected + count;
	rest = got;
	rest.count -= count;
	rest.nr += count;
	rest.data = fake->data[next];
	rest.time = fake->times[next];
	records_advance(records, &rest);
	for (size_t i = expected; i < expected + count; i++)
		fake->waits[i] = false;
	return count;
}

/* One record at a time, or several; put in alone, or by the span. */
static void window(enum order order, uint64_t first_nr, uint32_t most)
{
	struct fake *fake = malloc(sizeof(*fake));
	struct err err = { 0 };
	struct records records;
	uint64_t state = 5;
	size_t count = 0;

	assert_non_null(fake);
	memset(&records, 0, sizeof(records));
	lay_out(fake, order);
	for (size_t i = 0; i < RECORDS;) {
		struct waiting_span waiting = { .time = fake->times[i], .nr = first_nr + i, .data = fake->data[i] };
		size_t size = 0;
		bool started;

		do {
			size += fake->sizes[i];
			fake->waits[i] = true;
			waiting.count++;
			i++;
		} while (i < RECORDS && waiting.count < most && fake->times[i] >= fake->times[i - 1] &&
		         fake->data[i] == fake->data[i - 1] + fake->sizes[i - 1]);
		assert_true(records_insert(&records, &waiting, size, fake->times[i - 1], &started, &err));
		fake->spans += started;
		count += waiting.count;
		/* the window stays small, as between two lower bounds */
		while (count > 200 + next_random(&state) % 100)
			count -= take(&records, fake, first_nr, i, UINT64_MAX, most);
		if (i % 97 == 0)
			count -= take(&records, fake, first_nr, i, fake->times[i - 1], most);
		assert_int_equal(records.count, count);
	}
	for (size_t taken = 1; taken; count -= taken)
		taken = take(&records, fake, first_nr, RECORDS, UINT64_MAX, most);
	assert_int_equal(count, 0);
	assert_int_equal(records.count, 0);
	assert_int_equal(fake->spans, 0); /* every block can be given back */
	records_release(&records);
	free(fake);
}

static void windows_of_all_orders(void **state)
{
	(void)state;
	for (enum order order = ASCENDING; order <= STREAMS; order++)
		for (uint32_t most = 1; most <= 40; most += 13)
			window(order, 0, most);
}

static void positions_pass_the_wrap(void **state)
{
	(void)state;
	window(STREAMS, ((uint64_t)5 << 32) - 3000, 1);
	window(RANDOM, ((uint64_t)1 << 31) - 3000, 1);
	window(STREAMS, ((uint64_t)5 << 32) - 3000, 7);
}

static void an_empty_window(void **state)
{
	struct records records;

	(void)state;
	memset(&records, 0, sizeof(records));
	assert_null(records_first(&records));
	assert_int_equal(records.count, 0);
	records_release(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_and_removals),
		cmocka_unit_test(equal_keys_keep_order),
		cmocka_unit_test(ties_pass_the_wrap),
		cmocka_unit_test(emptied_and_filled_again),
		cmocka_unit_test(windows_of_all_orders),
		cmocka_unit_test(positions_pass_the_wrap),
		cmocka_unit_test(an_empty_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
