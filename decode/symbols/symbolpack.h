/*
 * Names that a run on another machine found, where the binaries are: reads its symbols.csv
 * (--symbol-pack). In: that file, which is not trusted. Out: functions, which packedsymbols.h
 * searches.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLPACK_H
#define READPERF_DECODE_SYMBOLS_SYMBOLPACK_H

#include "util/errhandler.h"

struct symbol_pack;

/*
 * Reads a pack. NULL with err set if it cannot be read or is no pack. Release it with
 * symbol_pack_free(). It does not change afterwards, so several threads may use it.
 */
struct symbol_pack *symbol_pack_read(const char *path, struct err *err);
/*
 * The same from unpacked text, which is malloc'd with room for one more byte and is taken over.
 * name is borrowed.
 */
struct symbol_pack *symbol_pack_parse(char *text, size_t size, const char *name, struct err *err);
void symbol_pack_free(struct symbol_pack *pack);
/* The number of its functions in binaries without a build id, which are never used. */
size_t symbol_pack_unusable(const struct symbol_pack *pack);

#endif
