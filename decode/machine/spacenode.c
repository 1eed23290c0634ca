#define _DEFAULT_SOURCE /* madvise(), MAP_ANONYMOUS */

#include "decode/machine/spacenode.h"

#include "util/vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_SMALL SPACE_PIECE
#define CHUNK_LARGE \
	((size_t)2 * 1024 * 1024) /* as large as a large page; where a pool has as much already */
#define KNOWN 8192                /* nodes that others may be the same as */
#define KNOWN_TRIES 4             /* places for one of them */

struct space_chunk {
	struct space_chunk *next;
	size_t used, size;  /* bytes */
	size_t first_piece; /* of its pool */
};

static void chunk_free(struct space_chunk *chunk)
{
	if (chunk->size == CHUNK_LARGE)
		munmap(chunk, CHUNK_LARGE);
	else
		free(chunk);
}

void space_pool_release(struct space_pool *pool)
{
	while (pool->chunks) {
		struct space_chunk *next = pool->chunks->next;

		chunk_free(pool->chunks);
		pool->chunks = next;
	}
	free(pool->pieces);
	free(pool->shapes);
	free(pool->known);
	map_release(&pool->shape_of);
	memset(pool, 0, sizeof(*pool));
}

/* Where a node of a kind has its two columns: starts, and what belongs to each of them. Bytes. */
static const struct layout {
	size_t starts, start_size, others, other_size;
	unsigned places;
} layouts[] = {
	[SPACE_INNER] = { offsetof(struct space_node, starts), sizeof(uint64_t),
	                  offsetof(struct space_node, below), sizeof(uint32_t),
	                  SPACE_INNER_PLACES },
	[SPACE_PAGES] = { offsetof(struct space_node, pages), sizeof(uint16_t),
	                  offsetof(struct space_node, shapes), sizeof(uint16_t),
	                  SPACE_PAGES_PLACES },
	[SPACE_BYTES] = { offsetof(struct space_node, any_starts), sizeof(uint64_t),
	                  offsetof(struct space_node, entries), sizeof(struct space_entry),
	                  SPACE_BYTES_PLACES },
};

static const struct layout *layout_of(const struct space_node *node)
{
	return &layouts[node->kind];
}

/* Bytes: 64, 128 and 256. */
static size_t size_of(enum space_kind kind)
{
	size_t used = layouts[kind].others + layouts[kind].places * layouts[kind].other_size;

	return (used + NODE_ALIGN - 1) / NODE_ALIGN * NODE_ALIGN;
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

/* Makes the chunk the pool's newest. */
static bool add_chunk(struct space_pool *pool, struct space_chunk *chunk, struct err *err)
{
	chunk->first_piece = pool->piece_count;
	for (size_t at = 0; at < chunk->size; at += SPACE_PIECE) {
		uint8_t **pieces = vec_grow(pool->pieces, pool->piece_count, &pool->piece_capacity,
		                            sizeof(*pieces), err);

		if (!pieces) {
			pool->piece_count = chunk->first_piece;
			chunk_free(chunk);
			return false;
		}
		pool->pieces = pieces;
		pieces[pool->piece_count++] = (uint8_t *)chunk + at;
	}
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	pool->size += chunk->size;
	return true;
}

/* The number of so many bytes, or 0: the first line of a chunk, where it begins, is no node. */
static uint32_t carve(struct space_pool *pool, size_t size, struct err *err)
{
	struct space_chunk *chunk = pool->chunks;
	uint64_t line;

	if (!chunk || chunk->size - chunk->used < size) {
		chunk = pool->size < CHUNK_LARGE ? NULL : chunk_new(CHUNK_LARGE);
		if (!chunk && !(chunk = chunk_new(CHUNK_SMALL))) {
			err_nomem(err, CHUNK_SMALL);
			return 0;
		}
		if (!add_chunk(pool, chunk, err))
			return 0;
	}
	line = (chunk->first_piece * SPACE_PIECE + chunk->used) / NODE_ALIGN;
	if (line > UINT32_MAX) { /* 256 GB of nodes */
		err_nomem(err, size);
		return 0;
	}
	chunk->used += size;
	return (uint32_t)line;
}

uint32_t space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err)
{
	uint32_t number = pool->free[kind];
	struct space_node *node;

	if (!number && !(number = carve(pool, size_of(kind), err)))
		return 0;
	node = space_node_at(pool, number);
	if (number == pool->free[kind])
		pool->free[kind] = node->next_free;
	node->users = 1;
	node->kind = (uint16_t)kind;
	space_node_cut(node, 0);
	return number;
}

