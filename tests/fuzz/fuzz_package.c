/*
 * A program whose debug information is split, and the package with the rest of it beside the
 * program. Input: size of the program, 4 bytes, little-endian; the program; the package.
 *
 * The seeds are gcc's and clang's -gsplit-dwarf with DWARF 4 and 5, packed by dwp of binutils and by
 * llvm-dwp, linked at 0x1000, where the questions are. The package of dwo-clang5 is a .dwo file
 * that the program names: it has no index.
 */
#include "tests/fuzz/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of this process, and the names in it: a package is found by its name alone. */
static struct {
	char dir[256], program[300], package[300];
} place;

static void remove_place(void)
{
	unlink(place.program);
	unlink(place.package);
	rmdir(place.dir);
}

/* Preferably in memory: both files are written anew for each input. A crash leaves the folder. */
static void make_place(void)
{
	const char *tmp = getenv("TMPDIR");
	const char *const parents[] = { "/dev/shm", tmp && *tmp ? tmp : "/tmp" };

	for (size_t i = 0; i < 2 && !place.program[0]; i++) {
		snprintf(place.dir, sizeof(place.dir), "%s/readperf-fuzz.XXXXXX", parents[i]);
		if (!mkdtemp(place.dir))
			continue;
		snprintf(place.program, sizeof(place.program), "%s/prog", place.dir);
		snprintf(place.package, sizeof(place.package), "%s/prog.dwp", place.dir);
	}
	if (!place.program[0] || atexit(remove_place) != 0)
		abort();
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t program;

	if (size < 4)
		return 0;
	if (!place.program[0])
		make_place();
	program = data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16 | (size_t)data[3] << 24;
	data += 4;
	size -= 4;
	if (program > size)
		program = size;
	write_file(place.program, data, program);
	write_file(place.package, data + program, size - program);
	/* With the folder as root, other files that the program names are not this machine's. */
	ask_source(place.program, place.dir);
	return 0;
}
