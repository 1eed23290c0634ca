/* gzip, xz and zstd, from memory and through files. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "util/inflate.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAP ((size_t)1 << 20)

static bool cap_size(void *context, const uint8_t *data, size_t size, struct err *err)
{
	size_t *left = context;

	(void)data;
	if (size > *left)
		return err_set(err, ERR_LIMIT, "more than %zu bytes", CAP);
	*left -= size;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	struct err err = { 0 }, err_fd = { 0 };
	uint8_t *unpacked = NULL;
	size_t unpacked_size = 0, left = CAP;
	struct inflate_watch watch = { cap_size, &left };
	struct stat status;
	bool ok, ok_fd;

	inflate_recognises(data, size);
	ok = inflate_memory(data, size, CAP, &unpacked, &unpacked_size, &err);
	check_err(ok, &err);
	FUZZ_CHECK(unpacked_size <= CAP);
	if (in < 0 || out < 0 || write(in, data, size) != (ssize_t)size || lseek(in, 0, SEEK_SET))
		abort();
	ok_fd = inflate_fd(in, out, &watch, &err_fd);
	check_err(ok_fd, &err_fd);
	FUZZ_CHECK(ok == ok_fd && fstat(out, &status) == 0 && status.st_size <= (off_t)CAP);
	FUZZ_CHECK(!ok || status.st_size == (off_t)unpacked_size);
	free(unpacked);
	close(in);
	close(out);
	return 0;
}
