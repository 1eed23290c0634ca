/* What the tool announces at the start of a pipe, before the records of the kernel. */
#ifndef READPERF_PERFFILE_INPUT_LOOKAHEAD_H
#define READPERF_PERFFILE_INPUT_LOOKAHEAD_H

#include "perffile/input/input.h"

#define LOOK_AHEAD_MOST ((size_t)16 << 20) /* bytes that are held; what comes later is not seen */

/*
 * Sets *found to whether one of the records at the start of a pipe has this type, and `value` as
 * its first number of 32 bits. The search ends at the first record that is not the tool's. What it
 * has read is handed out again by input_read() and copied by input_spool(). Other inputs announce
 * nothing. Call it before anything but the head has been read. False with err set if the pipe
 * cannot be read or memory is refused.
 */
bool input_announces(struct input *input, uint32_t type, uint32_t value, bool *found,
                     struct err *err);

#endif
