#include "decode/files/locate.h"

#include "decode/files/buildidcache.h"
#include "decode/files/debuginfod.h"
#include "decode/files/keptfiles.h"
#include "decode/files/procfiles.h"
#include "decode/files/rootfs.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* FS_IOC_GETVERSION of <linux/fs.h>, which musl does not come with */
#ifdef __GLIBC__
#define GET_GENERATION _IOR('v', 1, long)
#else
#define GET_GENERATION ((int)_IOR('v', 1, long))
#endif

#define DELETED " (deleted)"
/* s; files with times this close may have been copied together with the recording */
#define TOGETHER 10
/* s; a recording is written completely this long after its last sample */
#define WRITTEN_AFTER 60
#define CLOCKS_DIFFER 5 /* s; largest difference between perf's clock and the system's */

/* The state of searching for the file that was mapped. */
struct search {
	struct located *located;
	const struct binary *binary;
	const struct file_options *options;
	char *path; /* as recorded, without " (deleted)" */
	bool deleted;
	bool id_refuted;   /* the recorded build id is that of a file that was not mapped */
	struct diag *diag; /* borrowed */
	struct err *err;   /* borrowed; set when memory is refused */
};

/* Whether the inode proves that a file is the mapped one, or that it is not. */
enum inode_proof { INODE_SAME, INODE_OTHER, INODE_SILENT };

/*
 * Whether the file has the generation of the recorded inode: the number of an inode is given to
 * another file soon after the first one was removed. Where the file system does not say, it has.
 */
static bool has_generation(int fd, uint64_t generation)
{
	long found = 0;

	/* perf itself writes 0 for what ran before; the kernel has 32 bits, and fills no more */
	return !generation || ioctl(fd, GET_GENERATION, &found) != 0 ||
	       (uint32_t)found == (uint32_t)generation;
}

/*
 * Whether stat() gives the same device and inode as the kernel's records. On overlays, and on file
 * systems with subvolumes, it does not.
 */
static bool has_plain_inodes(int fd)
{
	/* ext4, xfs, tmpfs, f2fs: <linux/magic.h>, which musl does not come with */
	static const unsigned long plain[] = { 0xef53, 0x58465342, 0x01021994, 0xf2f52010 };
	struct statfs system;

	if (fstatfs(fd, &system))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if ((unsigned long)system.f_type == plain[i])
			return true;
	return false;
}

static enum inode_proof compare_inode(const struct search *search, int fd,
                                      const struct stat *status)
{
	const struct binary *binary = search->binary;

	if (!binary->inode)
		return INODE_SILENT;
	if (status->st_ino == binary->inode && major(status->st_dev) == binary->major &&
	    minor(status->st_dev) == binary->minor) {
		if (search->options->same_machine && !has_generation(fd, binary->generation))
			return INODE_OTHER;
		return INODE_SAME;
	}
	/* copies on other machines have other inodes */
	if (!search->options->same_machine || search->options->symfs_count || !has_plain_inodes(fd))
		return INODE_SILENT;
	return INODE_OTHER;
}

/* A reason why a file was rejected is more useful than "there is none". */
static void note_reason(struct located *located, enum symbol_origin reason)
{
	if (located->reason != ORIGIN_BUILD_ID_MISMATCH && located->reason != ORIGIN_OTHER_FILE)
		located->reason = reason;
}

static bool is_later(const struct timespec *time, const struct timespec *other)
{
	return time->tv_sec > other->tv_sec ||
	       (time->tv_sec == other->tv_sec && time->tv_nsec > other->tv_nsec);
}

/*
 * Whether the file was changed after the recording was written. At its end, perf record links files
 * into ~/.debug, which sets their st_ctime, but it writes to the recording once more after that.
 */
static bool is_changed_since(const struct stat *status, const struct timespec *recorded)
{
	return recorded->tv_sec && is_later(&status->st_ctim, recorded);
}

/* Of a live stream: whether other contents may have been in the file when it was mapped. */
static bool is_rewritten(const struct search *search, const struct stat *status)
{
	const struct file_options *options = search->options;

	return options->live &&
	       (is_later(&status->st_mtim, &options->recorded) ||
	        kept_files_changed(options->kept, search->binary, options->slice, status));
}

enum found_by {
	FOUND_BY_PATH,    /* the recorded one */
	FOUND_BY_PROCESS, /* by its process, which still runs, or at the path of a deleted file: it
	                     needs proof */
	FOUND_BY_ID       /* a copy in a cache */
};

/*
 * The reason to reject a file, or ORIGIN_COUNT. What the kernel wrote is proof: a build id in the
 * record of the mapping, the inode, and the mapped part of the file. A build id that the recorder
 * later read from the path belongs to the host's file, even if the process had another root: where
 * it contradicts the kernel, the kernel is right.
 */
static enum symbol_origin objection_to_file(struct search *search, const struct elf *elf, int fd,
                                            enum found_by how)
{
	const struct binary *binary = search->binary;
	bool known = binary->build_id.size != 0;
	bool equal = build_id_equal(&binary->build_id, &elf->build_id);
	enum inode_proof inode = INODE_SILENT;
	struct stat status;
	bool changed, fits;

