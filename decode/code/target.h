/* Where an instruction jumps to, read from its text. */
#ifndef READPERF_DECODE_CODE_TARGET_H
#define READPERF_DECODE_CODE_TARGET_H

#include "util/types.h"

/*
 * The target of a direct call or jump, from its text: its last operand is an address, and the
 * instruction is one that jumps. machine: EM_...
 */
bool code_direct_target(uint16_t machine, const char *text, uint64_t *target);

#endif
