/*
 * Names of the kernel and its modules. Only symbols of exactly the recorded kernel are used. It is
 * recognised by its build id or, if that is not known, by its release, which is then reported.
 */
#ifndef READPERF_DECODE_SYMBOLS_KERNEL_H
#define READPERF_DECODE_SYMBOLS_KERNEL_H

#include "decode/files/elf.h"
#include "decode/symbols/kallsyms.h"
#include "decode/symbols/symboloptions.h"

/*
 * Keeps the kernel's list of symbols, for its modules. It must outlive all symbols that were loaded
 * with it. Only one symbols_load() may use it at a time.
 */
struct symbol_cache *symbol_cache_new(struct err *err);
void symbol_cache_free(struct symbol_cache *cache);

/* The result of loading, for struct symbols. */
struct kernel_symbols {
	struct symtable table;         /* used if shared is NULL */
	const struct symtable *shared; /* table of the cache */
	char *path;                    /* the file with the names, malloc'd, or NULL */
	char *debug_path;              /* the file with DWARF, malloc'd, or NULL */
	enum symbol_origin reason;     /* why there are no symbols */
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
 * is none. kernel must not be NULL. The cache owns *path. *live: whether it is the list of the
 * running kernel.
 */
const struct kallsyms *kernel_kallsyms(const struct kernel_query *query,
                                       const struct binary *kernel, const char **path, bool *live,
                                       enum symbol_origin *reason, struct err *err);

/* The running kernel's build id; false if it does not say. */
bool running_build_id(struct build_id *id);
/*
 * Whether the recording, which has no build id, was made under the release of the running kernel.
 */
bool running_release(const struct symbol_options *options);

#endif
