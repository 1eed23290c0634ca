/*
 * Names of syscalls and of errors. A number means another call on another machine: those of the
 * machine that this program was built for are built in, others are asked of libseccomp, which is
 * loaded when it is needed. A number without a name stays a number.
 */
#ifndef READPERF_DECODE_INTERVALS_CALLNAMES_H
#define READPERF_DECODE_INTERVALS_CALLNAMES_H

#include "util/types.h"

#define CALL_NAME_SIZE 64 /* bytes, with the NUL */

/* Who knows the calls of the recorded machine. All zeros is valid. */
struct call_names {
	bool known;       /* the rest is set */
	bool built_in;    /* the machine is one that this program was built for */
	uint32_t machine; /* libseccomp's number of the other one; 0: it has none */
	char *(*resolve)(uint32_t machine, int number); /* NULL: the library is missing */
};

/* machine: as uname -m prints it; NULL: not recorded. */
void call_names_init(struct call_names *names, const char *machine);
/* The name of a call, or its number. */
void call_name(const struct call_names *names, uint64_t number, char out[CALL_NAME_SIZE]);

/*
 * Whether a negative result is an error, and not a call that the kernel restarts: an errno is
 * at most 4095.
 */
bool call_is_error(int64_t result);
/* "ENOENT" of 2; NULL: there is no such error. Also the kernel's own, such as ERESTARTSYS. */
const char *error_name(uint64_t number);

#endif
