#define _GNU_SOURCE /* syscall() */

#include "util/output.h"
#include "util/path.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_stand_in(int number)
{
	/*
	 * opens a device for the wrong direction; if there is none, a folder, which cannot be
	 * written
	 */
	int fd = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);

	return fd >= 0 ? fd : open("/", O_RDONLY);
}

bool standard_streams_reserve(void)
{
	for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
		/*
		 * open() returns the smallest free number, which is this one: all smaller ones are
		 * open
		 */
		if (fcntl(number, F_GETFD) < 0 && open_stand_in(number) != number)
			return false;
	return true;
}

/* Removes the directories that this run made, the innermost first. One that is not empty stays. */
static void remove_made(struct outputs *outputs)
{
	char *path = outputs->dir; /* NULL if the run failed before it had outputs */

	if (!outputs->made)
		return;
	for (size_t length = strlen(path); length >= outputs->made; length--) {
		if (path[length] != '/' && path[length] != '\0')
			continue;
		path[length] = '\0';
		rmdir(path);
	}
	outputs->made = 0;
}

static void remove_unfinished(struct outputs *outputs)
{
	for (struct output_file *file = outputs->files; file; file = file->next)
		if (!file->done)
			unlink(file->temp);
	remove_made(outputs);
}

/* Called by a signal. The lock is not released, because the process is about to end. */
static void clean_up(void *context)
{
	struct outputs *outputs = context;

	pthread_mutex_lock(&outputs->lock);
	remove_unfinished(outputs);
}

bool outputs_init(struct outputs *outputs, const char *dir, struct err *err)
{
	memset(outputs, 0, sizeof(*outputs));
	pthread_mutex_init(&outputs->lock, NULL);
	outputs->dir = strdup(dir);
	if (!outputs->dir)
		return err_nomem(err, strlen(dir));
	interrupt_init(&outputs->interrupt, clean_up, outputs);
	return true;
}

/* Makes the directory and its parents. */
static bool make_dir(struct outputs *outputs, struct err *err)
{
	char *path = outputs->dir;
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ||
		       err_set(err, ERR_IO, "cannot write in %s: it is no directory", path);
	for (char *slash = path + 1; *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		if (mkdir(path, 0777) == 0 && !outputs->made)
			outputs->made = (size_t)(slash - path);
		*slash = '/';
	}
	if (mkdir(path, 0777) == 0) {
		if (!outputs->made)
			outputs->made = strlen(path);
	} else if (errno != EEXIST) {
		return err_errno(err, "cannot make the directory %s", path);
	}
	return true;
}

bool outputs_make_dir(struct outputs *outputs, struct err *err)
{
	bool ok;

	pthread_mutex_lock(&outputs->lock);
	ok = make_dir(outputs, err);
	pthread_mutex_unlock(&outputs->lock);
	return ok;
}

char *outputs_made_in(const struct outputs *outputs)
{
	char *path = outputs->made ? strdup(outputs->dir) : NULL;
	size_t length = outputs->made;

	if (!path)
		return NULL;
	while (length && path[length - 1] != '/')
		length--;
	if (length == 0)
		path[length++] = '.';
	path[length] = '\0';
	return path;
}

static void free_file(struct output_file *file)
{
	if (file) {
		free(file->temp);
		free(file->name);
		free(file->old);
		packer_free(file->packer);
	}
	free(file);
}

bool outputs_spare(struct outputs *outputs, const struct stat *file, const char *what,
                   struct err *err)
{
	struct spared_file *spared = malloc(sizeof(*spared));

	if (!spared)
		return err_nomem(err, sizeof(*spared));
	*spared = (struct spared_file){ outputs->spared, file->st_dev, file->st_ino, what };
	outputs->spared = spared;
	return true;
}

/* False with err set if the file is to be named like one that must stay. */
static bool check_spared(const struct outputs *outputs, const char *name, struct err *err)
{
	struct stat there;

	if (!outputs->spared || stat(name, &there) != 0)
		return true;
	for (const struct spared_file *spared = outputs->spared; spared; spared = spared->next)
		if (spared->device == there.st_dev && spared->number == there.st_ino)
			return err_set(err, ERR_IO, "cannot write %.400s: it is %s", name,
			               spared->what);
	return true;
}

/* folder: its first `length` bytes and the slash behind it, if there is a folder. */
static struct output_file *new_file(const char *folder, size_t length, const char *slash,
                                    const char *name, const char *suffix, struct err *err)
{
	struct output_file *file = calloc(1, sizeof(*file));
	/* for ".", ".zst", ".XXXXXX" and ".old" */
	size_t room = length + strlen(name) + 24;

	if (!file || !(file->temp = malloc(room)) || !(file->name = malloc(room)) ||
	    !(file->old = malloc(room))) {
		free_file(file);
		err_nomem(err, room);
		return NULL;
	}
	file->fd = -1;
	snprintf(file->name, room, "%.*s%s%s%s", (int)length, folder, slash, name, suffix);
	snprintf(file->temp, room, "%.*s%s.%s%s.XXXXXX", (int)length, folder, slash, name, suffix);
	return file;
}

