/* Demangles names. */
#ifndef READPERF_DECODE_SYMBOLS_DEMANGLE_H
#define READPERF_DECODE_SYMBOLS_DEMANGLE_H

/*
 * A readable name: C++, Rust (legacy and v0) and D without parameters, as perf report prints them,
 * Module.function_123 of OCaml, module::procedure of Fortran, and a copy of any other name.
 * Malloc'd, or NULL when memory is refused.
 */
char *symbol_demangle(const char *name);

#endif
