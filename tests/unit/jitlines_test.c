/* Source lines of jitdump files. */
#include "decode/symbols/jitlines.h"

#include "decode/source/addr2line.h"
#include "decode/symbols/jitcode.h"
#include "tests/unit/bytes.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO };

struct entry {
	uint64_t addr;
	uint32_t line;
	const char *file;
};

static size_t begin_record(struct image *image, uint32_t type)
{
	size_t start = image->size;

	image_u32(image, type);
	image_u32(image, 0);
	image_u64(image, 1);
	return start;
}

static void end_record(struct image *image, size_t start)
{
	image_patch(image, start + 4, image->size - start, 4);
}

/* Returns where its count is. */
static size_t put_lines(struct image *image, uint64_t addr, const struct entry *entries, size_t count)
{
	size_t start = begin_record(image, CODE_DEBUG_INFO);

	image_u64(image, addr);
	image_u64(image, count);
	for (size_t i = 0; i < count; i++) {
		image_u64(image, entries[i].addr);
		image_u32(image, entries[i].line);
		image_u32(image, 77);
		image_bytes(image, entries[i].file, strlen(entries[i].file) + 1);
	}
	image_zeros(image, 7 & -image->size);
	end_record(image, start);
	return start + 24;
}

/* Returns the place of the code. */
static uint64_t put_load(struct image *image, uint64_t addr, uint64_t size)
{
	static uint64_t index;
	size_t start = begin_record(image, CODE_LOAD);

	image_u64(image, 0);
	image_u64(image, addr);
	image_u64(image, addr);
	image_u64(image, size);
	image_u64(image, index++);
	image_bytes(image, "name", 5);
	image_zeros(image, (size_t)size);
	end_record(image, start);
	return image->size - size;
}

static void begin_dump(struct image *image, bool big_endian)
{
	image_init(image, big_endian);
	image_u32(image, 0x4a695444);
	image_u32(image, 1);
	image_u32(image, 40);
	image_u32(image, 62);
	image_zeros(image, 24);
}

static bool parse(struct jit_lines *lines, const uint8_t *data, size_t size, struct err *err)
{
	struct symtable table = { 0 };
	struct jit_names names = { .table = &table, .lines = lines };
	struct jit_entries entries = { .items = NULL };
	uint8_t *copy = exact_copy(data, size);
	struct jitdump_visitor visitor = jit_names_visitor(&names);
	bool ok;

	memset(lines, 0, sizeof(*lines));
	err->code = ERR_NONE;
	ok = jitdump_parse(copy, size, &visitor, &entries, err);
	jit_lines_finish(lines);
	free(entries.items);
	symtable_release(&table);
	free(copy);
	return ok;
}

static void parse_all(struct jit_lines *lines, struct image *image)
{
	struct err err;

	assert_true(parse(lines, image->data, image->size, &err));
	image_release(image);
}

/* "file:line function's file" at a place of the code that begins at code. */
static const char *line_at(const struct jit_lines *lines, uint64_t code, uint64_t offset)
{
	struct source_function function = { .entry = code };
	struct source_addr addr = { .addr = code + offset };
	struct strings strings;
	struct source_query query = { .strings = &strings, .functions = &function, .function_count = 1,
		                      .addrs = &addr, .addr_count = 1 };
	struct err err = { .code = ERR_NONE };
	static char text[200];

	assert_true(strings_init(&strings, &err));
	assert_true(jit_lines_answer(lines, &query, &err));
	snprintf(text, sizeof(text), "%s:%u %s", strings_get(&strings, addr.file), addr.line,
	         strings_get(&strings, function.file));
	strings_release(&strings);
	return text;
}

/* Files of all kinds, named again or not; a line holds up to the next one. */
static void test_lines(void **state)
{
	static const struct entry entries[] = {
		{ 0x1004, 1, "/a.js" },           { 0x1010, 2, "\xff" },   { 0x1014, 3, "file:///dir/b.mjs" },
		{ 0x1018, 4, "node:internal/x" }, { 0x101c, 5, "\xff" },   { 0x1020, 6, "file://host" },
		{ 0x1024, 7, "" },                { 0x1028, 8, "\xff\xff" }, { 0x1100, 9, "/a.js" },
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct jit_lines lines;
		struct image image;
		uint64_t code;

		begin_dump(&image, big);
		put_lines(&image, 0x1000, entries, ARRAY_SIZE(entries));
		code = put_load(&image, 0x1000, 0x30);
		parse_all(&lines, &image);
		assert_string_equal(line_at(&lines, code, 0), ":0 /a.js");
		assert_string_equal(line_at(&lines, code, 4), "/a.js:1 /a.js");
		assert_string_equal(line_at(&lines, code, 0x13), "/a.js:2 /a.js");
		assert_string_equal(line_at(&lines, code, 0x14), "/dir/b.mjs:3 /a.js");
		assert_string_equal(line_at(&lines, code, 0x18), "node:internal/x:4 /a.js");
		assert_string_equal(line_at(&lines, code, 0x1c), "node:internal/x:5 /a.js");
		assert_string_equal(line_at(&lines, code, 0x20), "file://host:6 /a.js");
		assert_string_equal(line_at(&lines, code, 0x24), ":7 /a.js");
		assert_string_equal(line_at(&lines, code, 0x2f), "\xff\xff:8 /a.js");
		/* neither before nor behind the code */
		assert_string_equal(line_at(&lines, code - 1, 0), ":0 ");
		assert_string_equal(line_at(&lines, code + 0x30, 0), ":0 ");
		jit_lines_release(&lines);
	}
}

