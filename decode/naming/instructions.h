/*
 * The rows of instructions.csv: each function that has samples, with its instructions.
 *
 * In:  cells, the names of their places, and the files of binaries.
 * Out: for each event and function its rows, ascending by address. A sample at an address that is
 *      no instruction's has a row of its own, so the rows of a function add up.
 *
 * instructioncode.c finds the bytes, decode/code disassembles them, naming.h names the addresses.
 */
#ifndef READPERF_DECODE_NAMING_INSTRUCTIONS_H
#define READPERF_DECODE_NAMING_INSTRUCTIONS_H

#include "decode/naming/instructioncode.h"

struct instruction_row {
	uint64_t addr; /* link-time */
	uint64_t period, samples;
	uint64_t executed;   /* how often it ran, if the block knows that */
	uint64_t jump;       /* where it jumps within its function; 0: nowhere */
	uint32_t function;   /* string: with --inline that of the code that was inlined there */
	uint32_t text;       /* string; empty: no instruction begins here */
	uint32_t target;     /* string: the function that it calls or jumps to; empty: none, or not
	                        known */
	uint32_t file, line; /* of the source; file: string */
};

/* The rows of a function and an event. */
struct instruction_block {
	uint64_t period, samples;
	size_t first, count; /* rows */
	uint64_t start;      /* address of the function */
	uint32_t event, binary;
	uint32_t name; /* string: of the function */
	bool executed; /* rows say how often they ran */
};

struct instructions {
	struct instruction_row *rows;
	size_t row_count, row_capacity;
	struct instruction_block *blocks; /* by event, the most expensive first */
	size_t block_count, block_capacity;
	const struct file_options *files; /* borrowed: where source files are, too */
};

/* False with err set; instructions_release() must be called in any case. */
bool instructions_make(struct instructions *made, const struct instruction_source *source,
                       struct err *err);
void instructions_release(struct instructions *made);

#endif
