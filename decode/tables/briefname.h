/* Names of functions in less room. */
#ifndef READPERF_DECODE_TABLES_BRIEFNAME_H
#define READPERF_DECODE_TABLES_BRIEFNAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it has template arguments: "work<int>", but not "operator<" or Haskell's "<$>". */
bool has_arguments(const char *name);
/*
 * "std::vector<...>::push_back": the name with "..." for its template arguments, or the name as it
 * is if brackets do not match. Malloc'd; NULL when memory is refused.
 */
char *without_arguments(const char *name);
/* What follows the outermost namespace or class of a name; NULL: the name has none. */
const char *without_scope(const char *name);

#endif
