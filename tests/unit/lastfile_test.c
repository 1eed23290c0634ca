/*
 * Directories of perf record --threads that lack their last files: what the command line and the ids say of how many
 * there should be.
 */
#include "perffile/overview/lastfile.h"

#include "perffile/input/input.h"
#include "tests/unit/sectionfixture.h"

struct directory {
	const char *option;   /* of the command line; NULL: that is not recorded */
	uint32_t online;      /* CPUs; 0: not recorded */
	size_t ids;           /* of the event */
	size_t files;         /* of threads */
	const char *missing;  /* NULL: nothing is */
};

static const struct directory directories[] = {
	{ "--threads", 4, 4, 4, NULL },
	/* one thread for each CPU: nothing else has to be known, even if no file has a record */
	{ "--threads", 4, 4, 3, "expected a file data.3, found none" },
	{ "--threads=cpu", 4, 8, 2, "expected files data.2 to data.3, found none of them" },
	{ "--threads", 4, 4, 0, "expected files data.0 to data.3, found none of them" },
	/* -C 0 */
	{ "--threads", 4, 1, 1, NULL },
	/* a thread for several CPUs */
	{ "--threads=core", 4, 4, 2, NULL },
	{ "--threads=0-3/0-3", 4, 4, 1, NULL },
	{ "--threads=core", 4, 4, 0, "expected a file data.0, found none" },
	/* without a command line, how many threads there were is not known */
	{ NULL, 4, 4, 3, NULL },
	{ NULL, 2, 2, 1, NULL },
	{ NULL, 0, 2, 1, NULL },
	{ NULL, 4, 4, 0, "expected a file data.0, found none" },
};

static void set_feature(struct session *session, unsigned number, const struct foreign_bytes *bytes)
{
	session->features[number] = (struct feature){ .present = true, .data = bytes->data, .size = bytes->size };
}

static void check(const struct directory *directory)
{
	struct section_fixture *f = open_fixture(false);
	struct foreign_bytes format = { 0 }, online = { 0 }, command = { 0 };
	struct input input = { .directory = true, .file_count = directory->files + 1 };
	struct event event = { .id_count = directory->ids };
	struct read_summary summary = { 0 };
	struct err err = { 0 };

	f->session.input = &input;
	f->session.events = &event;
	f->session.event_count = 1;
	put_u64(&format, 1);
	set_feature(&f->session, PERF_FEATURE_DIR_FORMAT, &format);
	put_u32(&online, 8);
	put_u32(&online, directory->online);
	if (directory->online)
		set_feature(&f->session, PERF_FEATURE_NRCPUS, &online);
	put_u32(&command, 3);
	put_str(&command, "/usr/bin/perf");
	put_str(&command, "record");
	put_str(&command, directory->option ? directory->option : "");
	if (directory->option)
		set_feature(&f->session, PERF_FEATURE_CMDLINE, &command);
	assert_true(last_file_check(&f->session, &summary, &f->diag, &err));
	assert_int_equal(summary.broken, directory->missing != NULL);
	assert_int_equal(f->warnings, directory->missing != NULL);
	if (directory->missing && !strstr(f->warning, directory->missing))
		fail_msg("%s: %s", directory->missing, f->warning);
	f->session.events = NULL;
	f->session.event_count = 0;
	close_fixture(f);
}

static void last_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		print_message("directory %zu\n", i);
		check(&directories[i]);
	}
}

/* A directory of --kcore has no files of threads, and a file is no directory. */
static void others(void **state)
{
	struct section_fixture *f = open_fixture(false);
	struct read_summary summary = { 0 };
	struct foreign_bytes format = { 0 };
	struct err err = { 0 };

	(void)state;
	put_u64(&format, 1);
	for (int directory = 0; directory < 2; directory++) {
		struct input input = { .directory = directory, .file_count = 1 };

		f->session.input = &input;
		f->session.features[PERF_FEATURE_DIR_FORMAT].present = false;
		if (!directory)
			set_feature(&f->session, PERF_FEATURE_DIR_FORMAT, &format);
		assert_true(last_file_check(&f->session, &summary, &f->diag, &err));
		assert_false(summary.broken);
	}
	close_fixture(f);
}

/* A damaged command line is a warning, and one that cannot be read ends the run. */
static void command_lines_that_are_not_there(void **state)
{
	(void)state;
	for (int readable = 0; readable < 2; readable++) {
		struct section_fixture *f = open_fixture(false);
		struct input_file files[] = { { .fd = -1 }, { .fd = -1 } };
		struct input input = { .directory = true, .seekable = true, .files = files, .file_count = 2 };
		struct foreign_bytes format = { 0 }, command = { 0 };
		struct read_summary summary = { 0 };
		struct err err = { 0 };

		f->session.input = &input;
		put_u64(&format, 1);
		set_feature(&f->session, PERF_FEATURE_DIR_FORMAT, &format);
		put_u32(&command, 3); /* arguments, which do not follow */
		set_feature(&f->session, PERF_FEATURE_CMDLINE, &command);
		if (!readable)
			f->session.features[PERF_FEATURE_CMDLINE].data = NULL;
		assert_int_equal(last_file_check(&f->session, &summary, &f->diag, &err), readable);
		assert_int_equal(err.code, readable ? ERR_NONE : ERR_IO);
		assert_int_equal(f->warnings, readable);
		assert_false(summary.broken);
		close_fixture(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_files),
		cmocka_unit_test(others),
		cmocka_unit_test(command_lines_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
