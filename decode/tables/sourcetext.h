/* Lines of source files, for listings: each file is read once, if it is here. */
#ifndef READPERF_DECODE_TABLES_SOURCETEXT_H
#define READPERF_DECODE_TABLES_SOURCETEXT_H

#include "decode/files/locate.h"

struct source_file;

/* Set options; the rest is zeros. */
struct source_texts {
	const struct file_options *options; /* borrowed: --symfs */
	struct source_file *files;
	size_t count, capacity;
};

/*
 * The text of a line, from 1, without its end; *length: bytes. NULL: the file is not here or has no
 * such line, or err is set. name: an interned text, compared by its address.
 */
const char *source_text_line(struct source_texts *texts, const char *name, uint32_t line,
                             size_t *length, struct err *err);
void source_texts_release(struct source_texts *texts);

#endif
