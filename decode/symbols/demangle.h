/* Mangled names as their users write them. */
#ifndef READPERF_DECODE_SYMBOLS_DEMANGLE_H
#define READPERF_DECODE_SYMBOLS_DEMANGLE_H

/*
 * A readable name: C++, Rust (legacy and v0) and D demangled without parameters as perf report
 * prints them, OCaml's Module.function_123, Fortran's module::procedure, anything else as it is.
 * Malloc'd, or NULL when memory is refused.
 */
char *symbol_demangle(const char *name);

#endif
