/*
 * The call chain of one sample, whatever way it was recorded: frames that the kernel walked,
 * branches of a call stack, or registers and a copy of the stack.
 *
 * Enters: a decoded sample and the process it was taken in. Leaves: its frames, innermost first,
 * and how the stack ended. Every sample has at least one frame, its own address, which is the
 * first.
 */
#ifndef READPERF_DECODE_STACKS_CHAIN_H
#define READPERF_DECODE_STACKS_CHAIN_H

#include "decode/machine/mapping.h"
#include "decode/stacks/stackfiles.h"
#include "decode/stacks/unwind.h"

struct chain_frame {
	uint64_t ip;   /* of the instruction; of a caller: the last byte of the call */
	uint64_t addr; /* the same in the binary's address space */
	uint32_t binary;
	uint8_t flags; /* FRAME_RETURN, FRAME_GUESSED */
};

struct chain {
	struct chain_frame *frames;
	size_t count, capacity;
	enum stack_end end;
	bool has_unmapped; /* at an address of it nothing was mapped */
	bool has_cookie;   /* the user part comes later, in a record with this cookie */
	uint64_t cookie;
};

/* Numbers of the binaries for what has no mappings. */
struct chain_binaries {
	uint32_t guest_kernel, guest_user, hypervisor;
};

struct chain_reader {
	struct session *session;   /* borrowed */
	struct mappings *mappings; /* borrowed */
	struct stack_files *files; /* borrowed */
	struct chain_binaries other;
	struct unwinder *unwinder;       /* owned; NULL until the first copy of a stack */
	bool knows_machine, has_machine; /* of whose copies stacks can be unwound */
	enum cfi_machine machine;
	struct space *space; /* of the current sample's process; NULL: none */
	uint64_t narrow;     /* copies of stacks of 32-bit programs, which are not unwound */
};

void chain_reader_init(struct chain_reader *reader, struct session *session,
                       struct mappings *mappings, struct stack_files *files,
                       const struct chain_binaries *other);
void chain_reader_release(struct chain_reader *reader);

void chain_release(struct chain *chain);

/*
 * Reads the chain of a SAMPLE record, of a process with this space (NULL: none), into chain, which
 * may hold another. False with err set when memory is refused.
 */
bool chain_read(struct chain_reader *reader, const struct record *record, struct space *space,
                struct chain *chain, struct err *err);
/* Appends the user part that a CALLCHAIN_DEFERRED record brings. */
bool chain_append_deferred(struct chain_reader *reader, const struct record *record,
                           struct space *space, struct chain *chain, struct err *err);

#endif
