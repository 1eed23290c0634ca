/*
 * An AVL tree whose nodes lie in one pool and are linked by 32-bit numbers. It is ordered by (key,
 * tie); nodes with equal keys are in the order of their ties.
 */
#ifndef READPERF_UTIL_TREE_H
#define READPERF_UTIL_TREE_H

#include "util/vec.h"

#define TREE_NIL 0u /* the first node of the pool means "no node" */

struct tree_node {
	uint64_t key;
	uint32_t value;
	uint32_t tie; /* compared as a signed difference: ties of nodes in the tree differ by less
	                 than 2^31 */
	uint32_t child[2]; /* left, right */
	uint32_t up;       /* parent << 2 | balance + 1; balance: height of right minus left */
};

struct tree {
	struct tree_node *nodes;
	size_t used, capacity; /* nodes ever used, nodes allocated */
	uint32_t root, first;  /* first: the smallest node */
	uint32_t free;         /* freed nodes, linked by child[0] */
	size_t count;
};

static inline bool tree_before(const struct tree_node *a, uint64_t key, uint32_t tie)
{
	return a->key != key ? a->key < key : (int32_t)(a->tie - tie) < 0;
}

static inline uint32_t tree_parent(const struct tree *t, uint32_t n)
{
	return t->nodes[n].up >> 2;
}

static inline int tree_balance(const struct tree *t, uint32_t n)
{
	return (int)(t->nodes[n].up & 3) - 1;
}

static inline void tree_set_parent(struct tree *t, uint32_t n, uint32_t parent)
{
	t->nodes[n].up = parent << 2 | (t->nodes[n].up & 3);
}

static inline void tree_set_balance(struct tree *t, uint32_t n, int balance)
{
	t->nodes[n].up = (t->nodes[n].up & ~3u) | (uint32_t)(balance + 1);
}

/* Puts `with` into the place of `n` under its parent. */
static inline void tree_replace(struct tree *t, uint32_t n, uint32_t with)
{
	uint32_t parent = tree_parent(t, n);

	if (parent == TREE_NIL)
		t->root = with;
	else
		t->nodes[parent].child[t->nodes[parent].child[1] == n] = with;
	if (with != TREE_NIL)
		tree_set_parent(t, with, parent);
}

/* Moves n down to a side, and its child from the other side up. */
static inline void tree_rotate(struct tree *t, uint32_t n, bool side)
{
	uint32_t up = t->nodes[n].child[!side], inner = t->nodes[up].child[side];

	tree_replace(t, n, up);
	t->nodes[n].child[!side] = inner;
	if (inner != TREE_NIL)
		tree_set_parent(t, inner, n);
	t->nodes[up].child[side] = n;
	tree_set_parent(t, n, up);
}

/*
 * Restores the balance of n, whose right (sign 1) or left (-1) subtree is too high by two. Returns
 * the subtree's new root.
 */
static inline uint32_t tree_rebalance(struct tree *t, uint32_t n, int sign)
{
	const bool high = sign > 0;
	uint32_t child = t->nodes[n].child[high], inner;
	int lean = tree_balance(t, child) * sign, b;

	if (lean >= 0) {
		tree_rotate(t, n, !high);
		tree_set_balance(t, n, lean ? 0 : sign);
		tree_set_balance(t, child, lean ? 0 : -sign);
		return child;
	}
	inner = t->nodes[child].child[!high];
	b = tree_balance(t, inner) * sign;
	tree_rotate(t, child, high);
	tree_rotate(t, n, !high);
	tree_set_balance(t, n, b > 0 ? -sign : 0);
	tree_set_balance(t, child, b < 0 ? sign : 0);
	tree_set_balance(t, inner, 0);
	return inner;
}

/* A subtree below p has become higher, on the side of n. */
static inline void tree_retrace_growth(struct tree *t, uint32_t n, uint32_t p)
{
	while (p != TREE_NIL) {
		int side = t->nodes[p].child[1] == n ? 1 : -1;
		int balance = tree_balance(t, p) + side;

		if (balance == 2 || balance == -2) {
			tree_rebalance(t, p, side);
			return;
		}
		tree_set_balance(t, p, balance);
		if (balance == 0)
			return;
		n = p;
		p = tree_parent(t, p);
	}
}

/*
 * The left subtree of p has become lower. Only the smallest node is ever removed, so it is always
 * the left one.
 */
static inline void tree_retrace_first(struct tree *t, uint32_t p)
{
	while (p != TREE_NIL) {
		int balance = tree_balance(t, p) + 1;

		if (balance == 2)
			p = tree_rebalance(t, p, 1);
		else
			tree_set_balance(t, p, balance);
		if (tree_balance(t, p) != 0)
			return;
		p = tree_parent(t, p);
	}
}

/*
 * The node under which (key, tie) is to be inserted; *right says on which side. The tree is not
 * empty.
 */
static inline uint32_t tree_place(const struct tree *t, uint64_t key, uint32_t tie, bool *right)
{
	const struct tree_node *nodes = t->nodes;
	uint32_t n = t->root;

	for (;;) {
		uint32_t next;

		*right = tree_before(&nodes[n], key, tie);
		next = nodes[n].child[*right];
		if (next == TREE_NIL)
			return n;
		n = next;
	}
}

static inline bool tree_insert(struct tree *t, uint64_t key, uint32_t tie, uint32_t value,
                               struct err *err)
{
	uint32_t n = t->free, p = TREE_NIL;
	bool right = false;

	if (n != TREE_NIL) {
		t->free = t->nodes[n].child[0];
	} else {
		if (t->used == 0)
			t->used = 1;
		if (!vec_room(&t->nodes, t->used, &t->capacity, sizeof(*t->nodes), err))
			return false;
		if (t->used >= UINT32_MAX >> 2)
			return err_set(err, ERR_LIMIT, "more than %zu records wait at one time",
			               t->used);
		n = (uint32_t)t->used++;
	}
	if (t->root != TREE_NIL)
		p = tree_place(t, key, tie, &right);
	t->nodes[n] = (struct tree_node){ key, value, tie, { TREE_NIL, TREE_NIL }, p << 2 | 1 };
	if (p == TREE_NIL)
		t->root = t->first = n;
	else
		t->nodes[p].child[right] = n;
	if (p != TREE_NIL && !right && p == t->first)
		t->first = n;
	t->count++;
	tree_retrace_growth(t, n, p);
	return true;
}

/* The next node in order, or TREE_NIL. */
static inline uint32_t tree_next(const struct tree *t, uint32_t n)
{
	uint32_t p;

	if (t->nodes[n].child[1] != TREE_NIL) {
		n = t->nodes[n].child[1];
		while (t->nodes[n].child[0] != TREE_NIL)
			n = t->nodes[n].child[0];
		return n;
	}
	for (p = tree_parent(t, n); p != TREE_NIL && t->nodes[p].child[1] == n;
	     p = tree_parent(t, p))
		n = p;
	return p;
}

/*
 * Removes the smallest node; the tree is not empty. Its contents can be read until the next insert.
 */
static inline const struct tree_node *tree_take_first(struct tree *t)
{
	uint32_t n = t->first, parent = tree_parent(t, n), right = t->nodes[n].child[1];

	/* an AVL node without a left child has at most a leaf on its right */
	t->first = right != TREE_NIL ? right : parent;
	tree_replace(t, n, right);
	tree_retrace_first(t, parent);
	t->nodes[n].child[0] = t->free;
	t->free = n;
	t->count--;
	return &t->nodes[n];
}

#endif