	if (known && !binary->build_id_of_path)
		return equal ? ORIGIN_COUNT : ORIGIN_BUILD_ID_MISMATCH;
	if (fstat(fd, &status))
		return ORIGIN_UNREADABLE;
	if (how != FOUND_BY_ID)
		inode = compare_inode(search, fd, &status);
	/* without that, the answer is the same whether the file is changed or not */
	search->located->by_moment |= equal ? inode == INODE_OTHER ||
	                                              !elf_fits_mapped_parts(elf, binary)
	                                    : inode == INODE_SAME;
	changed = is_changed_since(&status, &search->options->recorded);
	/* the same inode may have been written to since */
	if (known && inode == INODE_SAME && !changed)
		return ORIGIN_COUNT;
	if (!known && inode == INODE_SAME && is_rewritten(search, &status))
		return ORIGIN_OTHER_FILE;
	if (known && !equal)
		return ORIGIN_BUILD_ID_MISMATCH;
	if (!known && how != FOUND_BY_PATH && inode != INODE_SAME)
		return ORIGIN_FILE_MISSING;
	fits = elf_fits_mapped_parts(elf, binary);
	/* the same build may have been installed again, as a new file */
	if (inode == INODE_OTHER && !(known && changed))
		fits = false;
	search->id_refuted |= known && !fits;
	return fits ? ORIGIN_COUNT : ORIGIN_OTHER_FILE;
}

/* Uses fd as the runtime file if it is the recorded one. */
static bool take_runtime(struct search *search, int fd, const char *root, const char *path,
                         enum found_by how)
{
	struct located *located = search->located;
	struct err err = { .code = ERR_NONE };
	enum symbol_origin against;
	struct stat status;

	if (!elf_open(&located->runtime, fd, &err)) {
		elf_close(&located->runtime);
		err_pass_nomem(search->err, &err);
		if (how == FOUND_BY_PATH)
			note_reason(located, ORIGIN_UNREADABLE);
		return false;
	}
	against = objection_to_file(search, &located->runtime, fd, how);
	if (against != ORIGIN_COUNT) {
		elf_close(&located->runtime);
		if (how == FOUND_BY_PATH || against == ORIGIN_OTHER_FILE)
			note_reason(located, against);
		return false;
	}
	if (!search->binary->build_id.size && search->options->recorded.tv_sec &&
	    !fstat(fd, &status) && status.st_mtime - TOGETHER > search->options->recorded.tv_sec)
		diag_warn(
			search->diag, ERR_NO_OFFSET,
			"%s: is younger than the recording, which has no build id to tell whether it is the same "
			"(perf record --buildid-mmap writes them)",
			search->path);
	located->has_runtime = true;
	located->build_id = located->runtime.build_id;
	located->runtime_path = rootfs_path(fd, root, path, search->err);
	return true;
}

static bool try_path(struct search *search, const char *root, const char *path, enum found_by how)
{
	int fd = proc_files_open(kept_files_helper(search->options->kept), root, path);

	if (fd >= 0)
		return take_runtime(search, fd, root, path, how);
	if (how == FOUND_BY_PATH && errno != ENOENT && errno != ENOTDIR)
		note_reason(search->located, ORIGIN_UNREADABLE);
	return false;
}

/* Looks below each folder of --symfs, or at the recorded path. */
static bool try_roots(struct search *search)
{
	enum found_by how = search->deleted ? FOUND_BY_PROCESS : FOUND_BY_PATH;

	for (size_t i = 0; i < file_roots(search->options); i++)
		if (try_path(search, file_root(search->options, i), search->path, how))
			return true;
	return false;
}

/* Opens the file that was at the path when a live stream said that it was mapped. */
static bool try_kept(struct search *search)
{
	char path[KEPT_PATH_SIZE];
	int fd = search->options->live
	                 ? kept_files_open(search->options->kept, search->binary, path)
	                 : -1;

	return fd >= 0 && take_runtime(search, fd, NULL, path, FOUND_BY_PROCESS);
}

/*
 * Opens the file through its process, if that still runs: it may have another root, or a deleted
 * file.
 */
static bool try_process(struct search *search)
{
	char root[40], exe[40];

	if (search->binary->pid <= 0 || search->options->symfs_count ||
	    search->options->other_machine)
		return false;
	snprintf(root, sizeof(root), "/proc/%" PRId32 "/root", search->binary->pid);
	snprintf(exe, sizeof(exe), "/proc/%" PRId32 "/exe", search->binary->pid);
	search->located->by_moment = true;
	return try_path(search, root, search->path, FOUND_BY_PROCESS) ||
	       try_path(search, NULL, exe, FOUND_BY_PROCESS);
}

/* New caches have a directory per build id, old ones a file. */
static bool try_cache(struct search *search)
{
	static const char *const files[] = { "/elf", "" };
	bool found = false;

	for (size_t i = 0; !found && i < ARRAY_SIZE(files); i++) {
		char *path = buildid_cache_path(search->options->buildid_dir,
		                                &search->binary->build_id, files[i], search->err);

		found = path && try_path(search, NULL, path, FOUND_BY_ID);
		free(path);
	}
	return found;
}

