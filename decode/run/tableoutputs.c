#include "decode/run/tableoutputs.h"

#include "decode/exports/page.h"
#include "decode/run/checks.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/tracerows.h"
#include "decode/tables/xlsx.h"
#include "perffile/overview/overviewprinter.h"
#include "util/ndjson.h"
#include "util/spool.h"
#include "util/thread.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <errno.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <unistd.h>

#define COPY_SIZE 8192 /* bytes */

static int open_output(void *context, const char *name, struct packer **packer, struct err *err)
{
	return outputs_open(context, name, packer, err);
}

/* The only table of --output=-, which is copied to standard output at the end. */
static int open_table(void *context, const char *name, struct packer **packer, struct err *err)
{
	struct table_outputs *to = context;

	if (to->table >= 0) {
		err_set(err, ERR_USAGE,
		        "--output=-: expected one file, found also %s: choose one event with "
		        "--event, or a folder",
		        name);
		return -1;
	}
	to->table = temp_file_open(temp_dir(), err);
	if (to->table < 0 || to->options->compress == PACK_NONE)
		return to->table;
	*packer = to->packer = packer_new(to->options->compress, to->table, err);
	return to->packer ? to->table : -1;
}

static bool wants_records(const struct options *options)
{
	return table_set_has(&options->tables, &overview_table);
}

bool table_outputs_need_file(const struct options *options)
{
	return wants_records(options) && (options->workbook || options->ndjson ||
	                                  (options->compress != PACK_NONE && writes_csv(options)));
}

bool table_outputs_need_two_readings(const struct options *options)
{
	return table_outputs_need_file(options) || options->workbook || options->page;
}

bool table_outputs_init(struct table_outputs *to, const struct options *options, struct err *err)
{
	*to = (struct table_outputs){ .options = options, .table = -1 };
	if (!outputs_init(&to->outputs, options->output, err))
		return false;
	to->outputs.pack = options->compress;
	to->files = options->to_stdout ? (struct table_files){ to, open_table }
	                               : (struct table_files){ &to->outputs, open_output };
	csv_init(&to->csv, &to->files, options->spreadsheet);
	return true;
}

/* Drops what is written while records are read, but for the workbook. */
static void drop_early(struct table_outputs *to)
{
	overview_free(to->overview);
	if (to->traces)
		trace_rows_release(to->traces);
	free(to->traces);
	packer_free(to->packer);
	if (to->table >= 0)
		close(to->table);
	to->overview = NULL;
	to->traces = NULL;
	to->packer = NULL;
	to->table = -1;
}

void table_outputs_start_again(struct table_outputs *to)
{
	drop_early(to);
	outputs_forget(&to->outputs, to->opened_before);
}

void table_outputs_release(struct table_outputs *to)
{
	overview_free(to->sheet);
	drop_early(to);
	xlsx_free(to->xlsx);
	outputs_release(&to->outputs);
}

static bool open_workbook(struct table_outputs *to, struct err *err)
{
	const struct options *options = to->options;
	const char *path = outputs_open_path(&to->outputs, options->workbook, err);

	to->xlsx = path ? xlsx_new(path, temp_dir(), &options->tables, &options->groups, err)
	                : NULL;
	return to->xlsx != NULL;
}

struct table_writer table_outputs_text(struct table_outputs *to)
{
	return to->options->ndjson ? ndjson_writer(&to->csv) : csv_writer(&to->csv);
}

/* Begins the table of all records. NULL with err set. */
static struct overview *add_overview(struct recording *recording, struct table_writer out,
                                     struct err *err)
{
	struct overview *overview = overview_new(&recording->session, &out, err);

	if (overview)
		recording_add(recording, overview_handler(overview));
	return overview;
}

/* A workbook shows times since the first sample. */
static bool start_workbook(void *context, uint64_t first, uint64_t last, struct err *err)
{
	(void)last;
	(void)err;
	if (first != TIME_NONE)
		xlsx_start(context, first);
	return true;
}

