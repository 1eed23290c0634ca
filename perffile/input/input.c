#include "perffile/input/input.h"

#include "perffile/input/otherkind.h"
#include "perffile/input/unpackguard.h"
#include "util/cursor.h"
#include "util/digits.h"
#include "util/inflate.h"
#include "util/origperf.h"
#include "util/path.h"
#include "util/search.h"
#include "util/spool.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_SIZE ((size_t)65536) /* bytes that are copied at once */

/* Takes over fd, even on failure; the path is copied. */
static bool add_file(struct input *input, int fd, const char *path, uint64_t size, struct err *err)
{
	struct input_file file = { fd, strdup(path), size };

	if (file.path && vec_append(&input->files, &input->file_count, &input->file_capacity, &file,
	                            sizeof(file), err))
		return true;
	free(file.path);
	close(fd);
	return err_nomem(err, strlen(path));
}

ssize_t input_read(const struct input *input, size_t file, void *buffer, size_t size,
                   uint64_t offset)
{
	const struct input_file *from = &input->files[file];
	ssize_t n;

	if (!input->seekable && offset >= sizeof(input->head) &&
	    offset - sizeof(input->head) < input->ahead_size) {
		const size_t at = (size_t)offset - sizeof(input->head);

		size = (size_t)u64_min(size, input->ahead_size - at);
		memcpy(buffer, input->ahead + at, size);
		return (ssize_t)size;
	}
	if (!input->seekable && input->wait && !input->wait(input->context, from->fd))
		return 0;
	do
		n = input->seekable ? pread(from->fd, buffer, size, (off_t)offset)
		                    : read(from->fd, buffer, size);
	while (n < 0 && errno == EINTR);
	return n;
}

bool input_read_at(const struct input *input, void *buffer, size_t size, uint64_t offset,
                   struct err *err)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = input_read(input, 0, (uint8_t *)buffer + done, size - done,
		                       offset + done);

		if (n < 0)
			return err_errno(err, "cannot read");
		if (n == 0)
			return err_at(err, ERR_FORMAT, offset + done,
			              "expected %zu more bytes, found the end", size - done);
		done += (size_t)n;
	}
	return true;
}

/*
 * Puts a temporary file in the place of files[0], if it is complete; otherwise closes it and
 * returns false.
 */
static bool replace_file(struct input *input, int fd, bool complete, struct err *err)
{
	struct input_file *file = &input->files[0];
	struct stat st;

	if (complete && fstat(fd, &st) < 0)
		complete = err_errno(err, "cannot unpack");
	if (!complete) {
		close(fd);
		return false;
	}
	close(file->fd);
	file->fd = fd;
	file->size = (uint64_t)st.st_size;
	input->seekable = input->single = true;
	return true;
}

static bool write_copy(int fd, const uint8_t *data, size_t size, struct err *err)
{
	return write_whole(fd, data, size) ||
	       err_errno(err, "cannot write the temporary copy of the input");
}

/* Copies files[0], a pipe whose first bytes are already in head and in ahead, to fd. */
static bool copy_pipe(const struct input *input, int fd, size_t head_size, struct err *err)
{
	uint8_t *buffer = malloc(COPY_SIZE);
	bool ok = buffer ? write_copy(fd, input->head, head_size, err) &&
	                           write_copy(fd, input->ahead, input->ahead_size, err)
	                 : err_nomem(err, COPY_SIZE);
	size_t got = COPY_SIZE;

	while (ok && got == COPY_SIZE)
		ok = (read_whole(input->files[0].fd, buffer, COPY_SIZE, &got) ||
		      err_errno(err, "cannot read")) &&
		     write_copy(fd, buffer, got, err);
	free(buffer);
	return ok;
}

/* Replaces files[0], a pipe, by a temporary file with all its bytes. */
static bool spool_pipe(struct input *input, size_t head_size, const char *temp_dir, struct err *err)
{
	int fd = temp_file_open(temp_dir, err);

	return fd >= 0 && replace_file(input, fd, copy_pipe(input, fd, head_size, err), err);
}

/*
 * Unpacks files[0] to fd. A damaged one is unpacked as far as possible and then read as a recording
 * that was cut off.
 */
