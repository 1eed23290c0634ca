#include "decode/naming/lookupcache.h"

#include <stdlib.h>
#include <string.h>

#define CACHED_BYTES ((size_t)96 * 1024 * 1024) /* of their symbols */

/*
 * Asking for one function costs a few ms where the debug information is packed, asking for all some
 * ten times as much.
 */
#define ASKED_MOST 4

/* What, beside the path, decides which file is read as that of a binary. No padding: is compared.
 */
struct cache_key {
	struct build_id build_id;
	uint8_t id_of_path, same_machine, other_machine, extents_cut, extent_count, spare;
	uint32_t major, minor;
	uint64_t inode;
	struct binary_extent extents[BINARY_EXTENTS];
};

struct cached_binary {
	struct cache_key key;
	char *path;              /* of the binary, as recorded; owned; NULL: the place is free */
	struct symbols *symbols; /* owned */
	size_t bytes;
	unsigned asked;   /* how often new functions were asked for */
	uint64_t used;    /* when it was used last: a number that grows */
	struct map files; /* entry of a function -> its file, a string */
	struct strings strings;
};

struct lookup_cache {
	struct cached_binary items[LOOKUP_CACHE_FILES];
	size_t bytes;
	uint64_t now;
	struct kernel_lists kernels;
};

struct lookup_cache *lookup_cache_new(struct err *err)
{
	struct lookup_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		err_nomem(err, sizeof(*cache));
	return cache;
}

static void remove_item(struct lookup_cache *cache, struct cached_binary *item)
{
	cache->bytes -= item->bytes;
	symbols_free(item->symbols);
	free(item->path);
	map_release(&item->files);
	strings_release(&item->strings);
	*item = (struct cached_binary){ .path = NULL };
}

struct kernel_lists *lookup_cache_kernels(struct lookup_cache *cache)
{
	return &cache->kernels;
}

void lookup_cache_drop(struct lookup_cache *cache, struct cached_binary *binary)
{
	remove_item(cache, binary);
}

/* Whether nothing else than the path and the key decides what is read. */
static bool can_be_kept(const struct symbol_query *query)
{
	const struct binary *binary = query->binary;
	const struct symbol_options *options = query->options;

	return binary->kind == BINARY_FILE && !binary->guest && binary->build_id.size &&
	       !options->pack && !options->recorded_files && !options->files.debuginfod;
}

static void make_key(struct cache_key *key, const struct symbol_query *query)
{
	const struct binary *binary = query->binary;

	memset(key, 0, sizeof(*key));
	key->build_id.size = binary->build_id.size;
	memcpy(key->build_id.bytes, binary->build_id.bytes, binary->build_id.size);
	key->other_machine = query->options->files.other_machine;
	key->same_machine = query->options->files.same_machine;
	key->id_of_path = binary->build_id_of_path;
	/* if the kernel wrote the build id, that is proof enough */
	if (!binary->build_id_of_path)
		return;
	key->major = binary->major;
	key->minor = binary->minor;
	key->inode = binary->inode;
	key->extents_cut = binary->extents_cut;
	key->extent_count = binary->extent_count;
	memcpy(key->extents, binary->extents, binary->extent_count * sizeof(*key->extents));
}

struct cached_binary *lookup_cache_find(struct lookup_cache *cache,
                                        const struct symbol_query *query)
{
	const char *path = strings_get(query->strings, query->binary->path);
	struct cache_key key;

	if (!can_be_kept(query))
		return NULL;
	make_key(&key, query);
	for (size_t i = 0; i < LOOKUP_CACHE_FILES; i++) {
		struct cached_binary *item = &cache->items[i];

		if (!item->path || memcmp(&item->key, &key, sizeof(key)) != 0 ||
		    strcmp(item->path, path) != 0)
			continue;
		item->used = ++cache->now;
		return item;
	}
	return NULL;
}

/* A free place, with so many bytes below the limit; what was used longest ago is removed. */
static struct cached_binary *make_room(struct lookup_cache *cache, size_t bytes)
{
	for (;;) {
		struct cached_binary *oldest = NULL, *unused = NULL;

		for (size_t i = 0; i < LOOKUP_CACHE_FILES; i++) {
			struct cached_binary *item = &cache->items[i];

			if (!item->path)
				unused = item;
			else if (!oldest || item->used < oldest->used)
				oldest = item;
		}
		if (unused && cache->bytes + bytes <= CACHED_BYTES)
			return unused;
		remove_item(cache, oldest);
	}
}

struct cached_binary *lookup_cache_put(struct lookup_cache *cache, const struct symbol_query *query,
                                       struct symbols *symbols)
{
	/* with the files of all functions */
	const size_t bytes = symbols_bytes(symbols) + symbols_bytes(symbols) / 2;
	struct err ignored = { 0 };
	struct cached_binary *item;

	if (!can_be_kept(query) || !symbols_may_be_kept(symbols) || bytes > CACHED_BYTES / 2)
		return NULL;
	item = make_room(cache, bytes);
	item->path = strdup(strings_get(query->strings, query->binary->path));
	if (!item->path || !strings_init(&item->strings, &ignored)) {
		strings_release(&item->strings);
		free(item->path);
		*item = (struct cached_binary){ .path = NULL };
		return NULL;
	}
	make_key(&item->key, query);
	item->symbols = symbols;
	item->bytes = bytes;
	item->used = ++cache->now;
	cache->bytes += bytes;
	return item;
}

struct symbols *cached_symbols(const struct cached_binary *binary)
{
	return binary->symbols;
}

bool cached_wants_all(struct cached_binary *binary)
{
	return ++binary->asked == ASKED_MOST && binary->bytes <= CACHED_BYTES / 4;
}

bool cached_answer(const struct cached_binary *binary, struct source_query *query, size_t *left,
                   struct err *err)
{
	struct source_function *functions = query->functions;

	*left = 0;
	for (size_t i = 0; i < query->function_count; i++) {
		const uint32_t file = map_get(&binary->files, functions[i].entry);

		if (file == MAP_NONE) {
			const struct source_function asked = functions[i];

			functions[i] = functions[*left];
			functions[(*left)++] = asked;
			continue;
		}
		functions[i].file = strings_put_text(query->strings,
		                                     strings_get(&binary->strings, file), err);
		if (functions[i].file == STRING_NONE)
			return false;
	}
	return true;
}

bool cached_keep(struct cached_binary *binary, const struct source_query *query, struct err *err)
{
	for (size_t i = 0; i < query->function_count; i++) {
		const struct source_function *function = &query->functions[i];
		const uint32_t file = strings_put_text(
			&binary->strings, strings_get(query->strings, function->file), err);

		if (file == STRING_NONE || !map_put(&binary->files, function->entry, file, err))
			return false;
	}
	return true;
}
