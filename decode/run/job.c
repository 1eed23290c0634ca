#include "decode/run/job.h"

#include "decode/options/commandline.h"
#include "decode/run/every.h"
#include "decode/run/run.h"
#include "decode/run/several.h"

#include <stdlib.h>

static void name_file(const struct job *job, const char *file)
{
	job->sink->name_file(job->sink->context, file, false);
}

static int run_one(struct job *job)
{
	struct run *run = job->run = malloc(sizeof(*run)); /* too large for a stack */
	int status;

	if (!run) {
		err_nomem(&job->err, sizeof(*run));
		return EXIT_FAILED;
	}
	run_init(run, job->options, &job->diag);
	run->how.report = job->report;
	run->how.context = job->sink->context;
	status = run_steps(run);
	diag_finish(&job->diag);
	job->opened = run->recording.input.file_count > 0;
	if (status == EXIT_FAILED || status == EXIT_USAGE)
		job->err = run->err;
	return status;
}

/* With several FILEs, each of them a run. */
static int run_several(struct job *job)
{
	struct several several = { .options = job->options,
		                   .sink = job->sink,
		                   .diag = &job->diag,
		                   .report = job->report_files,
		                   .context = job->sink->context };
	const int status = several_run(&several);

	diag_finish(&job->diag);
	job->err = several.err;
	return status;
}

/* With --every, each slice of the stream a run in a process of its own. */
static int run_every(struct job *job)
{
	struct every *every = job->every = calloc(1, sizeof(*every)); /* too large for a stack */
	int status;

	if (!every) {
		err_nomem(&job->err, sizeof(*every));
		return EXIT_FAILED;
	}
	every->options = job->options;
	every->sink = job->sink;
	diag_finish(&job->diag);
	status = every_run(every);
	job->err = every->err;
	return status;
}

/* A LIST may name what is compared, too. */
static bool expand_lists(struct job *job)
{
	struct compare_request *request = &job->options->compare;

	if (options_scope(job->options) == SCOPE_RECORDING)
		return true;
	for (size_t i = 0; i < request->file_count; i++)
		if (!file_list_add(&job->files, request->files[i], &job->diag, &job->err))
			return false;
	if (job->files.count == 0)
		return err_set(&job->err, ERR_FORMAT,
		               "%.400s: expected files to compare, found none", request->files[0]);
	request->files = job->files.paths;
	request->file_count = job->files.count;
	return true;
}

int job_run(struct job *job)
{
	const struct options *options = job->options;

	diag_init(&job->diag, job->sink->print, job->sink->context);
	if (options->every)
		name_file(job, "-");
	else if (!options->several && options_scope(options) == SCOPE_RECORDING)
		name_file(job, options->file);
	options_warn_of_idle(options, &job->diag);
	if (!expand_lists(job))
		return EXIT_FAILED;
	if (options->every)
		return run_every(job);
	return options->several ? run_several(job) : run_one(job);
}

void job_print_figures(const struct job *job, FILE *out)
{
	if (job->every)
		every_print_figures(job->every, out);
	else if (job->run && !job->err.code)
		run_print_figures(job->run, out);
}

void job_release(struct job *job)
{
	if (job->run)
		run_release(job->run);
	if (job->every)
		every_release(job->every);
	free(job->run);
	free(job->every);
	file_list_release(&job->files);
	diag_release(&job->diag);
}
