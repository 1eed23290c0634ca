/* Instructions of x86-64 that access memory at a constant distance from %fs, read from bytes. */
#ifndef READPERF_DECODE_THREADLOCAL_FSOPERAND_H
#define READPERF_DECODE_THREADLOCAL_FSOPERAND_H

#include "util/types.h"

#define FS_OPERAND_MOST 16 /* bytes that are looked at; no instruction is longer */

/*
 * Whether the instruction that begins with these bytes accesses memory at %fs:displacement and
 * nowhere else, as `mov %fs:0xfffffffffffffffc,%eax`; neither registers nor the size of the access
 * then change the address. False also for instructions that it does not know.
 */
bool fs_operand(const uint8_t *bytes, size_t size, int32_t *displacement);

#endif
