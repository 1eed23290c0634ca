/*
 * Errors and warnings. Only readperf.c prints: a failure is passed up in a struct err, a warning is
 * passed to the struct diag that the caller provides.
 *
 * A function that has set err returns false, NULL, or the number that stands for none. In the rooms
 * of decode/ that read binaries and debug information, err is set only when memory is refused,
 * unless the comment of a function says more: damage of such a file is a warning, or something
 * stays unknown.
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
	ERR_ORDER,       /* records that were read once came too late: to be read twice */
	ERR_USAGE        /* the command line is wrong */
};

#define ERR_TEXT_SIZE 640 /* bytes of a message; what is longer is cut off */

/* For errors that have no place in a file. */
#define ERR_NO_OFFSET UINT64_MAX

struct err {
	enum err_code code;
	uint64_t offset;  /* bytes from file start, or ERR_NO_OFFSET */
	uint64_t size;    /* ERR_NOMEM: bytes that were refused */
	const char *fmt;  /* the literal that text was made from; together with subject, it is the
	                     error's kind */
	uint64_t subject; /* hash of what it is about: see struct diag */
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
/*
 * Passes another failure on only if memory was refused: any other is damage that the caller
 * tolerates. Whether err has no failure.
 */
bool err_pass_nomem(struct err *err, const struct err *other);
/* size: the bytes that were asked for. */
bool err_nomem(struct err *err, size_t size);
/* Puts "name: " in front of an error's text; errors about different names are different kinds. */
void err_prefix(struct err *err, const char *name);
/* Puts the file, and the offset if there is one, in front: for messages about several files. */
void err_name_file(struct err *err, const char *file);

/* Warnings of one kind: same format, same subject. */
struct diag_kind {
	struct diag_kind *next;
	uint64_t subject;
	uint64_t count;
	uint64_t samples; /* number of samples concerned; 0: not known */
	uint64_t offset;  /* of the first */
	bool said;
	char text[ERR_TEXT_SIZE]; /* of the first */
};

#define DIAG_SAID_MOST 8    /* kinds of one format that are printed; the others are counted */
#define DIAG_KINDS_MOST 256 /* kinds of one format that are kept apart: the first ones */

struct diag_format {
	struct diag_format *next;
	const char *fmt;
	struct diag_kind *kinds; /* malloc'd, the first one first */
	size_t count, said;      /* of kinds */
	/* the kinds that did not fit into the list: the first of them, and the count of all */
	struct diag_kind others;
};

/*
 * Collects warnings. The kind of a warning is its format string and its subject: the file, the part
 * of a file or the record type that it is about. Where a format begins with "%s", that argument is
 * the subject.
 *
 * With a file, that is the subject of a warning with an offset, too, and its text begins with both.
 *
 * The first warning of each kind is printed at once, and the others are counted. A warning that
 * says how many samples it concerns is held back until diag_finish(), which prints those with the
 * most samples, and all counts. One thread at a time.
 */
struct diag {
	void (*print)(void *context, uint64_t offset, const char *text); /* borrowed */
	void *context;
	/* borrowed; the file that offsets in warnings are about, if several are read; else NULL */
	const char *file;
	struct diag_format *formats; /* malloc'd, the first one first */
};

/*
 * The subject of a warning whose format does not begin with it, and how many samples it concerns.
 */
struct diag_about {
	const char *subject;
	uint64_t samples; /* 0: not known; the warning is then printed at once */
};

/* print NULL: nothing is printed, only recorded for diag_replay(). */
void diag_init(struct diag *diag, void (*print)(void *, uint64_t, const char *), void *context);
void diag_release(struct diag *diag);
/* offset: bytes from file start, or ERR_NO_OFFSET. fmt must be a string literal. diag may be NULL.
 */
void diag_warn(struct diag *diag, uint64_t offset, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_warn_about(struct diag *diag, struct diag_about about, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Passes an error on as a warning. */
void diag_warn_err(struct diag *diag, const struct err *err);
/*
 * Repeats on `to` every warning that `from` recorded, as concerning so many samples (0: not known).
 */
void diag_replay(struct diag *to, const struct diag *from, uint64_t samples);
/*
 * What was warned of will be found once more: counts begin anew, and what was printed is not
 * printed again.
 */
void diag_start_again(struct diag *diag);
/* Prints the warnings that were held back, and how often each repeated kind occurred. */
void diag_finish(struct diag *diag);

#endif
