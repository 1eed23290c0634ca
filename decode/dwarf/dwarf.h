/* Source files, lines and inlined functions from DWARF, through libdw and readers of our own. */
#ifndef READPERF_DECODE_DWARF_DWARF_H
#define READPERF_DECODE_DWARF_DWARF_H

#include "decode/source/addr2line.h"

/*
 * As source_lookup(), for SYMBOLIZER_LIBDW. Without libdw in this build it answers nothing, with a
 * warning.
 *
 * *unreadable: there is debug information, but compressed in a way that this libdw does not know.
 */
bool dwarf_lookup(struct source_query *query, bool *unreadable, struct diag *diag, struct err *err);

#endif
