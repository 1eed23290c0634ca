/* Opens bytes in memory as a recording. */
#ifndef READPERF_TESTS_INPUTBYTES_H
#define READPERF_TESTS_INPUTBYTES_H

#include "perffile/input/input.h"
#include "util/cursor.h"
#include "util/inflate.h"
#include "util/origperf.h"
#include "util/wholeio.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * As input_open(). pipe: the bytes cannot be read twice, unless they have the layout of a file.
 * Packed ones are refused.
 */
static inline bool input_open_bytes(struct input *input, const uint8_t *data, size_t size, bool pipe,
                                    struct err *err)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[64];
	bool ok;

	*input = (struct input){ .files = NULL };
	if (inflate_recognises(data, size))
		ok = err_set(err, ERR_FORMAT, "is packed");
	else
		ok = write_whole(fd, data, size) || err_errno(err, "cannot write to memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ok = ok && input_open(input, path, "/tmp", NULL, err);
	close(fd);
	if (ok && pipe &&
	    (load_u64(input->head + 8, false) == PERF_HEADER_SIZE_PIPE ||
	     load_u64(input->head + 8, true) == PERF_HEADER_SIZE_PIPE)) {
		input->seekable = false;
		input->files[0].size = UINT64_MAX;
	}
	return ok;
}

#endif
