/*
 * The kernel's own symbol list, as /proc/kallsyms prints it: lines of `HEX TYPE NAME[\t[module]]`,
 * here or in a copy. Rules: format reference, 8.4.
 */
#ifndef READPERF_DECODE_KALLSYMS_H
#define READPERF_DECODE_KALLSYMS_H

#include "decode/symtable.h"

struct kallsyms {
	struct symtable table; /* addresses as recorded: delta has been subtracted */
	uint64_t delta;        /* this list's addresses minus the recorded ones */
	bool hidden;           /* all addresses are zero (kptr_restrict): the table is empty */
};

/*
 * Reads a list. text is malloc'd, ends with a NUL behind size bytes, and is taken over, even on
 * failure. The recorded kernel had the symbol ref_name at ref_addr; 0 if that is not known.
 * kallsyms_release() in any case.
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
