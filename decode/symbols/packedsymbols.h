/*
 * What a pack (symbolpack.h) knows about a binary. Enters: a binary, and addresses of it. Leaves:
 * if the pack has functions of the same build id, the one around an address, with its source file,
 * line and the word that says where its name came from.
 */
#ifndef READPERF_DECODE_SYMBOLS_PACKEDSYMBOLS_H
#define READPERF_DECODE_SYMBOLS_PACKEDSYMBOLS_H

#include "decode/machine/binaries.h"
#include "decode/symbols/symtable.h"

struct symbol_pack;
/* The functions that a pack has of one binary. */
struct packed_symbols;

/* Whether the pack names all these addresses of the binary. pack may be NULL. */
bool symbol_pack_names_all(const struct symbol_pack *pack, const struct binary *binary,
                           const struct strings *strings, const uint64_t *addrs, size_t count);

/*
 * What the pack, which must outlive it, has of the binary. NULL if it has nothing; or with err set
 * when memory is refused. For packed_symbols_free().
 */
struct packed_symbols *packed_symbols_new(const struct symbol_pack *pack,
                                          const struct binary *binary,
                                          const struct strings *strings, struct err *err);
void packed_symbols_free(struct packed_symbols *packed);
/* The function around addr (in the binary's address space), or NULL. Its name is as tables show it.
 */
const struct symbol *packed_symbols_find(const struct packed_symbols *packed, uint64_t addr);
/* addr at link time, as the function at or before it tells. */
uint64_t packed_symbols_link_addr(const struct packed_symbols *packed, uint64_t addr);
/* Why other addresses have no name, as the pack says; false if it does not say. */
bool packed_symbols_reason(const struct packed_symbols *packed, enum symbol_origin *reason);

#endif
