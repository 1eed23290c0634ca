/*
 * Errors and warnings. No room but readperf.c prints: a failure travels up in a struct err, a
 * warning goes to the struct diag that the caller handed down.
 */
#ifndef READPERF_UTIL_ERRHANDLER_H
#define READPERF_UTIL_ERRHANDLER_H

#include "util/types.h"

enum err_code {
	ERR_NONE,
	ERR_IO,          /* the system refused: open, read, write */
	ERR_FORMAT,      /* the input is not what the format says */
	ERR_UNSUPPORTED, /* valid, but not readable with this build */
	ERR_LIMIT,       /* more than a limit allows */
	ERR_NOMEM,       /* memory refused */
	ERR_USAGE        /* the command line is wrong */
};

#define ERR_TEXT_SIZE 640 /* bytes of a message; what is longer is cut off */

/* For errors that have no place in a file. */
#define ERR_NO_OFFSET UINT64_MAX

struct err {
	enum err_code code;
	uint64_t offset;          /* bytes from file start, or ERR_NO_OFFSET */
	uint64_t size;            /* ERR_NOMEM: bytes that were refused */
	const char *fmt;          /* the literal that text was made from: the error's kind */
	char text[ERR_TEXT_SIZE]; /* one clause, lower case, no full stop */
};

/* Keep the first failure. Always return false, so: return err_at(...); */
bool err_at(struct err *err, enum err_code code, uint64_t offset, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Appends ": " and the text of errno. */
bool err_errno(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Passes another failure on, unless there is one already. */
bool err_pass(struct err *err, const struct err *other);
/* size: the bytes that were asked for. */
bool err_nomem(struct err *err, size_t size);

/* One kind of warning, known by the address of its format string. */
struct diag_kind {
	const char *fmt;
	uint64_t count;
	uint64_t offset; /* of the first */
	char first[ERR_TEXT_SIZE];
};

/*
 * Collects warnings. The first of each kind is printed at once, the others are counted;
 * diag_finish() prints those counts. One thread at a time.
 */
struct diag {
	void (*print)(void *context, uint64_t offset, const char *text); /* borrowed */
	void *context;
	struct diag_kind *kinds;
	size_t count, capacity;
};

void diag_init(struct diag *diag, void (*print)(void *, uint64_t, const char *), void *context);
void diag_release(struct diag *diag);
/* offset: bytes from file start, or ERR_NO_OFFSET. fmt must be a string literal. diag may be NULL. */
void diag_warn(struct diag *diag, uint64_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Passes an error on as a warning. */
void diag_warn_err(struct diag *diag, const struct err *err);
/* Tells to everything that was told to from. */
void diag_replay(struct diag *to, const struct diag *from);
/* Prints how often each repeated kind came. */
void diag_finish(struct diag *diag);

#endif
