/*
 * For unit tests: what debug information costs that was made to take long. Each test runs in a process of
 * its own with little memory, and must be through in a few seconds, where it would take minutes or
 * gigabytes. Sanitizers take about three times as long. _XOPEN_SOURCE must be 700.
 */
#ifndef READPERF_TESTS_DWARFMEASURED_H
#define READPERF_TESTS_DWARFMEASURED_H

#include "tests/unit/dwarfmaker.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX (SANITIZED ? 40 : 10) /* of CPU time, on a slow machine, too */
#define MEMORY_MAX ((rlim_t)1 << 30)
#define MEMORY_STOPPED ((rlim_t)1 << 28) /* if the budget of steps must end reading */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Asks about `count` addresses of the code, one byte apart. */
static inline void ask(struct fixture *f, size_t count)
{
	struct source_addr *addrs = calloc(count, sizeof(*addrs));
	struct source_function *functions = calloc(count, sizeof(*functions));
	struct source_query query = { .strings = &f->strings, .functions = functions, .addrs = addrs,
		                      .function_count = count, .addr_count = count, .inlines = true };
	char path[200];
	bool unreadable;

	for (size_t i = 0; i < count; i++)
		functions[i].entry = addrs[i].addr = CODE + i;
	query.path = fixture_path(f, "program", path);
	if (!dwarf_lookup(&query, &unreadable, &f->diag, &f->err))
		assert_int_equal(f->err.code, ERR_NOMEM);
	free(query.frames);
	free(addrs);
	free(functions);
}

/* In a process of its own: what is wrong with its costs, or NULL. */
static inline const char *cost_of(struct fixture *f, size_t count, bool stopped)
{
	const rlim_t most = stopped ? MEMORY_STOPPED : MEMORY_MAX;
	const struct rlimit time = { 3 * SECONDS_MAX, 3 * SECONDS_MAX }, memory = { most, most };
	struct rusage usage;

	setrlimit(RLIMIT_CPU, &time);
	if (!SANITIZED)
		setrlimit(RLIMIT_AS, &memory);
	ask(f, count);
	getrusage(RUSAGE_SELF, &usage);
	if (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec > SECONDS_MAX)
		return "it took too long";
	if (stopped && f->err.code != ERR_NONE)
		return "it took too much memory";
	return stopped && !strstr(f->said, "reading it was stopped") ? "reading was not stopped" : NULL;
}

typedef void make(struct sections *s);

/*
 * stopped: the budget of steps must end reading, and not the lack of time or memory. beside: puts other
 * files beside the program; NULL: there are none.
 */
static inline void measured_with(void (*beside)(struct fixture *f), make *put, size_t count, bool stopped)
{
	struct sections sections;
	struct fixture f;
	pid_t child;
	int status = 0;

	fixture_begin(&f);
	begin(&sections);
	put(&sections);
	put_program(&f, &sections);
	if (beside)
		beside(&f);
	fflush(stdout);
	fflush(stderr);
	child = fork();
	if (child == 0) {
		const char *problem = cost_of(&f, count, stopped);

		if (problem)
			fprintf(stderr, "%s\n", problem);
		fixture_forget(&f);
		exit(problem != NULL);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	fixture_end(&f);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("ended with %s %d", WIFEXITED(status) ? "status" : "signal",
		         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static inline void measured(make *put, size_t count, bool stopped)
{
	measured_with(NULL, put, count, stopped);
}

/* Tests by the name of the function that makes the program. */
#define MEASURED(name, count)                        \
	static void name(void **state)               \
	{                                            \
		(void)state;                         \
		measured(make_##name, count, false); \
	}
#define STOPPED(name, count)                        \
	static void name(void **state)              \
	{                                           \
		(void)state;                        \
		measured(make_##name, count, true); \
	}

static inline void plain_abbrevs(struct sections *s)
{
	abbrev(&s->abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s->abbrev, 2, 0x2e, false, function_pairs);
	uleb(&s->abbrev, 0);
}

static inline void one_unit(struct sections *s)
{
	size_t start = unit_begin(&s->info, 0);

	plain_abbrevs(s);
	unit_die(&s->info, 1, CODE, TEXT_SIZE);
	function_die(&s->info, CODE, TEXT_SIZE);
	uleb(&s->info, 0);
	unit_end(&s->info, start);
}

#endif
