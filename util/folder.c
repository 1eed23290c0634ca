#include "util/folder.h"

#include <stdlib.h>

bool folder_list(struct folder *folder, const char *path, int (*filter)(const struct dirent *))
{
	int count;

	*folder = (struct folder){ .entries = NULL };
	count = scandir(path, &folder->entries, filter, alphasort);
	folder->count = count > 0 ? (size_t)count : 0;
	return count >= 0;
}

void folder_release(struct folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		free(folder->entries[i]);
	free(folder->entries);
}

int folder_entry_is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}
