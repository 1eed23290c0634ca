/*
 * Symbols of binaries, and source files of their functions, that several recordings need one after
 * the other: read once, as long as memory allows. A recording gets from it what it would read
 * itself: a binary is kept only if nothing but its build id, its path and what its key has decided
 * which file is read, and if that gave no warning.
 *
 * In:  the binary of a lookup, and the options.
 * Out: symbols that were read before, and source files of functions that were asked for before.
 */
#ifndef READPERF_DECODE_NAMING_LOOKUPCACHE_H
#define READPERF_DECODE_NAMING_LOOKUPCACHE_H

#include "decode/source/source.h"
#include "decode/symbols/kernellists.h"
#include "decode/symbols/symbols.h"

#define LOOKUP_CACHE_FILES 160 /* binaries that are kept at most, each with an open file */

struct lookup_cache;
struct cached_binary;

/*
 * NULL with err set when memory is refused. One thread at a time may use it; it goes with the
 * process.
 */
struct lookup_cache *lookup_cache_new(struct err *err);

/* Borrowed until the next call for this cache; NULL: not known. */
struct cached_binary *lookup_cache_find(struct lookup_cache *cache,
                                        const struct symbol_query *query);
/*
 * Takes over the symbols that were loaded for the query, unless that cannot be done. NULL: they are
 * still the caller's.
 */
struct cached_binary *lookup_cache_put(struct lookup_cache *cache, const struct symbol_query *query,
                                       struct symbols *symbols);
/* After a warning about a binary: it is not kept any longer. */
void lookup_cache_drop(struct lookup_cache *cache, struct cached_binary *binary);
/* The lists of kernels' symbols; borrowed. */
struct kernel_lists *lookup_cache_kernels(struct lookup_cache *cache);

struct symbols *cached_symbols(const struct cached_binary *binary);
/*
 * Whether new functions were asked for so often that it pays to ask for all of the binary. True
 * once.
 */
bool cached_wants_all(struct cached_binary *binary);
/*
 * Answers the questions about functions that were answered before. The unanswered ones come first
 * in the result, in their order: *left of them. False with err set when memory is refused.
 */
bool cached_answer(const struct cached_binary *binary, struct source_query *query, size_t *left,
                   struct err *err);
/* Keeps answers about functions, those from the first one on. False with err set. */
bool cached_keep(struct cached_binary *binary, const struct source_query *query, struct err *err);

#endif
