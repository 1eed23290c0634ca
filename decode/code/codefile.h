/* The ELF file that objdump reads: a section for each function, at its own address. */
#ifndef READPERF_DECODE_CODE_CODEFILE_H
#define READPERF_DECODE_CODE_CODEFILE_H

#include "decode/code/function.h"
#include "util/errhandler.h"

/* The name of the section of the function with this number. */
#define CODE_SECTION "f%zu"
#define CODE_SECTION_SIZE 24

/*
 * Makes the file, in memory, of functions [first, count). Their symbols are marks alone:
 * with others, objdump would print targets by names. Returns a descriptor; -1 with
 * err set.
 */
int code_file_make(const struct code_function *functions, size_t first, size_t count,
                   const struct code_machine *machine, struct err *err);

#endif
