/* Answers questions about source files, lines and inlined functions from DWARF, versions 2 to 5. */
#ifndef READPERF_DECODE_DWARF_DWARF_H
#define READPERF_DECODE_DWARF_DWARF_H

#include "decode/source/source.h"

/*
 * Answers all questions about one binary. Files are absolute paths if the debug information has
 * them. Unknown answers stay empty, which is no error. Broken debug information is a warning to
 * diag.
 *
 * *unreadable: there is debug information, but this build cannot read it.
 */
bool dwarf_lookup(struct source_query *query, bool *unreadable, struct diag *diag, struct err *err);

#endif
