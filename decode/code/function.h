/* A function whose instructions are wanted, and its instructions. */
#ifndef READPERF_DECODE_CODE_FUNCTION_H
#define READPERF_DECODE_CODE_FUNCTION_H

#include "util/types.h"

/* Where the bytes are from: what disassemblers need to know of it. */
struct code_machine {
	uint16_t machine; /* EM_... */
	bool wide;        /* 64 bit */
	bool big_endian;
	uint32_t flags; /* of the ELF header */
	/*
	 * Of ARM and RISC-V, the section of attributes, which says what extensions the code uses;
	 * borrowed. NULL: there is none.
	 */
	const uint8_t *attributes;
	size_t attribute_size;
};

/* From this address on, until the next mark: 'a' ARM, 't' Thumb, 'x' others, 'd' data. */
struct code_mark {
	uint64_t addr;
	char kind;
	/* of RISC-V: the extensions of the code behind it, as "rv64i2p1_v1p0"; borrowed, or NULL */
	const char *extensions;
};

struct code_instruction {
	uint64_t addr;
	uint64_t target; /* of a direct call or jump */
	uint32_t text;   /* string */
	bool has_target;
};

struct code_function {
	uint64_t addr;                 /* link-time address of the first byte */
	const uint8_t *bytes;          /* borrowed */
	size_t size;                   /* below CODE_FUNCTION_MOST */
	const struct code_mark *marks; /* borrowed; ascending, those of this function */
	size_t mark_count;
	/* Out; malloc'd: see code_function_release(). */
	struct code_instruction *instructions;
	size_t count, capacity;
};

#endif
