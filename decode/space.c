#include "decode/space.h"

#include <stdlib.h>

/* Recursion here goes as deep as the tree is high: 1.44 times the logarithm of its size. */
struct space_node {
	struct space_map map;
	struct space_node *left, *right;
	unsigned users; /* trees, and nodes, that it hangs from */
	int height;     /* 1: a leaf */
};

static void node_put(struct space_node *node)
{
	if (!node || --node->users)
		return;
	node_put(node->left);
	node_put(node->right);
	free(node);
}

/* Makes the node at *link this tree's alone, to change it. */
static bool own(struct space_node **link, struct err *err)
{
	struct space_node *old = *link, *copy;

	if (old->users == 1)
		return true;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return err_nomem(err, sizeof(*copy));
	*copy = *old;
	copy->users = 1;
	if (copy->left)
		copy->left->users++;
	if (copy->right)
		copy->right->users++;
	old->users--;
	*link = copy;
	return true;
}

static int height_of(const struct space_node *node)
{
	return node ? node->height : 0;
}

static void set_height(struct space_node *node)
{
	int left = height_of(node->left), right = height_of(node->right);

	node->height = 1 + (left > right ? left : right);
}

/* The right child takes the place of *link, which is owned. */
static bool rotate_left(struct space_node **link, struct err *err)
{
	struct space_node *node = *link, *right;

	if (!own(&node->right, err))
		return false;
	right = node->right;
	node->right = right->left;
	right->left = node;
	set_height(node);
	set_height(right);
	*link = right;
	return true;
}

static bool rotate_right(struct space_node **link, struct err *err)
{
	struct space_node *node = *link, *left;

	if (!own(&node->left, err))
		return false;
	left = node->left;
	node->left = left->right;
	left->right = node;
	set_height(node);
	set_height(left);
	*link = left;
	return true;
}

/* After a change below *link, which is owned. Without memory the tree stays right, but leans. */
static bool balance(struct space_node **link, struct err *err)
{
	struct space_node *node = *link;
	int lean = height_of(node->right) - height_of(node->left);

	set_height(node);
	if (lean > 1) {
		if (height_of(node->right->left) > height_of(node->right->right) &&
		    !(own(&node->right, err) && rotate_right(&node->right, err)))
			return false;
		return rotate_left(link, err);
	}
	if (lean < -1) {
		if (height_of(node->left->right) > height_of(node->left->left) &&
		    !(own(&node->left, err) && rotate_left(&node->left, err)))
			return false;
		return rotate_right(link, err);
	}
	return true;
}

/* The mapping overlaps none that is there. */
static bool insert(struct space_node **link, const struct space_map *map, struct err *err)
{
	struct space_node *node = *link;

	if (!node) {
		node = calloc(1, sizeof(*node));
		if (!node)
			return err_nomem(err, sizeof(*node));
		node->map = *map;
		node->users = 1;
		node->height = 1;
		*link = node;
		return true;
	}
	if (!own(link, err))
		return false;
	node = *link;
	return insert(map->start < node->map.start ? &node->left : &node->right, map, err) &&
	       balance(link, err);
}

/* Takes the first mapping out of the tree at *link, which is not empty. */
static bool take_first(struct space_node **link, struct space_map *first, struct err *err)
{
	struct space_node *node;

	if (!own(link, err))
		return false;
	node = *link;
	if (node->left)
		return take_first(&node->left, first, err) && balance(link, err);
	*first = node->map;
	*link = node->right;
	free(node);
	return true;
}

/* Takes out the mapping that starts at start, which is there. */
static bool erase(struct space_node **link, uint64_t start, struct err *err)
{
	struct space_node *node;

	if (!own(link, err))
		return false;
	node = *link;
	if (start != node->map.start) {
		if (!erase(start < node->map.start ? &node->left : &node->right, start, err))
			return false;
	} else if (!node->left || !node->right) {
		*link = node->left ? node->left : node->right;
		free(node);
		return true;
	} else if (!take_first(&node->right, &node->map, err)) {
		return false;
	}
	return balance(link, err);
}

struct space *space_new(struct err *err)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space)
		err_nomem(err, sizeof(*space));
	else
		space->users = 1;
	return space;
}

