/*
 * The recordings that the FILEs of a command line stand for: files, folders of recordings, and
 * @LIST, a file that names one in each line.
 */
#ifndef READPERF_DECODE_OPTIONS_FILELIST_H
#define READPERF_DECODE_OPTIONS_FILELIST_H

#include "util/errhandler.h"

/* In the order in which they were named. */
struct file_list {
	char **paths; /* owned */
	size_t count, capacity;
};

/*
 * Whether it is a recording: by its name, also if it is damaged or packed, or else by how it
 * begins; or a folder that perf record made.
 */
bool file_is_recording(const char *path);
/* Whether a FILE stands for several: a folder that is no recording, or @LIST. */
bool file_list_is_plural(const char *file);
/* Whether a file, which is no recording, names one in its first line: its @ was forgotten. */
bool file_looks_like_list(const char *path);
/*
 * Adds what the FILEs stand for, each path once. A recording that cannot be read is still in the
 * list. False with err set if a LIST or a folder cannot be read, or has no recording.
 */
bool file_list_fill(struct file_list *list, char *const *files, size_t count, struct diag *diag,
                    struct err *err);
/* Adds a FILE, even a folder, as it is, or what a LIST names. False with err set: no such LIST. */
bool file_list_add(struct file_list *list, const char *file, struct diag *diag, struct err *err);
void file_list_release(struct file_list *list);

#endif
