/* Tables take their names only together, and a run that fails leaves everything as it was. */
#define _DEFAULT_SOURCE /* mkdtemp() */
#include "util/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);

static bool can_exchange = true; /* else as a file system that cannot */
static int exchanged;            /* times */

long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
	long result;

	if (number == SYS_renameat2 && !can_exchange) {
		errno = EINVAL;
		return -1;
	}
	result = __real_syscall(number, a, b, c, d, e);
	exchanged += number == SYS_renameat2 && result == 0;
	return result;
}

struct place {
	char root[64], dir[128];
	struct outputs outputs;
	struct err err;
};

static void begin(struct place *place, const char *below)
{
	memset(place, 0, sizeof(*place));
	strcpy(place->root, "/tmp/readperf-output.XXXXXX");
	assert_non_null(mkdtemp(place->root));
	snprintf(place->dir, sizeof(place->dir), "%s%s", place->root, below);
	assert_true(outputs_init(&place->outputs, place->dir, &place->err));
}

/* Names in a directory, hidden ones too; -1 if there is none. */
static int entries(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return count;
}

static void table(struct place *place, const char *name, const char *text)
{
	struct packer *packer = NULL;
	int fd = outputs_open(&place->outputs, name, &packer, &place->err);

	assert_true(fd >= 0);
	if (packer) {
		assert_int_equal(packer_write(packer, text, strlen(text)), 0);
		assert_int_equal(packer_end(packer), 0);
	} else {
		assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	}
}

static void plain_file(const struct place *place, const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place->dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void expect(const struct place *place, const char *name, const char *text)
{
	char path[300], found[100] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", place->dir, name);
	file = fopen(path, "r");
	assert_non_null(file);
	found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(found, text);
}

static void end(struct place *place)
{
	char command[100];

	outputs_release(&place->outputs);
	snprintf(command, sizeof(command), "rm -rf %s", place->root);
	assert_int_equal(system(command), 0);
}

static void tables_appear_together(void **state)
{
	struct place place;
	struct stat st;
	char path[200];
	mode_t mask = umask(027);

	(void)state;
	begin(&place, "/deep/er");
	table(&place, "a.csv", "one");
	table(&place, "b.csv", "two");
	assert_int_equal(entries(place.dir), 2); /* both under other names */
	snprintf(path, sizeof(path), "%s/a.csv", place.dir);
	assert_int_equal(access(path, F_OK), -1);
	assert_true(outputs_commit(&place.outputs, &place.err));
	expect(&place, "a.csv", "one");
	expect(&place, "b.csv", "two");
	assert_int_equal(entries(place.dir), 2);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640); /* as the user's mask says */
	umask(mask);
	end(&place);
}

static void nothing_is_left_without_commit(void **state)
{
	struct place place;

	(void)state;
	begin(&place, "");
	plain_file(&place, "a.csv", "old");
	table(&place, "a.csv", "new");
	table(&place, "b.csv", "new");
	outputs_release(&place.outputs);
	expect(&place, "a.csv", "old");
	assert_int_equal(entries(place.dir), 1);
	memset(&place.outputs, 0, sizeof(place.outputs));
	assert_true(outputs_init(&place.outputs, place.dir, &place.err));
	end(&place);
}

static void a_made_directory_goes_again(void **state)
{
	struct place place;

	(void)state;
	begin(&place, "/made");
	table(&place, "a.csv", "new");
	assert_int_equal(entries(place.dir), 1);
	outputs_release(&place.outputs);
	assert_int_equal(entries(place.dir), -1);
	assert_true(outputs_init(&place.outputs, place.dir, &place.err));
	end(&place);
}

