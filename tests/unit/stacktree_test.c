/* The tree of stacks: which nodes chains have, and what remains of them when it is folded. */
#include "decode/stacks/stacktree.h"

#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDED 7
#define MOST 100 /* frames */
#define DEEP 600

struct made_tree {
	struct stack_tree tree;
	struct chain_frame frames[DEEP];
	struct err err;
};

static void begin(struct made_tree *made)
{
	memset(made, 0, sizeof(*made));
	assert_true(stack_tree_init(&made->tree, FOLDED, &made->err));
}

/* The node of so many callers, which are at the address first, first + step, ... */
static uint32_t put(struct made_tree *made, size_t callers, uint64_t first, uint64_t step)
{
	const struct chain chain = { .frames = made->frames, .count = callers + 1, .end = STACK_CUT };

	for (size_t i = 0; i < callers; i++)
		made->frames[i + 1] = (struct chain_frame){ .binary = 1, .addr = first + i * step };
	return stack_tree_callers(&made->tree, &chain, &made->err);
}

/* The frames of a node: those that were put, as above, behind one that stands for others, if so. */
static void check_node(const struct stack_tree *tree, uint32_t node, bool folded, uint64_t first,
                       size_t count)
{
	struct stack_walk walk = stack_walk_from(tree, node);
	uint32_t frame = 0;

	if (folded) {
		assert_true(stack_walk_next(&walk, &frame));
		assert_int_equal(tree->frames[frame].binary, FOLDED);
	}
	for (size_t i = 0; i < count; i++) {
		assert_true(stack_walk_next(&walk, &frame));
		assert_int_equal(tree->frames[frame].binary, 1);
		assert_int_equal(tree->frames[frame].addr, first + i);
	}
	assert_false(stack_walk_next(&walk, &frame));
	assert_int_equal(walk.node, STACK_CUT);
}

/* Stacks have their outer frames in common, except those of the node that begins them. */
static void test_nodes(void **state)
{
	struct made_tree made;
	uint32_t node;

	(void)state;
	begin(&made);
	assert_int_equal(put(&made, 0, 0, 0), STACK_CUT);
	node = put(&made, 2 * STACK_PART + 1, 10, 1);
	check_node(&made.tree, node, false, 10, 2 * STACK_PART + 1);
	assert_int_equal(made.tree.count, STACK_ENDS + 3);
	assert_int_equal(put(&made, 2 * STACK_PART, 11, 1), made.tree.nodes[node].parent);
	assert_int_equal(put(&made, 2 * STACK_PART + 1, 10, 1), node);
	node = put(&made, 2 * STACK_PART + 2, 9, 1);
	check_node(&made.tree, node, false, 9, 2 * STACK_PART + 2);
	assert_int_equal(made.tree.count, STACK_ENDS + 4);
	assert_int_equal(made.tree.frame_count, 2 * STACK_PART + 2);
	node = put(&made, 2 * STACK_PART + 1, 10, 2);
	assert_int_equal(node, STACK_ENDS + 6);
	stack_tree_release(&made.tree);
}

/* Stacks of very many frames, of which STACK_PART more are one more node. */
static void test_deep(void **state)
{
	struct made_tree made;

	(void)state;
	for (size_t callers = 1; callers + STACK_PART < DEEP; callers++) {
		uint32_t node, longer;

		begin(&made);
		longer = put(&made, callers + STACK_PART, 1000 - STACK_PART, 1);
		check_node(&made.tree, longer, false, 1000 - STACK_PART, callers + STACK_PART);
		node = put(&made, callers, 1000, 1);
		check_node(&made.tree, node, false, 1000, callers);
		assert_int_equal(made.tree.count - STACK_ENDS,
		                 (callers + STACK_PART - 1) / STACK_PART + 1 +
		                         (callers % STACK_PART != 0));
		stack_tree_release(&made.tree);
	}
}

/* Outer frames are kept; if the tree is folded again, less of them. */
static void test_fold(void **state)
{
	static const size_t depths[] = { 20, 19, 10, 1, 0, 0 };
	struct stack_tree small;
	struct made_tree made;
	uint32_t deep, flat, *moved, other;
	bool uses[1000] = { false };

	(void)state;
	begin(&made);
	deep = put(&made, 60, 100, 1);
	flat = put(&made, 20, 140, 1);
	other = put(&made, 60, 300, 1);
	assert_true(made.tree.count <= sizeof(uses));
	for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
		memset(uses, 0, sizeof(uses));
		uses[deep] = uses[flat] = true;
		uses[other] = i == 0;
		assert_true(stack_tree_fold(&small, &made.tree, uses, depths[i], &moved, &made.err));
		check_node(&small, moved[deep], true, 160 - depths[i], depths[i]);
		check_node(&small, moved[flat], i > 0, 160 - depths[i], depths[i]);
		/* what is not used is gone */
		assert_int_equal(small.frame_count, i ? depths[i] + 1 : 41);
		deep = moved[deep];
		flat = moved[flat];
		free(moved);
		stack_tree_release(&made.tree);
		made.tree = small;
	}
	stack_tree_release(&made.tree);
}

/* Each allocation refused once, while functions that call themselves are put. */
static void test_refused(void **state)
{
	struct made_tree made;
	bool refused = true;

	(void)state;
	for (unsigned long n = 1; refused; n++) {
		bool ok = true;

		begin(&made);
		refuse_allocation(n);
		for (uint64_t k = 0; ok && k < 50; k++)
			ok = put(&made, MOST - 1, 1000 * k, k % 2) != STACK_NODE_NONE;
		refused = allocations_seen() >= n;
		refuse_allocation(0);
		assert_true(ok != refused);
		assert_int_equal(made.err.code, refused ? ERR_NOMEM : ERR_NONE);
		stack_tree_release(&made.tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
