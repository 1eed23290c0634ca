/*
 * The files of programs that a live stream is about, open from the moment on at which a record says
 * that they were mapped: when their slice is named, they may have been deleted or replaced.
 *
 *   reader:  MMAP2 records -> kept_files_see()     opens each file once
 *            what goes on  -> kept_files_need()    of each slice
 *   slices:  locate()      -> kept_files_open()    by what the kernel recorded, not by the path
 *
 * In:  records of the mappings of files. Out: descriptors of the process that reads the stream; the
 * processes of its slices, which share this memory, open them below /proc.
 */
#ifndef READPERF_DECODE_FILES_KEPTFILES_H
#define READPERF_DECODE_FILES_KEPTFILES_H

#include "decode/machine/binaries.h"
#include "perffile/record/record.h"

#include <sys/stat.h>

#define KEPT_MOST 1024  /* files; the ones that come when there is no room are not kept */
#define KEPT_SLICES 4u  /* after so many slices without the file no process names it any more */
#define KEPT_REST 256   /* descriptors that are left for everything else */
#define KEPT_ID_WORDS 2 /* the kernel's inode and device, or a part of the build id */

struct kept_file {
	uint64_t id[KEPT_ID_WORDS]; /* {0, 0}: the place is free */
	int32_t fd;                 /* -1: at the path there was another file */
	uint32_t slice;             /* the last one that needs it */
	uint32_t changed;           /* the last one in which it was mapped with other contents */
	uint64_t modified;          /* its time of modification when it was mapped last, ns */
};

struct kept_files {
	int32_t owner;        /* process that has the descriptors */
	int32_t helper;       /* of proc_files_start(); 0: none; set by the caller, closed here */
	uint32_t slice, most; /* slice: from 1 on */
	uint32_t used;        /* places before this one may be taken */
	struct kept_file files[KEPT_MOST];
};

/* In memory that forked processes share. NULL with err set. */
struct kept_files *kept_files_new(struct err *err);
void kept_files_free(struct kept_files *kept); /* accepts NULL */

/* The helper that opens files below /proc; kept may be NULL. */
static inline int kept_files_helper(const struct kept_files *kept)
{
	return kept ? kept->helper : 0;
}

/* Opens the file of an MMAP2 record of a process, if it is there and not open yet. */
void kept_files_see(struct kept_files *kept, int32_t pid, const struct record_mmap *map);
/* Processes that go on in the next slice have mapped the binary. */
void kept_files_need(struct kept_files *kept, const struct binary *binary);
/* A slice is over: closes what no slice needs any more. */
void kept_files_forget(struct kept_files *kept);

/*
 * Whether the file has been written to since it was mapped, or was mapped again after that in this
 * slice or a later one: what its samples of the slice ran is not known then.
 */
bool kept_files_changed(const struct kept_files *kept, const struct binary *binary, uint32_t slice,
                        const struct stat *now);

#define KEPT_PATH_SIZE 48

/*
 * A descriptor of the file that was mapped as this binary, and a path that leads to it; or -1. The
 * caller checks that it is that file. kept: NULL: none is kept.
 */
int kept_files_open(const struct kept_files *kept, const struct binary *binary,
                    char path[KEPT_PATH_SIZE]);

#endif
