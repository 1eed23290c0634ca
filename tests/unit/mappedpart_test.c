/* Whether a file can be the one that was mapped: compared with what this kernel mapped for us. */
#include "decode/files/locate.h"

#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct binary mapped_at(uint64_t offset, uint64_t size)
{
	struct binary binary = { .kind = BINARY_FILE, .extent_count = 1 };

	binary.extents[0] = (struct binary_extent){ offset, size };
	return binary;
}

static bool fits(const struct elf *elf, uint64_t offset, uint64_t size)
{
	struct binary binary = mapped_at(offset, size);

	return elf_fits_mapped_parts(elf, &binary);
}

/* Every file that this process has mapped as code fits, and none a page off. */
static void test_own_maps(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[600], permissions[8], path[400];
	uint64_t start, end, offset;
	size_t count = 0;

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		struct err err = { .code = ERR_NONE };
		struct elf elf;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %399s", &start,
		           &end, permissions, &offset, path) != 5 ||
		    permissions[2] != 'x' || path[0] != '/')
			continue;
		count++;
		assert_true(elf_open(&elf, open(path, O_RDONLY | O_CLOEXEC), &err));
		assert_true(fits(&elf, offset, end - start));
		assert_false(fits(&elf, offset, end - start + 4096));
		assert_false(fits(&elf, offset + 4096, end - start));
		if (end - start > 4096)
			assert_false(fits(&elf, offset, end - start - 4096));
		elf_close(&elf);
	}
	fclose(maps);
	assert_true(count >= 1);
}

/* A program of the old kind: its first segment is code, its second one data. */
static struct elf_segment old_segments[] = {
	{ .vaddr = 0, .offset = 0, .file_size = 0x5234, .memory_size = 0x5234, .flags = 5 },
	{ .vaddr = 0x206f00, .offset = 0x5f00, .file_size = 0x400, .memory_size = 0x900, .flags = 6 },
};

static void test_old_program(void **state)
{
	struct elf elf = { .segments = old_segments, .segment_count = 2, .machine = EM_X86_64,
		           .size = 0x9012 };
	struct binary pieces = mapped_at(0, 0x2000);

	(void)state;
	assert_true(fits(&elf, 0, 0x6000));
	/* the loader first maps all of its image */
	assert_true(fits(&elf, 0, 0x208000));
	assert_false(fits(&elf, 0, 0x209000));
	/* the file, whole */
	assert_true(fits(&elf, 0, 0xa000));
	assert_false(fits(&elf, 0, 0x5000));
	assert_false(fits(&elf, 0x1000, 0x5000));
	/* pieces that together are the code, whatever became of the pages between them */
	assert_false(elf_fits_mapped_parts(&elf, &pieces));
	pieces.extents[pieces.extent_count++] = (struct binary_extent){ 0x3000, 0x3000 };
	assert_true(elf_fits_mapped_parts(&elf, &pieces));
	pieces.extents[1].size += 0x1000;
	assert_false(elf_fits_mapped_parts(&elf, &pieces));
	/* more than were noted: nothing is known */
	pieces.extents_cut = true;
	assert_true(elf_fits_mapped_parts(&elf, &pieces));
	/* nothing was mapped as code, or the file has none */
	pieces = (struct binary){ .extent_count = 0 };
	assert_true(elf_fits_mapped_parts(&elf, &pieces));
	elf.segment_count = 0;
	assert_true(fits(&elf, 0, 0x1000));
}

/* Other machines have pages of other sizes. */
static void test_large_pages(void **state)
{
	struct elf_segment segments[] = {
		{ .vaddr = 0x10000, .offset = 0x10000, .file_size = 0x12345, .memory_size = 0x12345,
		  .flags = 5 },
	};
	struct elf elf = { .segments = segments, .segment_count = 1, .machine = EM_AARCH64,
		           .size = 0x40000 };

	(void)state;
	assert_true(fits(&elf, 0x10000, 0x13000));
	assert_true(fits(&elf, 0x10000, 0x14000));
	assert_true(fits(&elf, 0x10000, 0x20000));
	assert_false(fits(&elf, 0x10000, 0x15000));
	elf.machine = EM_X86_64;
	assert_true(fits(&elf, 0x10000, 0x13000));
	assert_false(fits(&elf, 0x10000, 0x20000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_maps),
		cmocka_unit_test(test_old_program),
		cmocka_unit_test(test_large_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
