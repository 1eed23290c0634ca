#define _DEFAULT_SOURCE /* madvise(), MAP_ANONYMOUS */

#include "decode/spacenode.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_SMALL ((size_t)64 * 1024)
#define CHUNK_LARGE \
	((size_t)2 * 1024 * 1024) /* as large as a large page; where a pool has as much already */

struct space_chunk {
	struct space_chunk *next;
	size_t used, size; /* bytes */
};

void space_pool_release(struct space_pool *pool)
{
	while (pool->chunks) {
		struct space_chunk *next = pool->chunks->next;

		if (pool->chunks->size == CHUNK_LARGE)
			munmap(pool->chunks, CHUNK_LARGE);
		else
			free(pool->chunks);
		pool->chunks = next;
	}
	memset(pool->free, 0, sizeof(pool->free));
	pool->size = 0;
}

/* Bytes: 64, 128 and 256. */
static size_t size_of(enum space_kind kind)
{
	size_t used[] = { [SPACE_INNER] = offsetof(struct space_node, below) +
		                          sizeof(((struct space_node *)NULL)->below),
		          [SPACE_PAGES] = offsetof(struct space_node, binaries) +
		                          sizeof(((struct space_node *)NULL)->binaries),
		          [SPACE_BYTES] = sizeof(struct space_node) };

	return (used[kind] + NODE_ALIGN - 1) / NODE_ALIGN * NODE_ALIGN;
}

/*
 * A large chunk where one page can hold it, or NULL. posix_memalign() would keep the address space
 * around it, which counts where that is limited.
 */
static void *map_large(void)
{
	void *mapped = mmap(NULL, 2 * CHUNK_LARGE, PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (mapped == MAP_FAILED)
		return NULL;
	before = CHUNK_LARGE - (size_t)((uintptr_t)mapped % CHUNK_LARGE);
	munmap(mapped, before);
	mapped = (uint8_t *)mapped + before;
	if (before < CHUNK_LARGE)
		munmap((uint8_t *)mapped + CHUNK_LARGE, CHUNK_LARGE - before);
#ifdef MADV_HUGEPAGE
	/* one page instead of hundreds, where the kernel has some to spare */
	madvise(mapped, CHUNK_LARGE, MADV_HUGEPAGE);
#endif
	return mapped;
}

/* A chunk of that size, or NULL. */
static struct space_chunk *chunk_new(size_t size)
{
	void *memory = NULL;
	struct space_chunk *chunk;

	if (size == CHUNK_LARGE)
		memory = map_large();
	else if (posix_memalign(&memory, NODE_ALIGN, size))
		return NULL;
	if (!memory)
		return NULL;
	chunk = memory;
	chunk->used = NODE_ALIGN;
	chunk->size = size;
	return chunk;
}

static struct space_node *carve(struct space_pool *pool, size_t size, struct err *err)
{
	struct space_chunk *chunk = pool->chunks;
	uint8_t *memory;

	if (!chunk || chunk->size - chunk->used < size) {
		chunk = pool->size < CHUNK_LARGE ? NULL : chunk_new(CHUNK_LARGE);
		if (!chunk && !(chunk = chunk_new(CHUNK_SMALL))) {
			err_nomem(err, CHUNK_SMALL);
			return NULL;
		}
		chunk->next = pool->chunks;
		pool->chunks = chunk;
		pool->size += chunk->size;
	}
	memory = (uint8_t *)chunk + chunk->used;
	chunk->used += size;
	return (struct space_node *)(void *)memory;
}

struct space_node *space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err)
{
	struct space_node **free = &pool->free[kind], *node = *free;

	if (node)
		*free = node->next_free;
	else if (!(node = carve(pool, size_of(kind), err)))
		return NULL;
	node->users = 1;
	node->kind = (uint16_t)kind;
	space_node_cut(node, 0);
	return node;
}

struct space_node *space_node_copy(struct space_pool *pool, const struct space_node *node,
                                   struct err *err)
{
	struct space_node *copy = space_node_new(pool, node->kind, err);

	if (!copy)
		return NULL;
	memcpy(copy, node, size_of(node->kind));
	copy->users = 1;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		node->below[i]->users++;
	return copy;
}

void space_node_free(struct space_pool *pool, struct space_node *node)
{
	struct space_node **free = &pool->free[node->kind];

	node->next_free = *free;
	*free = node;
}

void space_node_put(struct space_pool *pool, struct space_node *node)
{
	if (--node->users)
		return;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		space_node_put(pool, node->below[i]);
	space_node_free(pool, node);
}

