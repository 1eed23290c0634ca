#include "util/spool.h"

#include "util/wholeio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int temp_file_open(const char *dir, struct err *err)
{
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/.readperf-XXXXXX", dir) >= (int)sizeof(path)) {
		err_set(err, ERR_IO, "the folder for temporary files has too long a name: %s", dir);
		return -1;
	}
	fd = mkstemp(path);
	if (fd < 0)
		err_errno(err, "cannot make a temporary file in %s", dir);
	else
		unlink(path);
	return fd;
}

bool spool_open(struct spool *spool, const char *dir, struct err *err)
{
	memset(spool, 0, sizeof(*spool));
	spool->buffer = malloc(SPOOL_BUFFER);
	if (!spool->buffer)
		return err_nomem(err, SPOOL_BUFFER);
	spool->fd = temp_file_open(dir, err);
	spool->open = spool->fd >= 0;
	return spool->open;
}

void spool_close(struct spool *spool)
{
	if (spool->open)
		close(spool->fd);
	free(spool->buffer);
	memset(spool, 0, sizeof(*spool));
}

static bool spool_write(const struct spool *spool, const void *data, size_t size, uint64_t offset,
                        struct err *err)
{
	return write_whole_at(spool->fd, data, size, offset) ||
	       err_errno(err, "cannot write a temporary file");
}

static bool spool_read(const struct spool *spool, void *data, size_t size, uint64_t offset,
                       struct err *err)
{
	return read_whole_at(spool->fd, data, size, offset) ||
	       err_errno(err, "cannot read a temporary file");
}

bool spool_flush(struct spool *spool, struct err *err)
{
	if (!spool_write(spool, spool->buffer, spool->used, spool->size, err))
		return false;
	spool->size += spool->used;
	spool->used = 0;
	return true;
}

bool spool_get(struct spool *spool, uint64_t offset, void *data, size_t size, struct err *err)
{
	return spool_flush(spool, err) && spool_read(spool, data, size, offset, err);
}

bool spool_put(struct spool *spool, uint64_t offset, const void *data, size_t size, struct err *err)
{
	if (offset >= spool->size) {
		memcpy(spool->buffer + (offset - spool->size), data, size);
		return true;
	}
	return spool_flush(spool, err) && spool_write(spool, data, size, offset, err);
}

bool spool_rewind(struct spool *spool, struct err *err)
{
	/* a small spool never leaves the buffer */
	if (!spool->reading && spool->size && !spool_flush(spool, err))
		return false;
	if (spool->size)
		spool->used = 0;
	if (!spool->reading) /* readers may ask for it at the same time */
		spool->reading = true;
	spool->taken = 0;
	spool->next = 0;
	return true;
}

bool spool_read_at(const struct spool *spool, uint64_t offset, void *data, size_t size,
                   struct err *err)
{
	if (spool->size)
		return spool_read(spool, data, size, offset, err);
	/* a small spool is in the buffer alone */
	memcpy(data, spool->buffer + offset, size);
	return true;
}

bool spool_reader(struct spool *reader, const struct spool *of, struct err *err)
{
	*reader = (struct spool){ .reading = true, .fd = of->fd, .size = of->size };
	reader->buffer = malloc(SPOOL_BUFFER);
	if (!reader->buffer)
		return err_nomem(err, SPOOL_BUFFER);
	/* a small spool is in the buffer alone, and nothing changes that any more */
	if (!of->size) {
		reader->used = of->used;
		memcpy(reader->buffer, of->buffer, of->used);
	}
	return true;
}

/* Moves the unread bytes to the front of the buffer, and fills it. */
static bool spool_refill(struct spool *spool, struct err *err)
{
	size_t left = spool->used - spool->taken;
	size_t more = (size_t)u64_min(spool->size - spool->next, SPOOL_BUFFER - left);

	memmove(spool->buffer, spool->buffer + spool->taken, left);
	spool->taken = 0;
	spool->used = left + more;
	if (!spool_read(spool, spool->buffer + left, more, spool->next, err))
		return false;
	spool->next += more;
	return true;
}

const void *spool_take(struct spool *spool, size_t size, struct err *err)
{
	const uint8_t *data;

	if (spool->used - spool->taken < size && !spool_refill(spool, err))
		return NULL;
	if (spool->used - spool->taken < size) {
		errno = EIO;
		err_errno(err, "cannot read a temporary file");
		return NULL;
	}
	data = spool->buffer + spool->taken;
	spool->taken += size;
	return data;
}
