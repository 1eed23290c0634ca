#include "util/spill.h"

#include "util/spool.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void spill_init(struct spill *spill, size_t size, const char *dir)
{
	*spill = (struct spill){ .dir = dir, .size = size };
}

void spill_close(struct spill *spill)
{
	if (spill->open)
		close(spill->fd);
	*spill = (struct spill){ .open = false };
}

bool spill_write(struct spill *spill, const void *items, size_t count, struct err *err)
{
	if (!spill->open) {
		spill->fd = temp_file_open(spill->dir, err);
		spill->open = spill->fd >= 0;
	}
	if (!spill->open)
		return false;
	if (!write_whole_at(spill->fd, items, count * spill->size, spill->count * spill->size))
		return err_errno(err, "cannot write a temporary file in %s", spill->dir);
	spill->count += count;
	return true;
}

bool spill_reader_open(struct spill_reader *reader, const struct spill *spill, uint64_t first,
                       uint64_t end, size_t room, struct err *err)
{
	*reader = (struct spill_reader){ .spill = spill, .next = first, .end = end, .room = room };
	reader->buffer = vec_new(room, spill->size, err);
	return reader->buffer != NULL;
}

void spill_reader_close(struct spill_reader *reader)
{
	free(reader->buffer);
	*reader = (struct spill_reader){ .buffer = NULL };
}

const void *spill_read(struct spill_reader *reader, struct err *err)
{
	const struct spill *spill = reader->spill;

	if (reader->taken == reader->used) {
		reader->used = (size_t)u64_min(reader->end - reader->next, reader->room);
		reader->taken = 0;
		if (!reader->used)
			return NULL;
		if (!read_whole_at(spill->fd, reader->buffer, reader->used * spill->size,
		                   reader->next * spill->size)) {
			reader->used = 0;
			err_errno(err, "cannot read a temporary file in %s", spill->dir);
			return NULL;
		}
		reader->next += reader->used;
	}
	return reader->buffer + reader->taken++ * spill->size;
}
