/* Options for reading symbols: what the user chose, and what the recording says. */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLOPTIONS_H
#define READPERF_DECODE_SYMBOLS_SYMBOLOPTIONS_H

#include "decode/files/locate.h"

struct recorded_file;
struct symbol_cache;
struct symbol_pack;

/* All texts borrowed; NULL: the default. */
struct symbol_options {
	struct file_options files;
	const char *vmlinux;      /* --vmlinux */
	const char *kallsyms;     /* --kallsyms */
	const char *pack_path;    /* --symbol-pack */
	struct symbol_pack *pack; /* its contents; it is asked before all other sources */
	const char *osrelease;    /* of the recording (feature OSRELEASE), or NULL */
	/* the copy of /proc/kallsyms in the recording; NULL: it has none */
	const char *recorded_list;
	size_t recorded_list_size; /* bytes; the text is not terminated */
	/* with symbols stored in the recording (perffile/session/simpleperf.h); NULL: none */
	const struct recorded_file *recorded_files;
	/* of the host; NULL: not known. Modules are checked against it. */
	const struct binary *kernel;
	bool want_code;             /* files of the kernel and of modules are kept open */
	struct symbol_cache *cache; /* for the kernel and its modules (kernel.h); borrowed */
	/*
	 * All addresses of the kernel and its modules that will be looked up, as recorded, in
	 * ascending order; NULL: not known.
	 */
	const uint64_t *kernel_addrs;
	size_t kernel_addr_count;
	const char *const *kernel_names; /* prefixes, as in struct kallsyms_request */
};

/* A binary whose symbols are wanted. All is borrowed. */
struct symbol_query {
	const struct binary *binary;
	const struct strings *strings; /* of its name and path */
	const struct symbol_options *options;
	struct diag *diag; /* receives warnings */
	/* all addresses that will be looked up, ascending; NULL: not known */
	const uint64_t *addrs;
	size_t addr_count;
	bool more; /* others will be, after these */
};

#endif
