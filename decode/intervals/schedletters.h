/*
 * The letters of a thread's state, as the recording's own print format of sched_switch has them:
 * kernels number states differently.
 *
 *   __print_flags(REC->prev_state & ..., "|", { 0x01, "S" }, { 0x02, "D" }, ...) : "R",
 *   REC->prev_state & (... + 1) << 1 ? "+" : ""
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDLETTERS_H
#define READPERF_DECODE_INTERVALS_SCHEDLETTERS_H

#include "decode/intervals/schedmachine.h"
#include "util/arena.h"

#define SCHED_LETTERS_MOST 32 /* names of bits of a state that are read */
#define SCHED_LETTER_SIZE 8   /* bytes of such a name, with its NUL */

struct sched_letters {
	struct sched_letter {
		uint64_t bits;
		char name[SCHED_LETTER_SIZE];
	} items[SCHED_LETTERS_MOST];
	size_t count;
	uint64_t plus; /* the bit of a preempted thread; 0: there is none */
};

/* From the text of a print format, or today's if it is NULL or has none. */
void sched_letters_read(struct sched_letters *letters, const char *format, size_t size);
/* What a number says. The letters of the result are in the arena. False with err set. */
bool sched_letters_leave(const struct sched_letters *letters, uint64_t number,
                         struct sched_leave *leave, struct arena *arena, struct err *err);

#endif
