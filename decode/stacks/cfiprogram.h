/*
 * Executes the programs in unwind tables.
 *
 * In:  an entry and an address in its function.
 * Out: the row for that address. The number of instructions is limited, because a recording can
 * name any file.
 */
#ifndef READPERF_DECODE_STACKS_CFIPROGRAM_H
#define READPERF_DECODE_STACKS_CFIPROGRAM_H

#include "decode/files/frameentry.h"
#include "decode/stacks/cfirow.h"

/* Executes the programs of the CIE and the FDE up to the address. False if they are damaged. */
bool cfi_program_run(const struct frame_section *section, const struct frame_entry *entry,
                     uint64_t addr, struct cfi_row *row);

#endif
