/* Names of languages that libiberty does not know. */
#ifndef READPERF_DECODE_SYMBOLS_OTHERNAMES_H
#define READPERF_DECODE_SYMBOLS_OTHERNAMES_H

#include <stdbool.h>

/*
 * A copy of a symbol or, if it is certainly of Haskell, Java, OCaml, Fortran or Free Pascal, the
 * name that people know. Malloc'd, or NULL when memory is refused. Parameters are left out of
 * Pascal's, so with them such a symbol stays as it is.
 */
char *other_name_demangle(const char *name, bool parameters);

/*
 * Haskell, as GHC encodes it: "base_GHCziBase_map_info" is "GHC.Base.map", without the package;
 * what GHC made itself keeps its own name ("Main.$wgo"). Rule: Note [Z-Encoding] in
 * GHC/Utils/Encoding.hs, suffixes: ppIdFlavor in GHC/Cmm/CLabel.hs of GHC 9. Names of C may have
 * the same form ("MPI_File_get_info"), so one that is nowhere encoded, and not of Main, is no such
 * name; then it returns false, and what text holds is undefined. text has room for GHC_NAME_ROOM
 * bytes more than the symbol has, and a NUL.
 */
bool ghc_name_unfold(char *text, const char *name);
/* A tuple may be longer than its code: "Z64H" stands for 67 characters. */
#define GHC_NAME_ROOM 64

#endif
