/*
 * Names of the kernel and its modules. Only symbols of the very kernel that was recorded are used:
 * by build id, or, where nothing else is known, by its release, which is said then.
 */
#ifndef READPERF_DECODE_SYMBOLS_KERNEL_H
#define READPERF_DECODE_SYMBOLS_KERNEL_H

#include "decode/files/elf.h"
#include "decode/symbols/kallsyms.h"
#include "decode/symbols/symboloptions.h"

/*
 * Keeps the kernel's symbol list for its modules. Must outlive all symbols that were loaded with
 * it; only one symbols_load() with the same cache at a time.
 */
struct symbol_cache *symbol_cache_new(struct err *err);
void symbol_cache_free(struct symbol_cache *cache);

/* What a load finds, handed to struct symbols. */
struct kernel_symbols {
	struct symtable table;         /* used unless shared is set */
	const struct symtable *shared; /* of the cache */
	char *path;                    /* of the file with the names, malloc'd, or NULL */
	char *debug_path;              /* of the file with DWARF, malloc'd, or NULL */
	enum symbol_origin reason;     /* without symbols: why */
};

struct kernel_query {
	const struct binary *binary;
	const struct strings *strings;
	const struct symbol_options *options;
	struct diag *diag;
	struct symbol_cache *cache;
};

/* False with err set only when memory is refused. */
bool kernel_load(const struct kernel_query *query, struct kernel_symbols *found, struct err *err);
/* The same for a module (module.c). */
bool module_load(const struct kernel_query *query, struct kernel_symbols *found, struct err *err);

/*
 * The kallsyms list of the recorded kernel, read once per cache; NULL, with *reason set, if there
 * is none. kernel: not NULL. *path is the cache's. *live: whether it is this running kernel's list.
 */
const struct kallsyms *kernel_kallsyms(const struct kernel_query *query,
                                       const struct binary *kernel, const char **path, bool *live,
                                       enum symbol_origin *reason, struct err *err);

/* The running kernel's build id; false if it does not say. */
bool running_build_id(struct build_id *id);
/* Whether the recording, which tells no build id, was made under the running kernel's release. */
bool running_release(const struct symbol_options *options);

#endif
