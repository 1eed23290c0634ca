/*
 * Names of Haskell, as GHC encodes them. In: "base_GHCziBase_map_info". Out: "GHC.Base.map",
 * without the package; what GHC made itself keeps its own name ("Main.$wgo"). Rule: Note
 * [Z-Encoding] in GHC/Utils/Encoding.hs, suffixes: ppIdFlavor in GHC/Cmm/CLabel.hs of GHC 9. Names
 * of C may have the same form ("MPI_File_get_info"), so one that is nowhere encoded, and not of
 * Main, is no such name.
 */
#ifndef READPERF_DECODE_SYMBOLS_GHCNAME_H
#define READPERF_DECODE_SYMBOLS_GHCNAME_H

#include <stdbool.h>

/* A tuple may be longer than its code: "Z64H" stands for 67 characters. */
#define GHC_NAME_ROOM 64

/*
 * Writes the readable name and a NUL to text, which has room for GHC_NAME_ROOM bytes more than the
 * name has. False if it is no such name.
 */
bool ghc_name_unfold(char *text, const char *name);

#endif
