/*
 * The programs of unwind tables.
 *
 * Enters: an entry and an address in its function. Leaves: the row that its instructions make for
 * that address. Their number is limited, since a recording can name any file.
 */
#ifndef READPERF_DECODE_STACKS_CFIPROGRAM_H
#define READPERF_DECODE_STACKS_CFIPROGRAM_H

#include "decode/stacks/cfientry.h"

/* Runs the programs of the CIE and the FDE up to the address. False if they are damaged. */
bool cfi_program_run(const struct cfi_source *source, const struct cfi_entry *entry, uint64_t addr,
                     struct cfi_row *row);

#endif
