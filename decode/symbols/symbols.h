/*
 * Addresses to functions. One struct symbols holds the functions of one binary in the binary's own
 * address space (struct binary, kind): file offsets for files, absolute addresses for the kernel
 * and for code made at run time.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLS_H
#define READPERF_DECODE_SYMBOLS_SYMBOLS_H

#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"
#include "util/errhandler.h"

struct symbols;
struct source_query;

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
 * reference, 8.7). Where none does, but the function's bounds are known, it is that function,
 * "[function at 0x144d0]", whose origin is the reason why it has no name. NULL if there is neither,
 * and *reason says why; or with err set when memory is refused. The answer lives as long as the
 * symbols and is the same pointer for every address of the function. Answers are kept inside, so
 * one thread at a time per struct symbols.
 */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t addr,
                                  enum symbol_origin *reason, struct err *err);

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

/*
 * Whether they know lines themselves, of which no file's debug information has to tell: those of a
 * jitdump file.
 */
bool symbols_have_lines(const struct symbols *symbols);
/*
 * Answers the query from those lines; its addresses and entries are of the binary's own address
 * space. False with err set only when memory is refused.
 */
bool symbols_answer(const struct symbols *symbols, struct source_query *query, struct err *err);

/*
 * The file that the names came from (for messages), or NULL. Owned by the symbols.
 */
const char *symbols_path(const struct symbols *symbols);

#endif
