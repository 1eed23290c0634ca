/*
 * The call chain of one sample, in whichever form it was recorded: as a list of frames, as branches
 * of a call stack, or as registers and a copy of the stack.
 *
 * In:  a decoded sample and its process.
 * Out: its frames, the innermost first, and how the stack ended. Every sample has at least one
 * frame, the first: its own address.
 */
#ifndef READPERF_DECODE_STACKS_CHAIN_H
#define READPERF_DECODE_STACKS_CHAIN_H

#include "decode/machine/cpumode.h"
#include "decode/machine/mapping.h"
#include "decode/stacks/stackfiles.h"
#include "decode/stacks/unwind.h"

struct chain {
	struct chain_frame *frames;
	size_t count, capacity;
	enum stack_end end;
	bool has_cookie; /* a later record with this cookie has the user part */
	uint64_t cookie;
};

/* Zeros but for files, which stack_files_init() must have made, are valid. */
struct chain_reader {
	struct stack_files files;
	struct unwinder *unwinder; /* owned; NULL until the first copy of a stack */
	struct space *space;       /* of the process of the current sample; NULL: none */
	uint64_t narrow;           /* copies of stacks of 32-bit programs, which are not unwound */
};

/*
 * The mapping around an address of a user part, which frames and keys of chains are made of; where
 * nothing is mapped, an empty one in binary 0. Callers without a mapping are all at address 0
 * there: code without frame pointers leaves any number where one is expected. misc: of the record;
 * flags: of the frame.
 */
static inline struct space_map chain_user_map(struct space *space, uint16_t misc, uint64_t ip,
                                              unsigned flags)
{
	const struct space_map *found = NULL;
	const bool caller = (flags & FRAME_RETURN) != 0;

	/* the kernel was called from there */
	if (space && !caller && cpu_mode_of(misc) == MODE_KERNEL)
		found = space_find_caller(space, ip);
	else if (space)
		found = space_find(space, ip);
	return found ? *found : (struct space_map){ ip, ip, caller ? 0 : ip, 0 };
}

/*
 * Whether the first address of a list, in the sample's own mode, is that of the sample. The
 * processor may report one of the two precisely and the other one instruction late.
 */
static inline bool chain_is_own_address(uint64_t first, uint64_t ip)
{
	const uint64_t instruction = 15; /* bytes, at most */

	return first - ip + instruction <= 2 * instruction;
}

/* The mode of the addresses behind a marker (a word for which chain_word_is_marker() is true). */
enum cpu_mode chain_mode_of_marker(uint64_t marker);

void chain_reader_release(struct chain_reader *reader);
void chain_release(struct chain *chain);

/*
 * Reads the chain of a SAMPLE record into chain, whose old contents are dropped. space: of its
 * process, or NULL.
 */
bool chain_read(struct chain_reader *reader, const struct record *record, struct space *space,
                struct chain *chain, struct err *err);
/* Only the innermost frame of that chain. */
bool chain_read_own(struct chain_reader *reader, const struct record *record, struct space *space,
                    struct chain_frame *own, struct err *err);
/* Appends the user part of a chain, which a CALLCHAIN_DEFERRED record has. */
bool chain_append_deferred(struct chain_reader *reader, const struct record *record,
                           struct space *space, struct chain *chain, struct err *err);

/*
 * The rest of this header is for chainread.c, which reads what was recorded as a list, and
 * chaincopy.c, which reads what was recorded as a copy of the stack. Both use chainframe.c.
 */

/* The state of reading the chain of one sample. */
struct chain_work {
	struct chain_reader *reader;
	const struct record *record;
	struct chain *chain;
	struct err *err;
	/* the recorded chain */
	uint64_t user_first, user_end; /* words [user_first, user_end) are its user part */
	size_t user_frame;             /* the first frame of that part */
	uint64_t entries;              /* number of addresses */
	bool has_user;
};

static inline uint64_t chain_word(const struct chain_work *work, uint64_t at)
{
	return record_word(work->record, work->record->sample.callchain, at);
}

/* The mapping around an address; if there is none, a range of only this address. */
bool chain_find_map(struct chain_work *work, enum cpu_mode mode, uint64_t ip, unsigned flags,
                    struct space_map *map);

static inline struct chain_frame chain_frame_at(uint64_t ip, const struct space_map *map,
                                                enum cpu_mode mode, unsigned flags)
{
	return (struct chain_frame){ .ip = ip,
		                     .addr = ip - map->start + map->pgoff,
		                     .binary = map->binary,
		                     .flags = (uint8_t)flags,
		                     .mode = (uint8_t)mode };
}

/* Makes room for more frames. */
bool chain_reserve(struct chain_work *work, size_t more);
/* Appends the frame of an address. A return address is looked up at the call before it. */
bool chain_append_ip(struct chain_work *work, enum cpu_mode mode, uint64_t ip, unsigned flags);
/*
 * Replaces the user part by the frames in the copy of the stack, if there is one; kernel threads
 * have neither registers nor a copy.
 */
bool chain_append_copy(struct chain_work *work);

#endif
