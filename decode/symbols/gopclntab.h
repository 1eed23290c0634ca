/*
 * Names, files and lines of Go programs, from the runtime's own table of functions (gotable.h). In:
 * an ELF file. Out: its functions as symbols, and answers about their lines.
 */
#ifndef READPERF_DECODE_SYMBOLS_GOPCLNTAB_H
#define READPERF_DECODE_SYMBOLS_GOPCLNTAB_H

#include "decode/files/gotable.h"
#include "decode/symbols/symtable.h"

struct source_query;

/*
 * Opens *go, which has no data if it is no Go program, or damaged. Reads the functions into table,
 * and sorts it; it borrows names, so go_release() must be called after the last lookup, in any
 * case. False with err set if the table of the file is damaged or memory is refused.
 */
bool gopclntab_put(struct symtable *table, const struct elf *elf, struct gopclntab *go,
                   struct err *err);
/*
 * Answers a query about link-time addresses: where functions begin, lines, and what was inlined.
 * elf: the program's file.
 */
bool gopclntab_answer(struct gopclntab *go, const struct elf *elf, struct source_query *query,
                      struct err *err);

#endif
