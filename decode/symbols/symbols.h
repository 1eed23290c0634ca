/*
 * Addresses to functions. One struct symbols holds the functions of one binary in the binary's own
 * address space (struct binary, kind): file offsets for files, absolute addresses for the kernel
 * and for code made at run time.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLS_H
#define READPERF_DECODE_SYMBOLS_SYMBOLS_H

#include "decode/machine/binaries.h"
#include "util/errhandler.h"

/* Where a name came from, or why there is none: the `symbols` column of results.csv. */
enum symbol_origin {
	ORIGIN_SYMTAB,
	ORIGIN_DYNSYM,
	ORIGIN_DEBUG_FILE,
	ORIGIN_MINIDEBUG, /* .gnu_debugdata */
	ORIGIN_PLT,
	ORIGIN_KALLSYMS,
	ORIGIN_VMLINUX,
	ORIGIN_MODULE, /* a .ko file */
	ORIGIN_PERF_MAP,
	ORIGIN_JITDUMP,
	ORIGIN_BPF,    /* a KSYMBOL record of the recording */
	ORIGIN_INLINE, /* debug information, with --inline */
	/* the first reason */
	ORIGIN_NO_MAP,
	ORIGIN_FILE_MISSING,
	ORIGIN_BUILD_ID_MISMATCH,
	ORIGIN_STRIPPED,      /* the file's own symbol table was taken out, .dynsym does not help */
	ORIGIN_KERNEL_HIDDEN, /* kptr_restrict, or no symbols of that very kernel */
	ORIGIN_NO_SYMBOL,     /* there are symbols, none covers the address */
	ORIGIN_UNREADABLE,    /* the file is there, but damaged or not permitted */
	ORIGIN_NO_PERF_MAP,   /* run-time code without a perf-PID.map or jitdump */
	ORIGIN_GUEST,         /* guest or hypervisor code: no symbols are looked for */
	ORIGIN_DAMAGED,       /* the sample itself could not be decoded */
	ORIGIN_COUNT
};

#define ORIGIN_FIRST_REASON ORIGIN_NO_MAP

/* "symtab", "no-map" ... as the table prints it. */
const char *symbol_origin_name(enum symbol_origin origin);

struct symbol {
	uint64_t start, end; /* [start, end) in the binary's address space */
	uint64_t entry;      /* start as a link-time virtual address (what DWARF and objdump use) */
	const char *name;    /* raw; owned by the symbols */
	uint8_t origin;      /* enum symbol_origin */
};

struct symbols;
struct source_query;

/* How and where to look. All texts borrowed; NULL: the default. */
struct symbol_options {
	const char *symfs;       /* --symfs: prefix of every recorded path; NULL: none */
	const char *vmlinux;     /* --vmlinux */
	const char *kallsyms;    /* --kallsyms */
	const char *buildid_dir; /* --buildid-dir; NULL: ~/.debug */
	const char *osrelease;   /* of the recording (feature OSRELEASE), or NULL */
	const char *recording;   /* path of the recording; its kcore_dir is beside its data file */
	bool debuginfod;         /* --debuginfod */
	bool want_debug;         /* source files or lines are asked for: find the debug file too */
	const struct binary *kernel;  /* of the host; NULL: not known. Modules are checked by it */
	struct symbol_cache *cache;   /* what several binaries share; NULL: nothing is shared */
	const uint64_t *kernel_addrs; /* all that the kernel and its modules will be asked for, as
	                                 recorded, ascending; NULL: not known */
	size_t kernel_addr_count;
};

/*
 * Keeps the kernel's symbol list for its modules. Must outlive all symbols that were loaded with
 * it; only one symbols_load() with the same cache at a time.
 */
struct symbol_cache *symbol_cache_new(struct err *err);
void symbol_cache_free(struct symbol_cache *cache);

/*
 * Finds the binary's file and debug file, each checked by build id, and reads its symbols.
 *
 * binary   what to name; name and path are looked up in strings
 * diag     warnings (a file with another build id, a damaged symbol table ...)
 * *reason  set if no symbols could be had: why
 *
 * Returns symbols for symbols_free(), or NULL. NULL with err set only when memory is refused.
 */
struct symbols *symbols_load(const struct binary *binary, const struct strings *strings,
                             const struct symbol_options *options, struct diag *diag,
                             enum symbol_origin *reason, struct err *err);
void symbols_free(struct symbols *symbols);

/*
 * The symbol that covers addr (in the binary's address space), as perf report chooses it (format
 * reference, 8.7); NULL if none does, and *reason says why. The answer lives as long as the symbols
 * and is the same pointer for every address of the function. Answers are kept inside, so one thread
 * at a time per struct symbols.
 */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t addr,
                                  enum symbol_origin *reason);

/*
 * addr as a link-time virtual address: what objdump prints and DWARF uses. addr itself where the
 * two are the same. symbols may be NULL.
 */
uint64_t symbols_link_addr(const struct symbols *symbols, uint64_t addr);

/* The file that holds the binary's DWARF, checked by build id, or NULL. Owned by the symbols. */
const char *symbols_debug_path(const struct symbols *symbols);
/* How much work that DWARF is, compared with that of other binaries: about its bytes. */
uint64_t symbols_debug_work(const struct symbols *symbols);

/* Where the binary itself is if that is another file, or NULL. Owned by the symbols. */
const char *symbols_binary_path(const struct symbols *symbols);

/* Whether they know lines themselves, of which no file's debug information has to tell: those of a jitdump file. */
bool symbols_have_lines(const struct symbols *symbols);
/*
 * Answers the query from those lines; its addresses and entries are of the binary's own address space. False with
 * err set only when memory is refused.
 */
bool symbols_answer(const struct symbols *symbols, struct source_query *query, struct err *err);

/*
 * The file that the names came from (for messages), or NULL. Owned by the symbols.
 */
const char *symbols_path(const struct symbols *symbols);

/*
 * A readable name: C++, Rust (legacy and v0) and D demangled without parameters as perf report
 * prints them, anything else as it is. Malloc'd, or NULL when memory is refused.
 */
char *symbol_demangle(const char *name);

#endif
