/* Memory with one owner: allocated piece by piece, given back all at once. */
#ifndef READPERF_UTIL_ARENA_H
#define READPERF_UTIL_ARENA_H

#include "util/errhandler.h"

struct arena_chunk;

/* All zeros is empty. */
struct arena {
	struct arena_chunk *chunks; /* newest first */
	size_t size;                /* bytes held, for -v */
};

void arena_release(struct arena *arena);
/* Zeroed bytes aligned for any type, owned by the arena; NULL with err set when memory is refused.
 */
void *arena_alloc(struct arena *arena, size_t size, struct err *err);
/* A NUL-terminated copy of length bytes of text. */
char *arena_text(struct arena *arena, const char *text, size_t length, struct err *err);

#endif