/* Whether a leaf of pages can tell the mapping, wherever it is. */
static bool is_paged(const struct space_map *map)
{
	return ((map->start | map->end | map->pgoff) & (SPACE_PAGE - 1)) == 0 &&
	       (map->end - map->start) / SPACE_PAGE <= UINT16_MAX &&
	       map->pgoff / SPACE_PAGE <= UINT16_MAX && map->binary <= UINT16_MAX;
}

/* Whether a leaf with that base can tell where the mapping starts. */
static bool is_near(uint64_t base, uint64_t start)
{
	return start >= base && (start - base) / SPACE_PAGE < NO_PAGE;
}

struct space_node *space_leaf_for(struct space_pool *pool, const struct space_map *map,
                                  struct err *err)
{
	struct space_node *leaf = space_node_new(pool, is_paged(map) ? SPACE_PAGES : SPACE_BYTES,
	                                         err);

	if (leaf && leaf->kind == SPACE_PAGES)
		leaf->base = map->start;
	return leaf;
}

/* Counts the pages of a leaf with mappings from another place. */
static void set_base(struct space_node *leaf, uint64_t base)
{
	for (unsigned i = 0; i < leaf->count; i++)
		leaf->pages[i] = (uint16_t)((space_start(leaf, i) - base) / SPACE_PAGE);
	leaf->base = base;
}

/* The same mappings in a leaf of any. */
static bool widen(struct space_pool *pool, struct space_node **link, struct err *err)
{
	struct space_node *leaf = *link, *wide = space_node_new(pool, SPACE_BYTES, err);

	if (!wide)
		return false;
	for (wide->count = 0; wide->count < leaf->count; wide->count++) {
		struct space_map map = space_map_at(leaf, wide->count);

		space_leaf_set(wide, wide->count, &map);
	}
	space_node_free(pool, leaf);
	*link = wide;
	return true;
}

bool space_leaf_admit(struct space_pool *pool, struct space_node **link,
                      const struct space_map *map, struct err *err)
{
	struct space_node *leaf = *link;
	uint64_t base, last;

	if (leaf->kind == SPACE_BYTES)
		return true;
	if (!is_paged(map))
		return widen(pool, link, err);
	if (is_near(leaf->base, map->start))
		return true;
	base = leaf->count ? u64_min(space_start(leaf, 0), map->start) : map->start;
	last = leaf->count ? u64_max(space_start(leaf, leaf->count - 1), map->start) : map->start;
	if (!is_near(base, last))
		return widen(pool, link, err);
	set_base(leaf, base);
	return true;
}

void space_leaf_set(struct space_node *leaf, unsigned at, const struct space_map *map)
{
	if (leaf->kind == SPACE_PAGES) {
		leaf->pages[at] = (uint16_t)((map->start - leaf->base) / SPACE_PAGE);
		leaf->lengths[at] = (uint16_t)((map->end - map->start) / SPACE_PAGE);
		leaf->pgoffs[at] = (uint16_t)(map->pgoff / SPACE_PAGE);
		leaf->binaries[at] = (uint16_t)map->binary;
		return;
	}
	leaf->starts[at] = map->start;
	leaf->entries[at] = (struct space_entry){ map->end, map->pgoff, map->binary };
}

/* One column of a node's mappings. */
static inline void move_column(uint16_t *target, unsigned to, const uint16_t *column, unsigned from,
                               unsigned count)
{
	memmove(target + to, column + from, count * sizeof(*column));
}

void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count)
{
	if (node->kind == SPACE_PAGES) {
		move_column(target->pages, to, node->pages, from, count);
		move_column(target->lengths, to, node->lengths, from, count);
		move_column(target->pgoffs, to, node->pgoffs, from, count);
		move_column(target->binaries, to, node->binaries, from, count);
		return;
	}
	memmove(target->starts + to, node->starts + from, count * sizeof(*node->starts));
	if (node->kind == SPACE_INNER)
		memmove(target->below + to, node->below + from, count * sizeof(*node->below));
	else
		memmove(target->entries + to, node->entries + from, count * sizeof(*node->entries));
}

void space_node_cut(struct space_node *node, unsigned count)
{
	node->count = (uint16_t)count;
	for (unsigned i = count; node->kind != SPACE_PAGES && i < SPACE_PLACES; i++)
		node->starts[i] = NO_START;
	for (unsigned i = count; node->kind == SPACE_PAGES && i < SPACE_PAGED; i++)
		node->pages[i] = NO_PAGE;
}
