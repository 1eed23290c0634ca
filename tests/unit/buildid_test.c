/* The build ids of a recording, in all forms that perf has written (format reference, 6.3). */
#include "perffile/session/features.h"

#include "tests/unit/sectionfixture.h"
#include "perffile/session/buildid.h"

static void put_build_id(struct foreign_bytes *bytes, uint16_t misc, uint8_t size, const char *name)
{
	put_u32(bytes, 0);
	put_u16(bytes, misc);
	put_u16(bytes, (uint16_t)(36 + 64));
	put_u32(bytes, UINT32_MAX);
	for (uint8_t i = 0; i < 20; i++)
		put(bytes, i < 8 ? i + 1u : 0, 1);
	put(bytes, size, 1);
	put_zeros(bytes, 3);
	put_text(bytes, name);
	put_zeros(bytes, 64 - strlen(name) - 1);
}

/* Damage goes into *damage. */
static void add_build_ids(struct section_fixture *f, const uint8_t *data, size_t size, struct err *damage)
{
	session_add_build_ids(&f->session, cursor_over(data, size, 0, "feature BUILD_ID", f->session.swap, damage));
}

static void check_build_ids(bool big_endian)
{
	struct section_fixture *f = open_fixture(big_endian);
	struct foreign_bytes bytes = {.big_endian = big_endian};
	struct err err = {.code = ERR_NONE};
	const struct session_build_id *ids;

	put_build_id(&bytes, PERF_MISC_BUILD_ID_SIZE | PERF_CPUMODE_KERNEL, 8, "[kernel.kallsyms]");
	put_build_id(&bytes, PERF_CPUMODE_USER, 8, "/bin/ls"); /* the size byte is not valid */
	put_build_id(&bytes, 0x2000 | PERF_CPUMODE_USER, 0, "/bin/cat");
	put_zeros(&bytes, 8); /* a record of size 0 */
	add_build_ids(f, bytes.data, bytes.size, &err);
	assert_int_equal(f->session.build_id_count, 3);
	ids = f->session.build_ids;
	assert_string_equal(ids[0].name, "[kernel.kallsyms]");
	assert_int_equal(ids[0].id.size, 8);
	assert_memory_equal(ids[0].id.bytes, "\1\2\3\4\5\6\7\10", 8);
	assert_int_equal(ids[0].misc & PERF_MISC_CPUMODE_MASK, PERF_CPUMODE_KERNEL);
	assert_string_equal(ids[1].name, "/bin/ls");
	assert_int_equal(ids[1].id.size, 20);
	assert_string_equal(ids[2].name, "/bin/cat");
	assert_int_equal(err.offset, 300);
	assert_string_equal(err.text, "feature BUILD_ID: expected a record of at least 36 bytes, found 0");
	close_fixture(f);
}

static void build_ids(void **state)
{
	(void)state;
	check_build_ids(false);
	check_build_ids(true);
}

/* Before Linux 2.6.35 entries had no pid. Nothing marks such files, but read with a pid their names lack the first bytes. */
static void old_build_ids(void **state)
{
	static const char *const names[] = {"[kernel.kallsyms]", "/bin/ls"};
	struct section_fixture *f = open_fixture(false);
	struct foreign_bytes bytes = {.size = 0};
	struct err err = {.code = ERR_NONE};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		put_u32(&bytes, 0);
		put_u16(&bytes, PERF_CPUMODE_USER);
		put_u16(&bytes, 32 + 64);
		for (uint8_t b = 0; b < 24; b++)
			put(&bytes, b < 20 ? b + 1u : 0, 1);
		put_text(&bytes, names[i]);
		put_zeros(&bytes, 64 - strlen(names[i]) - 1);
	}
	add_build_ids(f, bytes.data, bytes.size, &err);
	assert_int_equal(f->session.build_id_count, 2);
	/* and as a record of its own, which is recognized by the kernel's name alone */
	add_build_ids(f, bytes.data, 96, &err);
	assert_int_equal(f->session.build_id_count, 3);
	assert_string_equal(f->session.build_ids[2].name, "[kernel.kallsyms]");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(f->session.build_ids[i].name, names[i]);
		assert_int_equal(f->session.build_ids[i].id.bytes[0], 1);
		assert_int_equal(f->session.build_ids[i].id.bytes[19], 20);
		assert_int_equal(f->session.build_ids[i].id.size, 20);
	}
	assert_int_equal(err.code, ERR_NONE);
	close_fixture(f);
}

static void cut_build_ids(void **state)
{
	struct foreign_bytes bytes = {.size = 0};

	(void)state;
	put_build_id(&bytes, PERF_CPUMODE_USER, 0, "/bin/ls");
	put_build_id(&bytes, PERF_CPUMODE_USER, 0, "/bin/cat");
	for (size_t size = 0; size <= bytes.size; size++) {
		struct section_fixture *f = open_fixture(false);
		uint8_t *copy = exact_copy(bytes.data, size);
		struct err err = {.code = ERR_NONE};

		add_build_ids(f, copy, size, &err);
		assert_int_equal(f->session.build_id_count, size / 100);
		assert_int_equal(err.code, size % 100 ? ERR_FORMAT : ERR_NONE);
		close_fixture(f);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(build_ids),
	    cmocka_unit_test(old_build_ids),
	    cmocka_unit_test(cut_build_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