uint32_t space_node_copy(struct space_pool *pool, const struct space_node *node, struct err *err)
{
	uint32_t number = space_node_new(pool, node->kind, err);
	struct space_node *copy;

	if (!number)
		return 0;
	copy = space_node_at(pool, number);
	memcpy(copy, node, size_of(node->kind));
	copy->users = 1;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		space_node_at(pool, node->below[i])->users++;
	return number;
}

void space_node_free(struct space_pool *pool, uint32_t number)
{
	struct space_node *node = space_node_at(pool, number);

	node->users = 0;
	node->next_free = pool->free[node->kind];
	pool->free[node->kind] = number;
}

void space_node_put(struct space_pool *pool, uint32_t number)
{
	struct space_node *node = space_node_at(pool, number);

	if (--node->users)
		return;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		space_node_put(pool, node->below[i]);
	space_node_free(pool, number);
}

/* A node that is in use, and holds what another one does. */
static bool is_same(const struct space_node *a, const struct space_node *b)
{
	const struct layout *layout = layout_of(b);
	const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;

	/* pages are counted from the first start */
	return a->users && a->kind == b->kind && a->count == b->count &&
	       space_start(a, 0) == space_start(b, 0) &&
	       !memcmp(x + layout->starts, y + layout->starts, b->count * layout->start_size) &&
	       !memcmp(x + layout->others, y + layout->others, b->count * layout->other_size);
}

/* Who knows it can only make nodes that are not shared. */
static uint64_t hash_of(const struct space_node *node)
{
	const struct layout *layout = layout_of(node);
	const uint8_t *bytes = (const uint8_t *)node;
	uint64_t hash = hash_bytes(space_start(node, 0), bytes + layout->starts,
	                           node->count * layout->start_size);

	return hash_bytes(hash, bytes + layout->others, node->count * layout->other_size);
}

uint32_t space_node_share(struct space_pool *pool, uint32_t number)
{
	const struct space_node *node = space_node_at(pool, number);
	uint64_t hash = hash_of(node);
	uint32_t *place = NULL;

	/* without memory for it every space has its own nodes */
	if (!pool->known && !(pool->known = calloc(KNOWN, sizeof(*pool->known))))
		return number;
	for (uint64_t i = 0; i < KNOWN_TRIES; i++) {
		uint32_t *known = &pool->known[(hash + i) % KNOWN];

		/* what was put there may have changed since, or have been given back */
		if (*known && is_same(space_node_at(pool, *known), node)) {
			space_node_at(pool, *known)->users++;
			space_node_put(pool, number);
			return *known;
		}
		if (!place || (*place && !*known))
			place = known;
	}
	*place = number;
	return number;
}

/* Whether a mapping can have a shape. */
static bool is_paged(const struct space_map *map)
{
	return ((map->start | map->end | map->pgoff) & (SPACE_PAGE - 1)) == 0 &&
	       (map->end - map->start) / SPACE_PAGE <= UINT16_MAX &&
	       map->pgoff / SPACE_PAGE <= UINT16_MAX;
}

bool space_shape_find(struct space_pool *pool, const struct space_map *map, uint16_t *shape,
                      struct err *err)
{
	uint64_t length = (map->end - map->start) / SPACE_PAGE, pgoff = map->pgoff / SPACE_PAGE,
		 key;
	struct space_shape *shapes;
	uint32_t known;

	*shape = SPACE_NO_SHAPE;
	if (!is_paged(map))
		return true;
	key = (length << 16 | pgoff) << 32 | map->binary;
	known = map_get(&pool->shape_of, key);
	if (known == MAP_NONE) {
		known = (uint32_t)pool->shape_count;
		if (known == SPACE_NO_SHAPE)
			return true;
		shapes = vec_grow(pool->shapes, known, &pool->shape_capacity, sizeof(*shapes), err);
		if (!shapes)
			return false;
		pool->shapes = shapes;
		if (!map_put(&pool->shape_of, key, known, err))
			return false;
		shapes[known] = (struct space_shape){ (uint16_t)length, (uint16_t)pgoff,
			                              map->binary };
		pool->shape_count++;
	}
	*shape = (uint16_t)known;
	return true;
}

/* Whether a leaf with that base can tell where the mapping starts. */
static bool is_near(uint64_t base, uint64_t start)
{
	return start >= base && (start - base) / SPACE_PAGE < NO_PAGE;
}

uint32_t space_leaf_for(struct space_pool *pool, const struct space_map *map, uint16_t shape,
                        struct err *err)
{
	bool paged = shape != SPACE_NO_SHAPE;
	uint32_t number = space_node_new(pool, paged ? SPACE_PAGES : SPACE_BYTES, err);

	if (number && paged)
		space_node_at(pool, number)->base = map->start;
	return number;
}

