/*
 * Names that are the same in all builds: of functions without suffixes of compilers, of binaries
 * without versions of packages and numbers of processes.
 */
#ifndef READPERF_DECODE_COMPARE_MATCH_H
#define READPERF_DECODE_COMPARE_MATCH_H

#include "util/hash.h"
#include "util/strings.h"

/*
 * Writes the function's name without .isra.N, .part.N, .constprop.N, .cold, .lto_priv.N, .llvm.N
 * (also as "[clone .isra.N]"), Rust's ::h and 16 hex digits at the end, and the line and column of
 * {lambda:LINE:COLUMN}. out has room for length bytes. Returns the length of the result, which is
 * empty only if the name is.
 */
size_t match_function(char *out, const char *name, size_t length);

/*
 * Writes the base name of a binary without the version behind .so and without " (deleted)"; "[JIT]
 * tid N" is "[JIT]". out has room for length bytes. Returns the length of the result.
 */
size_t match_binary(char *out, const char *path, size_t length);

/*
 * Maps strings to the names that they are matched by; each string is converted once. All but the
 * strings is zero at first.
 */
struct name_matcher {
	struct strings *strings;        /* borrowed; for the names and the results */
	struct map functions, binaries; /* name as recorded -> name to match by */
	/* name of a binary to match by -> its name in the base: see renamed.h; borrowed; may be
	   NULL */
	const struct map *base_of;
	char *room; /* buffer for the current name */
	size_t room_size;
};

void name_matcher_release(struct name_matcher *matcher);
/* The string for a name that is the same in all builds; STRING_NONE with err set. */
uint32_t name_matcher_function(struct name_matcher *matcher, uint32_t name, struct err *err);
uint32_t name_matcher_binary(struct name_matcher *matcher, uint32_t name, struct err *err);

#endif
