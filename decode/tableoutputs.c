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
	to->csv.two_threads = options->naming.threads > 1;
	return true;
}

void table_outputs_release(struct table_outputs *to)
{
	overview_free(to->overview);
	xlsx_free(to->xlsx);
	outputs_release(&to->outputs);
}

static bool open_workbook(struct table_outputs *to, struct recording *recording, struct err *err)
{
	const struct options *options = to->options;
	const char *path = outputs_open_path(&to->outputs, options->workbook, err);

	if (!path ||
	    !(to->xlsx = xlsx_new(path, temp_dir(), &options->tables, &options->groups, err)))
		return false;
	if (!wants_records(options))
		return true;
	to->sheet = (struct overview_table){ .session = &recording->session,
		                             .out = xlsx_writer(to->xlsx),
		                             .start = xlsx_start,
		                             .context = to->xlsx };
	return to->sheet.out.kind->begin(to->xlsx, &overview_format, err);
}

bool table_outputs_open(struct table_outputs *to, struct recording *recording, struct err *err)
{
	const struct options *options = to->options;

	if (options->workbook && !open_workbook(to, recording, err))
		return false;
	if (wants_records(options) && writes_csv(options)) {
		to->overview = overview_new(&recording->session, &to->files, options->spreadsheet,
		                            err);
		if (!to->overview)
			return false;
		recording_add(recording, overview_handler(to->overview));
	}
	if (to->sheet.session)
		recording_add(recording, overview_table_handler(&to->sheet));
	return true;
}

bool table_outputs_end_records(struct table_outputs *to, struct err *err)
{
	const bool ok = (!to->overview || overview_finish(to->overview, err)) &&
	                (!to->sheet.session || to->sheet.out.kind->end(to->xlsx, err));

	overview_free(to->overview);
	to->overview = NULL;
	return ok;
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
