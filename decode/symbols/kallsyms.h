/*
 * Reads the kernel's list of its symbols, /proc/kallsyms or a copy of it: lines of `HEX TYPE
 * NAME[\t[module]]`. Rules: format reference, 8.4.
 */
#ifndef READPERF_DECODE_SYMBOLS_KALLSYMS_H
#define READPERF_DECODE_SYMBOLS_KALLSYMS_H

#include "decode/symbols/symtable.h"

struct kallsyms {
	struct symtable table; /* addresses as recorded: delta is subtracted already */
	uint64_t delta;        /* this list's addresses minus the recorded ones */
	bool hidden;           /* all addresses are zero (kptr_restrict): the table is empty */
	uint64_t other_lines;  /* how many lines are none of such a list; they are left out */
	uint64_t other_line;   /* number of the first one, from 1 */
	char other_text[40];   /* how it begins */
};

/* The list, and what the caller knows before it is read. Everything is borrowed. */
struct kallsyms_request {
	const char
		*text; /* the list; NULL: it is in the file fd, seekable unless same_boot is set */
	size_t size;   /* of the text, bytes */
	int fd;
	const char *ref_name; /* the recorded kernel had this symbol at ref_addr */
	uint64_t ref_addr;    /* 0: not known */
	bool same_boot; /* only a list of the same boot is of use, so another one may be read in
	                   part */
	/*
	 * The only addresses that will be looked up, as recorded, ascending. One in a module is
	 * looked up among the symbols of that module. NULL: any may be looked up.
	 */
	const uint64_t *addrs;
	size_t addr_count;
	/*
	 * NULL; or how names begin that will be looked up, up to a NULL: others may be left out,
	 * and symbols have no ends.
	 */
	const char *const *prefixes;
	/*
	 * The list is /proc/kallsyms: first the kernel in order of address, then the modules.
	 * Reading all of it takes 40 ms, so reading stops after the last wanted address if all of
	 * them are in the kernel.
	 */
	bool in_order;
};

/*
 * Reads a list. A file of more than 512 MiB is ERR_LIMIT. kallsyms_release() must be called in any
 * case.
 */
bool kallsyms_read(struct kallsyms *kallsyms, const struct kallsyms_request *request,
                   struct err *err);
/*
 * The kernel's padding in front of a function, __pfx_NAME, has the function's name: the kernel
 * calls functions through thunks that put the start of the function where a return address is
 * expected, and callers are looked up by the byte before that. Returns how many bytes of the name
 * to pass.
 */
size_t kernel_padding_prefix(const char *name, size_t length);
void kallsyms_release(struct kallsyms *kallsyms);

/*
 * Adds the symbols of a module (its name in brackets) to table, as offsets from start. Their names
 * stay in kallsyms. Symbols before start are left out.
 */
bool kallsyms_put_module(const struct kallsyms *kallsyms, const char *module, uint64_t start,
                         struct symtable *table, struct err *err);

#endif