/* Counts the pages of a leaf with mappings from another place. */
static void set_base(struct space_node *leaf, uint64_t base)
{
	for (unsigned i = 0; i < leaf->count; i++)
		leaf->pages[i] = (uint16_t)((space_start(leaf, i) - base) / SPACE_PAGE);
	leaf->base = base;
}

/* Puts the mapping at a place of a leaf of any. */
static void set_any(struct space_node *leaf, unsigned at, const struct space_map *map)
{
	leaf->any_starts[at] = map->start;
	leaf->entries[at] = (struct space_entry){ map->end, map->pgoff, map->binary };
}

/* The same mappings, for which there are places, in a leaf of any. */
static bool widen(struct space_pool *pool, uint32_t *link, struct err *err)
{
	struct space_node *leaf = space_node_at(pool, *link), *wide;
	uint32_t number = space_node_new(pool, SPACE_BYTES, err);

	if (!number)
		return false;
	wide = space_node_at(pool, number);
	for (wide->count = 0; wide->count < leaf->count; wide->count++) {
		struct space_map map = space_map_at(pool, leaf, wide->count);

		set_any(wide, wide->count, &map);
	}
	space_node_free(pool, *link);
	*link = number;
	return true;
}

/* From where a leaf of pages can tell the start of the mapping, too; false if it can from nowhere. */
static bool find_base(const struct space_node *leaf, const struct space_map *map, uint64_t *base)
{
	uint64_t last = map->start;

	*base = leaf->base;
	if (is_near(*base, map->start))
		return true;
	*base = map->start;
	if (leaf->count) {
		*base = u64_min(space_start(leaf, 0), map->start);
		last = u64_max(space_start(leaf, leaf->count - 1u), map->start);
	}
	return is_near(*base, last);
}

/* Whether the mapping can be in a leaf of pages, as this one is with that base. */
static bool fits_pages(const struct space_node *leaf, const struct space_map *map, uint16_t shape,
                       uint64_t *base)
{
	return leaf->kind == SPACE_PAGES && shape != SPACE_NO_SHAPE && find_base(leaf, map, base);
}

unsigned space_leaf_places(const struct space_node *leaf, const struct space_map *map,
                           uint16_t shape)
{
	uint64_t base;

	return fits_pages(leaf, map, shape, &base) ? SPACE_PAGES_PLACES : SPACE_BYTES_PLACES;
}

/* Makes the leaf at *link one that can hold the mapping; NULL with err set. */
static struct space_node *admit(struct space_pool *pool, uint32_t *link,
                                const struct space_map *map, uint16_t shape, struct err *err)
{
	struct space_node *leaf = space_node_at(pool, *link);
	uint64_t base;

	if (fits_pages(leaf, map, shape, &base)) {
		if (base != leaf->base)
			set_base(leaf, base);
		return leaf;
	}
	if (leaf->kind == SPACE_PAGES && !widen(pool, link, err))
		return NULL;
	return space_node_at(pool, *link);
}

static void set(struct space_node *leaf, unsigned at, const struct space_map *map, uint16_t shape)
{
	if (leaf->kind == SPACE_PAGES) {
		leaf->pages[at] = (uint16_t)((map->start - leaf->base) / SPACE_PAGE);
		leaf->shapes[at] = shape;
	} else {
		set_any(leaf, at, map);
	}
}

bool space_leaf_insert(struct space_pool *pool, uint32_t *link, unsigned at,
                       const struct space_map *map, uint16_t shape, struct err *err)
{
	struct space_node *leaf = admit(pool, link, map, shape, err);

	if (!leaf)
		return false;
	if (at < leaf->count) /* most come behind */
		space_node_move(leaf, at + 1, leaf, at, leaf->count - at);
	leaf->count++;
	set(leaf, at, map, shape);
	return true;
}

bool space_leaf_replace(struct space_pool *pool, uint32_t *link, unsigned at,
                        const struct space_map *map, uint16_t shape, struct err *err)
{
	struct space_node *leaf = admit(pool, link, map, shape, err);

	if (leaf)
		set(leaf, at, map, shape);
	return leaf != NULL;
}

void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count)
{
	const struct layout *layout = layout_of(node);
	uint8_t *x = (uint8_t *)target;
	const uint8_t *y = (const uint8_t *)node;

	memmove(x + layout->starts + to * layout->start_size,
	        y + layout->starts + from * layout->start_size, count * layout->start_size);
	memmove(x + layout->others + to * layout->other_size,
	        y + layout->others + from * layout->other_size, count * layout->other_size);
}

void space_node_cut(struct space_node *node, unsigned count)
{
	const struct layout *layout = layout_of(node);

	node->count = (uint16_t)count;
	/* NO_START and NO_PAGE: all bits are set */
	memset((uint8_t *)node + layout->starts + count * layout->start_size, 0xff,
	       (layout->places - count) * layout->start_size);
}