/*
 * Rows of tracepoints are written at once, unless they tell of frames, are selected by functions,
 * or are for a workbook.
 */
static bool open_traces(struct table_outputs *to, struct recording *recording, struct err *err)
{
	const struct options *options = to->options;
	struct trace_log *log = &recording->stat.trace;
	const struct table_writer out = table_outputs_text(to);

	if (!trace_log_is_open(log) || to->xlsx || !writes_csv(options) ||
	    (table_set_needs(&options->tables) & NEEDS_STACKS) ||
	    options->select.fields[SELECT_FUNCTION].count)
		return true;
	to->traces = vec_new(1, sizeof(*to->traces), err);
	log->take = trace_rows_take;
	log->taker = to->traces;
	return to->traces && trace_rows_init(to->traces, &recording->stat, &out, err);
}

bool table_outputs_open_page(struct table_outputs *to, struct err *err)
{
	const char *page = to->options->page;

	return !page || (to->page = outputs_open_path(&to->outputs, page, err));
}

bool table_outputs_open(struct table_outputs *to, struct recording *recording, struct err *err)
{
	const struct options *options = to->options;

	to->opened_before = to->outputs.files;
	if (options->workbook && !open_workbook(to, err))
		return false;
	if (!table_outputs_open_page(to, err) || !open_traces(to, recording, err))
		return false;
	if (!wants_records(options))
		return true;
	if (writes_csv(options) &&
	    !(to->overview = add_overview(recording, table_outputs_text(to), err)))
		return false;
	if (!to->xlsx)
		return true;
	recording_add(recording,
	              (struct record_handler){ .context = to->xlsx, .times = start_workbook });
	to->sheet = add_overview(recording, xlsx_writer(to->xlsx), err);
	return to->sheet != NULL;
}

static bool end_overview(struct overview **overview, struct err *err)
{
	const bool ok = !*overview || overview_finish(*overview, err);

	overview_free(*overview);
	*overview = NULL;
	return ok;
}

bool table_outputs_end_records(struct table_outputs *to, struct err *err)
{
	return end_overview(&to->overview, err) && end_overview(&to->sheet, err);
}

static bool write_table(const struct table *table, const struct report *report,
                        struct table_writer *out, struct err *err)
{
	bool ok;

	if (table->write_event)
		return event_files_write(report, table, err);
	if (!table->print)
		return true;
	if (table->file || table->several || table->makes_columns)
		return table->print(out, report, err);
	ok = table_begin(out, table->format, err) && table->print(out, report, err) &&
	     table_end(out, err);
	table_discard(out);
	return ok;
}

/* The tables that are written, those that are files of their own by two threads. */
struct table_work {
	const struct table_set *set;
	const struct report *report;
	struct table_writer *out;
	atomic_uint next_file; /* number of the next table that may be a file; TABLE_COUNT and
	                          more: none is left, or something failed */
	struct err errs[2];    /* of either thread */
};

static bool is_written(const struct table_work *work, unsigned number, bool file)
{
	return !tables[number]->file == !file &&
	       table_set_writes(work->set, tables[number], work->report);
}

static bool write_one(struct table_work *work, unsigned number, struct err *err)
{
	if (write_table(tables[number], work->report, work->out, err))
		return true;
	atomic_store(&work->next_file, TABLE_COUNT);
	return false;
}

static void write_files(struct table_work *work, struct err *err)
{
	unsigned i;

	while ((i = atomic_fetch_add(&work->next_file, 1)) < TABLE_COUNT)
		if (is_written(work, i, true) && !write_one(work, i, err))
			break;
}

static void *write_files_beside(void *context)
{
	struct table_work *work = context;

	write_files(work, &work->errs[1]);
	return NULL;
}

static void write_rows_first(void *context)
{
	struct table_work *work = context;
	bool ok = true;

	for (unsigned i = 0; ok && i < TABLE_COUNT; i++)
		ok = !is_written(work, i, false) || write_one(work, i, &work->errs[0]);
	if (ok)
		write_files(work, &work->errs[0]);
}