static bool unpack_to(struct input *input, int fd, struct diag *diag, struct err *err)
{
	const struct input_file *file = &input->files[0];
	struct unpack_guard guard;
	struct inflate_watch watch = { unpack_guard_look, &guard };
	struct err damage = { 0 };
	struct stat st;

	if (lseek(file->fd, 0, SEEK_SET) < 0)
		return err_errno(err, "cannot unpack");
	unpack_guard_init(&guard, file->size);
	if (inflate_fd(file->fd, fd, &watch, &damage))
		return true;
	if (damage.code != ERR_FORMAT || fstat(fd, &st) < 0 ||
	    st.st_size < (off_t)sizeof(input->head))
		return err_pass(err, &damage);
	diag_warn_err(diag, &damage);
	input->cut = true;
	return true;
}

/* Replaces files[0], which is packed, by a temporary file with what is in it. */
static bool unpack_packed(struct input *input, const char *temp_dir, struct diag *diag,
                          struct err *err)
{
	int fd = temp_file_open(temp_dir, err);

	input->packed = input->files[0].size;
	return fd >= 0 && replace_file(input, fd, unpack_to(input, fd, diag, err), err);
}

/* Whether the first bytes are those of the file layout, which can only be read with seeking. */
static bool is_file_layout(const uint8_t *head)
{
	uint64_t size = load_u64(head + 8, false);

	if (memcmp(head, "PERFILE2", 8) && memcmp(head, "2ELIFREP", 8) &&
	    memcmp(head, "PERFFILE", 8))
		return false;
	return size != PERF_HEADER_SIZE_PIPE && __builtin_bswap64(size) != PERF_HEADER_SIZE_PIPE;
}

/* Whether the file may be a recording; got: bytes of its head that were read. */
static bool is_recording(const struct input *input, size_t got, struct err *err)
{
	uint8_t bytes[OTHER_KIND_BYTES];
	ssize_t more = pread(input->files[0].fd, bytes, sizeof(bytes), 0);
	const char *other;

	/* of a pipe, only the head can be read */
	if (more < (ssize_t)got) {
		memcpy(bytes, input->head, got);
		more = (ssize_t)got;
	}
	other = other_kind(bytes, (size_t)more);
	if (other)
		return err_set(err, ERR_FORMAT, "%s%s; expected a perf.data recording",
		               input->packed ? "unpacked, it " : "", other);
	return got >= sizeof(input->head) ||
	       err_at(err, ERR_FORMAT, 0, "expected a perf.data recording, found only %zu bytes",
	              got);
}

static bool open_by_magic(struct input *input, const char *temp_dir, struct diag *diag,
                          struct err *err)
{
	size_t got;

	if (!read_whole(input->files[0].fd, input->head, sizeof(input->head), &got))
		return err_errno(err, "cannot read");
	if (got == 0)
		return err_set(err, ERR_FORMAT, "is empty: expected a perf.data recording");
	if (inflate_recognises(input->head, got)) {
		if (!input->seekable && !spool_pipe(input, got, temp_dir, err))
			return false;
		if (!unpack_packed(input, temp_dir, diag, err))
			return false;
		if (lseek(input->files[0].fd, 0, SEEK_SET) < 0 ||
		    !read_whole(input->files[0].fd, input->head, sizeof(input->head), &got))
			return err_errno(err, "cannot read");
	} else if (!input->seekable && is_file_layout(input->head)) {
		if (!spool_pipe(input, got, temp_dir, err))
			return false;
	}
	return is_recording(input, got, err);
}

/*
 * The 7 of "data.7"; false for anything else: "data.07", too, because 7 may be there as well.
 */
static bool part_number(const char *name, uint64_t *number)
{
	const char *digits = text_after(name, "data.");
	char *end;

	if (!digits || !is_digit(*digits) || (*digits == '0' && digits[1]))
		return false;
	errno = 0;
	*number = strtoull(digits, &end, 10);
	return !*end && !errno;
}

static int open_regular(const char *path, uint64_t *size, struct err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		err_errno(err, "cannot open %s", path);
		return -1;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set(err, ERR_FORMAT, "%s: expected a regular file", path);
		close(fd);
		return -1;
	}
	*size = (uint64_t)st.st_size;
	return fd;
}

