/*
 * The destination of a run's tables: CSV files, sheets of a workbook, or both; and the page of
 * --report.
 *
 * In:  the options; an open recording, and later struct report.
 * Out: the files, which have their names once table_outputs_commit() has returned true.
 */
#ifndef READPERF_DECODE_RUN_TABLEOUTPUTS_H
#define READPERF_DECODE_RUN_TABLEOUTPUTS_H

#include "decode/exports/verdicttext.h"
#include "decode/options/options.h"
#include "decode/run/recording.h"
#include "util/csv.h"
#include "util/output.h"

struct overview;
struct trace_rows;
struct xlsx;

struct table_outputs {
	const struct options *options; /* borrowed */
	struct outputs outputs;
	struct table_files files; /* those of outputs */
	struct csv csv;
	struct xlsx *xlsx; /* NULL: no workbook */
	const char *page;  /* temporary name of the page, borrowed from outputs; NULL: none */
	/* With --output=- the table is in a temporary file until the run has ended well. */
	int table;             /* its descriptor; -1: not opened */
	struct packer *packer; /* of this file; owned */
	/* overview.csv, and the sheet of all records in the workbook; NULL: not asked for */
	struct overview *overview, *sheet;
	struct trace_rows *traces; /* NULL: their rows wait until the end, or there are none */
	/* of outputs: the newest file before table_outputs_open() */
	const struct output_file *opened_before;
};

/*
 * Whether a pipe has to be copied to a file, which is read twice. What comes late would have to be
 * moved to the front of overview.csv, which cannot be done in another format or if it is packed
 * while it is written; and a workbook shows times relative to the first sample, which has to be
 * known before the first row is written.
 */
bool table_outputs_need_file(const struct options *options);
/* Opens no file yet. False with err set; table_outputs_release() must be called in any case. */
bool table_outputs_init(struct table_outputs *to, const struct options *options, struct err *err);
/*
 * Whether a file has to be read twice, for the same reasons, or because it goes into a page. Else
 * table_outputs_start_again() is possible.
 */
bool table_outputs_need_two_readings(const struct options *options);
/* A writer of tables that are files of text. */
struct table_writer table_outputs_text(struct table_outputs *to);
/* Removes all files that were not committed. */
void table_outputs_release(struct table_outputs *to);
/*
 * Opens the tables that are written while records are read, and adds their handlers to the
 * recording. False with err set.
 */
bool table_outputs_open(struct table_outputs *to, struct recording *recording, struct err *err);
/* The same as before table_outputs_open(): the recording will be read again. */
void table_outputs_start_again(struct table_outputs *to);
/* After the last record: completes those tables. False with err set. */
bool table_outputs_end_records(struct table_outputs *to, struct err *err);
/* The same for the page alone: of a comparison, when its runs are known. */
bool table_outputs_open_page(struct table_outputs *to, struct err *err);
/* Writes all others as CSV, into the workbook, or both; sets report->files. False with err set. */
bool table_outputs_write(struct table_outputs *to, struct report *report, struct err *err);
/* Completes the workbook, writes the page and gives all files their names. False with err set. */
bool table_outputs_commit(struct table_outputs *to, const struct report *report,
                          const struct verdict_report *verdicts, const struct diag *diag,
                          struct err *err);

#endif
