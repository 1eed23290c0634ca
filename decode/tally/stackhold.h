/*
 * Stacks whose samples are counted later: an interval has the stack of the record that begins it,
 * without the frames that its pairing cuts off, and its period is known when it ends.
 *
 * In:  records that begin something.
 * Out: a number for each distinct stack, with which samples are counted at its cell.
 */
#ifndef READPERF_DECODE_TALLY_STACKHOLD_H
#define READPERF_DECODE_TALLY_STACKHOLD_H

#include "decode/stacks/waitcode.h"
#include "decode/tally/stackstat.h"

/* What of a chain counts. */
struct stack_cut {
	const struct wait_code *wait; /* innermost frames there are cut off; NULL: none are */
	bool kernel;                  /* all frames of the kernel are, if one of the user is left */
	bool alone;                   /* all callers are: they are those of another thread */
	/*
	 * The place itself, of the kernel: where it stands in the chain the frames inside of it are
	 * cut off; otherwise it is put in front.
	 */
	bool has_place, place_returns; /* place_returns: it is the address behind a call */
	uint64_t place;
	bool has_state; /* a frame that stands for a state is put in front; state: its binary */
	uint32_t state;
};

/*
 * The number of the stack of a record of a process, or MAP_NONE with err set. A record that is no
 * sample has an unknown one.
 */
uint32_t stackhold_put(struct stackstat *stacks, const struct record *record, uint32_t process,
                       const struct stack_cut *cut, struct err *err);
/*
 * What the stack of a sample that was passed to samples() depends on, so that it need not be made
 * again; 0: on more than a list of addresses, or on those of a process. space: of its process.
 */
uint64_t stackhold_key(const struct stackstat *stacks, const struct sample *sample,
                       struct space *space, const struct stack_cut *cut);
/* The stack that was kept with a key, or MAP_NONE. */
uint32_t stackhold_known(const struct stackstat *stacks, uint64_t key);
/* Keeps it; false with err set. */
bool stackhold_keep(struct stackstat *stacks, uint64_t key, uint32_t held, struct err *err);

/* Where its samples count. */
static inline const struct held_stack *stackhold_at(const struct stackstat *stacks, uint32_t held)
{
	return &stacks->held.items[held];
}

/* Counts samples of a group at a stack; returns the number of the cell, or MAP_NONE. */
uint32_t stackhold_count(struct stackstat *stacks, uint32_t held, uint32_t group, uint64_t samples,
                         uint64_t period, struct err *err);

#endif
