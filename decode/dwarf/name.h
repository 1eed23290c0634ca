/*
 * Names of functions as in symbols: the linkage name or, where the compiler leaves that out, as gcc
 * does for functions that no other file can call, the name with the scopes around it.
 */
#ifndef READPERF_DECODE_DWARF_NAME_H
#define READPERF_DECODE_DWARF_NAME_H

#include "decode/dwarf/scan.h"
#include "util/strings.h"

/* Whether functions of the unit can be in scopes, which they cannot in C. */
bool unit_has_scopes(const struct dwarf_unit *unit);
/* The name of the function with this DIE, put into strings; empty: not known. */
uint32_t function_name(struct strings *strings, const struct die *die);

#endif