bool outputs_add_made(struct outputs *outputs, const char *path, struct err *err)
{
	struct output_file *file = calloc(1, sizeof(*file));

	if (!file || !(file->temp = strdup(path))) {
		free_file(file);
		return err_nomem(err, strlen(path));
	}
	file->fd = -1;
	pthread_mutex_lock(&outputs->lock);
	file->next = outputs->files;
	outputs->files = file;
	pthread_mutex_unlock(&outputs->lock);
	return true;
}

bool outputs_made(const struct outputs *outputs, const char *path)
{
	for (const struct output_file *file = outputs->files; file; file = file->next)
		if (!file->name && !strcmp(file->temp, path))
			return true;
	return false;
}

/* FS_IOC_GETFLAGS and FS_APPEND_FL of <linux/fs.h>, which musl does not come with. */
#ifdef __GLIBC__
#define GET_FILE_FLAGS _IOR('f', 1, long)
#else
#define GET_FILE_FLAGS ((int)_IOR('f', 1, long))
#endif
#define FLAG_APPEND_ONLY 0x20

/*
 * In an append-only folder, files can be made but neither renamed nor removed, so temporary ones
 * would stay.
 */
static bool is_append_only(const char *dir)
{
	int flags = 0, fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool append_only = fd >= 0 && ioctl(fd, GET_FILE_FLAGS, &flags) == 0 &&
	                   flags & FLAG_APPEND_ONLY;

	if (fd >= 0)
		close(fd);
	return append_only;
}

static bool prepare_dir(struct outputs *outputs, struct err *err)
{
	if (!make_dir(outputs, err))
		return false;
	if (is_append_only(outputs->dir))
		return err_set(err, ERR_IO,
		               "cannot write in %s: the folder is append-only (chattr +a)",
		               outputs->dir);
	return true;
}

/* mkstemp() makes files that only their owner may read; tables get the usual mode. */
static void give_usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Allows as many open files as the process may allow itself. False: there are no more. */
static bool allow_more_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

/*
 * Makes the file under a temporary name, opens it and adds it to the list. False with err set,
 * which says where the file was to be.
 */
static bool make_temp(struct outputs *outputs, struct output_file *file, const char *in,
                      const char *where, struct err *err)
{
	if (!check_spared(outputs, file->name, err)) {
		free_file(file);
		return false;
	}
	file->next = outputs->files;
	outputs->files = file;
	file->fd = mkstemp(file->temp);
	if (file->fd < 0 && errno == EMFILE && allow_more_files()) {
		/* there may be thousands of tracepoints */
		snprintf(file->temp + strlen(file->temp) - 6, 7, "XXXXXX");
		file->fd = mkstemp(file->temp);
	}
	if (file->fd < 0) {
		err_errno(err, "cannot write %s%s", in, where);
		file->done = true; /* nothing to remove */
		return false;
	}
	give_usual_mode(file->fd);
	return true;
}

bool outputs_have(const struct outputs *outputs, const char *name)
{
	const size_t length = strlen(outputs->dir);

	for (const struct output_file *file = outputs->files; file; file = file->next)
		if (file->name && !strncmp(file->name, outputs->dir, length) &&
		    !strcmp(path_base(file->name), name))
			return true;
	return false;
}

/*
 * Tables are packed if the user asks for it, except about.csv, which people and the next run read.
 * Profiles are always packed, because pprof expects it.
 */
static enum pack_format format_of_name(const struct outputs *outputs, const char *name)
{
	if (text_ends(name, ".pb") || text_ends(name, ".json"))
		return PACK_GZIP;
	return (text_ends(name, ".csv") || text_ends(name, ".ndjson")) &&
	                       !text_starts(name, "about.")
	               ? outputs->pack
	               : PACK_NONE;
}

int outputs_open(struct outputs *outputs, const char *name, struct packer **packer, struct err *err)
{
	enum pack_format format = format_of_name(outputs, name);
	struct output_file *file = NULL;
	bool ok;

	pthread_mutex_lock(&outputs->lock);
	if (prepare_dir(outputs, err))
		file = new_file(outputs->dir, strlen(outputs->dir), "/", name, pack_suffix(format),
		                err);
	ok = file && make_temp(outputs, file, "in ", outputs->dir, err);
	if (ok && format != PACK_NONE)
		ok = (*packer = file->packer = packer_new(format, file->fd, err)) != NULL;
	pthread_mutex_unlock(&outputs->lock);
	return ok ? file->fd : -1;
}

