#include "decode/options/filelist.h"

#include "util/folder.h"
#include "util/hash.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST_MOST ((size_t)256 * 1024 * 1024) /* bytes of a LIST: a million long paths */
#define MAGIC_SIZE 8

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* perf record --threads and --kcore make a folder with a file "data". */
static bool is_recording_folder(const char *path)
{
	struct err ignored = { 0 };
	char *data = path_format(&ignored, "%s/data", path);
	bool found = data && access(data, F_OK) == 0;

	free(data);
	return found;
}

bool file_list_is_plural(const char *file)
{
	if (is_folder(file))
		return !is_recording_folder(file);
	return *file == '@' && access(file, F_OK) != 0;
}

/* Takes over the path. */
static bool add_path(struct file_list *list, char *path, struct err *err)
{
	if (path &&
	    vec_append(&list->paths, &list->count, &list->capacity, &path, sizeof(path), err))
		return true;
	free(path);
	return false;
}

static bool begins_as_recording(const char *path)
{
	/* in either byte order, and of the first versions of perf */
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };
	char head[MAGIC_SIZE];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t got = 0;
	bool whole = fd >= 0 && read_whole(fd, head, sizeof(head), &got) && got == sizeof(head);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; whole && i < ARRAY_SIZE(magics); i++)
		if (!memcmp(head, magics[i], MAGIC_SIZE))
			return true;
	return false;
}

static bool is_named_as_recording(const char *path)
{
	static const char *const endings[] = { ".data", ".data.gz", ".data.zst", ".data.xz" };

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (text_ends(path, endings[i]))
			return true;
	return false;
}

bool file_is_recording(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return is_recording_folder(path);
	return S_ISREG(st.st_mode) && (is_named_as_recording(path) || begins_as_recording(path));
}

bool file_looks_like_list(const char *path)
{
	char line[4096];
	struct stat st;
	FILE *file;
	bool found;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	file = fopen(path, "re");
	found = file && fgets(line, sizeof(line), file);
	if (file)
		fclose(file);
	if (!found)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return *line && (is_named_as_recording(line) || access(line, F_OK) == 0);
}

/* Adds the recordings of a folder by name, but not those in folders of it. */
static bool add_folder(struct file_list *list, const char *folder, struct err *err)
{
	const size_t before = list->count;
	struct folder found;
	bool ok = true;

	if (!folder_list(&found, folder, folder_entry_is_visible))
		return err_errno(err, "%s", folder);
	for (size_t i = 0; ok && i < found.count; i++) {
		char *path = path_format(err, "%s%s%s", folder, text_ends(folder, "/") ? "" : "/",
		                         found.entries[i]->d_name);

		if (path && file_is_recording(path))
			ok = add_path(list, path, err);
		else
			free(path);
		ok = ok && !err->code;
	}
	folder_release(&found);
	return ok && (list->count > before ||
	              err_set(err, ERR_FORMAT,
	                      "%.400s: expected recordings in the folder, found none", folder));
}

static bool add_as_it_is(struct file_list *list, const char *file, struct err *err)
{
	return add_path(list, path_format(err, "%s", file), err);
}

static bool add_file(struct file_list *list, const char *file, struct err *err)
{
	if (is_folder(file) && !is_recording_folder(file))
		return add_folder(list, file, err);
	return add_as_it_is(list, file, err);
}

/* All bytes of a LIST, with a NUL behind them: malloc'd; NULL with err set. */
static char *read_list(const char *path, struct stat *st, size_t *size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t capacity = 0, got = 0;
	char *text = NULL;
	bool ok = fd >= 0 && fstat(fd, st) == 0;

	*size = 0;
	do {
		if (ok && !vec_reserve(&text, *size + 65536, &capacity, 1, err))
			break;
		ok = ok && read_whole(fd, text + *size, capacity - *size - 1, &got);
		*size += got;
	} while (ok && got && *size < LIST_MOST);
	if (!ok && !err->code)
		err_errno(err, "@%s", path);
	if (fd >= 0)
		close(fd);
	if (!err->code && (*size >= LIST_MOST || memchr(text, '\0', *size)))
		err_set(err, ERR_FORMAT, "@%s: expected a list of files, one in a line", path);
	if (err->code) {
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* Whether a line of a LIST names the LIST, as in `ls >LIST`. */
static bool is_list_itself(const char *line, const struct stat *list)
{
	struct stat st;

	return stat(*line == '@' && access(line, F_OK) != 0 ? line + 1 : line, &st) == 0 &&
	       st.st_dev == list->st_dev && st.st_ino == list->st_ino;
}

/* How a FILE, or a line of a LIST, comes into the list. */
typedef bool file_adder(struct file_list *list, const char *file, struct err *err);

static bool add_list(struct file_list *list, const char *path, file_adder *add, struct diag *diag,
                     struct err *err)
{
	struct stat st;
	size_t size;
	char *text = read_list(path, &st, &size, err), *line = text;
	bool ok = text != NULL;

	while (ok && line < text + size) {
		const size_t length = strcspn(line, "\n");

		line[length] = '\0';
		if (length && is_list_itself(line, &st))
			diag_warn(diag, ERR_NO_OFFSET, "@%s: names itself: that line is skipped",
			          path);
		else if (length)
			ok = add(list, line, err);
		line += length + 1;
	}
	free(text);
	return ok;
}

struct path_key {
	const struct file_list *list;
	const char *path;
};

static bool is_path(const void *context, uint32_t number)
{
	const struct path_key *key = context;

	return !strcmp(key->list->paths[number], key->path);
}

/* Keeps the first of those that have the same path. */
static bool drop_repeated(struct file_list *list, struct err *err)
{
	const uint64_t seed = hash_seed();
	struct hash_index index = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		char *path = list->paths[i];
		const struct path_key key = { list, path };
		uint32_t number;

		list->paths[kept] = path;
		number = err->code ? (uint32_t)kept
		                   : hash_index_put(&index, hash_bytes(seed, path, strlen(path)),
		                                    (uint32_t)kept, is_path, &key, err);
		if (number == kept || err->code)
			kept++;
		else
			free(path);
	}
	list->count = kept;
	hash_index_release(&index);
	return !err->code;
}

static bool add_any(struct file_list *list, const char *file, file_adder *add, struct diag *diag,
                    struct err *err)
{
	return *file == '@' && file_list_is_plural(file) ? add_list(list, file + 1, add, diag, err)
	                                                 : add(list, file, err);
}

bool file_list_add(struct file_list *list, const char *file, struct diag *diag, struct err *err)
{
	return add_any(list, file, add_as_it_is, diag, err);
}

bool file_list_fill(struct file_list *list, char *const *files, size_t count, struct diag *diag,
                    struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!add_any(list, files[i], add_file, diag, err))
			return false;
	if (!drop_repeated(list, err))
		return false;
	return list->count || err_set(err, ERR_FORMAT, "expected recordings, found none");
}

void file_list_release(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct file_list){ 0 };
}
