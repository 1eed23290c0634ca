/*
 * Names, files and lines of Go programs, from the runtime's own table of functions (gotable.h). In:
 * an ELF file. Out: its functions as symbols, and answers about their lines.
 */
#ifndef READPERF_DECODE_SYMBOLS_GOPCLNTAB_H
#define READPERF_DECODE_SYMBOLS_GOPCLNTAB_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

struct gopclntab;
struct source_query;

/*
 * Reads the functions into table, and sorts it; it borrows names from *lines, which must be passed
 * to gopclntab_free() in any case, after the last lookup. *lines is NULL if it is no Go program.
 * False with err set if the table of the file is damaged or memory is refused.
 */
bool gopclntab_put(struct symtable *table, const struct elf *elf, struct gopclntab **lines,
                   struct err *err);
void gopclntab_free(struct gopclntab *lines);
/*
 * Answers a query about link-time addresses: where functions begin, lines, and what was inlined.
 * elf: the program's file.
 */
bool gopclntab_answer(struct gopclntab *lines, const struct elf *elf, struct source_query *query,
                      struct err *err);

#endif
