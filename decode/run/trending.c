#include "decode/run/trending.h"

#include "decode/compare/comparable.h"
#include "decode/compare/runtable.h"
#include "decode/options/filelist.h"
#include "decode/run/pairreader.h"
#include "util/folder.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run on its way into the history. */
struct task {
	uint32_t path; /* string */
	uint32_t version;
};

struct task_list {
	struct task *items;
	size_t count, capacity;
	uint32_t version; /* of those that are added */
};

static bool add_run(struct trending *trending, struct task_list *tasks, const char *path,
                    struct err *err)
{
	const struct task task = { strings_put_text(&trending->strings, path, err),
		                   tasks->version };

	return task.path != STRING_NONE && run_reader_spare(&trending->reader, path, err) &&
	       vec_append(&tasks->items, &tasks->count, &tasks->capacity, &task, sizeof(task), err);
}

/* Adds the runs in a folder, by name. */
static bool add_folder(struct trending *trending, struct task_list *tasks, const char *folder,
                       struct err *err)
{
	const size_t before = tasks->count;
	struct folder found;
	bool ok = true;

	if (!folder_list(&found, folder, folder_entry_is_visible))
		return err_errno(err, "%s", folder);
	for (size_t i = 0; ok && i < found.count; i++) {
		char path[RUN_PATH_SIZE];

		if (snprintf(path, sizeof(path), "%s/%s", folder, found.entries[i]->d_name) <
		            (int)sizeof(path) &&
		    (is_table_run(path) || file_is_recording(path)))
			ok = add_run(trending, tasks, path, err);
	}
	folder_release(&found);
	if (!ok || tasks->count > before)
		return ok;
	trending->broken = true;
	diag_warn(trending->diag, ERR_NO_OFFSET,
	          "%.400s: expected recordings, results.csv, or folders that have one, found none "
	          "of them; versions are named one by one, as DIR/v1 DIR/v2",
	          folder);
	return !trending->options->strict ||
	       err_set(err, ERR_FORMAT, "--strict: %.400s has no runs", folder);
}

static bool list_runs(struct trending *trending, struct task_list *tasks, struct err *err)
{
	const struct compare_request *request = &trending->options->compare;

	for (size_t i = 0; i < request->file_count; i++) {
		const char *path = request->files[i];

		tasks->version = (uint32_t)i;
		if (!(is_folder_of_runs(path) ? add_folder(trending, tasks, path, err)
		                              : add_run(trending, tasks, path, err)))
			return false;
	}
	return true;
}

/* Adds versions to the history until it has so many. */
static bool add_versions_to(struct trending *trending, size_t count, struct err *err)
{
	struct history *history = &trending->trend.history;
	char *const *files = trending->options->compare.files;

	while (history->version_count < count) {
		const uint32_t name = strings_put_text(&trending->strings,
		                                       files[history->version_count], err);

		if (name == STRING_NONE || !history_add_version(history, name, err))
			return false;
	}
	return true;
}

/*
 * Adds a run to the history, with the versions before it. One that could not be read is a gap;
 * false with err set only if the whole trend fails.
 */
static bool take_run(struct trending *trending, const struct task *task, struct compare_run *run,
                     const struct err *failure, struct err *err)
{
	if (!add_versions_to(trending, task->version + 1, err))
		return false;
	run->file = task->path;
	if (!failure->code)
		return history_add_run(&trending->trend.history, run, err);
	if (trending->options->strict || failure->code == ERR_USAGE || failure->code == ERR_NOMEM)
		return err_pass(err, failure);
	trending->broken = true;
	diag_warn_err(trending->diag, failure);
	return true;
}

static const char *path_of(const struct trending *trending, const struct task *task)
{
	return strings_get(&trending->strings, task->path);
}

/* Whether a run is tables; with a selection, reading it fails for that. */
static bool is_tables(const struct trending *trending, const struct task *task)
{
	return select_request_is_empty(&trending->options->select) &&
	       run_table_exists(path_of(trending, task), "results.csv");
}

/* Reads the first of the runs, or two. Returns how many; 0 with err set if the trend fails. */
static size_t read_some(struct trending *trending, struct pair_reader *reader,
                        struct compare_run runs[2], const struct task *tasks, size_t count,
                        struct err *err)
{
	const bool first = is_tables(trending, &tasks[0]);
	const bool pair = first && trending->options->naming.threads > 1 && count > 1 &&
	                  is_tables(trending, &tasks[1]);
	const char *const folders[2] = { path_of(trending, &tasks[0]),
		                         pair ? path_of(trending, &tasks[1]) : NULL };
	const size_t some = pair ? 2 : 1;
	struct err errs[2] = { { 0 }, { 0 } };
	bool ok = true;

	runs[0].file = tasks[0].path;
	if (first)
		pair_reader_read(reader, folders, runs, errs);
	else
		run_reader_read(&trending->reader, &runs[0], &errs[0]);
	for (size_t i = 0; ok && i < some; i++) {
		ok = take_run(trending, &tasks[i], &runs[i], &errs[i], err);
		if (errs[i].code)
			compare_run_release(&runs[i]);
	}
	return ok ? some : 0;
}

static bool read_runs(struct trending *trending, const struct task_list *tasks, struct err *err)
{
	struct compare_run runs[2] = { { .row_count = 0 }, { .row_count = 0 } };
	struct pair_reader reader;
	bool ok = pair_reader_init(&reader, &trending->strings, err);

	for (size_t i = 0, read; ok && i < tasks->count; i += read) {
		read = read_some(trending, &reader, runs, tasks->items + i, tasks->count - i, err);
		ok = read != 0;
	}
	compare_run_release(&runs[0]);
	compare_run_release(&runs[1]);
	pair_reader_release(&reader);
	return ok;
}

static bool add_versions(struct trending *trending, struct err *err)
{
	struct task_list tasks = { .count = 0 };
	/* versions without runs, behind the last one that has some, are gaps, too */
	const bool ok = list_runs(trending, &tasks, err) && read_runs(trending, &tasks, err) &&
	                add_versions_to(trending, trending->options->compare.file_count, err);

	free(tasks.items);
	return ok && (trending->trend.history.run_count ||
	              err_set(err, ERR_FORMAT, "--trend: none of the runs could be read"));
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
	run_names_init(&trending->reader.names, &trending->strings);
	if (!add_versions(trending, err) || !trend_make(&trending->trend, how, err))
		return false;
	rules_check(rules, &trending->trend.comparison);
	trending->findings.strings = &trending->strings;
	comparable_check_trend(&trending->trend, rules, &trending->findings);
	trending->broken |= trending->reader.broken;
	return findings_report(&trending->findings, trending->options->strict, trending->diag, err);
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
	run_names_release(&trending->reader.names);
	free(trending->findings.texts);
	strings_release(&trending->strings);
}
