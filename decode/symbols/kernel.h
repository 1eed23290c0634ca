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
 * The kernel's list of symbols, read once for the kernel and all of its modules. It must outlive
 * all symbols that were loaded with it. Only one symbols_load() may use it at a time. All zeros is
 * valid and empty.
 */
struct symbol_cache {
	struct kallsyms kallsyms;
	bool searched, found;      /* found: kallsyms is that of the recorded kernel */
	bool live;                 /* it is the list of the running kernel */
	enum symbol_origin reason; /* if it was not found: why */
};

void symbol_cache_release(struct symbol_cache *cache);

/* What was found of a binary. */
struct found_symbols {
	struct symtable own;
	struct symtable *table; /* own, or that of the kernel's cache */
	struct debug_file debug;
	enum symbol_origin reason; /* for addresses without a symbol */
	/* the file with the code, if symbol_options.want_code is set; the caller closes it */
	struct elf code;
	bool has_code;
};

bool kernel_load(const struct symbol_query *query, struct found_symbols *found, struct err *err);
/* The same for a module (module.c). */
bool module_load(const struct symbol_query *query, struct found_symbols *found, struct err *err);

/* Whether a folder beside the recording has a copy of its kernel's list. */
bool kernel_has_kcore_dir(const struct symbol_options *options);
/* Finds the kallsyms list of the recorded kernel, if the cache has not been searched yet. */
bool kernel_find_list(const struct symbol_query *query, const struct binary *kernel,
                      struct err *err);

/*
 * The build id in the notes that the running kernel shows of itself, in /sys/kernel/notes, or of a
 * module; of size 0 if there is none.
 */
bool running_build_id(const char *path, struct build_id *id, struct err *err);
/*
 * Whether the recording, which has no build id, was made under the release of the running kernel.
 */
bool running_release(const struct symbol_options *options);

#endif
