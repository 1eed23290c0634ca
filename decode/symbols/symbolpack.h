/*
 * Names that a run elsewhere found, where the binaries are: its symbols.csv, read back
 * (--symbol-pack). Enters: that file, which may be anybody's. Leaves: functions, for
 * packedsymbols.h to find.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLPACK_H
#define READPERF_DECODE_SYMBOLS_SYMBOLPACK_H

#include "util/errhandler.h"

struct symbol_pack;

/*
 * Reads a pack. NULL with err set if it cannot be read, or is none. For symbol_pack_free(). It does
 * not change after that, so several threads may use it.
 */
struct symbol_pack *symbol_pack_read(const char *path, struct err *err);
/*
 * The same of its text, unpacked; takes over text, malloc'd with room for one byte more. name is
 * borrowed.
 */
struct symbol_pack *symbol_pack_parse(char *text, size_t size, const char *name, struct err *err);
void symbol_pack_free(struct symbol_pack *pack);
/* How many of its functions are of a binary without a build id: they are never used. */
size_t symbol_pack_unusable(const struct symbol_pack *pack);

#endif
