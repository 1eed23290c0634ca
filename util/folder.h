/* The entries of a folder, by name. */
#ifndef READPERF_UTIL_FOLDER_H
#define READPERF_UTIL_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

struct folder {
	struct dirent **entries;
	size_t count;
};

/* Those that the filter takes, as scandir() calls it; NULL: all. False with errno set. */
bool folder_list(struct folder *folder, const char *path, int (*filter)(const struct dirent *));
void folder_release(struct folder *folder); /* also where folder_list() failed */
/* A filter: entries whose name does not begin with a dot. */
int folder_entry_is_visible(const struct dirent *entry);

#endif
