#include "decode/files/locate.h"

#include "decode/files/buildidcache.h"
#include "decode/files/debuginfod.h"
#include "decode/files/locatedebug.h"
#include "decode/files/rootfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DELETED " (deleted)"
#define TOGETHER 10 /* s: within them, a recording and its binaries may have been copied */

/* A search for the file that was mapped. */
struct search {
	struct located *located;
	const struct binary *binary;
	const struct file_options *options;
	char *path; /* as recorded, without " (deleted)" */
	bool deleted;
	bool younger; /* what was found was changed after the recording, and nothing tells how */
	bool nomem;
};

static bool same_inode(const struct search *search, int fd)
{
	const struct binary *binary = search->binary;
	struct stat status;

	return binary->inode && !fstat(fd, &status) && status.st_ino == binary->inode &&
	       major(status.st_dev) == binary->major && minor(status.st_dev) == binary->minor;
}

/* Whether the file was written after the recording. */
static bool is_younger(const struct search *search, int fd)
{
	const char *recording = search->options->recording;
	struct stat file, recorded;

	return recording && !stat(recording, &recorded) && !fstat(fd, &file) &&
	       file.st_mtime > recorded.st_mtime + TOGETHER;
}

/* What speaks against a file says more than that there is none. */
static void note_reason(struct located *located, enum symbol_origin reason)
{
	if (located->reason != ORIGIN_BUILD_ID_MISMATCH)
		located->reason = reason;
}

/*
 * Takes fd as the runtime file if it is the recorded one. strict: only if the build id or the
 * inode prove it.
 */
static bool take(struct search *search, int fd, const char *root, const char *path, bool strict)
{
	const struct build_id *wanted = &search->binary->build_id;
	struct located *located = search->located;
	struct err err = { .code = ERR_NONE };
	bool same = same_inode(search, fd);
	struct build_id found;

	if (!wanted->size && strict && !same) {
		close(fd);
		return false;
	}
	if (!elf_open(&located->runtime, fd, &err)) {
		elf_close(&located->runtime);
		search->nomem |= err.code == ERR_NOMEM;
		if (!strict)
			note_reason(located, ORIGIN_UNREADABLE);
		return false;
	}
	elf_build_id(&located->runtime, &found);
	if (wanted->size && !build_id_equal(wanted, &found)) {
		elf_close(&located->runtime);
		if (!strict)
			note_reason(located, ORIGIN_BUILD_ID_MISMATCH);
		return false;
	}
	search->younger = !wanted->size && is_younger(search, fd);
	located->has_runtime = true;
	located->build_id = wanted->size ? *wanted : found;
	located->runtime_path = rootfs_path(fd, root, path);
	search->nomem |= !located->runtime_path;
	return true;
}

static bool try_path(struct search *search, const char *root, const char *path, bool strict)
{
	int fd = rootfs_open(root, path);

	if (fd >= 0)
		return take(search, fd, root, path, strict);
	if (!strict && errno != ENOENT && errno != ENOTDIR)
		note_reason(search->located, ORIGIN_UNREADABLE);
	return false;
}

/* Through the process, as long as it runs: it may have another root, or hold a deleted file. */
static bool try_process(struct search *search)
{
	char root[40], exe[40];

	if (search->binary->pid <= 0 || search->options->symfs)
		return false;
	snprintf(root, sizeof(root), "/proc/%" PRId32 "/root", search->binary->pid);
	snprintf(exe, sizeof(exe), "/proc/%" PRId32 "/exe", search->binary->pid);
	return try_path(search, root, search->path, true) || try_path(search, NULL, exe, true);
}

/* New caches have a directory per build id, old ones a file. */
static bool try_cache(struct search *search)
{
	static const char *const files[] = { "/elf", "" };
	bool found = false;

	if (!search->binary->build_id.size)
		return false;
	for (size_t i = 0; !found && i < ARRAY_SIZE(files); i++) {
		char *path = buildid_cache_path(search->options->buildid_dir,
		                                &search->binary->build_id, files[i]);

		search->nomem |= !path;
		found = path && try_path(search, NULL, path, true);
		free(path);
	}
	return found;
}

static bool try_debuginfod(struct search *search, struct diag *diag)
{
	char *path = NULL;
	int fd = -1;
	bool found;

	if (search->options->debuginfod && search->binary->build_id.size)
		fd = debuginfod_fetch(&search->binary->build_id, false, search->path, diag, &path);
	found = fd >= 0 && take(search, fd, NULL, path, true);
	free(path);
	return found;
}

static void find_runtime(struct search *search, struct diag *diag)
{
	/* a file that replaced a deleted one is another, unless its build id or inode says no */
	if (search->path[0] == '/' &&
	    (try_path(search, search->options->symfs, search->path, search->deleted) ||
	     try_process(search)))
		return;
	if (!try_cache(search))
		try_debuginfod(search, diag);
}

/* Whether the search for a separate file can still tell something. */
static bool needs_debug(const struct located *located, const struct file_options *options)
{
	if (!located->has_runtime)
		return located->build_id.size != 0;
	return !elf_find_type(&located->runtime, ELF_SHT_SYMTAB) ||
	       (options->want_debug && !elf_has_dwarf(&located->runtime));
}

bool locate(struct located *located, const struct binary *binary, const struct strings *strings,
            const struct file_options *options, struct diag *diag, struct err *err)
{
	const char *recorded = strings_get(strings, binary->path);
	struct search search = {
		.located = located, .binary = binary, .options = options, .path = strdup(recorded)
	};
	size_t length = strlen(recorded), suffix = sizeof(DELETED) - 1;
	bool ok = true;

	memset(located, 0, sizeof(*located));
	located->reason = ORIGIN_FILE_MISSING;
	located->build_id = binary->build_id;
	if (!search.path)
		return err_nomem(err, length + 1);
	if (length > suffix && !strcmp(recorded + length - suffix, DELETED)) {
		search.path[length - suffix] = '\0';
		search.deleted = true;
	}
	find_runtime(&search, diag);
	if (search.younger)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: is younger than the recording, which has no build id to tell whether it is the same "
			"(perf record --buildid-mmap writes them)",
			search.path);
	if (!search.nomem && needs_debug(located, options))
		ok = locate_debug(located, search.path, options, diag, err);
	if (located->has_debug && !located->has_runtime)
		elf_restore_offsets(&located->debug);
	free(search.path);
	if (search.nomem)
		ok = err_nomem(err, length);
	if (!ok)
		located_release(located);
	return ok;
}
