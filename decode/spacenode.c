#define _DEFAULT_SOURCE /* madvise(), MAP_ANONYMOUS */

#include "decode/spacenode.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define CHUNK_SMALL ((size_t)64 * 1024)
#define CHUNK_LARGE ((size_t)2 * 1024 * 1024) /* as large as a large page; where a pool has as much already */

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
	pool->free[0] = pool->free[1] = NULL;
	pool->size = 0;
}

size_t space_node_size(unsigned levels)
{
	const size_t inner = offsetof(struct space_node, below) + SPACE_BELOW * sizeof(void *);

	return levels > 1 ? (inner + NODE_ALIGN - 1) / NODE_ALIGN * NODE_ALIGN : sizeof(struct space_node);
}

/*
 * A large chunk where one page can hold it, or NULL. posix_memalign() would keep the address space
 * around it, which counts where that is limited.
 */
static void *map_large(void)
{
	void *mapped = mmap(NULL, 2 * CHUNK_LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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

struct space_node *space_node_new(struct space_pool *pool, unsigned levels, struct err *err)
{
	struct space_node **free = &pool->free[levels > 1], *node = *free;

	if (node)
		*free = node->next_free;
	else if (!(node = carve(pool, space_node_size(levels), err)))
		return NULL;
	node->users = 1;
	node->count = 0;
	for (size_t i = 0; i < SPACE_PLACES; i++)
		node->starts[i] = NO_START;
	return node;
}

void space_node_free(struct space_pool *pool, struct space_node *node, unsigned levels)
{
	node->next_free = pool->free[levels > 1];
	pool->free[levels > 1] = node;
}

void space_node_put(struct space_pool *pool, struct space_node *node, unsigned levels)
{
	if (--node->users)
		return;
	for (size_t i = 0; levels > 1 && i < node->count; i++)
		space_node_put(pool, node->below[i], levels - 1);
	space_node_free(pool, node, levels);
}

