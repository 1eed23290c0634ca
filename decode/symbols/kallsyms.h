/*
 * The kernel's own symbol list, as /proc/kallsyms prints it: lines of `HEX TYPE NAME[\t[module]]`,
 * here or in a copy. Rules: format reference, 8.4.
 */
#ifndef READPERF_DECODE_SYMBOLS_KALLSYMS_H
#define READPERF_DECODE_SYMBOLS_KALLSYMS_H

#include "decode/symbols/symtable.h"

struct kallsyms {
	struct symtable table; /* addresses as recorded: delta has been subtracted */
	uint64_t delta;        /* this list's addresses minus the recorded ones */
	bool hidden;           /* all addresses are zero (kptr_restrict): the table is empty */
};

/* What is known before a list is read. All borrowed. */
struct kallsyms_wish {
	const char *ref_name; /* the recorded kernel had this symbol at ref_addr */
	uint64_t ref_addr;    /* 0: not known */
	bool same_boot;       /* a list of another boot is of no use: it may be read in part */
	/* As recorded, ascending: only these will be asked for, each in its module. NULL: any */
	const uint64_t *addrs;
	size_t addr_count;
	/*
	 * /proc/kallsyms: the kernel by address, then the modules. It takes 40 ms to be read whole:
	 * not what is behind the last wanted address, where all of them are the kernel's own.
	 */
	bool in_order;
};

/*
 * Reads a list from fd, which must be seekable where a list may be of another boot. Of more than
 * 512 MiB it is ERR_LIMIT. kallsyms_release() in any case.
 */
bool kallsyms_read(struct kallsyms *kallsyms, int fd, const struct kallsyms_wish *wish,
                   struct err *err);
/*
 * The same for a text that is in memory: malloc'd, of size bytes and a NUL behind them, taken over
 * even on failure.
 */
bool kallsyms_parse(struct kallsyms *kallsyms, char *text, size_t size, const char *ref_name,
                    uint64_t ref_addr, struct err *err);
void kallsyms_release(struct kallsyms *kallsyms);

/*
 * Puts the symbols of the module (its name in brackets) into table as offsets from start, names
 * borrowed from kallsyms. Symbols before start are left out.
 */
bool kallsyms_put_module(const struct kallsyms *kallsyms, const char *module, uint64_t start,
                         struct symtable *table, struct err *err);

#endif
