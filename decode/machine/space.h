/*
 * An address space: sorted mappings that do not overlap; a new mapping replaces older ones where it
 * would.
 *
 * It is a B+ tree whose nodes count how many trees they are part of: forked processes share all
 * nodes, and a process that changes a mapping copies only the nodes on the way to it. So time and
 * memory depend on the number of changes, not on how much was mapped before.
 */
#ifndef READPERF_DECODE_MACHINE_SPACE_H
#define READPERF_DECODE_MACHINE_SPACE_H

#include "decode/machine/spacepool.h"
#include "util/errhandler.h"

/* Forked processes share a space until one of them changes it. */
struct space {
	struct space_pool *pool; /* borrowed */
	struct space_node *root; /* NULL: nothing is mapped */
	unsigned users;
	struct space_map hint; /* copy of the mapping found last; empty: none */
	uint64_t gap, gap_end; /* nothing is mapped in [gap, gap_end), as the last lookup found */
	/*
	 * The space that an exec replaced, or NULL: until that system call returns, its caller is
	 * there.
	 */
	struct space *before;
};

/* A new empty space with one user; NULL with err set when memory is refused. */
struct space *space_new(struct space_pool *pool, struct err *err);
void space_put(struct space *space); /* one user fewer; accepts NULL */
/* Replaces the space of a process by an empty one. False with err set when memory is refused. */
bool space_exec(struct space **space, struct err *err);
/* One more user of the same space. */
static inline struct space *space_share(struct space *space)
{
	space->users++;
	return space;
}

/*
 * Adds a mapping; the parts of older mappings that it overlaps are removed. *space may become a
 * copy. False with err set when memory is refused; the space can then only be passed to
 * space_put().
 */
bool space_insert(struct space **space, const struct space_map *map, struct err *err);
/* Removes the mappings in [start, end), and these parts of others. */
bool space_remove(struct space **space, uint64_t start, uint64_t end, struct err *err);

/* space_find() without the cached mapping. */
const struct space_map *space_search(struct space *space, uint64_t addr);
/* Whether the cached mapping covers addr. */
static inline bool space_is_at_hint(const struct space *space, uint64_t addr)
{
	return addr - space->hint.start < space->hint.end - space->hint.start;
}

/*
 * The mapping that covers addr, or NULL. Valid until the next lookup in this space, or its next
 * change.
 */
static inline const struct space_map *space_find(struct space *space, uint64_t addr)
{
	if (space_is_at_hint(space, addr))
		return &space->hint;
	if (addr - space->gap < space->gap_end - space->gap)
		return NULL;
	return space_search(space, addr);
}

/* The mapping that covers the caller of a system call, or NULL. */
static inline const struct space_map *space_find_caller(struct space *space, uint64_t addr)
{
	const struct space_map *found = space_find(space, addr);

	return found || !space->before ? found : space_find(space->before, addr);
}

/* The first mapping that ends after addr; false if there is none. */
bool space_first_behind(const struct space *space, uint64_t addr, struct space_map *found);
/* The last mapping that starts before addr; false if there is none. */
bool space_last_before(const struct space *space, uint64_t addr, struct space_map *found);

#endif
