/*
 * Names that stay the same from build to build: what a function and a binary are called without
 * what compilers, package versions and process numbers add.
 */
#ifndef READPERF_DECODE_COMPARE_MATCH_H
#define READPERF_DECODE_COMPARE_MATCH_H

#include "util/types.h"

/*
 * Writes the function's name without .isra.N, .part.N, .constprop.N, .cold, .lto_priv.N, .llvm.N
 * (also as
 * "[clone .isra.N]"), Rust's ::h and 16 hex digits at the end, and the line and column of
 * {lambda:LINE:COLUMN}. out has room for length bytes. Returns the length of the result, which is
 * empty only if the name is.
 */
size_t match_function(char *out, const char *name, size_t length);

/*
 * Writes the base name of a binary without the version behind .so and without " (deleted)"; "[JIT]
 * tid N" is "[JIT]". out has room for length bytes. Returns the length of the result.
 */
size_t match_binary(char *out, const char *path, size_t length);

#endif
