/*
 * Functions that no symbol names, told apart by their bounds: [function at 0x144d0]. Enters: a file
 * whose symbols are known. Leaves: the function around an address, by its .eh_frame entry or,
 * between two known functions, by its neighbours.
 */
#ifndef READPERF_DECODE_SYMBOLS_NAMELESS_H
#define READPERF_DECODE_SYMBOLS_NAMELESS_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

struct nameless;

/*
 * Takes over the file, even on failure; it is read when an address is asked for. table: its
 * symbols, borrowed. NULL with err set when memory is refused. For nameless_free().
 */
struct nameless *nameless_new(struct elf *elf, const struct symtable *table, struct err *err);
void nameless_free(struct nameless *nameless);
/*
 * The function around a file offset, as symtable_find() tells it, with that origin; NULL if its
 * bounds are not known, or, with err set, if memory is refused. The answer lives as long as
 * nameless, and is the same for all addresses of the function.
 */
const struct symbol *nameless_find(struct nameless *nameless, uint64_t offset,
                                   enum symbol_origin origin, struct err *err);

#endif
