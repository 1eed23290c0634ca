/* The AVL tree and the window of waiting records, against a sorted array. */
#include "util/tree.h"

#include "perffile/records.h"

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
	left = check_node(tree, tree->nodes[n].left, n);
	right = check_node(tree, tree->nodes[n].right, n);
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
	for (n = tree->root; tree->nodes[n].left != TREE_NIL; n = tree->nodes[n].left)
		;
	assert_int_equal(tree->first, n);
	for (n = tree->root; tree->nodes[n].right != TREE_NIL; n = tree->nodes[n].right)
		;
	assert_int_equal(tree->last, n);
	assert_int_equal(tree->nodes[tree->first].key, model->keys[0]);
	assert_int_equal(tree->nodes[tree->last].key, model->keys[model->count - 1]);
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

		assert_true(tree_insert(&tree, key, i, &model->keys[i], &err));
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
		assert_true(tree_insert(&tree, 7, i, NULL, &err));
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
		assert_true(tree_insert(&tree, 7, tie + i, NULL, &err));
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
		assert_true(tree_insert(&tree, 5, 0, NULL, &err));
		assert_true(tree_insert(&tree, 3, 1, NULL, &err));
		assert_int_equal(tree_take_first(&tree)->key, 3);
		assert_int_equal(tree_take_first(&tree)->key, 5);
		assert_int_equal(tree.count, 0);
	}
	assert_true(tree.used <= 3);
	free(tree.nodes);
}

/* --- records.h: the same tree with bounds and whole positions */

static struct waiting waits(uint64_t time, uint64_t nr)
{
	static const uint8_t bytes[8];
	struct waiting waiting = { time, nr, bytes };

	return waiting;
}

static void records_stop_at_the_bound(void **state)
{
	struct err err = { 0 };
	struct records *records = records_new(&err);
	static const uint64_t times[] = { 30, 10, 20, 10 };
	struct waiting got;

	(void)state;
	assert_non_null(records);
	assert_false(records_take(records, UINT64_MAX, &got));
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct waiting waiting = waits(times[i], i);

		assert_true(records_insert(records, &waiting, &err));
	}
	assert_int_equal(records_count(records), 4);
	assert_false(records_take(records, 9, &got));
	assert_true(records_take(records, 10, &got));
	assert_int_equal(got.nr, 1);
	assert_true(records_take(records, 10, &got));
	assert_int_equal(got.nr, 3);
	assert_false(records_take(records, 19, &got));
	assert_true(records_take(records, 20, &got));
	assert_int_equal(got.time, 20);
	assert_true(records_take(records, UINT64_MAX, &got));
	assert_int_equal(got.time, 30);
	assert_false(records_take(records, UINT64_MAX, &got));
	assert_int_equal(records_most(records), 4);
	records_free(records);
	records_free(NULL);
}

static void records_count_past_the_wrap(void **state)
{
	struct err err = { 0 };
	struct records *records = records_new(&err);
	uint64_t first = ((uint64_t)5 << 32) - 2;
	struct waiting got;

	(void)state;
	assert_non_null(records);
	for (uint64_t i = 0; i < 5; i++) {
		struct waiting waiting = waits(100, first + i);

		assert_true(records_insert(records, &waiting, &err));
	}
	for (uint64_t i = 0; i < 5; i++) {
		assert_true(records_take(records, 100, &got));
		assert_int_equal(got.nr, first + i);
	}
	records_free(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_and_removals),
		cmocka_unit_test(equal_keys_keep_order),
		cmocka_unit_test(ties_pass_the_wrap),
		cmocka_unit_test(emptied_and_filled_again),
		cmocka_unit_test(records_stop_at_the_bound),
		cmocka_unit_test(records_count_past_the_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
