/* What was inlined into a Go program's functions. */
#ifndef READPERF_DECODE_SYMBOLS_GOINLINE_H
#define READPERF_DECODE_SYMBOLS_GOINLINE_H

#include "decode/files/gotable.h"
#include "decode/source/source.h"

/*
 * Fills the frames of an address of the function, if something was inlined there. elf: the
 * program's file. False with err set only when memory is refused.
 */
bool go_answer_inlines(struct gopclntab *go, const struct elf *elf,
                       const struct gofunction *function, struct source_query *query,
                       struct source_addr *asked, struct err *err);

#endif
