/*
 * Which list of syscalls a process calls by number: on a 64-bit machine 32-bit programs have
 * another one. A record of a call does not tell; the place of the vdso does, which the kernel maps
 * below 4 GB into 32-bit programs and near the top of the address space into others.
 */
#ifndef READPERF_DECODE_INTERVALS_CALLABI_H
#define READPERF_DECODE_INTERVALS_CALLABI_H

#include "decode/intervals/callnames.h"
#include "perffile/record/record.h"
#include "util/hash.h"

/* All zeros is valid: no call has a name. */
struct call_abis {
	struct call_names own, narrow; /* of the machine, and of 32-bit programs on it */
	struct map is_narrow;          /* by pid: 1 for 32-bit programs, 0 for others */
	bool has_narrow;               /* a process is one */
};

/* machine: as uname -m prints it; NULL: not recorded. */
void call_abis_init(struct call_abis *abis, const char *machine);
void call_abis_release(struct call_abis *abis);
/* Notes what a record tells of its process. False with err set when memory is refused. */
bool call_abis_record(struct call_abis *abis, const struct record *record, struct err *err);
/* The names of a process's calls. */
const struct call_names *call_abis_of(const struct call_abis *abis, int32_t pid);
/*
 * Whether a call that began with one number and ended with another one is the same: an execve() of
 * a 32-bit program by a 64-bit one, or the other way round.
 */
bool call_abis_joined(const struct call_abis *abis, int32_t pid, uint64_t begun, uint64_t ended);

#endif
