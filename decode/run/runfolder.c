#define _GNU_SOURCE /* syscall() */
#include "decode/run/runfolder.h"

#include "decode/compare/runtable.h"
#include "decode/files/rootfs.h"
#include "decode/run/leftover.h"
#include "util/path.h"
#include "util/text.h"
#include "util/wholeio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEMP_PREFIX ".recording-"
#define ABOUT_MOST 8192 /* bytes of about.ndjson */

/* Of the files that a table may be in. */
static const char *const table_endings[] = { ".csv",    ".csv.gz",    ".csv.zst",
	                                     ".ndjson", ".ndjson.gz", ".ndjson.zst" };

/* --- what is in a folder */

/* The rows of about.csv that are compared; owned. */
struct folder_about {
	char *recording, *options, *tables;
};

static void release_about(struct folder_about *about)
{
	free(about->recording);
	free(about->options);
	free(about->tables);
}

static char **about_field(struct folder_about *about, const char *key)
{
	if (!strcmp(key, "recording"))
		return &about->recording;
	if (!strcmp(key, "options"))
		return &about->options;
	return !strcmp(key, "tables") ? &about->tables : NULL;
}

static void set_field(struct folder_about *about, const char *key, const char *value)
{
	char **field = about_field(about, key);

	if (field && !*field)
		*field = strdup(value);
}

/* malloc'd; NULL: there is none. */
static char *slurp_ndjson(const char *folder)
{
	struct err ignored = { 0 };
	char *path = path_format(&ignored, "%s/about.ndjson", folder), *text = NULL;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	size_t size;

	if (fd >= 0)
		text = rootfs_slurp_text(fd, ABOUT_MOST, &size, &ignored);
	if (text)
		text[size] = '\0';
	free(path);
	return text;
}

/* Lines {"key":"KEY","value":"VALUE"}; an escape in a value makes it another one. */
static void read_ndjson(struct folder_about *about, const char *folder)
{
	static const char middle[] = "\",\"value\":\"";
	char *text = slurp_ndjson(folder), *line, *rest;

	if (!text)
		return;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *key = line + strlen("{\"key\":\""), *value = strstr(line, middle);
		const size_t length = strlen(line);

		if (!value || value < key || length < 2 || strcmp(line + length - 2, "\"}") != 0)
			continue;
		*value = '\0';
		line[length - 2] = '\0';
		set_field(about, key, value + strlen(middle));
	}
	free(text);
}

static bool read_about(struct folder_about *about, const char *folder)
{
	struct err ignored = { 0 };
	struct run_table table = { .memory = NULL };

	*about = (struct folder_about){ 0 };
	run_table_open(&table, folder, "about.csv", true, &ignored);
	while (csv_table_next(&table.csv))
		set_field(about, csv_table_text(&table.csv, 0), csv_table_text(&table.csv, 1));
	csv_table_close(&table.csv);
	if (!about->recording)
		read_ndjson(about, folder);
	return about->recording && about->options && about->tables;
}

/* Calls for each entry but . and .. until it returns false. */
static bool each_entry(int folder, bool (*call)(void *context, int folder, const char *name),
                       void *context)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool ok = true;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (ok && (entry = readdir(dir)))
		ok = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		     call(context, folder, entry->d_name);
	closedir(dir);
	return ok;
}

struct ownership {
	const char *path, *tables;
	struct err *err;
};

static bool is_own_file(void *context, int folder, const char *name)
{
	const struct ownership *of = context;
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    leftover_is_table(of->tables, name))
		return true;
	return err_set(of->err, ERR_IO,
	               "%s: is not written over: expected only tables in it, found %s", of->path,
	               name);
}

bool run_folder_is_ours(const char *folder, const char *recording, struct err *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct folder_about about = { 0 };
	struct ownership of = { folder, "", err };
	bool ok;

	if (fd < 0)
		return err_set(err, ERR_IO, "%s: is not written over: expected a folder of tables",
		               folder);
	ok = read_about(&about, folder) && !strcmp(about.recording, recording);
	if (!ok)
		err_set(err, ERR_IO,
		        "%s: is not written over: expected tables of that recording, and about.csv "
		        "does not say so",
		        folder);
	of.tables = about.tables;
	ok = ok && (each_entry(fd, is_own_file, &of) || err_errno(err, "%s", folder));
	release_about(&about);
	close(fd);
	return ok;
}

