/*
 * Code made at run time. Memory is used again, so an address alone does not identify the code; a
 * jitdump file says what was loaded where at which time.
 *
 * In:  the jitdump files that processes map, and the times of the records.
 * Out: mappings of BINARY_JITDUMP in the address spaces of these processes, each before the first
 * record that is as old as the code or younger.
 */
#ifndef READPERF_DECODE_TALLY_RUNTIMECODE_H
#define READPERF_DECODE_TALLY_RUNTIMECODE_H

#include "decode/files/jitdump.h"
#include "decode/machine/mapping.h"

/* A jitdump file that a process mapped. */
struct code_dump {
	uint32_t path; /* string */
	int32_t pid;
	uint32_t process;           /* its number; that mapped it last */
	struct jit_entries entries; /* by time */
	size_t next;                /* the next one to be loaded */
	bool unread;                /* from run_time_code_carry(); nothing below is set yet */
	bool timed;                 /* its times are of the clock of the recording */
	bool reused;                /* code was loaded where other code of a file was */
	bool reported;              /* by run_time_code_report() */
	uint32_t problem;    /* string: why it could not be read completely; STRING_EMPTY: it was */
	size_t timed_before; /* the next one of the list at last_timed; DUMP_NONE */
};

#define DUMP_NONE SIZE_MAX

struct run_time_code {
	struct session *session;          /* borrowed */
	struct mappings *mappings;        /* borrowed */
	const struct file_options *files; /* borrowed; NULL: jitdump files are not read */
	struct code_dump *dumps;
	size_t count, capacity;
	struct map dump_of; /* pid << 32 | path -> number of its dump */
	size_t last_timed;  /* list of the dumps with code to be loaded at its time; DUMP_NONE */
	uint64_t next_time; /* ns, when the next code is to be loaded; TIME_NONE: never */
	bool unread;        /* a file of run_time_code_carry() has not been read */
	bool timed;         /* code depends on the time, so records must come in its order */
};

void run_time_code_init(struct run_time_code *code, struct session *session,
                        struct mappings *mappings);
void run_time_code_release(struct run_time_code *code);

/*
 * After an MMAP record was applied to the mappings: if it mapped a jitdump file, reads it. False
 * with err set when memory is refused; the same holds for the function below.
 */
bool run_time_code_mmap(struct run_time_code *code, const struct record *record, struct err *err);
/*
 * Before the first record: a process of this pid has mapped the jitdump file, whose path is a
 * string. It is read when the first record comes, because events may be known only then.
 */
bool run_time_code_carry(struct run_time_code *code, uint32_t path, int32_t pid, struct err *err);
/* Loads the code that came up to this time, ns. */
bool run_time_code_load(struct run_time_code *code, uint64_t time, struct err *err);

/* The same, quickly if there is none. Call it before each record; TIME_NONE loads nothing. */
static inline bool run_time_code_until(struct run_time_code *code, uint64_t time, struct err *err)
{
	return time < code->next_time || time == TIME_NONE || run_time_code_load(code, time, err);
}

/*
 * After mapping_finish(): reports to diag, once for each file, what is wrong with the jitdump file
 * that this binary is from, if it is from one.
 */
void run_time_code_report(struct run_time_code *code, const struct binary *binary,
                          struct diag *diag);

#endif
