/*
 * What goes on when a recording is read in parts: the processes that still run, their mappings and
 * those of the kernel. Everything else is forgotten: processes that have ended, mappings that were
 * replaced, binaries and texts that only they referred to.
 *
 * In:  the mappings, with their processes, as the records so far have made them.
 * Out: the same in another set of mappings, whose memory depends on what runs now alone.
 */
#ifndef READPERF_DECODE_MACHINE_CARRY_H
#define READPERF_DECODE_MACHINE_CARRY_H

#include "decode/machine/mapping.h"

/*
 * Of more processes than this, those that were started longest ago are dropped: their ends were
 * probably lost.
 */
#define CARRY_PROCESSES 65536

/*
 * Copies them to mappings that mappings_init() made, with processes and binaries that are new, too.
 * The copies have counted no MMAP record yet. False with err set when memory is refused.
 */
bool machine_carry(struct mappings *to, const struct mappings *from, struct err *err);

#endif
