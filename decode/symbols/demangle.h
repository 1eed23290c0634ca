/* Demangles names. */
#ifndef READPERF_DECODE_SYMBOLS_DEMANGLE_H
#define READPERF_DECODE_SYMBOLS_DEMANGLE_H

#include <stdbool.h>

/*
 * A readable name: C++, Rust (legacy and v0) and D, package.procedure of Ada's own packages,
 * Module.function_123 of OCaml, module::procedure of Fortran, UNIT.PROCEDURE of Free Pascal,
 * package.Class.method(type) of Java, Module.function of Haskell, and a copy of any other name. C++
 * is without parameters, as perf report prints it, or with them, as c++filt does. Malloc'd, or NULL
 * when memory is refused.
 */
char *symbol_demangle(const char *name, bool parameters);

#endif
