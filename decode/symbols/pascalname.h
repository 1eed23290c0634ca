/*
 * Names of Free Pascal. In: a symbol's name. Out: UNIT.PROCEDURE, or UNIT.CLASS.METHOD, in
 * capitals, as the compiler writes what has none of its own. Rule: make_mangledname() and
 * mangledname of tprocdef in compiler/symdef.pas of Free Pascal 3; "_$$_" is in no name of other
 * compilers.
 */
#ifndef READPERF_DECODE_SYMBOLS_PASCALNAME_H
#define READPERF_DECODE_SYMBOLS_PASCALNAME_H

#include <stdbool.h>

/* Rewrites text, which is a copy of the name, in place; false if it is no such name. */
bool pascal_name_unfold(char *text);

#endif
