/*
 * Functions without a symbol, told apart by their bounds: "[function at 0x144d0]". In: a file whose
 * symbols are known. Out: the function around an address, found by its .eh_frame entry or as the
 * gap between two known functions.
 */
#ifndef READPERF_DECODE_SYMBOLS_NAMELESS_H
#define READPERF_DECODE_SYMBOLS_NAMELESS_H

#include "decode/files/frameindex.h"
#include "decode/symbols/symtable.h"

/* Set the file and its symbols; the rest is zeros. Release the frames. */
struct nameless {
	struct elf *elf;              /* borrowed; it is read when an address is looked up */
	const struct symtable *table; /* borrowed */
	struct frame_index frames;
	bool frames_read;
	struct symbol found; /* the last function found */
	char name[40];       /* its name */
};

/*
 * Whether the byte at a file offset fills the space between two functions: it is no instruction's
 * first byte, unless that does nothing, and no call's last. Known of x86; false for other machines.
 */
bool nameless_is_padding(const struct nameless *nameless, uint64_t offset);
/*
 * The function around a file offset, in the form that symtable_find() returns and with that origin.
 * NULL if its bounds are not known. The result lives until the next one is found.
 */
const struct symbol *nameless_find(struct nameless *nameless, uint64_t offset,
                                   enum symbol_origin origin, struct err *err);

#endif
