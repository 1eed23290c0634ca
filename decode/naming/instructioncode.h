/*
 * The instructions of functions of any binaries.
 *
 * In:  functions of struct place_names.
 * Out: the instructions of each, and the addresses that they jump to in the address space of the
 *      binary.
 */
#ifndef READPERF_DECODE_NAMING_INSTRUCTIONCODE_H
#define READPERF_DECODE_NAMING_INSTRUCTIONCODE_H

#include "decode/code/code.h"
#include "decode/naming/binarycode.h"
#include "decode/naming/naming.h"

/* A function whose instructions are wanted. */
struct wanted_function {
	uint32_t function; /* index of struct function_name */
	uint64_t samples;
	uint64_t addr; /* in the address space of the binary */
	size_t code;   /* out: index in codes, or SIZE_MAX: there is no code */
	bool left_out; /* out: it is too large, alone or with the others; that was said */
};

struct instruction_code {
	struct code_function *codes;
	size_t count;
	struct binary_code **binary_of; /* by code */
	struct binary_code *binaries;
	size_t binary_count;
};

/* What is needed for it. */
struct instruction_source {
	struct buildstat *stat;
	const struct place_names *names;
	const struct naming_options *options; /* those of naming_run() */
	const struct code_options *code;
	struct diag *diag;
};

/*
 * wanted: ascending by function. False with err set when memory is refused;
 * instruction_code_release() must be called in any case.
 */
bool instruction_code_make(struct instruction_code *made, struct wanted_function *wanted,
                           size_t count, const struct instruction_source *source, struct err *err);
void instruction_code_release(struct instruction_code *made);

#endif