static void try_debuginfod(struct search *search)
{
	char *path = NULL;
	int fd = -1;

	if (search->options->debuginfod && search->binary->build_id.size)
		fd = debuginfod_fetch(&search->binary->build_id, false, search->path, search->diag,
		                      &path);
	if (fd >= 0)
		take_runtime(search, fd, NULL, path, FOUND_BY_ID);
	free(path);
}

static void find_runtime(struct search *search)
{
	/*
	 * a file at the path of a deleted one is another file, unless its build id or inode proves
	 * otherwise
	 */
	if (search->path[0] == '/' &&
	    (try_roots(search) || try_kept(search) || try_process(search)))
		return;
	if (search->id_refuted)
		memset(&search->located->build_id, 0, sizeof(search->located->build_id));
	else if (!try_cache(search))
		try_debuginfod(search);
}

bool locate(struct located *located, const struct binary *binary, const struct strings *strings,
            const struct file_options *options, struct diag *diag, struct err *err)
{
	const char *recorded = strings_get(strings, binary->path);
	const size_t length = strlen(recorded), suffix = sizeof(DELETED) - 1;
	const bool deleted = text_ends(recorded, DELETED);
	struct search search = {
		.located = located,
		.binary = binary,
		.options = options,
		.path = path_format(err, "%.*s", (int)(length - (deleted ? suffix : 0)), recorded),
		.deleted = deleted,
		.diag = diag,
		.err = err,
	};

	memset(located, 0, sizeof(*located));
	located->reason = ORIGIN_FILE_MISSING;
	located->build_id = binary->build_id;
	if (!search.path)
		return false;
	find_runtime(&search);
	if (err->code == ERR_NONE && (located->has_runtime || located->build_id.size))
		locate_debug(located, search.path, options, diag, err);
	if (located->has_debug && !located->has_runtime)
		elf_restore_offsets(&located->debug);
	free(search.path);
	if (err->code == ERR_NONE)
		return true;
	located_release(located);
	return false;
}

/*
 * Whether the recording was made since this machine was last booted; only then device numbers are
 * still the same. perf's clock, like the monotonic one, starts at the boot.
 */
static bool is_of_this_start(int64_t recorded, uint64_t last_time)
{
	int64_t started = recorded - (int64_t)(last_time / NS_PER_SECOND);
	struct timespec now, since;

	if (!recorded || !last_time || last_time == UINT64_MAX ||
	    clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_MONOTONIC, &since))
		return false;
	started -= (int64_t)now.tv_sec - (int64_t)since.tv_sec;
	return started >= -CLOCKS_DIFFER && started <= WRITTEN_AFTER;
}

/* Of the file that perf writes last; in a directory of perf record --threads that is "data". */
static bool stat_recording(const char *path, struct stat *status)
{
	char data[PATH_MAX];

	if (stat(path, status))
		return false;
	return !S_ISDIR(status->st_mode) ||
	       (snprintf(data, sizeof(data), "%s/data", path) < (int)sizeof(data) &&
	        !stat(data, status));
}

/*
 * Of a stream: whether its last record is of just now, by the clock of this machine. Sets recorded
 * to its time of day then.
 */
static bool is_live(struct file_options *options)
{
	const uint64_t last = options->last_sample, second = NS_PER_SECOND;
	struct timespec now, since;
	int64_t age, then;

	if (!last || last > INT64_MAX || clock_gettime(CLOCK_REALTIME, &now) ||
	    clock_gettime(CLOCK_MONOTONIC, &since))
		return false;
	age = (int64_t)((uint64_t)since.tv_sec * second + (uint64_t)since.tv_nsec - last);
	if (age < -CLOCKS_DIFFER * (int64_t)second || age > WRITTEN_AFTER * (int64_t)second)
		return false;
	then = (int64_t)((uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec) - age;
	options->recorded = (struct timespec){ .tv_sec = (time_t)(then / (int64_t)second),
		                               .tv_nsec = (long)(then % (int64_t)second) };
	return true;
}

void file_options_complete(struct file_options *options, const char *hostname,
                           const char *osrelease)
{
	struct utsname own;
	struct stat status;

	const bool stream = options->recording && !strcmp(options->recording, "-");

	options->recorded = (struct timespec){ .tv_sec = 0 };
	options->same_machine = options->other_machine = options->live = false;
	if (options->recording && !stream && stat_recording(options->recording, &status))
		options->recorded = status.st_mtim;
	if (!hostname || !*hostname || !osrelease || uname(&own))
		return;
	options->other_machine = strcmp(own.nodename, hostname) != 0;
	if (options->other_machine || strcmp(own.release, osrelease) != 0)
		return;
	options->live = stream && is_live(options);
	options->same_machine = options->live ||
	                        is_of_this_start(options->recorded.tv_sec, options->last_sample);
}

void located_release(struct located *located)
{
	if (located->has_runtime)
		elf_close(&located->runtime);
	if (located->has_debug)
		elf_close(&located->debug);
	free(located->runtime_path);
	free(located->debug_path);
	memset(located, 0, sizeof(*located));
}
