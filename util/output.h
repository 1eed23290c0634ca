/*
 * The files that a run writes. Each is written under a temporary name, packed if that is asked for
 * (--compress), and gets its own name only when all are complete. A run that fails or is
 * interrupted leaves none of them, and does not change existing files.
 */
#ifndef READPERF_UTIL_OUTPUT_H
#define READPERF_UTIL_OUTPUT_H

#include "util/errhandler.h"
#include "util/interrupt.h"
#include "util/pack.h"

#include <sys/stat.h>

struct output_file {
	struct output_file *next;
	int fd;
	bool done;   /* has its final name */
	bool is_new; /* no file had that name before */
	char *temp;  /* name while it is written */
	char *name;  /* final name; NULL: somebody else writes it, and it keeps its name */
	struct packer *packer; /* what is written has to go through it; NULL: it is not packed */
	/* room for a second name of the existing file, on file systems that cannot swap two files
	 */
	char *old;
	/* `temp` or `old`: the name of the existing file until all tables have their names; NULL:
	   there is none, or it cannot be restored */
	const char *kept;
};

/* A file that no output may replace. */
struct spared_file {
	struct spared_file *next;
	dev_t device;
	ino_t number;
	const char *what; /* for the message: "the recording" */
};

struct outputs {
	char *dir;
	/* how tables (.csv) are packed; may be changed until the first is opened */
	enum pack_format pack;
	size_t made; /* length of the part of dir up to the first directory that this run made; 0:
	                it made none */
	struct output_file *files; /* newest first */
	struct spared_file *spared;
	pthread_mutex_t lock;
	struct interrupt interrupt; /* removes unfinished files when a signal ends the process */
};

/*
 * Opens a stand-in for each of the descriptors 0, 1 and 2 that the caller closed (`readperf >&-`):
 * reading from the first, and writing to the others, fails with EBADF as it would without it.
 * Otherwise the next file to be opened would get the number, and messages would be written into a
 * table. Call it before any file is opened. False with errno set.
 */
bool standard_streams_reserve(void);

/*
 * Starts without files. Call it before other threads are started: see interrupt_init(). False with
 * err set; outputs_release() must be called in any case.
 */
bool outputs_init(struct outputs *outputs, const char *dir, struct err *err);
/* Makes the directory and its parents if they are missing. A run that fails removes them again. */
bool outputs_make_dir(struct outputs *outputs, struct err *err);
/*
 * The existing directory in which the first missing one was made: malloc'd; NULL if none was made,
 * or if memory is refused.
 */
char *outputs_made_in(const struct outputs *outputs);
/*
 * From now on no file may be opened that would replace this one. what: borrowed, for the message.
 * False with err set if memory is refused.
 */
bool outputs_spare(struct outputs *outputs, const struct stat *file, const char *what,
                   struct err *err);
/* A file that the run has just made: if it fails, it is removed again. False: memory is refused. */
bool outputs_add_made(struct outputs *outputs, const char *path, struct err *err);
/* Whether outputs_add_made() was called with that path. */
bool outputs_made(const struct outputs *outputs, const char *path);
/*
 * Makes a file to be called name in the directory, which is made if it is missing. Returns its
 * descriptor, which the outputs own, or -1 with err set. *packer: what packs the file; write to it
 * instead, and then call packer_end(). It stays as it is if the file is not packed. May be called
 * from any thread.
 */
int outputs_open(struct outputs *outputs, const char *name, struct packer **packer,
                 struct err *err);
/* Whether it made a file to be called name in the directory, whose names include how it is packed.
 */
bool outputs_have(const struct outputs *outputs, const char *name);
/*
 * Makes a file that is to become path, anywhere in the file system, and closes it, for a library to
 * write. Returns the temporary name to be written to, which the outputs own, or NULL with err set.
 */
const char *outputs_open_path(struct outputs *outputs, const char *path, struct err *err);
/* Removes the files that were opened after this one, which was outputs->files then. */
void outputs_forget(struct outputs *outputs, const struct output_file *last);
/* Gives all files their names. If one cannot be renamed, those before it are renamed back. */
bool outputs_commit(struct outputs *outputs, struct err *err);
/* Removes all files that were not committed, and frees everything. */
void outputs_release(struct outputs *outputs);

#endif
