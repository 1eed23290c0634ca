/* Selects the cells of functions that were asked for, once places have been named. */
#ifndef READPERF_DECODE_NAMING_FUNCTIONSELECT_H
#define READPERF_DECODE_NAMING_FUNCTIONSELECT_H

#include "decode/naming/placenames.h"
#include "decode/tally/buildstat.h"

/* Removes all other cells. False with err set when memory is refused. */
bool functions_select(struct buildstat *stat, const struct place_names *names, struct err *err);

#endif