/* Tables that are there already are exchanged, or renamed over where that cannot be done. */
static void tables_replace_tables(void **state)
{
	(void)state;
	for (int possible = 0; possible < 2; possible++) {
		struct place place;

		can_exchange = possible;
		exchanged = 0;
		begin(&place, "");
		plain_file(&place, "a.csv", "old");
		plain_file(&place, "b.csv", "old");
		table(&place, "a.csv", "new");
		table(&place, "b.csv", "new");
		table(&place, "c.csv", "new");
		assert_true(outputs_commit(&place.outputs, &place.err));
		assert_int_equal(exchanged, possible ? 2 : 0);
		expect(&place, "a.csv", "new");
		expect(&place, "b.csv", "new");
		expect(&place, "c.csv", "new");
		assert_int_equal(entries(place.dir), 3);
		end(&place);
	}
	can_exchange = true;
}

/* Runs a shell command whose output is one short line. */
static void expect_output(const char *command, const char *expected)
{
	char found[200] = "";
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	found[fread(found, 1, sizeof(found) - 1, pipe)] = '\0';
	assert_int_equal(pclose(pipe), 0);
	assert_string_equal(found, expected);
}

/* Tables get a suffix and are packed, other files are as they are. The same table gives the same bytes. */
static void packed_tables(void **state)
{
	static const struct {
		enum pack_format format;
		const char *name, *program, *look;
	} formats[] = {
		{ PACK_GZIP, "a.csv.gz", "gzip", "command -v gzip >/dev/null" },
		{ PACK_ZSTD, "a.csv.zst", "zstd -q", "command -v zstd >/dev/null" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct place place;
		struct err err = { 0 };
		char command[600];

		if (!pack_check(formats[i].format, &err)) {
			assert_int_equal(err.code, ERR_UNSUPPORTED);
			continue;
		}
		if (system(formats[i].look) != 0)
			continue; /* nothing else reads it */
		begin(&place, "");
		plain_file(&place, formats[i].name, "old");
		for (int run = 0; run < 2; run++) {
			place.outputs.pack = formats[i].format;
			table(&place, "a.csv", "some,text\n");
			table(&place, "b.csv", "");
			table(&place, "c.svg", "<svg>");
			assert_int_equal(entries(place.dir), run ? 7 : 4); /* the old ones, and these */
			assert_true(outputs_commit(&place.outputs, &place.err));
			assert_int_equal(entries(place.dir), run ? 4 : 3);
			expect(&place, "c.svg", "<svg>");
			snprintf(command, sizeof(command),
			         "cd %s && %s -dc <%s && %s -dc <b.csv%s && %s", place.dir,
			         formats[i].program, formats[i].name, formats[i].program,
			         pack_suffix(formats[i].format),
			         run ? "cmp first a.csv.* && rm first" : "cp a.csv.* first");
			expect_output(command, "some,text\n");
			outputs_release(&place.outputs);
			assert_true(outputs_init(&place.outputs, place.dir, &place.err));
		}
		end(&place);
	}
}

/* Writes a packed table while files may have only so many bytes. Returns 0 or errno. */
static int packed_below(struct place *place, const char *text, rlim_t most)
{
	struct packer *packer = NULL;
	struct rlimit before, small;
	int failed;

	assert_true(outputs_open(&place->outputs, "a.csv", &packer, &place->err) >= 0);
	assert_non_null(packer);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = most;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	failed = packer_write(packer, text, strlen(text));
	if (!failed)
		failed = packer_end(packer);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	return failed;
}

/* The plain text of a packed table is nowhere in a file. One that fails leaves all as it was. */
static void packed_while_written(void **state)
{
	static const enum pack_format formats[] = { PACK_GZIP, PACK_ZSTD };
	const size_t size = 1000000;
	char *text = malloc(size + 1);

	(void)state;
	assert_non_null(text);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < 4; i++) {
		const bool fits = i % 2;
		struct place place;
		struct err err = { 0 };
		uint64_t random = 7;

		if (!pack_check(formats[i / 2], &err))
			continue;
		for (size_t k = 0; k < size; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			text[k] = fits ? 'a' : (char)('a' + (random >> 60));
		}
		text[size] = '\0';
		begin(&place, "");
		plain_file(&place, "a.csv", "old");
		place.outputs.pack = formats[i / 2];
		assert_int_equal(packed_below(&place, text, 3000), fits ? 0 : EFBIG);
		if (fits)
			assert_true(outputs_commit(&place.outputs, &place.err));
		outputs_release(&place.outputs);
		expect(&place, "a.csv", "old");
		assert_int_equal(entries(place.dir), fits ? 2 : 1);
		assert_true(outputs_init(&place.outputs, place.dir, &place.err));
		end(&place);
	}
	free(text);
}

