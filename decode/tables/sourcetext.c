#include "decode/tables/sourcetext.h"

#include "decode/files/rootfs.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)16 << 20) /* bytes */

struct source_file {
	const char *name;
	char *text; /* NULL: it is not here */
	size_t size;
	size_t *lines; /* offset of each */
	size_t line_count, capacity;
};

static bool find_lines(struct source_file *file, struct err *err)
{
	size_t at = 0;

	while (file->text && at < file->size) {
		const char *end = memchr(file->text + at, '\n', file->size - at);

		if (!vec_append(&file->lines, &file->line_count, &file->capacity, &at, sizeof(at),
		                err))
			return false;
		at = end ? (size_t)(end - file->text) + 1 : file->size;
	}
	return true;
}

/* A file that is too large or cannot be read is not here. */
static bool read_file(struct source_texts *texts, struct source_file *file, struct err *err)
{
	for (size_t i = 0; !file->text && i < file_roots(texts->options); i++) {
		struct err problem = { .code = ERR_NONE };
		int fd = rootfs_open(file_root(texts->options, i), file->name);

		if (fd >= 0)
			file->text = rootfs_slurp(fd, FILE_MAX, &file->size, &problem);
		if (!err_pass_nomem(err, &problem))
			return false;
	}
	return find_lines(file, err);
}

static struct source_file *find_file(struct source_texts *texts, const char *name, struct err *err)
{
	const struct source_file file = { .name = name };
	struct source_file *added;

	for (size_t i = texts->count; i-- > 0;)
		if (texts->files[i].name == name)
			return &texts->files[i];
	if (!vec_append(&texts->files, &texts->count, &texts->capacity, &file, sizeof(file), err))
		return NULL;
	added = &texts->files[texts->count - 1];
	return read_file(texts, added, err) ? added : NULL;
}

const char *source_text_line(struct source_texts *texts, const char *name, uint32_t line,
                             size_t *length, struct err *err)
{
	struct source_file *file = *name == '/' ? find_file(texts, name, err) : NULL;
	size_t start, end;

	if (!file || !line || line > file->line_count)
		return NULL;
	start = file->lines[line - 1];
	end = line < file->line_count ? file->lines[line] : file->size;
	while (end > start && (file->text[end - 1] == '\n' || file->text[end - 1] == '\r'))
		end--;
	*length = end - start;
	return file->text + start;
}

void source_texts_release(struct source_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		free(texts->files[i].text);
		free(texts->files[i].lines);
	}
	free(texts->files);
	texts->files = NULL;
	texts->count = texts->capacity = 0;
}
