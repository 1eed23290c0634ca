/* An address space: sorted mappings that do not overlap. The newest mapping wins where they would. */
#ifndef READPERF_DECODE_SPACE_H
#define READPERF_DECODE_SPACE_H

#include "util/errhandler.h"

struct space_map {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t pgoff;      /* of start in the binary's address space (struct binary) */
	uint32_t binary;
};

/* Forked processes share a space until one of them changes it. */
struct space {
	struct space_map *maps;
	size_t count, capacity;
	size_t hint; /* the mapping found last */
	unsigned users;
};

/* A new empty space with one user; NULL with err set when memory is refused. */
struct space *space_new(struct err *err);
void space_put(struct space *space); /* one user less; NULL is accepted */
/* One more user of the same space. */
static inline struct space *space_share(struct space *space)
{
	space->users++;
	return space;
}

/*
 * Adds a mapping; what it overlaps of older ones is cut off, on both sides. *space may become a
 * copy. False with err set when memory is refused.
 */
bool space_insert(struct space **space, const struct space_map *map, struct err *err);
/* Takes out [start, end). */
bool space_remove(struct space **space, uint64_t start, uint64_t end, struct err *err);
/* The mapping that covers addr, or NULL. */
const struct space_map *space_find(struct space *space, uint64_t addr);

#endif
