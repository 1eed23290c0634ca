#include "util/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* bytes; each new chunk is as large as all earlier ones together, so a small arena stays small */
#define CHUNK_FIRST 1024
#define CHUNK_MOST 65536

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	alignas(max_align_t) uint8_t data[];
};

void arena_release(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
	arena->size = 0;
}

static size_t chunk_size(const struct arena *arena)
{
	if (arena->size <= CHUNK_FIRST)
		return CHUNK_FIRST;
	return arena->size < CHUNK_MOST ? arena->size : CHUNK_MOST;
}

void *arena_alloc(struct arena *arena, size_t size, struct err *err)
{
	const size_t align = alignof(max_align_t);
	struct arena_chunk *chunk = arena->chunks;
	size_t rounded, whole;
	void *p;

	if (__builtin_add_overflow(size, align - 1, &rounded)) {
		err_nomem(err, size);
		return NULL;
	}
	rounded &= ~(align - 1);
	if (!chunk || chunk->size - chunk->used < rounded) {
		size_t room = chunk_size(arena);

		room = rounded > room ? rounded : room;
		if (__builtin_add_overflow(room, sizeof(*chunk), &whole) ||
		    !(chunk = malloc(whole))) {
			err_nomem(err, size);
			return NULL;
		}
		chunk->next = arena->chunks;
		chunk->used = 0;
		chunk->size = room;
		arena->chunks = chunk;
		arena->size += whole;
	}
	p = chunk->data + chunk->used;
	chunk->used += rounded;
	memset(p, 0, size);
	return p;
}

char *arena_text(struct arena *arena, const char *text, size_t length, struct err *err)
{
	char *copy = arena_alloc(arena, length + 1, err);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}
