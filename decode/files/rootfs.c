#define _GNU_SOURCE /* O_PATH */

#include "decode/files/rootfs.h"

#include "util/inflate.h"
#include "util/path.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40
#define SLURP_FIRST 65536

#define OPEN_FLAGS (O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

/*
 * A lookup below a root: one component after the other, never following a link. (openat2() could do
 * it in one call, but not before Linux 5.6, and not in all containers.) The target of a link is put
 * in front of the rest of the path, and the lookup goes back to the root if it is absolute.
 */
#define WALK_DEPTH 256

struct walk {
	int dirs[WALK_DEPTH]; /* open directories from the root, dirs[0], to the current one */
	size_t depth;
	int links;
	char left[2 * PATH_MAX];
};

static void walk_up(struct walk *walk, size_t depth)
{
	while (walk->depth > depth)
		close(walk->dirs[--walk->depth]);
}

static int walk_link(struct walk *walk, const char *name, const char *rest)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(walk->dirs[walk->depth - 1], name, target, sizeof(target) - 1);
	size_t size = strlen(rest) + 1;

	if (length < 0 || ++walk->links > LINKS_MAX) {
		errno = length < 0 ? errno : ELOOP;
		return -1;
	}
	if ((size_t)length + 1 + size > sizeof(walk->left)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (target[0] == '/')
		walk_up(walk, 1);
	memmove(walk->left + length + 1, rest, size);
	memcpy(walk->left, target, (size_t)length);
	walk->left[length] = '/';
	return 0;
}

/* Handles the next component: 0 to continue, -1 on failure, otherwise *fd is the file. */
static int walk_step(struct walk *walk, int *fd)
{
	char *name = walk->left + strspn(walk->left, "/");
	size_t length = strcspn(name, "/");
	const char *rest = name + length + (name[length] != '\0');
	bool last = !rest[strspn(rest, "/")];
	char part[NAME_MAX + 1];
	struct stat status;
	int here = walk->dirs[walk->depth - 1];

	if (!length || length > NAME_MAX || walk->depth == WALK_DEPTH) {
		errno = ENOENT;
		return -1;
	}
	memcpy(part, name, length);
	part[length] = '\0';
	if (!strcmp(part, "..")) {
		walk_up(walk, walk->depth > 1 ? walk->depth - 1 : 1);
	} else if (strcmp(part, ".") != 0) {
		if (fstatat(here, part, &status, AT_SYMLINK_NOFOLLOW))
			return -1;
		if (S_ISLNK(status.st_mode))
			return walk_link(walk, part, rest);
		if (last && !S_ISREG(status.st_mode)) {
			errno = EINVAL;
			return -1;
		}
		*fd = openat(here, part, (last ? OPEN_FLAGS : FOLDER_FLAGS) | O_NOFOLLOW);
		if (*fd < 0)
			return -1;
		if (last)
			return 1;
		walk->dirs[walk->depth++] = *fd;
	}
	memmove(walk->left, rest, strlen(rest) + 1);
	return 0;
}

/* Returns fd if it is a regular file. */
static int only_regular(int fd)
{
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static int open_below(const char *root, const char *path)
{
	struct walk walk = { .depth = 0 };
	size_t size = strlen(path) + 1;
	int fd = -1, status = 0, saved;

	if (size > PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(walk.left, path, size);
	walk.dirs[0] = open(root, FOLDER_FLAGS);
	if (walk.dirs[0] < 0)
		return -1;
	walk.depth = 1;
	while (!status)
		status = walk_step(&walk, &fd);
	saved = errno;
	walk_up(&walk, 0);
	errno = saved;
	return status > 0 ? only_regular(fd) : -1;
}

/* Anything but a regular file is not even opened, because devices and pipes notice that. */
int rootfs_open(const char *root, const char *path)
{
	struct stat status;

	if (root && *root)
		return open_below(root, path);
	if (stat(path, &status))
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return only_regular(open(path, OPEN_FLAGS));
}

char *rootfs_path(int fd, const char *root, const char *path, struct err *err)
{
	char name[64], target[PATH_MAX];
	struct stat opened, there;
	ssize_t length;

	if (!root || !*root)
		return path_format(err, "%s", path);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	length = readlink(name, target, sizeof(target) - 1);
	if (length <= 0)
		return path_format(err, "%s/%s", root, path);
	target[length] = '\0';
	/* in another mount namespace the kernel says what the path is there */
	if (fstat(fd, &opened) != 0 || stat(target, &there) != 0 || opened.st_dev != there.st_dev ||
	    opened.st_ino != there.st_ino)
		return path_format(err, "%s/%s", root, path);
	return path_format(err, "%s", target);
}

char *rootfs_slurp(int fd, size_t cap, size_t *size, struct err *err)
{
	size_t capacity = SLURP_FIRST, used = 0;
	struct stat status;
	size_t got = 1;
	char *data;
	bool ok;

	if (!fstat(fd, &status) && status.st_size > 0 && (uint64_t)status.st_size < cap)
		capacity = (size_t)status.st_size + 2;
	data = malloc(capacity);
	ok = data || err_nomem(err, capacity);
	/* room for the NUL and for one byte more, because only read() tells where the file ends */
	while (ok && got && (ok = vec_reserve(&data, used + 2, &capacity, 1, err))) {
		if (!read_whole(fd, data + used, capacity - used - 1, &got))
			ok = err_errno(err, "cannot read");
		used += got;
		if (used > cap)
			ok = err_set(err, ERR_LIMIT, "more than %zu bytes", cap);
	}
	close(fd);
	if (ok) {
		data[used] = '\0';
		*size = used;
		return data;
	}
	free(data);
	return NULL;
}

char *rootfs_slurp_text(int fd, size_t cap, size_t *size, struct err *err)
{
	char *text = rootfs_slurp(fd, cap, size, err);
	uint8_t *plain = NULL;

	if (!text || !inflate_recognises((const uint8_t *)text, *size))
		return text;
	inflate_memory((const uint8_t *)text, *size, cap, &plain, size, err);
	free(text);
	return (char *)plain;
}
