/* An ELF file with debug information: source files, lines and inlined functions. */
#define _GNU_SOURCE
#include "tests/fuzz/source.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ask_source(path, NULL);
	close(fd);
	return 0;
}
