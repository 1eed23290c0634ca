/*
 * Finds the function at an address. One struct symbols has the functions of one binary, in the
 * address space of that binary (struct binary, kind): file offsets for files, absolute addresses
 * for the kernel and for code made at run time. Thread-local variables of a file are from
 * ELF_THREAD_BASE on.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLS_H
#define READPERF_DECODE_SYMBOLS_SYMBOLS_H

#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"
#include "util/errhandler.h"

struct symbols;
struct source_query;

/*
 * Finds the binary's file and debug file, each checked by build id, and reads its symbols; there
 * may be none. Release them with symbols_free().
 */
struct symbols *symbols_load(const struct symbol_query *query, struct err *err);
void symbols_free(struct symbols *symbols);

/*
 * The symbol that covers addr (in the binary's address space), chosen as perf report does (format
 * reference, 8.7). If there is none but the bounds of the function are known, the function
 * "[function at 0x144d0]"; its origin is the reason why it has no name. Otherwise NULL, and *reason
 * says why. The result lives until the next lookup.
 */
const struct symbol *symbols_find(struct symbols *symbols, uint64_t addr,
                                  enum symbol_origin *reason, struct err *err);

/*
 * Whether another recording with a binary of the same path, build id, inode and mappings gets the
 * same, and lookups do not depend on those before.
 */
bool symbols_may_be_kept(const struct symbols *symbols);
/* About how much memory they need. */
size_t symbols_bytes(const struct symbols *symbols);

/* Calls each() for every symbol, in order of address; the names live until the symbols are freed.
 */
void symbols_each(const struct symbols *symbols,
                  void (*each)(void *context, const char *name, uint64_t start, uint64_t end),
                  void *context);

/*
 * addr as a link-time virtual address, as objdump and DWARF use it; addr itself if the two are the
 * same.
 */
uint64_t symbols_link_addr(const struct symbols *symbols, uint64_t addr);

/*
 * Where the section of a kernel module ends that has addr; UINT64_MAX: it is another binary, or not
 * known. By the kernel's list the last function of a section reaches to the next one.
 */
uint64_t symbols_section_end(const struct symbols *symbols, uint64_t addr);

/*
 * The ELF file that the code of the kernel or of a module is in, with symbol_options.want_code;
 * NULL: it was not found, or the binary is another one.
 */
const struct elf *symbols_code_file(const struct symbols *symbols);
/* Copies up to size bytes of code at addr (in the binary's address space); returns how many. */
size_t symbols_read_code(const struct symbols *symbols, uint64_t addr, uint8_t *bytes, size_t size);

/*
 * The build id of the binary that was queried: as recorded; or, if what the kernel recorded refutes
 * that, of the file that was found, or of size 0.
 */
const struct build_id *symbols_build_id(const struct symbols *symbols);

/* Checked by build id. The caller may take it over, and then sets it to zeros. */
struct debug_file *symbols_debug(struct symbols *symbols);

/*
 * Whether symbols_answer() can answer questions about lines, without a file with debug information:
 * for code of a jitdump file, and Go programs without DWARF.
 */
bool symbols_have_lines(const struct symbols *symbols);
/* Answers the query; its addresses and entries are in the address space of the binary. */
bool symbols_answer(struct symbols *symbols, struct source_query *query, struct err *err);

#endif
