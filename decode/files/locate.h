/*
 * Finds the file of a binary on this machine, and the separate file with its symbols and debug
 * information. In: a binary of the recording. Out: open ELF files that are proved to be the
 * recorded ones, or the reason why there is none.
 */
#ifndef READPERF_DECODE_FILES_LOCATE_H
#define READPERF_DECODE_FILES_LOCATE_H

#include "decode/files/elf.h"
#include "decode/files/origin.h"
#include "decode/machine/binaries.h"

#include <time.h>

struct kept_files;

/* All texts are borrowed; NULL: the default. */
struct file_options {
	/* --symfs: folders that are prefixes of every recorded path, searched in this order */
	const char *const *symfs;
	size_t symfs_count;
	const char *buildid_dir; /* --buildid-dir, or perf's own folder; NULL: none */
	const char *recording;   /* path of the recording; its kcore_dir is beside its data file */
	uint64_t last_sample;    /* its time, ns of perf's clock; 0, UINT64_MAX: not known */
	/* when the recording was written, or a stream's last record; tv_sec 0: not known */
	struct timespec recorded;
	bool live;          /* it is a stream of this machine, of just now */
	bool other_machine; /* the recording was made on another machine */
	bool same_machine;  /* it was made on this machine, since its last boot */
	/* files that a live stream is about, from when they were mapped; NULL: none */
	const struct kept_files *kept;
	uint32_t slice;  /* of the stream, for these files */
	bool debuginfod; /* --debuginfod */
	bool want_debug; /* source files or lines are needed: find the debug file, too */
};

/* The prefixes of recorded paths by number; without --symfs that is one, NULL. */
static inline size_t file_roots(const struct file_options *options)
{
	return options->symfs_count ? options->symfs_count : 1;
}

static inline const char *file_root(const struct file_options *options, size_t number)
{
	return options->symfs_count ? options->symfs[number] : NULL;
}

struct located {
	struct elf runtime, debug;
	bool has_runtime, has_debug;
	/* Malloc'd paths by which the files can be opened again; or NULL. */
	char *runtime_path, *debug_path;
	/* of the runtime file; without one as recorded, unless that is refuted; size 0: not known
	 */
	struct build_id build_id;
	enum symbol_origin reason; /* if there is no runtime file: why */
	/*
	 * The time of the recording, or the process, if it still runs, may have decided which file
	 * it is: the same binary in another recording may be another file.
	 */
	bool by_moment;
};

/* The file with a binary's DWARF. All zeros: there is none. */
struct debug_file {
	char *path;   /* malloc'd */
	char *binary; /* malloc'd: the binary itself if its DWARF is in another file, or NULL */
};

/*
 * Sets recorded, other_machine and same_machine, from the recording and the time of its file.
 * hostname and osrelease: of the recorded machine; NULL: not known.
 */
void file_options_complete(struct file_options *options, const char *hostname,
                           const char *osrelease);

/* All zeros may be released, too. */
void located_release(struct located *located);

/*
 * Finds the files of a BINARY_FILE. If the file is missing, damaged or another one, has_runtime and
 * reason say so.
 */
bool locate(struct located *located, const struct binary *binary, const struct strings *strings,
            const struct file_options *options, struct diag *diag, struct err *err);
/*
 * Opens the debug file of a located binary, if that lacks symbols or, with want_debug, DWARF, or of
 * one of which only the build id is known (locatedebug.c). path: as recorded, but without the mark
 * of a deleted file.
 */
bool locate_debug(struct located *located, const char *path, const struct file_options *options,
                  struct diag *diag, struct err *err);

/* Moves the paths there if the binary or its debug file has DWARF. */
void located_take_debug(struct located *located, struct debug_file *debug);

/*
 * Whether an ELF file can be the one that the kernel mapped (mappedpart.c). Loaders map its
 * executable segments completely, rounded to pages, so a mapping shows where segments begin and how
 * long they are. False if no part of the file that was mapped as code fits its segments.
 */
bool elf_fits_mapped_parts(const struct elf *elf, const struct binary *binary);
/*
 * Opens the file of a BINARY_VDSO (vdsofile.c): from the build-id cache, or from our own process if
 * that has the recorded one. False if there is none. same_kernel: the recorded kernel has the
 * release of the running one, which is proof if no build id was recorded. Call elf_close() after
 * success.
 */
bool vdso_file_open(struct elf *elf, const struct binary *binary,
                    const struct file_options *options, bool same_kernel, struct err *err);

#endif