/* Which lines are which code's: the last that came before it, for its address, and only once. */
static void test_owners(void **state)
{
	static const struct entry first = { 0x1000, 1, "first" }, second = { 0x2000, 2, "second" },
	                          again = { 0x1001, 3, "again" }, wrong = { 0x3000, 4, "wrong" };
	uint64_t one, two, third, empty;
	struct jit_lines lines;
	struct image image;

	(void)state;
	begin_dump(&image, false);
	put_lines(&image, 0x1000, &wrong, 1);
	put_lines(&image, 0x1000, &first, 1);
	put_lines(&image, 0x2000, &second, 1);
	two = put_load(&image, 0x2000, 8);
	one = put_load(&image, 0x1000, 8);
	empty = put_load(&image, 0x1000, 8);
	put_lines(&image, 0x1000, &again, 1);
	put_load(&image, 0x1001, 8);
	third = put_load(&image, 0x1000, 8);
	put_lines(&image, 0x3000, &wrong, 1);
	put_lines(&image, 0x3000, NULL, 0);
	put_load(&image, 0x3000, 8);
	put_lines(&image, 0x4000, &wrong, 1); /* no code comes */
	parse_all(&lines, &image);
	assert_int_equal(lines.source_count, 3);
	assert_string_equal(line_at(&lines, one, 7), "first:1 first");
	assert_string_equal(line_at(&lines, two, 7), "second:2 second");
	assert_string_equal(line_at(&lines, empty, 7), ":0 ");
	assert_string_equal(line_at(&lines, third, 0), ":0 again");
	assert_string_equal(line_at(&lines, third, 1), "again:3 again");
	jit_lines_release(&lines);
}

/* In any order; of several lines at one place the last counts. */
static void test_order(void **state)
{
	static const struct entry entries[] = { { 0x1020, 5, "c" }, { 0x1010, 2, "\xff" }, { 0x1000, 1, "a" },
		                                { 0x0fff, 9, "b" }, { 0x1010, 3, "d" },  { 0x1010, 4, "e" },
		                                { UINT64_MAX, 8, "f" } };
	struct jit_lines lines;
	struct image image;
	uint64_t code;

	(void)state;
	begin_dump(&image, true);
	put_lines(&image, 0x1000, entries, ARRAY_SIZE(entries));
	code = put_load(&image, 0x1000, 0x30);
	parse_all(&lines, &image);
	assert_string_equal(line_at(&lines, code, 0), "a:1 a");
	assert_string_equal(line_at(&lines, code, 0x10), "e:4 a");
	assert_string_equal(line_at(&lines, code, 0x20), "c:5 a");
	jit_lines_release(&lines);
	/* many, all in the wrong order: a name that repeats is kept once */
	begin_dump(&image, false);
	for (uint32_t i = 0; i < 2; i++) {
		struct entry *many = calloc(50000, sizeof(*many));

		for (uint32_t n = 0; n < 50000; n++)
			many[n] = (struct entry){ 0x1000 + 50000 - n, n, n % 2 ? "one/file" : "another" };
		put_lines(&image, 0x1000, many, 50000);
		free(many);
		code = put_load(&image, 0x1000, 60000);
	}
	parse_all(&lines, &image);
	assert_string_equal(line_at(&lines, code, 20000), "another:30000 one/file");
	assert_string_equal(line_at(&lines, code, 20001), "one/file:29999 one/file");
	assert_int_equal(lines.files.count, 3);
	jit_lines_release(&lines);
}

/* An ELF header too far, all of them or none: one line before it is enough. */
static void test_elf_header(void **state)
{
	struct entry first[] = { { 0x1040, 1, "a" }, { 0x1048, 2, "\xff" } };
	struct entry second = { 0x2043, 3, "b" };

	(void)state;
	for (unsigned least = 0x3f; least < 0x42; least++) {
		uint64_t one, two, off = least < 0x40 ? 0 : 0x40;
		struct jit_lines lines;
		struct image image;

		first[0].addr = 0x1000 + least;
		begin_dump(&image, least & 1);
		put_lines(&image, 0x2000, &second, 1);
		two = put_load(&image, 0x2000, 0x100);
		put_lines(&image, 0x1000, first, 2);
		one = put_load(&image, 0x1000, 0x100);
		parse_all(&lines, &image);
		assert_string_equal(line_at(&lines, one, least - off), "a:1 a");
		assert_string_equal(line_at(&lines, one, 0x47 - off), "a:1 a");
		assert_string_equal(line_at(&lines, one, 0x48 - off), "a:2 a");
		assert_string_equal(line_at(&lines, two, 0x42 - off), ":0 b");
		assert_string_equal(line_at(&lines, two, 0x43 - off), "b:3 b");
		jit_lines_release(&lines);
	}
}

