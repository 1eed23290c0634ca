/*
 * The files that a run writes: each is written aside, packed if that is wanted (--compress), and
 * takes its name only when all are complete. A run that fails or is interrupted leaves none of
 * them, and what was there before as it was.
 */
#ifndef READPERF_UTIL_OUTPUT_H
#define READPERF_UTIL_OUTPUT_H

#include "util/errhandler.h"
#include "util/interrupt.h"
#include "util/pack.h"

/* What had a table's name before the table took it, until all tables have theirs. */
enum output_before {
	BEFORE_UNKNOWN,   /* not looked yet, or it cannot come back */
	BEFORE_NOTHING,   /* no file */
	BEFORE_EXCHANGED, /* a file that has the temporary name now */
	BEFORE_LINKED     /* a file that has the name `old`, too */
};

struct output_file {
	struct output_file *next;
	int fd;
	bool done;               /* has its final name */
	char *temp;              /* name while it is written */
	char *name;              /* final name */
	enum pack_format format; /* else its bytes are written to a file without a name, and packed
	                            at the end */
	char *old; /* second name of what was there before, where files cannot be exchanged */
	enum output_before before;
};

struct outputs {
	char *dir;
	enum pack_format
		pack; /* how tables (.csv) are packed; may be set until the first is opened */
	size_t made;  /* length of the first directory in dir that was made; 0: none */
	struct output_file *files; /* newest first */
	pthread_mutex_t lock;
	struct interrupt interrupt; /* removes unfinished files when a signal ends the process */
};

/*
 * Starts without files. Call it before other threads start: see interrupt_init(). False with err
 * set; outputs_release() is due in any case.
 */
bool outputs_init(struct outputs *outputs, const char *dir, struct err *err);
/* Makes the directory and its parents if they are missing. A run that fails removes them again. */
bool outputs_make_dir(struct outputs *outputs, struct err *err);
/* The directory in which that was made: malloc'd; NULL if nothing was, or memory is refused. */
char *outputs_made_in(const struct outputs *outputs);
/*
 * Makes a file to be called name in the directory, which is made if it is missing. Returns its
 * descriptor, which stays the outputs', or -1 with err set. May be called from any thread.
 */
int outputs_open(struct outputs *outputs, const char *name, struct err *err);
/*
 * Makes a file for that path, which may lie anywhere, and closes it: somebody else writes it.
 * Returns the temporary name under which that is to be done, the outputs', or NULL with err set.
 */
const char *outputs_open_path(struct outputs *outputs, const char *path, struct err *err);
/*
 * Packs the tables if that is wanted, and gives all files their names. If one cannot get its name,
 * the others give theirs back.
 */
bool outputs_commit(struct outputs *outputs, struct err *err);
/* Removes what was not committed, and frees everything. */
void outputs_release(struct outputs *outputs);

#endif
