/*
 * Names that a run on another machine found, where the binaries are (--symbol-pack). In: its
 * symbols.csv, which is not trusted; then binaries, and addresses of them. Out: if the pack has
 * functions with the same build id, the one around an address, with its source file, its line and
 * the word for the source of its name.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLPACK_H
#define READPERF_DECODE_SYMBOLS_SYMBOLPACK_H

#include "decode/machine/binaries.h"
#include "decode/symbols/symtable.h"

struct symbol_pack;

/*
 * Reads a pack. NULL with err set if it cannot be read or is no pack. Release it with
 * symbol_pack_free(). It does not change afterwards, so several threads may use it.
 */
struct symbol_pack *symbol_pack_read(const char *path, struct err *err);
/*
 * The same from unpacked text, which is malloc'd with room for one more byte and is taken over.
 * name is borrowed.
 */
struct symbol_pack *symbol_pack_parse(char *text, size_t size, const char *name, struct err *err);
void symbol_pack_free(struct symbol_pack *pack);
/* The number of its functions in binaries without a build id, which are never used. */
size_t symbol_pack_unusable(const struct symbol_pack *pack);

/* The functions that a pack has of one binary. All zeros: none. */
struct packed_symbols {
	const struct pack_binary *binary; /* borrowed from the pack; NULL: there is none */
	uint64_t base;                    /* address of offset 0 */
	struct symbol found;              /* the result of the last lookup */
};

/* The part of the pack about a binary. The pack may be NULL. */
struct packed_symbols packed_symbols_of(const struct symbol_pack *pack, const struct binary *binary,
                                        const struct strings *strings);
/*
 * The function around addr (in the binary's address space), or NULL. Its name is as tables print
 * it. The result lives until the next lookup.
 */
const struct symbol *packed_symbols_find(struct packed_symbols *packed, uint64_t addr);
/* Whether there is a part, with functions around all these addresses. */
bool packed_symbols_find_all(const struct packed_symbols *packed, const uint64_t *addrs,
                             size_t count);
/*
 * addr as a link-time address, by the distance of the function at or before it. Not without a part.
 */
uint64_t packed_symbols_link_addr(const struct packed_symbols *packed, uint64_t addr);
/* Why other addresses have no name, according to the pack; false if it does not say. As above. */
bool packed_symbols_reason(const struct packed_symbols *packed, enum symbol_origin *reason);

#endif