/*
 * Files of their own are written beside the other tables, if there are two threads: -t
 * calltree,folded,flame of 1.4 million samples of gcc at work then takes 0.56 s, not 0.66 s
 * (medians of 9 runs). False with err set when memory or the system refuses.
 */
static bool write_tables(struct table_work *work, bool two_threads, struct err *err)
{
	while (work->next_file < TABLE_COUNT && !is_written(work, work->next_file, true))
		work->next_file++;
	thread_both(two_threads && work->next_file < TABLE_COUNT, write_rows_first,
	            write_files_beside, work);
	for (size_t i = 0; i < ARRAY_SIZE(work->errs); i++)
		if (work->errs[i].code != ERR_NONE)
			return err_pass(err, &work->errs[i]);
	return true;
}

/* sheets: into the workbook; files that are no tables are written with the CSV tables. */
static bool write_to(struct table_outputs *to, bool sheets, const struct report *report,
                     struct err *err)
{
	struct table_writer out = sheets ? xlsx_writer(to->xlsx) : table_outputs_text(to);
	struct table_set set = to->options->tables;
	struct table_work work = { .set = &set, .report = report, .out = &out };

	if (sheets)
		table_set_drop_files(&set);
	return write_tables(&work, to->options->naming.threads > 1, err) &&
	       group_tables_write(report, &out, err);
}

bool table_outputs_write(struct table_outputs *to, struct report *report, struct err *err)
{
	report->files = &to->files;
	report->traces = to->traces;
	/* not for overview.csv: while records are read, the second thread is busy */
	to->csv.two_threads = to->options->naming.threads > 1;
	/* a comparison has no workbook */
	if ((writes_csv(to->options) || !(to->xlsx || to->page)) &&
	    !write_to(to, false, report, err))
		return false;
	if (!to->xlsx)
		return true;
	if (report->summary->first_time != TIME_NONE)
		xlsx_start(to->xlsx, report->summary->first_time);
	return write_to(to, true, report, err);
}

/* It is no failure if the reader has gone (readperf -o - ... | head). */
static bool copy_table(int table, struct err *err)
{
	char buffer[COPY_SIZE];
	ssize_t size = 0;

	if (table < 0)
		return true;
	for (off_t at = 0; (size = pread(table, buffer, sizeof(buffer), at)) > 0; at += size)
		if (!write_whole(STDOUT_FILENO, buffer, (size_t)size))
			return errno == EPIPE || err_errno(err, "standard output: cannot write");
	return !size || err_errno(err, "a temporary file: cannot read");
}

static bool write_page(const struct table_outputs *to, const struct report *report,
                       const struct verdict_report *verdicts, const struct diag *diag,
                       struct err *err)
{
	const struct table_set *set = &to->options->tables;
	const bool instructions = table_set_has(set, &instructions_table);
	const struct page_request request = {
		.report = report,
		.verdicts = verdicts,
		.diag = diag,
		.places = instructions || table_set_has(set, &lines_table) ||
		          table_set_has(set, &addresses_table),
		.instructions = instructions,
		.threads = to->options->naming.threads > 1,
	};
	FILE *out;
	bool ok;

	if (!to->page)
		return true;
	out = fopen(to->page, "w");
	if (!out)
		return err_errno(err, "%s: cannot write", to->options->page);
	errno = 0;
	ok = page_print(out, &request, err);
	if (ferror(out) && ok)
		ok = err_errno(err, "%s: cannot write", to->options->page);
	if (fclose(out) != 0 && ok)
		ok = err_errno(err, "%s: cannot write", to->options->page);
	return ok;
}

bool table_outputs_commit(struct table_outputs *to, const struct report *report,
                          const struct verdict_report *verdicts, const struct diag *diag,
                          struct err *err)
{
	return (!to->xlsx || xlsx_finish(to->xlsx, report, diag, to->options->file, err)) &&
	       write_page(to, report, verdicts, diag, err) && copy_table(to->table, err) &&
	       outputs_commit(&to->outputs, err);
}
