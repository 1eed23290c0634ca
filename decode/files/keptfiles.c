#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "decode/files/keptfiles.h"

#include "decode/files/procfiles.h"
#include "decode/files/rootfs.h"
#include "util/clock.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Room for the files, beside what the process needs otherwise. */
static uint32_t most_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 0;
	if (limit.rlim_cur < KEPT_MOST + KEPT_REST) {
		limit.rlim_cur = u64_min(limit.rlim_max, KEPT_MOST + KEPT_REST);
		setrlimit(RLIMIT_NOFILE, &limit);
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	return (uint32_t)(limit.rlim_cur <= KEPT_REST
	                          ? 0
	                          : u64_min(limit.rlim_cur - KEPT_REST, KEPT_MOST));
}

struct kept_files *kept_files_new(struct err *err)
{
	struct kept_files *kept = mmap(NULL, sizeof(*kept), PROT_READ | PROT_WRITE,
	                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (kept == MAP_FAILED) {
		err_nomem(err, sizeof(*kept));
		return NULL;
	}
	kept->owner = (int32_t)getpid();
	kept->most = most_files();
	kept->slice = 1;
	return kept;
}

void kept_files_free(struct kept_files *kept)
{
	if (!kept)
		return;
	for (uint32_t i = 0; i < kept->used; i++)
		if (kept->files[i].id[0] && kept->files[i].fd >= 0)
			close(kept->files[i].fd);
	if (kept->helper)
		close(kept->helper);
	munmap(kept, sizeof(*kept));
}

/* False: the record does not tell the file from others of that path. */
static bool make_id(uint64_t id[KEPT_ID_WORDS], const struct build_id *build_id, uint64_t inode,
                    uint32_t major, uint32_t minor)
{
	id[0] = inode;
	id[1] = (uint64_t)major << 32 | minor;
	if (!inode && build_id->size >= KEPT_ID_WORDS * sizeof(*id))
		memcpy(id, build_id->bytes, KEPT_ID_WORDS * sizeof(*id));
	return id[0] != 0;
}

/*
 * Few files are mapped by all programs of a machine, so that they are looked at one by one: places
 * never move, because other processes look, too.
 */
static uint32_t place_of(const struct kept_files *kept, const uint64_t id[KEPT_ID_WORDS])
{
	uint32_t place = 0;

	while (place < kept->used &&
	       (kept->files[place].id[0] != id[0] || kept->files[place].id[1] != id[1]))
		place++;
	return place;
}

static struct kept_file *find_file(struct kept_files *kept, const uint64_t id[KEPT_ID_WORDS])
{
	const uint32_t place = place_of(kept, id);

	return place < kept->used ? &kept->files[place] : NULL;
}

/* The file that was mapped as the binary, if it is open; kept may be NULL. */
static const struct kept_file *find_open(const struct kept_files *kept, const struct binary *binary)
{
	uint64_t id[KEPT_ID_WORDS];
	uint32_t place;

	if (!kept || !make_id(id, &binary->build_id, binary->inode, binary->major, binary->minor))
		return NULL;
	place = place_of(kept, id);
	return place < kept->used && kept->files[place].fd >= 0 ? &kept->files[place] : NULL;
}

static struct kept_file *free_place(struct kept_files *kept)
{
	for (uint32_t i = 0; i < kept->used; i++)
		if (!kept->files[i].id[0])
			return &kept->files[i];
	return kept->used < kept->most ? &kept->files[kept->used++] : NULL;
}

static bool has_inode(int fd, const struct record_mmap *map)
{
	struct stat status;

	return fstat(fd, &status) == 0 && status.st_ino == map->inode &&
	       major(status.st_dev) == map->major && minor(status.st_dev) == map->minor;
}

/* A build id is compared by those who use the file. */
static int only_mapped(int fd, const struct record_mmap *map)
{
	if (fd < 0 || map->has_build_id || has_inode(fd, map))
		return fd;
	close(fd);
	return -1;
}

/* At its path, or through the process, which may have another root or a deleted program. */
static int open_mapped(int helper, const char *path, int32_t pid, const struct record_mmap *map)
{
	int fd = only_mapped(rootfs_open(NULL, path), map);
	char way[40];

	if (fd >= 0 || pid <= 0)
		return fd;
	snprintf(way, sizeof(way), "/proc/%" PRId32 "/root", pid);
	fd = only_mapped(proc_files_open(helper, way, path), map);
	if (fd >= 0 || map->has_build_id)
		return fd;
	snprintf(way, sizeof(way), "/proc/%" PRId32 "/exe", pid);
	return only_mapped(proc_files_open(helper, NULL, way), map);
}

static uint64_t modified_at(const struct stat *status)
{
	return (uint64_t)status->st_mtim.tv_sec * NS_PER_SECOND + (uint64_t)status->st_mtim.tv_nsec;
}

/* It is mapped again: perhaps another build was written into it. */
static void note_change(const struct kept_files *kept, struct kept_file *file)
{
	struct stat status;

	if (file->fd < 0 || fstat(file->fd, &status) != 0 || modified_at(&status) == file->modified)
		return;
	file->modified = modified_at(&status);
	file->changed = kept->slice;
}

bool kept_files_changed(const struct kept_files *kept, const struct binary *binary, uint32_t slice,
                        const struct stat *now)
{
	const struct kept_file *file = find_open(kept, binary);

	return file && (file->changed >= slice || modified_at(now) != file->modified);
}

void kept_files_see(struct kept_files *kept, int32_t pid, const struct record_mmap *map)
{
	const size_t length = map->name.length;
	uint64_t id[KEPT_ID_WORDS];
	struct kept_file *file;
	struct stat status;
	char path[PATH_MAX];

	if (!(map->prot & PERF_PROT_EXEC) || !length || length >= sizeof(path) ||
	    *map->name.text != '/')
		return;
	if (!make_id(id, &map->build_id, map->inode, map->major, map->minor))
		return;
	file = find_file(kept, id);
	if (file) {
		file->slice = kept->slice;
		note_change(kept, file);
		return;
	}
	file = free_place(kept);
	if (!file)
		return;
	memcpy(path, map->name.text, length);
	path[length] = '\0';
	file->fd = open_mapped(kept->helper, path, pid, map);
	file->slice = kept->slice;
	file->changed = 0;
	file->modified = file->fd >= 0 && fstat(file->fd, &status) == 0 ? modified_at(&status) : 0;
	file->id[1] = id[1];
	file->id[0] = id[0];
}

void kept_files_need(struct kept_files *kept, const struct binary *binary)
{
	uint64_t id[KEPT_ID_WORDS];
	struct kept_file *file = NULL;

	if (make_id(id, &binary->build_id, binary->inode, binary->major, binary->minor))
		file = find_file(kept, id);
	if (file)
		file->slice = kept->slice;
}

void kept_files_forget(struct kept_files *kept)
{
	for (uint32_t i = 0; i < kept->used; i++) {
		struct kept_file *file = &kept->files[i];

		if (!file->id[0] || kept->slice - file->slice < KEPT_SLICES)
			continue;
		if (file->fd >= 0)
			close(file->fd);
		file->id[0] = 0;
	}
	kept->slice++;
}

int kept_files_open(const struct kept_files *kept, const struct binary *binary,
                    char path[KEPT_PATH_SIZE])
{
	const struct kept_file *file = find_open(kept, binary);

	if (!file)
		return -1;
	snprintf(path, KEPT_PATH_SIZE, "/proc/%" PRId32 "/fd/%" PRId32, kept->owner, file->fd);
	return rootfs_open(NULL, path);
}
