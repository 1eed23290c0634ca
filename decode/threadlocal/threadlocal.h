/*
 * Which accesses go to thread-local variables of the program itself, on x86-64.
 *
 * In:  counted accesses.
 * Out: of each the program's file, and where in its block of thread-local variables.
 *
 * No record says where a thread has its copy of them. But an instruction like `mov %fs:0x28,%rax`
 * of any binary has its distance from the thread pointer in it, so that the address that was
 * recorded with it says what the thread pointer is; and the linker has put the program's block
 * right below that (System V ABI, "ELF Handling For Thread-Local Storage", variant II).
 */
#ifndef READPERF_DECODE_THREADLOCAL_THREADLOCAL_H
#define READPERF_DECODE_THREADLOCAL_THREADLOCAL_H

#include "decode/files/locate.h"
#include "decode/tally/memorystat.h"

struct thread_place {
	uint32_t program; /* a binary; UNKNOWN_BINARY: it is no such access */
	uint64_t value;   /* as the values of symbols of type STT_TLS */
};

/* All borrowed. */
struct thread_source {
	const struct memorystat *stat;
	const struct binary *binaries;
	const struct strings *strings;
	const struct file_options *files;
};

/* Sets the place of each access. False with err set when memory is refused. */
bool thread_places_find(struct thread_place *places, const struct thread_source *source,
                        struct err *err);

#endif