/* A name that cannot be taken: the tables that were renamed before get their old content back. */
static void a_failing_rename_touches_nothing(void **state)
{
	static const char *const names[] = { "a.csv", "b.csv", "c.csv" };
	char path[200];

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(names); i++) {
		struct place place;
		size_t bad = i / 2;

		can_exchange = i % 2;
		begin(&place, "");
		plain_file(&place, bad == 0 ? "b.csv" : "a.csv", "old");
		snprintf(path, sizeof(path), "%s/%s", place.dir, names[bad]);
		assert_int_equal(mkdir(path, 0777), 0);
		for (size_t n = 0; n < ARRAY_SIZE(names); n++)
			table(&place, names[n], "new");
		assert_false(outputs_commit(&place.outputs, &place.err));
		assert_int_equal(place.err.code, ERR_IO);
		assert_non_null(strstr(place.err.text, names[bad]));
		outputs_release(&place.outputs);
		expect(&place, bad == 0 ? "b.csv" : "a.csv", "old");
		assert_int_equal(entries(place.dir), 2); /* the old table and the directory */
		assert_true(outputs_init(&place.outputs, place.dir, &place.err));
		end(&place);
	}
}

static void directories_that_cannot_be(void **state)
{
	struct packer *packer = NULL;
	struct place place;
	struct outputs below;
	char path[200];

	(void)state;
	begin(&place, "");
	plain_file(&place, "file", "text");
	for (int i = 0; i < 2; i++) {
		struct err err = { 0 };

		snprintf(path, sizeof(path), i ? "%s/file/below" : "%s/file", place.dir);
		assert_true(outputs_init(&below, path, &err));
		assert_int_equal(outputs_open(&below, "a.csv", &packer, &err), -1);
		assert_int_equal(err.code, ERR_IO);
		outputs_release(&below);
	}
	expect(&place, "file", "text");
	end(&place);
}

