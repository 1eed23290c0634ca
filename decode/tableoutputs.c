#include "decode/tableoutputs.h"

#include "decode/checks.h"
#include "decode/tables/xlsx.h"
#include "perffile/overview/overviewprinter.h"

static int open_output(void *context, const char *name, struct packer **packer, struct err *err)
{
	return outputs_open(context, name, packer, err);
}

static bool wants_records(const struct options *options)
{
	return table_set_has(&options->tables, &overview_table);
}

bool table_outputs_need_file(const struct options *options)
{
	return wants_records(options) &&
	       (options->workbook || (options->compress != PACK_NONE && writes_csv(options)));
}

bool table_outputs_init(struct table_outputs *to, const struct options *options, struct err *err)
{
	*to = (struct table_outputs){ .options = options };
	if (!outputs_init(&to->outputs, options->output, err))
		return false;
	to->outputs.pack = options->compress;
	to->files = (struct table_files){ &to->outputs, open_output };
	csv_init(&to->csv, &to->files, options->spreadsheet);
	return true;
}

void table_outputs_release(struct table_outputs *to)
{
	overview_free(to->overview);
	overview_free(to->sheet);
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
static void start_workbook(void *context, uint64_t first, uint64_t last)
{
	(void)last;
	if (first != TIME_NONE)
		xlsx_start(context, first);
}

bool table_outputs_open(struct table_outputs *to, struct recording *recording, struct err *err)
{
	const struct options *options = to->options;

	if (options->workbook && !open_workbook(to, err))
		return false;
	if (!wants_records(options))
		return true;
	if (writes_csv(options) &&
	    !(to->overview = add_overview(recording, csv_writer(&to->csv), err)))
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

/* sheets: into the workbook; files that are no tables are written with the CSV tables. */
static bool write_to(struct table_outputs *to, bool sheets, const struct report *report,
                     struct err *err)
{
	struct table_writer out = sheets ? xlsx_writer(to->xlsx) : csv_writer(&to->csv);
	struct table_set set = to->options->tables;

	if (sheets)
		table_set_drop_files(&set);
	return tables_write(&set, report, &out, to->options->naming.threads > 1, err) &&
	       group_tables_write(report, &out, err);
}

bool table_outputs_write(struct table_outputs *to, struct report *report, struct err *err)
{
	report->files = &to->files;
	/* not for overview.csv: while records are read, the second thread is busy */
	to->csv.two_threads = to->options->naming.threads > 1;
	/* a comparison has no workbook */
	if ((writes_csv(to->options) || !to->xlsx) && !write_to(to, false, report, err))
		return false;
	if (!to->xlsx)
		return true;
	if (report->summary->first_time != TIME_NONE)
		xlsx_start(to->xlsx, report->summary->first_time);
	return write_to(to, true, report, err);
}

bool table_outputs_commit(struct table_outputs *to, const struct report *report,
                          const struct diag *diag, struct err *err)
{
	return (!to->xlsx || xlsx_finish(to->xlsx, report, diag, to->options->file, err)) &&
	       outputs_commit(&to->outputs, err);
}
