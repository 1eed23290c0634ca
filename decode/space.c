#include "decode/space.h"

#include "decode/spacenode.h"

#include <stdlib.h>
#include <string.h>

/* What a change needs to know on its way down. */
struct change {
	struct space_pool *pool;
	struct err *err;
};

/* On the way to the first or the last place of the whole tree. */
#define AT_FRONT 1u
#define AT_BACK 2u

/* Makes the node at *link this tree's alone, to change it. */
static bool own(struct space_node **link, unsigned levels, const struct change *change)
{
	struct space_node *old = *link, *copy;

	if (old->users == 1)
		return true;
	copy = space_node_new(change->pool, levels, change->err);
	if (!copy)
		return false;
	memcpy(copy, old, space_node_size(levels));
	copy->users = 1;
	for (size_t i = 0; levels > 1 && i < copy->count; i++)
		copy->below[i]->users++;
	old->users--;
	*link = copy;
	return true;
}

/* The last place whose start is at addr or before; if there is none, the first. addr is not NO_START. */
static inline unsigned place_of(const struct space_node *node, uint64_t addr)
{
	const uint64_t *s = node->starts;
	int count;

	/* no loop: compilers leave it one, and half of a lookup is this */
	_Static_assert(SPACE_PLACES == 8, "one term for each place");
	count = (s[0] <= addr) + (s[1] <= addr) + (s[2] <= addr) + (s[3] <= addr) + (s[4] <= addr) +
	        (s[5] <= addr) + (s[6] <= addr) + (s[7] <= addr);
	return count ? (unsigned)count - 1 : 0;
}

/* Moves all from place `from` on to place `to` of another node, or of the same. */
static void move(struct space_node *target, unsigned to, const struct space_node *node,
                 unsigned from, unsigned count, unsigned levels)
{
	memmove(target->starts + to, node->starts + from, count * sizeof(*node->starts));
	if (levels > 1)
		memmove(target->below + to, node->below + from, count * sizeof(*node->below));
	else
		memmove(target->entries + to, node->entries + from, count * sizeof(*node->entries));
}

/*
 * Makes place `at` of the node free; it may then be in a second one, *split, that comes behind it.
 * Both are half full then; but who fills a space from one end leaves full nodes behind.
 */
static bool make_place(struct space_node **node, unsigned *at, unsigned levels, unsigned edges,
                       struct space_node **split, const struct change *change)
{
	struct space_node *left = *node, *right;
	const unsigned full = levels > 1 ? SPACE_BELOW : SPACE_PLACES;
	unsigned keep = full / 2;

	if (left->count == full) {
		right = *split = space_node_new(change->pool, levels, change->err);
		if (!right)
			return false;
		if ((edges & AT_BACK) && *at == full)
			keep = full;
		else if ((edges & AT_FRONT) && *at <= 1) /* behind a first child that was split */
			keep = *at;
		right->count = full - keep;
		move(right, 0, left, keep, right->count, levels);
		left->count = keep;
		for (unsigned i = keep; i < full; i++)
			left->starts[i] = NO_START;
		if (*at > keep || keep == full) {
			*node = left = right;
			*at -= keep;
		}
	}
	move(left, *at + 1, left, *at, left->count - *at, levels);
	left->count++;
	return true;
}

/*
 * Adds a mapping, which overlaps none that is there, below *link. What finds no room there is left in
 * *split, which belongs behind it.
 */
static bool insert_below(struct space_node **link, unsigned levels, unsigned edges,
                         const struct space_map *map, struct space_node **split,
                         const struct change *change)
{
	struct space_node *node, *more = NULL;
	unsigned at;

	if (!own(link, levels, change))
		return false;
	node = *link;
	at = place_of(node, map->start);
	if (levels == 1) {
		at += node->starts[at] < map->start;
		if (!make_place(&node, &at, levels, edges, split, change))
			return false;
		node->starts[at] = map->start;
		node->entries[at] = (struct space_entry){ map->end, map->pgoff, map->binary };
		return true;
	}
	edges &= (at == 0 ? AT_FRONT : 0) | (at == node->count - 1 ? AT_BACK : 0);
	if (!insert_below(&node->below[at], levels - 1, edges, map, &more, change))
		return false;
	node->starts[at] = node->below[at]->starts[0];
	if (!more)
		return true;
	at++;
	if (!make_place(&node, &at, levels, edges, split, change)) {
		space_node_put(change->pool, more, levels - 1);
		return false;
	}
	node->starts[at] = more->starts[0];
	node->below[at] = more;
	return true;
}

static bool insert(struct space *space, const struct space_map *map, struct err *err)
{
	struct change change = { space->pool, err };
	struct space_node *split = NULL, *root;

	if (!space->root) {
		space->root = space_node_new(change.pool, 1, change.err);
		if (!space->root)
			return false;
		space->height = 1;
	}
	if (!insert_below(&space->root, space->height, AT_FRONT | AT_BACK, map, &split, &change))
		return false;
	if (!split)
		return true;
	root = space_node_new(change.pool, space->height + 1, change.err);
	if (!root) {
		space_node_put(space->pool, split, space->height);
		return false;
	}
	root->count = 2;
	root->below[0] = space->root;
	root->below[1] = split;
	root->starts[0] = space->root->starts[0];
	root->starts[1] = split->starts[0];
	space->root = root;
	space->height++;
	return true;
}

