#include "util/standard.h"

#include <fcntl.h>
#include <unistd.h>

static int open_stand_in(int number)
{
	/*
	 * opens a device for the wrong direction; if there is none, a folder, which cannot be
	 * written
	 */
	int fd = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);

	return fd >= 0 ? fd : open("/", O_RDONLY);
}

bool standard_streams_reserve(void)
{
	for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
		/*
		 * open() returns the smallest free number, which is this one: all smaller ones are
		 * open
		 */
		if (fcntl(number, F_GETFD) < 0 && open_stand_in(number) != number)
			return false;
	return true;
}