/* Counts and names that are not what the bytes are. */
static void test_damaged(void **state)
{
	static const struct entry entries[] = { { 0x1000, 1, "a" }, { 0x1001, 2, "b" } };
	static const uint64_t counts[] = { 0, 1, 2, 3, 0x10000, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		struct jit_lines lines;
		struct image image;
		uint64_t code;
		size_t count;

		begin_dump(&image, true);
		count = put_lines(&image, 0x1000, entries, 2);
		image_patch(&image, count, counts[i], 8);
		code = put_load(&image, 0x1000, 8);
		parse_all(&lines, &image);
		/* what is left over makes all of it doubtful */
		assert_int_equal(lines.damaged, counts[i] < 2);
		assert_string_equal(line_at(&lines, code, 0), counts[i] < 2 ? ":0 " : "a:1 a");
		assert_string_equal(line_at(&lines, code, 1), counts[i] < 2 ? ":0 " : "b:2 a");
		jit_lines_release(&lines);
	}
}

static void test_short_records(void **state)
{
	static const struct entry entries[] = { { 0x1000, 1, "a" }, { 0x1001, 2, "long name" } };
	struct jit_lines lines;
	struct image image;

	(void)state;
	/* a record of every size that is less: names without an end are none */
	for (size_t size = 16; size < 16 + 16 + 18 + 26; size++) {
		struct image whole;
		uint64_t code;

		begin_dump(&whole, false);
		put_lines(&whole, 0x1000, entries, 2);
		begin_dump(&image, false);
		image_bytes(&image, whole.data + image.size, size);
		image_patch(&image, 40 + 4, size, 4);
		image_release(&whole);
		code = put_load(&image, 0x1000, 8);
		parse_all(&lines, &image);
		assert_string_equal(line_at(&lines, code, 1), size < 16 + 16 + 18 ? ":0 " : "a:1 a");
		jit_lines_release(&lines);
	}
}

/* Whatever byte is wrong, nothing outside is read, and lines are in order. */
static void test_any_byte(void **state)
{
	static const struct entry entries[] = { { 0x1040, 1, "a" }, { 0x1048, 2, "\xff" }, { 0x1050, 3, "file:///c" } };
	static const uint8_t masks[] = { 0xff, 0x80, 0x01, 0x7f };
	struct jit_lines lines;
	struct image image;
	struct err err;

	(void)state;
	begin_dump(&image, false);
	put_lines(&image, 0x1000, entries, 3);
	put_load(&image, 0x1000, 32);
	for (size_t i = 0; i < 4 * image.size; i++) {
		image.data[i / 4] ^= masks[i % 4];
		parse(&lines, image.data, image.size, &err);
		for (size_t n = 0; n < lines.source_count; n++) {
			const struct jit_source *source = &lines.sources[n];

			assert_true(source->count && source->first + source->count <= lines.count);
			assert_true(source->place < source->end && source->end <= image.size);
			line_at(&lines, source->place, source->end - source->place - 1);
		}
		jit_lines_release(&lines);
		image.data[i / 4] ^= masks[i % 4];
	}
	for (size_t size = 0; size < image.size; size++) {
		parse(&lines, image.data, size, &err);
		jit_lines_release(&lines);
	}
	image_release(&image);
}

/* False: memory was refused. */
static bool answer(const struct jit_lines *lines, uint64_t code, struct err *err)
{
	struct source_function function = { .entry = code };
	struct source_addr addr = { .addr = code + 1 };
	struct strings strings;
	struct source_query query = { .strings = &strings, .functions = &function, .function_count = 1,
		                      .addrs = &addr, .addr_count = 1 };
	bool ok = strings_init(&strings, err) && jit_lines_answer(lines, &query, err);

	strings_release(&strings);
	return ok;
}

static void test_refused(void **state)
{
	static const struct entry entries[] = { { 0x1000, 1, "a" }, { 0x1001, 2, "b" } };
	struct image image;
	unsigned failed = 0;
	uint64_t code;

	(void)state;
	begin_dump(&image, false);
	put_lines(&image, 0x1000, entries, 2);
	code = put_load(&image, 0x1000, 8);
	/* the first is the test's own copy */
	for (unsigned long n = 2;; n++) {
		struct jit_lines lines;
		struct err err;
		bool ok;

		refuse_allocation(n);
		ok = parse(&lines, image.data, image.size, &err) && answer(&lines, code, &err);
		jit_lines_release(&lines);
		if (allocations_seen() < n)
			break;
		refuse_allocation(0);
		assert_true(ok || err.code == ERR_NOMEM);
		failed += !ok;
	}
	refuse_allocation(0);
	assert_true(failed > 10);
	image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),   cmocka_unit_test(test_owners),
		cmocka_unit_test(test_order),   cmocka_unit_test(test_elf_header),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_short_records),
		cmocka_unit_test(test_any_byte), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