/* In a child: makes tables, then waits for the signal, which is ignored if it was ignored at the start. */
static void be_interrupted(const struct place *place, int number, int ready)
{
	struct packer *packer = NULL;
	struct outputs outputs;
	struct err err = { 0 };

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	signal(number, SIG_DFL);
	if (!outputs_init(&outputs, place->dir, &err) || outputs_open(&outputs, "a.csv", &packer, &err) < 0 ||
	    write(ready, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void signals_clean_up(void **state)
{
	static const int signals[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
		                       SIGUSR2, SIGALRM, SIGABRT, SIGXCPU, SIGPROF };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct place place;
		int ends[2], status;
		char byte;
		pid_t child;

		begin(&place, "");
		outputs_release(&place.outputs);
		plain_file(&place, "a.csv", "old");
		assert_int_equal(pipe(ends), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0)
			be_interrupted(&place, signals[i], ends[1]);
		assert_int_equal(read(ends[0], &byte, 1), 1);
		assert_int_equal(entries(place.dir), 2);
		assert_int_equal(kill(child, signals[i]), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_int_equal(entries(place.dir), 1);
		expect(&place, "a.csv", "old");
		close(ends[0]);
		close(ends[1]);
		assert_true(outputs_init(&place.outputs, place.dir, &place.err));
		end(&place);
	}
}

/* nohup: what the caller ignores stays ignored, and nobody waits for it. */
static void ignored_signals_stay_ignored(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct place place;
	sigset_t blocked;

	(void)state;
	sigemptyset(&blocked);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &blocked, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_IGN);
	begin(&place, "");
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
	assert_int_equal(sigismember(&blocked, SIGUSR1), 1);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		assert_int_equal(sigismember(&blocked, signals[i]), 0);
		raise(signals[i]);
		signal(signals[i], SIG_DFL);
	}
	end(&place);
}

/* Afterwards signals are what they were before. */
static void the_mask_comes_back(void **state)
{
	struct place place;
	sigset_t before, after;

	(void)state;
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
	begin(&place, "");
	end(&place);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
	for (int number = 1; number <= SIGRTMAX; number++)
		assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

/* nohup ignores SIGHUP alone: the others still end the run, and clean up. */
static void one_ignored_signal_stays_ignored(void **state)
{
	struct place place;
	int ends[2], status;
	char byte;
	pid_t child;

	(void)state;
	begin(&place, "");
	outputs_release(&place.outputs);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGHUP, SIG_IGN);
		be_interrupted(&place, SIGTERM, ends[1]);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(kill(child, SIGHUP), 0);
	usleep(50000);
	assert_int_equal(entries(place.dir), 1);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	assert_int_equal(kill(child, SIGTERM), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(entries(place.dir), 0);
	close(ends[0]);
	close(ends[1]);
	assert_true(outputs_init(&place.outputs, place.dir, &place.err));
	end(&place);
}

static void folders_that_take_no_file(void **state)
{
	struct packer *packer = NULL;
	struct outputs outputs;
	struct err err = { 0 };

	(void)state;
	if (access("/proc/self", F_OK) != 0)
		skip();
	assert_true(outputs_init(&outputs, "/proc/self", &err));
	assert_int_equal(outputs_open(&outputs, "a.csv", &packer, &err), -1);
	assert_non_null(strstr(err.text, "cannot write in /proc/self: "));
	err.code = ERR_NONE;
	/* a caller that goes on all the same finds nothing to commit */
	assert_true(outputs_commit(&outputs, &err));
	outputs_release(&outputs);
}

/* Some file systems say only when a file is closed that it could not be written. */
static void a_failing_close_touches_nothing(void **state)
{
	struct place place;

	(void)state;
	begin(&place, "");
	plain_file(&place, "a.csv", "old");
	table(&place, "a.csv", "new");
	assert_int_equal(close(place.outputs.files->fd), 0); /* so that closing it again fails */
	assert_false(outputs_commit(&place.outputs, &place.err));
	assert_non_null(strstr(place.err.text, "a.csv: cannot write: "));
	outputs_release(&place.outputs);
	expect(&place, "a.csv", "old");
	assert_int_equal(entries(place.dir), 1);
	assert_true(outputs_init(&place.outputs, place.dir, &place.err));
	end(&place);
}

/* The folder goes away while tables are written: it is said, and it does not come back. */
static void a_folder_that_is_removed(void **state)
{
	struct place place;
	char command[200];

	(void)state;
	begin(&place, "/made");
	table(&place, "a.csv", "new");
	snprintf(command, sizeof(command), "rm -r %s", place.dir);
	assert_int_equal(system(command), 0);
	assert_false(outputs_commit(&place.outputs, &place.err));
	assert_non_null(strstr(place.err.text, "a.csv: No such file or directory"));
	outputs_release(&place.outputs);
	assert_int_equal(entries(place.dir), -1);
	assert_true(outputs_init(&place.outputs, place.dir, &place.err));
	end(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_appear_together),
		cmocka_unit_test(nothing_is_left_without_commit),
		cmocka_unit_test(a_made_directory_goes_again),
		cmocka_unit_test(tables_replace_tables),
		cmocka_unit_test(packed_tables),
		cmocka_unit_test(packed_while_written),
		cmocka_unit_test(a_failing_rename_touches_nothing),
		cmocka_unit_test(directories_that_cannot_be),
		cmocka_unit_test(signals_clean_up),
		cmocka_unit_test(ignored_signals_stay_ignored),
		cmocka_unit_test(the_mask_comes_back),
		cmocka_unit_test(one_ignored_signal_stays_ignored),
		cmocka_unit_test(folders_that_take_no_file),
		cmocka_unit_test(a_failing_close_touches_nothing),
		cmocka_unit_test(a_folder_that_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