/* The file of a table that was written with these options. */
static bool has_table(int folder, const char *name, size_t length, const struct options *options)
{
	static const char *const packed[] = {
		[PACK_NONE] = "", [PACK_GZIP] = ".gz", [PACK_ZSTD] = ".zst"
	};
	const struct table *table = table_find(name, length);
	char file[300];
	struct stat st;

	if (table && table->file)
		snprintf(file, sizeof(file), "%s", table->file);
	else
		snprintf(file, sizeof(file), "%.*s.%s%s", (int)length, name,
		         options->ndjson ? "ndjson" : "csv", packed[options->compress]);
	return fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

bool run_folder_is_complete(const char *folder, const char *recording,
                            const struct options *options)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct folder_about about = { 0 };
	bool ok = fd >= 0 && read_about(&about, folder) && !strcmp(about.recording, recording) &&
	          !strcmp(about.options, options->given);
	const char *name = about.tables;

	for (size_t length; ok && *name; name += length + (name[length] == ',')) {
		length = strcspn(name, ",");
		ok = has_table(fd, name, length, options);
	}
	release_about(&about);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Whether the table says nothing of how the file is made: whether it is packed, or a pipe. */
static bool is_of_contents(const char *name)
{
	static const char *const others[] = { "about.", "header.", "stat." };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (text_starts(name, others[i]))
			return false;
	return true;
}

static bool are_equal(int a, int b)
{
	char blocks[2][4096];
	size_t sizes[2];

	do {
		if (!read_whole(a, blocks[0], sizeof(blocks[0]), &sizes[0]) ||
		    !read_whole(b, blocks[1], sizeof(blocks[1]), &sizes[1]) ||
		    sizes[0] != sizes[1] || memcmp(blocks[0], blocks[1], sizes[0]) != 0)
			return false;
	} while (sizes[0]);
	return true;
}

static bool has_equal_table(void *context, int folder, const char *name)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	const int mine = openat(folder, name, flags), other = openat(*(int *)context, name, flags);
	const bool equal = !is_of_contents(name) ||
	                   (mine >= 0 && other >= 0 && are_equal(mine, other));

	if (mine >= 0)
		close(mine);
	if (other >= 0)
		close(other);
	return equal;
}

bool run_folder_agrees(const char *folder, const struct temp_folder *temp)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const bool ok = fd >= 0 && each_entry(temp->lock, has_equal_table, &fd);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* --- temporary folders */

bool output_folder_make(const struct options *options, struct err *err)
{
	struct outputs outputs;
	bool ok = outputs_init(&outputs, options->output, err) && outputs_make_dir(&outputs, err) &&
	          outputs_commit(&outputs, err);

	outputs_release(&outputs);
	return ok;
}

static bool remove_file(void *context, int folder, const char *name)
{
	(void)context;
	unlinkat(folder, name, 0);
	return true;
}

/* Removes a folder of files; nothing is removed of a folder in it. */
static void remove_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	each_entry(fd, remove_file, NULL);
	close(fd);
	rmdir(path);
}

/* Whether the descriptor is still that of the path: another run may have removed the folder. */
static bool is_still_there(int fd, const char *path)
{
	struct stat opened, there;

	return fstat(fd, &opened) == 0 && lstat(path, &there) == 0 &&
	       opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

/* Opens and locks it; -1 if another process owns it, or has removed it. */
static int lock_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_still_there(fd, path))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool temp_folder_make(struct temp_folder *temp, const char *dir, struct err *err)
{
	*temp = (struct temp_folder){ .lock = -1 };
	/* another run may take it for one that was left, before it is locked */
	for (int tries = 0; tries < 100 && temp->lock < 0; tries++) {
		free(temp->path);
		temp->path = path_format(err, "%s/" TEMP_PREFIX "XXXXXX", dir);
		if (!temp->path)
			return false;
		if (!mkdtemp(temp->path)) {
			err_errno(err, "cannot make a folder in %s", dir);
			break;
		}
		temp->lock = lock_folder(temp->path);
	}
	if (temp->lock >= 0)
		return true;
	free(temp->path);
	temp->path = NULL;
	return err_set(err, ERR_IO, "%s: cannot lock folders in it", dir);
}