const char *outputs_open_path(struct outputs *outputs, const char *path, struct err *err)
{
	const char *base = path_base(path);
	struct output_file *file = new_file(path, (size_t)(base - path), "", base, "", err);
	bool made;

	if (!file)
		return NULL;
	pthread_mutex_lock(&outputs->lock);
	made = make_temp(outputs, file, "", path, err);
	if (made) {
		close(file->fd);
		file->fd = -1;
	}
	pthread_mutex_unlock(&outputs->lock);
	return made ? file->temp : NULL;
}

/* Swaps the names of two files in one step: from Linux 3.15 on, and not on every file system. */
static bool exchange_names(const char *one, const char *other)
{
#ifdef SYS_renameat2
	const unsigned rename_exchange = 2;

	return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, rename_exchange) == 0;
#else
	(void)one, (void)other;
	return false;
#endif
}

/*
 * If a table of that name exists, the two files swap names and the old one is removed later.
 * Renaming over it would be slow: ext4 then writes the new file to the disk, and a run into a
 * folder that had tables took 1.5 times as long as into an empty one. Only for files: a folder
 * would be renamed, too.
 */
static bool exchange_tables(const struct output_file *file)
{
	struct stat there;

	return lstat(file->name, &there) == 0 && S_ISREG(there.st_mode) &&
	       exchange_names(file->temp, file->name);
}

/* Gives the existing file a second name, so that it can be restored, and renames over it. */
static bool rename_over(struct output_file *file, struct err *err)
{
	struct stat there;
	int error;

	snprintf(file->old, strlen(file->temp) + 5, "%s.old", file->temp);
	if (link(file->name, file->old) == 0)
		file->kept = file->old;
	else
		file->is_new = errno == ENOENT;
	if (rename(file->temp, file->name) == 0)
		return true;
	error = errno;
	if (file->kept)
		unlink(file->kept);
	file->kept = NULL;
	/* in a sandbox the system reports only that this is not permitted */
	errno = !lstat(file->name, &there) && S_ISDIR(there.st_mode) ? EISDIR : error;
	return err_errno(err, "cannot write %s", file->name);
}

static bool take_final_name(struct output_file *file, struct err *err)
{
	if (exchange_tables(file))
		file->kept = file->temp;
	else if (!rename_over(file, err))
		return false;
	file->done = true;
	return true;
}

/* Undoes the renaming of a table because a later one could not be renamed. */
static void give_name_back(struct output_file *file)
{
	/* if that fails, the old table keeps its second name rather than be removed */
	if (file->kept)
		rename(file->kept, file->name);
	else if (file->is_new && file->done)
		unlink(file->name);
}

bool outputs_commit(struct outputs *outputs, struct err *err)
{
	bool ok = true;

	pthread_mutex_lock(&outputs->lock);
	for (struct output_file *file = outputs->files; ok && file; file = file->next) {
		if (file->fd < 0 || file->done)
			continue;
		/* some file systems report a full disk only now */
		if (close(file->fd) < 0)
			ok = err_errno(err, "%s: cannot write", file->name);
		file->fd = -1;
	}
	for (struct output_file *file = outputs->files; ok && file; file = file->next)
		ok = file->done || !file->name || take_final_name(file, err);
	for (struct output_file *file = outputs->files; file; file = file->next) {
		if (!ok)
			give_name_back(file);
		else if (file->kept)
			unlink(file->kept);
		file->done |= ok;
		file->kept = NULL;
	}
	if (ok)
		outputs->made = 0;
	pthread_mutex_unlock(&outputs->lock);
	return ok;
}

void outputs_forget(struct outputs *outputs, const struct output_file *last)
{
	pthread_mutex_lock(&outputs->lock);
	while (outputs->files != last) {
		struct output_file *file = outputs->files;

		unlink(file->temp);
		if (file->fd >= 0)
			close(file->fd);
		outputs->files = file->next;
		free_file(file);
	}
	pthread_mutex_unlock(&outputs->lock);
}

void outputs_release(struct outputs *outputs)
{
	struct output_file *file = outputs->files;

	/* before signals end the process without a call of clean_up() */
	pthread_mutex_lock(&outputs->lock);
	remove_unfinished(outputs);
	pthread_mutex_unlock(&outputs->lock);
	interrupt_release(&outputs->interrupt);
	while (file) {
		struct output_file *next = file->next;

		if (file->fd >= 0)
			close(file->fd);
		free_file(file);
		file = next;
	}
	while (outputs->spared) {
		struct spared_file *next = outputs->spared->next;

		free(outputs->spared);
		outputs->spared = next;
	}
	free(outputs->dir);
	pthread_mutex_destroy(&outputs->lock);
	memset(outputs, 0, sizeof(*outputs));
}
