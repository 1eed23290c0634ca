/*
 * Where a binary's file is on this machine, and the separate file with its symbols and debug
 * information. Each is checked by build id if the recording has one.
 */
#ifndef READPERF_DECODE_FILES_LOCATE_H
#define READPERF_DECODE_FILES_LOCATE_H

#include "decode/files/elf.h"
#include "decode/symbols/symbols.h"

struct located {
	struct elf runtime, debug;
	bool has_runtime, has_debug;
	char *runtime_path,
		*debug_path;       /* malloc'd, under which they can be opened again; or NULL */
	struct build_id build_id;  /* as recorded, else of the file; size 0: not known */
	enum symbol_origin reason; /* without a runtime file: why */
};

/*
 * Finds a BINARY_FILE's files. False with err set only when memory is refused; a file that is not
 * found, is damaged or has another build id is said by has_runtime and reason.
 */
bool locate(struct located *located, const struct binary *binary, const struct strings *strings,
            const struct symbol_options *options, struct diag *diag, struct err *err);
void located_release(struct located *located);

/*
 * The cache's entry for this build id, with a file name behind it, or "" if there is no cache:
 * malloc'd, or NULL when memory is refused.
 */
char *locate_in_cache(const struct symbol_options *options, const struct build_id *id,
                      const char *file);

/*
 * Opens the separate debug file of what is located (locatedebug.c), path being its recorded path
 * without " (deleted)".
 */
bool locate_debug(struct located *located, const char *path, const struct symbol_options *options,
                  struct diag *diag, struct err *err);

/*
 * Asks the servers in DEBUGINFOD_URLS for the executable or its debug file. Returns a file
 * descriptor and the malloc'd *path, or -1; what was fetched, or why not, is said to diag.
 */
int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path);

/* Whether it has DWARF of its own. */
bool elf_has_dwarf(const struct elf *elf);
/* How long reading it takes, compared with other files: bytes, those that are packed count more. */
uint64_t elf_dwarf_work(const struct elf *elf);

#endif
