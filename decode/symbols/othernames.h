/*
 * Names of languages that libiberty does not know. In: a symbol. Out: the name that people know, if
 * the symbol is certainly of that language: it and a NUL are written to text. If it is not, false;
 * what text holds is then undefined.
 */
#ifndef READPERF_DECODE_SYMBOLS_OTHERNAMES_H
#define READPERF_DECODE_SYMBOLS_OTHERNAMES_H

#include <stdbool.h>

/*
 * Haskell, as GHC encodes it: "base_GHCziBase_map_info" is "GHC.Base.map", without the package;
 * what GHC made itself keeps its own name ("Main.$wgo"). Rule: Note [Z-Encoding] in
 * GHC/Utils/Encoding.hs, suffixes: ppIdFlavor in GHC/Cmm/CLabel.hs of GHC 9. Names of C may have
 * the same form
 * ("MPI_File_get_info"), so one that is nowhere encoded, and not of Main, is no such name. text
 * has room for GHC_NAME_ROOM bytes more than the symbol has.
 */
bool ghc_name_unfold(char *text, const char *name);
/* A tuple may be longer than its code: "Z64H" stands for 67 characters. */
#define GHC_NAME_ROOM 64

/*
 * Compiled Java methods, as perf's JVMTI agent and perf inject --jit store them: the descriptor of
 * the class, the method, and the descriptor of its parameters and result.
 * "Ljava/lang/String;charAt(I)C" is "java.lang.String.charAt(int)", as perf report names it. Rule:
 * Java Virtual Machine Specification, 4.3; no name of C has a semicolon. text has room for
 * JAVA_NAME_ROOM bytes for each byte of the symbol.
 */
bool java_name_unfold(char *text, const char *name);
#define JAVA_NAME_ROOM 10

/*
 * Free Pascal: UNIT.PROCEDURE, or UNIT.CLASS.METHOD, in capitals, as the compiler writes what has
 * none of its own. Rule: make_mangledname() and mangledname of tprocdef in compiler/symdef.pas of
 * Free Pascal 3; "_$$_" is in no name of other compilers. text has as much room as the symbol.
 */
bool pascal_name_unfold(char *text, const char *name);

#endif
