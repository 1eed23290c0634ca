#define _GNU_SOURCE /* alphasort() */
#include "decode/run/trending.h"

#include "decode/compare/comparable.h"
#include "decode/compare/runtable.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Reads one run of the version that was added last. What cannot be read is a gap; false with err
 * set only if the whole trend fails.
 */
static bool add_run(struct trending *trending, const char *path, struct err *err)
{
	struct history *history = &trending->trend.history;
	struct compare_run run = { .file = strings_put_text(&trending->strings, path, err) };
	struct err failure = { 0 };

	if (run.file == STRING_NONE || !run_reader_spare(&trending->reader, path, err))
		return false;
	if (run_reader_read(&trending->reader, &run, &failure))
		return history_add_run(history, &run, err);
	compare_run_release(&run);
	if (trending->options->strict || failure.code == ERR_USAGE || failure.code == ERR_NOMEM)
		return err_pass(err, &failure);
	trending->broken = true;
	diag_warn_err(trending->diag, &failure);
	return true;
}

static bool is_recording(const char *path)
{
	/* in either byte order, and of the first versions of perf */
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };
	char start[8];
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool whole = fd >= 0 && read(fd, start, sizeof(start)) == (ssize_t)sizeof(start);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; whole && i < ARRAY_SIZE(magics); i++)
		if (!memcmp(start, magics[i], sizeof(start)))
			return true;
	return false;
}

static bool is_run(const char *path)
{
	return run_table_exists(path, "results.csv") || run_table_exists(path, "data") ||
	       is_recording(path);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds the runs in a folder, by name. */
static bool add_folder(struct trending *trending, const char *folder, struct err *err)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, is_visible, alphasort);
	size_t runs = 0;
	bool ok = true;

	if (count < 0)
		return err_errno(err, "%s", folder);
	for (int i = 0; i < count; i++) {
		char path[RUN_PATH_SIZE];

		if (ok &&
		    snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
		            (int)sizeof(path) &&
		    is_run(path)) {
			ok = add_run(trending, path, err);
			runs++;
		}
		free(entries[i]);
	}
	free(entries);
	if (!ok || runs)
		return ok;
	trending->broken = true;
	diag_warn(trending->diag, ERR_NO_OFFSET,
	          "%.400s: expected recordings, results.csv, or folders that have one, found none "
	          "of them",
	          folder);
	return !trending->options->strict ||
	       err_set(err, ERR_FORMAT, "--strict: %.400s has no runs", folder);
}

static bool add_versions(struct trending *trending, struct err *err)
{
	const struct compare_request *request = &trending->options->compare;
	struct history *history = &trending->trend.history;

	for (size_t i = 0; i < request->file_count; i++) {
		const char *path = request->files[i];
		const uint32_t name = strings_put_text(&trending->strings, path, err);

		if (name == STRING_NONE || !history_add_version(history, name, err) ||
		    !(is_folder_of_runs(path) ? add_folder(trending, path, err)
		                              : add_run(trending, path, err)))
			return false;
	}
	return history->run_count ||
	       err_set(err, ERR_FORMAT, "--trend: none of the runs could be read");
}

/* Reports what was found; with --strict, the first finding is an error. */
static bool report_findings(struct trending *trending, struct err *err)
{
	const struct findings *findings = &trending->findings;

	if (findings->err.code)
		return err_pass(err, &findings->err);
	if (trending->options->strict && findings->count)
		return err_set(err, ERR_FORMAT, "--strict: %s", findings->texts[0]);
	for (size_t i = 0; i < findings->count; i++)
		diag_warn(trending->diag, ERR_NO_OFFSET, "%s", findings->texts[i]);
	return true;
}

bool trending_run(struct trending *trending, struct err *err)
{
	const struct compare_options *how = &trending->options->compare.how;
	struct rules *rules = &trending->options->compare.rules;

	if (!strings_init(&trending->strings, err))
		return false;
	history_init(&trending->trend.history, &trending->strings, how->min_share);
	trending->reader = (struct run_reader){ .options = trending->options,
		                                .outputs = trending->outputs,
		                                .diag = trending->diag,
		                                .strings = &trending->strings };
	if (!add_versions(trending, err) || !trend_make(&trending->trend, how, err))
		return false;
	rules_check(rules, &trending->trend.comparison);
	trending->findings.strings = &trending->strings;
	comparable_check_trend(&trending->trend, rules, &trending->findings);
	trending->broken |= trending->reader.broken;
	return report_findings(trending, err);
}

struct verdict_report trending_report(const struct trending *trending)
{
	return (struct verdict_report){ .strings = &trending->strings,
		                        .comparison = &trending->trend.comparison,
		                        .trend = &trending->trend,
		                        .rules = &trending->options->compare.rules,
		                        .findings = &trending->findings,
		                        .limit = trending->options->limit,
		                        .table = table_set_has(&trending->options->tables,
		                                               &series_table) };
}

void trending_release(struct trending *trending)
{
	trend_release(&trending->trend);
	free(trending->findings.texts);
	strings_release(&trending->strings);
}
