/*
 * The instructions of functions, by objdump: all functions of one machine in one run, from a small
 * ELF file that holds nothing but their bytes, because objdump reads all symbols of the file that
 * it is given.
 *
 * In:  functions: addresses, bytes, and which machine they are for.
 * Out: the instructions of each function, ascending. What objdump does not print has none.
 *
 *      functions -> codefile.c: an ELF file in memory -> code.c: runs objdump -> objdumpparse.c
 */
#ifndef READPERF_DECODE_CODE_CODE_H
#define READPERF_DECODE_CODE_CODE_H

#include "decode/code/function.h"
#include "util/errhandler.h"
#include "util/strings.h"

#define CODE_FUNCTION_MOST ((size_t)4 << 20) /* bytes; no compiler makes such functions */
#define CODE_RUN_MOST ((size_t)8 << 20)      /* bytes of all functions of a run */
#define CODE_FUNCTIONS_MOST 50000            /* of a run; an ELF file can have 65,279 sections */

struct code_options {
	const char *program; /* --objdump; NULL: the first that knows the machine */
};

/*
 * Disassembles the functions; texts are put into strings. If there is no program that can do it, or
 * if it fails, that is a warning, and functions stay without instructions. False with err set when
 * memory is refused.
 */
bool code_disassemble(struct code_function *functions, size_t count,
                      const struct code_machine *machine, const struct code_options *options,
                      struct strings *strings, struct diag *diag, struct err *err);
void code_function_release(struct code_function *function);

#endif
