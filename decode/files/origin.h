/*
 * Where the name of a function comes from, or why it has none: the column `symbols` of results.csv.
 * All is said in one list, origin.c, from which tables and messages are made;
 * decode/symbols/README.md has the same words.
 */
#ifndef READPERF_DECODE_FILES_ORIGIN_H
#define READPERF_DECODE_FILES_ORIGIN_H

#include "util/types.h"

enum symbol_origin {
	ORIGIN_SYMTAB,
	ORIGIN_DYNSYM,
	ORIGIN_DEBUG_FILE,
	ORIGIN_MINIDEBUG, /* .gnu_debugdata */
	ORIGIN_PLT,
	ORIGIN_GOPCLNTAB, /* the function table of Go's runtime */
	ORIGIN_KALLSYMS,
	ORIGIN_VMLINUX,
	ORIGIN_MODULE, /* a .ko file */
	ORIGIN_PERF_MAP,
	ORIGIN_JITDUMP,
	ORIGIN_BPF,        /* a KSYMBOL record of the recording */
	ORIGIN_SIMPLEPERF, /* symbols that simpleperf stored in the recording */
	ORIGIN_INLINE,     /* debug information, with --inline */
	ORIGIN_STATE,      /* no code: what a thread does while it does not run */
	/* From here on: reasons. */
	ORIGIN_NO_MAP,
	ORIGIN_FILE_MISSING,
	ORIGIN_BUILD_ID_MISMATCH,
	ORIGIN_OTHER_FILE, /* the file at the path is not the one that was mapped */
	ORIGIN_STRIPPED,   /* the symbol table was removed, and .dynsym does not have the address */
	ORIGIN_KERNEL_HIDDEN, /* kptr_restrict, or no symbols of exactly that kernel */
	ORIGIN_NO_SYMBOL,     /* there are symbols, none covers the address */
	ORIGIN_UNREADABLE,    /* the file is there, but damaged or not permitted */
	ORIGIN_NO_PERF_MAP,   /* code made at run time without a perf-PID.map or jitdump */
	ORIGIN_GUEST,         /* guest or hypervisor code, which is not looked up */
	ORIGIN_DAMAGED,       /* the sample itself could not be decoded */
	ORIGIN_COUNT
};

#define ORIGIN_FIRST_REASON ORIGIN_NO_MAP

/* The description of a source or a reason. */
struct origin {
	const char *word;    /* as tables print it */
	const char *meaning; /* a clause, for people */
	bool kernel;         /* of sources: only of code of the kernel */
	bool run_time;       /* of sources: only of code made at run time */
	const char *advice;  /* of reasons: what the user can do about it */
	/* Of reasons: the advice if the binary is no file, such as "[vdso]"; NULL: the same. */
	const char *special_advice;
	const char *fetched_advice; /* of reasons: the advice if --debuginfod was tried; or NULL */
};

extern const struct origin origins[ORIGIN_COUNT];

/* "symtab", "no-map" ... as tables print it; "" for an invalid number. */
const char *symbol_origin_name(enum symbol_origin origin);
/* The one with that word; ORIGIN_COUNT: there is none. */
enum symbol_origin symbol_origin_find(const char *word);

static inline bool symbol_origin_is_reason(enum symbol_origin origin)
{
	return origin >= ORIGIN_FIRST_REASON;
}

#endif