void temp_folder_remove(struct temp_folder *temp)
{
	if (!temp->path)
		return;
	remove_folder(temp->path);
	close(temp->lock);
	free(temp->path);
	*temp = (struct temp_folder){ .lock = -1 };
}

void temp_folders_remove_stale(const char *dir)
{
	DIR *entries = opendir(dir);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		struct err ignored = { 0 };
		char *path;
		int lock;

		if (!text_starts(entry->d_name, TEMP_PREFIX) ||
		    strlen(entry->d_name) != strlen(TEMP_PREFIX "XXXXXX"))
			continue;
		path = path_format(&ignored, "%s/%s", dir, entry->d_name);
		lock = path ? lock_folder(path) : -1;
		if (lock >= 0) {
			remove_folder(path);
			close(lock);
		}
		free(path);
	}
	if (entries)
		closedir(entries);
}

static bool has_file(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether a folder has this table, also in another format or packed in another way. */
static bool has_same_table(int folder, const char *name)
{
	const int length = (int)strcspn(name, ".");
	char other[300];

	if (!text_starts(name + length, ".csv") && !text_starts(name + length, ".ndjson"))
		return has_file(folder, name);
	for (size_t i = 0; i < ARRAY_SIZE(table_endings); i++) {
		snprintf(other, sizeof(other), "%.*s%s", length, name, table_endings[i]);
		if (has_file(folder, other))
			return true;
	}
	return false;
}

/* Gives a table that only the old folder has a name in the new one, too. */
static bool keep_table(void *context, int old, const char *name)
{
	const int folder = *(const int *)context;

	return has_same_table(folder, name) || linkat(old, name, folder, name, 0) == 0;
}

/*
 * In one step where the file system can swap two names; elsewhere a run that is killed between two
 * steps loses the old folder, and makes the new one again when it goes on.
 */
static bool replace_folder(const char *path, const char *folder)
{
#ifdef SYS_renameat2
	const unsigned rename_exchange = 2;

	if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, folder, rename_exchange) == 0) {
		remove_folder(path);
		return true;
	}
#endif
	remove_folder(folder);
	return rename(path, folder) == 0;
}

void table_remove_others(const char *dir, const char *name, const char *ending)
{
	for (size_t i = 0; i < ARRAY_SIZE(table_endings); i++) {
		struct err ignored = { 0 };
		char *path = path_format(&ignored, "%s/%s%s", dir, name, table_endings[i]);

		if (path && strcmp(table_endings[i], ending) != 0)
			unlink(path);
		free(path);
	}
}

bool temp_folder_commit(struct temp_folder *temp, const char *folder, enum old_tables old_ones,
                        struct err *err)
{
	int old = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat there;
	mode_t mask = umask(0);
	bool ok;

	umask(mask);
	/* mkdtemp() made it for the user alone */
	if (fchmod(temp->lock, 0777 & ~mask) != 0)
		ok = false;
	else if (old >= 0)
		ok = (old_ones == OLD_TABLES_GO || each_entry(old, keep_table, &temp->lock)) &&
		     replace_folder(temp->path, folder);
	else /* rename() would take the place of an empty folder, and nothing else */
		ok = lstat(folder, &there) != 0 && rename(temp->path, folder) == 0;
	if (!ok)
		err_errno(err, "cannot write %s", folder);
	if (old >= 0)
		close(old);
	if (!ok)
		return false;
	close(temp->lock);
	free(temp->path);
	*temp = (struct temp_folder){ .lock = -1 };
	return true;
}