void space_put(struct space *space)
{
	if (!space || --space->users)
		return;
	node_put(space->root);
	free(space->index);
	free(space);
}

/* Before a change: makes *space the caller's alone. */
static bool own_space(struct space **space, struct err *err)
{
	struct space *old = *space, *copy;

	if (old->users == 1) {
		old->hint.end = old->hint.start;
		old->gap_end = old->gap;
		old->asked = 0;
		free(old->index);
		old->index = NULL;
		return true;
	}
	copy = space_new(err);
	if (!copy)
		return false;
	copy->root = old->root;
	if (copy->root)
		copy->root->users++;
	old->users--;
	*space = copy;
	return true;
}

const struct space_map *space_first_behind(const struct space *space, uint64_t addr)
{
	const struct space_map *first = NULL;

	for (const struct space_node *node = space->root; node;) {
		if (node->map.end > addr) {
			first = &node->map;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return first;
}

const struct space_map *space_last_before(const struct space *space, uint64_t addr)
{
	const struct space_map *last = NULL;

	for (const struct space_node *node = space->root; node;) {
		if (node->map.start < addr) {
			last = &node->map;
			node = node->right;
		} else {
			node = node->left;
		}
	}
	return last;
}

/*
 * Copies of all mappings in order; their starts, a cache line of them at a time; and the first start
 * of each line. What lies behind the last mapping is filled with the largest start.
 */
#define LINE_STARTS 8
#define INDEX_LEAST 64 /* mappings; a smaller tree is as quick */

struct space_index {
	size_t count, lines;
	struct space_map *maps; /* all in one piece of memory, behind this */
	uint64_t *starts;
	uint64_t words[]; /* first starts of the lines, then starts, then maps */
};

static size_t count_nodes(const struct space_node *node)
{
	return node ? count_nodes(node->left) + 1 + count_nodes(node->right) : 0;
}

static void fill_index(struct space_index *index, const struct space_node *node)
{
	if (!node)
		return;
	fill_index(index, node->left);
	index->maps[index->count] = node->map;
	index->starts[index->count++] = node->map.start;
	fill_index(index, node->right);
}

/* Without memory for it the tree does as well. */
static struct space_index *index_new(const struct space *space)
{
	size_t count = count_nodes(space->root);
	size_t lines = count / LINE_STARTS + 1, words = lines + (LINE_STARTS * lines);
	struct space_index *index;

	if (count < INDEX_LEAST)
		return NULL;
	index = malloc(sizeof(*index) + words * sizeof(uint64_t) + count * sizeof(*index->maps));
	if (!index)
		return NULL;
	index->count = 0;
	index->lines = lines;
	index->starts = index->words + lines;
	index->maps = (struct space_map *)(void *)(index->words + words);
	fill_index(index, space->root);
	for (size_t i = count; i < lines * LINE_STARTS; i++)
		index->starts[i] = UINT64_MAX;
	for (size_t i = 0; i < lines; i++)
		index->words[i] = index->starts[i * LINE_STARTS];
	return index;
}

/* The line of starts that addr belongs to. */
static size_t index_line(const struct space_index *index, uint64_t addr)
{
	const uint64_t *line = index->words;
	size_t left = index->lines;

	while (left > 1) {
		size_t half = left / 2;

		line = line[half] <= addr ? line + half : line;
		left -= half;
	}
	return (size_t)(line - index->words);
}

/* The last mapping of a line that starts at addr or before; if none does, the line's first. */
static size_t index_slot(const struct space_index *index, size_t line, uint64_t addr)
{
	const uint64_t *starts = index->starts + line * LINE_STARTS;
	size_t at = line * LINE_STARTS;

	for (int i = 1; i < LINE_STARTS; i++)
		at += starts[i] <= addr;
	return at;
}

static const struct space_map *index_map(const struct space_index *index, size_t at, uint64_t addr)
{
	const struct space_map *map = &index->maps[at];

	return at < index->count && map->start <= addr && map->end > addr ? map : NULL;
}

void space_find_all(struct space_look *looks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(looks[i].space->index);
	for (size_t i = 0; i < count; i++) {
		const struct space_index *index = looks[i].space->index;

		looks[i].at = index_line(index, looks[i].addr);
		__builtin_prefetch(&index->starts[looks[i].at * LINE_STARTS]);
	}
	for (size_t i = 0; i < count; i++) {
		const struct space_index *index = looks[i].space->index;

		looks[i].at = index_slot(index, looks[i].at, looks[i].addr);
		__builtin_prefetch(&index->maps[looks[i].at]);
	}
	for (size_t i = 0; i < count; i++) {
		looks[i].map = index_map(looks[i].space->index, looks[i].at, looks[i].addr);
		if (looks[i].map)
			looks[i].space->hint = *looks[i].map;
	}
}

/*
 * Whether an index pays: it costs a visit to each mapping, and the next change takes it away. So it
 * is for a space that was asked once for some 32 mappings since the last change.
 */
static bool wants_index(const struct space *space)
{
	return !space->index && space->root && space->asked % INDEX_LEAST == 0 &&
	       space->asked >= ((size_t)1 << space->root->height) / 32;
}

/* Nothing is mapped at addr; behind: the next mapping, or NULL. */
static void note_gap(struct space *space, uint64_t addr, const struct space_map *behind)
{
	uint64_t end = behind ? behind->start : UINT64_MAX;

	if (space->gap_end != end || addr < space->gap)
		space->gap = addr;
	space->gap_end = end;
}

const struct space_map *space_search(struct space *space, uint64_t addr)
{
	struct space_look look = { space, addr, 0, NULL };

	space->asked++;
	if (wants_index(space))
		space->index = index_new(space);
	if (space->index) {
		space_find_all(&look, 1);
		return look.map;
	}
	look.map = space_first_behind(space, addr);
	if (look.map && look.map->start <= addr) {
		space->hint = *look.map;
		return &space->hint;
	}
	note_gap(space, addr, look.map);
	return NULL;
}

/* The mapping that starts at start, which is there, to be changed; NULL with err set. */
static struct space_map *changeable(struct space *space, uint64_t start, struct err *err)
{
	struct space_node **link = &space->root;

	for (;;) {
		if (!own(link, err))
			return NULL;
		if ((*link)->map.start == start)
			return &(*link)->map;
		link = start < (*link)->map.start ? &(*link)->left : &(*link)->right;
	}
}

/* Cuts what starts before start at start. What is left behind end of it becomes a mapping again. */
static bool cut_left(struct space *space, uint64_t start, uint64_t end, struct err *err)
{
	const struct space_map *over = space_first_behind(space, start);
	struct space_map rest, *left;

	if (!over || over->start >= start)
		return true;
	rest = *over;
	left = changeable(space, over->start, err);
	if (!left)
		return false;
	left->end = start;
	if (rest.end <= end)
		return true;
	/* a hole in one mapping: its other side stays */
	rest.pgoff += end - rest.start;
	rest.start = end;
	return insert(&space->root, &rest, err);
}

static bool cut_right(struct space *space, uint64_t start, uint64_t end, struct err *err)
{
	const struct space_map *over;
	struct space_map *right;

	while ((over = space_first_behind(space, start)) && over->end <= end)
		if (!erase(&space->root, over->start, err))
			return false;
	if (!over || over->start >= end)
		return true;
	right = changeable(space, over->start, err);
	if (!right)
		return false;
	right->pgoff += end - right->start;
	right->start = end;
	return true;
}

bool space_remove(struct space **space, uint64_t start, uint64_t end, struct err *err)
{
	return own_space(space, err) && cut_left(*space, start, end, err) &&
	       cut_right(*space, start, end, err);
}

bool space_insert(struct space **space, const struct space_map *map, struct err *err)
{
	if (map->start >= map->end)
		return true;
	return space_remove(space, map->start, map->end, err) && insert(&(*space)->root, map, err);
}

bool space_rebind(struct space **space, uint64_t start, uint64_t pgoff, uint32_t binary,
                  struct err *err)
{
	struct space_map *map;

	if (!own_space(space, err))
		return false;
	map = changeable(*space, start, err);
	if (map) {
		map->pgoff = pgoff;
		map->binary = binary;
	}
	return map != NULL;
}
