/* Selects the cells whose function was asked for, when places have names. */
#ifndef READPERF_DECODE_NAMING_FUNCTIONSELECT_H
#define READPERF_DECODE_NAMING_FUNCTIONSELECT_H

#include "decode/naming/placenames.h"
#include "decode/tally/buildstat.h"

/* Takes all other cells out. False with err set when memory is refused. */
bool functions_select(struct buildstat *stat, const struct place_names *names, struct err *err);

#endif
