/*
 * Runs another program on foreign bytes, such as objdump on the code of a recorded binary. The
 * program may have errors that these bytes trigger, so it gets as little as possible: it cannot
 * write files or connect to anything, and reads nothing but its file, programs and libraries, as
 * far as the kernel's Landlock can forbid that; its time, memory and output are limited, and it
 * ends when we do.
 */
#ifndef READPERF_UTIL_HELPER_H
#define READPERF_UTIL_HELPER_H

#include "util/errhandler.h"

/* The path of the file in struct helper, for its arguments. */
#define HELPER_FILE "/proc/self/fd/3"

struct helper {
	const char *const *arguments; /* NULL-terminated; the first one is searched in PATH */
	int file;                     /* open, read-only for the program; borrowed */
	uint64_t output_most;         /* bytes */
	uint64_t memory_most;         /* bytes of its address space */
	int silence_most;             /* ms without output */
	int time_most;                /* ms in all */
	/*
	 * Receives all that it writes to its standard output, and to its standard error. Returns
	 * false to stop it: with err set, if memory is refused.
	 */
	bool (*take)(void *context, const char *data, size_t size, struct err *err);
	void *context;
};

enum helper_end {
	HELPER_SUCCESS,  /* it ended with exit status 0 */
	HELPER_FAILURE,  /* it ended with another exit status */
	HELPER_SIGNAL,   /* it was ended by a signal */
	HELPER_MISSING,  /* it cannot be started */
	HELPER_SILENT,   /* it was stopped: too long without output, */
	HELPER_LATE,     /* its time was over, */
	HELPER_TOO_MUCH, /* it wrote too much, */
	HELPER_STOPPED,  /* or take() returned false */
};

/* "ended by signal 11" and the like, for messages; lives as long as text. */
#define HELPER_TEXT_SIZE 80
struct helper_result {
	enum helper_end end;
	int number; /* the exit status, the signal, or the errno of starting it */
	int time;   /* ms that it took */
};

const char *helper_end_text(const struct helper_result *result, char text[HELPER_TEXT_SIZE]);

/*
 * Our environment with the C locale, and without servers that a program would ask by itself: for
 * one free(); NULL if memory is refused.
 */
char **helper_environment(void);

/* Runs it. False with err set if memory or another process is refused. */
bool helper_run(const struct helper *helper, struct helper_result *result, struct err *err);

#endif
