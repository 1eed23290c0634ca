/*
 * Functions without a symbol, told apart by their bounds: "[function at 0x144d0]". In: a file whose
 * symbols are known. Out: the function around an address, found by its .eh_frame entry or as the
 * gap between two known functions.
 */
#ifndef READPERF_DECODE_SYMBOLS_NAMELESS_H
#define READPERF_DECODE_SYMBOLS_NAMELESS_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

struct nameless;

/*
 * Takes over the file, even on failure; it is read when an address is looked up. table: its
 * symbols, borrowed. Release it with nameless_free().
 */
struct nameless *nameless_new(struct elf *elf, const struct symtable *table, struct err *err);
void nameless_free(struct nameless *nameless);
/* The file; it lives as long as nameless. */
const struct elf *nameless_file(const struct nameless *nameless);
/*
 * Whether the byte at a file offset fills the space between two functions: it is no instruction's
 * first byte, unless that does nothing, and no call's last. Known of x86; false for other machines.
 */
bool nameless_is_padding(const struct nameless *nameless, uint64_t offset);
/*
 * The function around a file offset, in the form that symtable_find() returns and with that origin.
 * NULL if its bounds are not known. The result lives as long as nameless, and is the same pointer
 * for all addresses of the function.
 */
const struct symbol *nameless_find(struct nameless *nameless, uint64_t offset,
                                   enum symbol_origin origin, struct err *err);

#endif