/* Takes out places [from, to). */
static void close_up(struct space_node *node, unsigned from, unsigned to, unsigned levels)
{
	unsigned count = node->count;

	node->count -= to - from;
	move(node, from, node, to, count - to, levels);
	for (unsigned i = node->count; i < count; i++)
		node->starts[i] = NO_START;
}

/* Takes out the mappings with [start, end) in part of a tree. */
struct erasure {
	uint64_t start, end;
	struct change change;
};

/*
 * Takes out all mappings that start there. behind: start of what comes behind *link, which may be
 * empty afterwards. What lies there as a whole is not looked into: others may share it, and it may be
 * large.
 */
static bool erase_below(struct space_node **link, unsigned levels, uint64_t behind,
                        const struct erasure *erasure)
{
	struct space_node *node;
	unsigned from, to;
	bool ok = true;

	if (!own(link, levels, &erasure->change))
		return false;
	node = *link;
	from = place_of(node, erasure->start);
	if (node->starts[from] < erasure->start) {
		uint64_t next = from + 1 < node->count ? node->starts[from + 1] : behind;

		/* its first mapping stays */
		if (levels > 1 && !erase_below(&node->below[from], levels - 1, next, erasure))
			return false;
		from++;
	}
	for (to = from; to < node->count && node->starts[to] < erasure->end; to++) {
		uint64_t next = to + 1 < node->count ? node->starts[to + 1] : behind;

		if (levels == 1)
			continue;
		if (next > erasure->end) {
			ok = erase_below(&node->below[to], levels - 1, next, erasure);
			if (!ok || node->below[to]->count) {
				node->starts[to] = node->below[to]->starts[0];
				break;
			}
		}
		space_node_put(erasure->change.pool, node->below[to], levels - 1);
	}
	close_up(node, from, to, levels);
	return ok;
}

/* Takes out all mappings that start in [start, end), of a space with some. */
static bool erase(struct space *space, uint64_t start, uint64_t end, struct err *err)
{
	struct erasure erasure = { start, end, { space->pool, err } };

	if (!erase_below(&space->root, space->height, NO_START, &erasure))
		return false;
	/* a root with one child is no root; others may share it */
	while (space->height > 1 && space->root->count == 1) {
		struct space_node *root = space->root;

		space->root = root->below[0];
		space->root->users++;
		space_node_put(space->pool, root, space->height--);
	}
	if (space->root->count == 0) {
		space_node_free(space->pool, space->root, space->height);
		space->root = NULL;
		space->height = 0;
	}
	return true;
}

/* The mapping that starts at start, which is there, to be changed but for its start; NULL with err set. */
static struct space_entry *changeable(struct space *space, uint64_t start, struct err *err)
{
	struct change change = { space->pool, err };
	struct space_node **link = &space->root;

	for (unsigned levels = space->height;; levels--) {
		if (!own(link, levels, &change))
			return NULL;
		if (levels == 1)
			return &(*link)->entries[place_of(*link, start)];
		link = &(*link)->below[place_of(*link, start)];
	}
}

struct space *space_new(struct space_pool *pool, struct err *err)
{
	struct space *space = calloc(1, sizeof(*space));

	if (!space) {
		err_nomem(err, sizeof(*space));
		return NULL;
	}
	space->pool = pool;
	space->users = 1;
	return space;
}

void space_put(struct space *space)
{
	if (!space || --space->users)
		return;
	if (space->root)
		space_node_put(space->pool, space->root, space->height);
	free(space);
}

/* Before a change: makes *space the caller's alone. */
static bool own_space(struct space **space, struct err *err)
{
	struct space *old = *space, *copy;

	if (old->users == 1) {
		old->hint.end = old->hint.start;
		old->gap_end = old->gap;
		return true;
	}
	copy = space_new(old->pool, err);
	if (!copy)
		return false;
	copy->root = old->root;
	copy->height = old->height;
	if (copy->root)
		copy->root->users++;
	old->users--;
	*space = copy;
	return true;
}

static inline struct space_map map_at(const struct space_node *node, unsigned at)
{
	return (struct space_map){ node->starts[at], node->entries[at].end, node->entries[at].pgoff,
		                   node->entries[at].binary };
}

/* The last mapping that starts at addr or before; if there is none, the first. Of a space with some. */
static struct space_map map_near(const struct space *space, uint64_t addr)
{
	const struct space_node *node = space->root;

	for (unsigned levels = space->height; levels > 1; levels--)
		node = node->below[place_of(node, addr)];
	return map_at(node, place_of(node, addr));
}

