/*
 * What the number of a thread's state says: kernels number states differently, and the recording's
 * own print format of sched_switch has the letters.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDLETTERS_H
#define READPERF_DECODE_INTERVALS_SCHEDLETTERS_H

#include "decode/intervals/schedmachine.h"
#include "perffile/fields/format.h"

/* The names of today's kernels. NULL with err set when memory is refused. */
const struct value_names *sched_letters_todays(struct arena *arena, struct err *err);
/* What a number says. False with err set. */
bool sched_letters_leave(const struct value_names *names, uint64_t number,
                         struct sched_leave *leave, struct strings *strings, struct err *err);

#endif
