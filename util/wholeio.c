#include "util/wholeio.h"

#include <errno.h>
#include <unistd.h>

/* Whether to go on after a call that returned n; if so, *done is how much is done. */
static bool goes_on(ssize_t n, size_t *done, int error_of_0)
{
	if (n == 0)
		errno = error_of_0;
	if (n > 0)
		*done += (size_t)n;
	return n > 0 || (n < 0 && errno == EINTR);
}

bool read_whole(int fd, void *buffer, size_t size, size_t *got)
{
	*got = 0;
	while (*got < size)
		if (!goes_on(read(fd, (uint8_t *)buffer + *got, size - *got), got, 0))
			return errno == 0;
	return true;
}

bool write_whole(int fd, const void *data, size_t size)
{
	for (size_t done = 0; done < size;)
		if (!goes_on(write(fd, (const uint8_t *)data + done, size - done), &done, ENOSPC))
			return false;
	return true;
}

bool read_whole_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;)
		if (!goes_on(pread(fd, (uint8_t *)buffer + done, size - done,
		                   (off_t)(offset + done)),
		             &done, EIO))
			return false;
	return true;
}

bool write_whole_at(int fd, const void *data, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;)
		if (!goes_on(pwrite(fd, (const uint8_t *)data + done, size - done,
		                    (off_t)(offset + done)),
		             &done, ENOSPC))
			return false;
	return true;
}