/* The first mapping behind that, which ends at addr or before; false if there is none. */
static bool map_behind(const struct space *space, uint64_t addr, struct space_map *found)
{
	const struct space_node *node = space->root, *behind = NULL;
	unsigned levels = space->height, behind_levels = 0, at;

	for (;;) {
		at = place_of(node, addr) + 1;
		if (at < node->count && levels == 1) {
			*found = map_at(node, at);
			return true;
		}
		if (at < node->count) {
			behind = node->below[at];
			behind_levels = levels - 1;
		}
		if (levels-- == 1)
			break;
		node = node->below[at - 1];
	}
	if (!behind)
		return false;
	while (behind_levels-- > 1)
		behind = behind->below[0];
	*found = map_at(behind, 0);
	return true;
}

bool space_first_behind(const struct space *space, uint64_t addr, struct space_map *found)
{
	if (!space->root || addr == NO_START)
		return false;
	*found = map_near(space, addr);
	return found->end > addr || map_behind(space, addr, found);
}

bool space_last_before(const struct space *space, uint64_t addr, struct space_map *found)
{
	if (!space->root || addr == 0)
		return false;
	*found = map_near(space, addr - 1);
	return found->start < addr;
}

const struct space_map *space_search(struct space *space, uint64_t addr)
{
	struct space_map map;
	bool behind = space_first_behind(space, addr, &map);
	uint64_t end = behind ? map.start : UINT64_MAX;

	if (behind && map.start <= addr) {
		space->hint = map;
		return &space->hint;
	}
	/* nothing is mapped here, up to there */
	if (space->gap_end != end || addr < space->gap)
		space->gap = addr;
	space->gap_end = end;
	return NULL;
}

/* What a lookup needs of a node with so many levels, its own counted. */
static inline void fetch(const struct space_node *node, unsigned levels)
{
	__builtin_prefetch(node->starts);
	if (levels > 1)
		__builtin_prefetch(node->below);
}

/* One level down; false if all are at the lowest. */
static bool descend_all(struct space_look *looks, size_t count)
{
	bool again = false;

	for (size_t i = 0; i < count; i++) {
		struct space_look *look = &looks[i];

		if (look->levels <= 1)
			continue;
		look->node = look->node->below[place_of(look->node, look->addr)];
		fetch(look->node, --look->levels);
		again |= look->levels > 1;
	}
	return again;
}

void space_find_all(struct space_look *looks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		looks[i].node = looks[i].addr == NO_START ? NULL : looks[i].space->root;
		looks[i].levels = looks[i].node ? looks[i].space->height : 0;
		if (looks[i].node)
			fetch(looks[i].node, looks[i].levels);
	}
	while (descend_all(looks, count))
		;
	for (size_t i = 0; i < count; i++) {
		if (!looks[i].node)
			continue;
		looks[i].at = place_of(looks[i].node, looks[i].addr);
		__builtin_prefetch(&looks[i].node->entries[looks[i].at]);
	}
	for (size_t i = 0; i < count; i++) {
		looks[i].found = false;
		if (!looks[i].node)
			continue;
		looks[i].map = map_at(looks[i].node, looks[i].at);
		looks[i].found = looks[i].addr >= looks[i].map.start && looks[i].addr < looks[i].map.end;
		if (looks[i].found)
			looks[i].space->hint = looks[i].map;
	}
}

/* What is left of a mapping behind end, if it reaches so far, becomes a mapping again. */
static bool put_rest(struct space *space, struct space_map rest, uint64_t end, struct err *err)
{
	if (rest.end <= end)
		return true;
	rest.pgoff += end - rest.start;
	rest.start = end;
	return insert(space, &rest, err);
}

/* Cuts what starts before start at start; if [start, end) is a hole in it, its other side stays. */
static bool cut_left(struct space *space, const struct space_map *over, uint64_t start,
                     uint64_t end, struct err *err)
{
	struct space_entry *left = changeable(space, over->start, err);

	if (!left)
		return false;
	left->end = start;
	return put_rest(space, *over, end, err);
}

/* Takes out what starts in [start, end), where something does. */
static bool cut_right(struct space *space, uint64_t start, uint64_t end, struct err *err)
{
	struct space_map last;

	space_last_before(space, end, &last);
	return erase(space, start, end, err) && put_rest(space, last, end, err);
}

bool space_remove(struct space **space, uint64_t start, uint64_t end, struct err *err)
{
	struct space_map over;
	bool found;

	if (!own_space(space, err))
		return false;
	found = space_first_behind(*space, start, &over);
	if (found && over.start < start) {
		if (!cut_left(*space, &over, start, end, err))
			return false;
		found = space_first_behind(*space, start, &over);
	}
	return !found || over.start >= end || cut_right(*space, start, end, err);
}

bool space_insert(struct space **space, const struct space_map *map, struct err *err)
{
	if (map->start >= map->end)
		return true;
	return space_remove(space, map->start, map->end, err) && insert(*space, map, err);
}

bool space_rebind(struct space **space, uint64_t start, uint64_t pgoff, uint32_t binary,
                  struct err *err)
{
	struct space_entry *map;

	if (!own_space(space, err))
		return false;
	map = changeable(*space, start, err);
	if (map) {
		map->pgoff = pgoff;
		map->binary = binary;
	}
	return map != NULL;
}