/* The recorder numbers the files of its threads without gaps. */
static void note_gaps(struct input *input, const uint64_t *parts, size_t count, struct diag *diag)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t expected = i ? parts[i - 1] + 1 : 0;

		if (parts[i] <= expected)
			continue;
		diag_warn(diag, ERR_NO_OFFSET,
		          "expected a file data.%" PRIu64 ", found the next one to be data.%" PRIu64
		          ": the files between them are missing",
		          expected, parts[i]);
		input->cut = true;
	}
}

#define FILES_BESIDE 256 /* tables, programs, their debug information */

/* Raises the limit of open files if that is necessary to have so many open at the same time. */
static void allow_files(size_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= count + FILES_BESIDE)
		return;
	limit.rlim_cur = count + FILES_BESIDE < limit.rlim_max ? count + FILES_BESIDE
	                                                       : limit.rlim_max;
	/* if this fails, opening a file fails later and is reported */
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* The files of a directory recording: data, then data.0, data.1 ... by number. */
static bool open_parts(struct input *input, const char *path, struct diag *diag, struct err *err)
{
	char name[4096];
	uint64_t *parts = NULL, number;
	size_t count = 0, capacity = 0;
	struct dirent *entry;
	bool ok = true;
	uint64_t size;
	DIR *dir = opendir(path);
	int fd;

	if (!dir)
		return err_errno(err, "cannot open");
	while (ok && (entry = readdir(dir)))
		if (part_number(entry->d_name, &number))
			ok = vec_append(&parts, &count, &capacity, &number, sizeof(number), err);
	closedir(dir);
	if (ok && count) {
		qsort(parts, count, sizeof(*parts), search_compare);
		note_gaps(input, parts, count, diag);
		allow_files(count + 1);
	}
	for (size_t i = 0; ok && i <= count; i++) {
		int length = i ? snprintf(name, sizeof(name), "%s/data.%" PRIu64, path,
		                          parts[i - 1])
		               : snprintf(name, sizeof(name), "%s/data", path);

		ok = length < (int)sizeof(name) || err_set(err, ERR_IO, "the path is too long");
		fd = ok ? open_regular(name, &size, err) : -1;
		if (fd < 0 && i == 0 && errno == ENOENT) {
			err->code = ERR_NONE;
			err_set(err, ERR_FORMAT,
			        "is a directory without the file data of a perf recording");
		}
		ok = fd >= 0 && add_file(input, fd, name, size, err);
	}
	free(parts);
	return ok;
}

bool input_open(struct input *input, const char *path, const char *temp_dir, struct diag *diag,
                struct err *err)
{
	struct stat st;
	bool ok;
	int fd;

	memset(input, 0, sizeof(*input));
	fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : dup(STDIN_FILENO);
	if (fd < 0)
		return err_errno(err, "cannot open");
	input->single = !strcmp(path, "-");
	if (fstat(fd, &st) < 0) {
		ok = err_errno(err, "cannot open");
	} else if (isatty(fd) == 1) {
		ok = err_set(err, ERR_USAGE,
		             "is a terminal: expected a recording in a file or through a pipe");
	} else if (S_ISDIR(st.st_mode)) {
		input->directory = input->seekable = true;
		ok = open_parts(input, path, diag, err);
	} else {
		/* standard input that does not start at its beginning is read as a pipe */
		input->seekable = S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0;
		return add_file(input, fd, path,
		                input->seekable ? (uint64_t)st.st_size : UINT64_MAX, err) &&
		       open_by_magic(input, temp_dir, diag, err);
	}
	close(fd);
	return ok && open_by_magic(input, temp_dir, diag, err);
}

bool input_spool(struct input *input, const char *temp_dir, struct err *err)
{
	return input->seekable || spool_pipe(input, sizeof(input->head), temp_dir, err);
}

const char *input_part(const struct input *input, size_t file)
{
	return input->directory ? path_base(input->files[file].path) : NULL;
}

void input_close(struct input *input)
{
	for (size_t i = 0; i < input->file_count; i++) {
		close(input->files[i].fd);
		free(input->files[i].path);
	}
	free(input->files);
	free(input->ahead);
	memset(input, 0, sizeof(*input));
}
