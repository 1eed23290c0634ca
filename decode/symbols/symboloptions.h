/* What the readers of symbols are told by the user and by the recording. */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLOPTIONS_H
#define READPERF_DECODE_SYMBOLS_SYMBOLOPTIONS_H

#include "decode/files/located.h"

struct recorded_file;
struct symbol_cache;
struct symbol_pack;

/* All texts borrowed; NULL: the default. */
struct symbol_options {
	struct file_options files;
	const char *vmlinux;            /* --vmlinux */
	const char *kallsyms;           /* --kallsyms */
	const char *pack_path;          /* --symbol-pack */
	const struct symbol_pack *pack; /* what is in it; it comes before anything else */
	bool pack_only;        /* it names all that will be asked for: no files are looked for */
	const char *osrelease; /* of the recording (feature OSRELEASE), or NULL */
	const char *recorded_list; /* /proc/kallsyms, as the recording has it; NULL: it does not */
	size_t recorded_list_size; /* bytes; the text is not terminated */
	/* symbols that the recording has with it (perffile/session/simpleperf.h), or none */
	const struct recorded_file *recorded_files;
	size_t recorded_file_count;
	const struct binary *kernel; /* of the host; NULL: not known. Modules are checked by it */
	struct symbol_cache *cache;  /* what several binaries share; NULL: nothing is shared */
	/*
	 * All addresses that the kernel and its modules will be asked for, as recorded, ascending;
	 * NULL: not known.
	 */
	const uint64_t *kernel_addrs;
	size_t kernel_addr_count;
};

#endif
