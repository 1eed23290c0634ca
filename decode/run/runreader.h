/*
 * Reads what a user names as one run of a comparison or a trend: a recording, or a folder with the
 * tables of one.
 *
 * In:  a path and the options.
 * Out: struct compare_run.
 */
#ifndef READPERF_DECODE_RUN_RUNREADER_H
#define READPERF_DECODE_RUN_RUNREADER_H

#include "decode/compare/mergedcalls.h"
#include "decode/options/options.h"
#include "util/output.h"

/* All but the names is borrowed. */
struct run_reader {
	const struct options *options;
	struct outputs *outputs; /* they spare the recordings */
	struct diag *diag;
	struct strings *strings;
	struct run_names names;     /* of all tables that were read; run_names_init() */
	struct merged_calls *calls; /* of all runs; NULL: not wanted */
	bool broken;                /* a recording was damaged */
};

/*
 * From now on no output may take the place of what the path names. False with err set, also if a
 * document would.
 */
bool run_reader_spare(const struct run_reader *reader, const char *path, struct err *err);
/*
 * Fills a run whose file is set and whose other facts are empty. False with err set; its text
 * begins with the path.
 */
bool run_reader_read(struct run_reader *reader, struct compare_run *run, struct err *err);
/* Whether it is a folder with the tables of a recording. */
bool is_table_run(const char *path);
/* Whether the path is a folder, but none with tables, and no recording that is a folder. */
bool is_folder_of_runs(const char *path);
/*
 * Fills an empty run from one named recording that is not compared: its shares are of the whole
 * events, whatever was selected, and functions that only call others have rows. False with err set.
 */
bool run_of_recording(struct compare_run *run, const struct report *report, struct strings *strings,
                      struct err *err);

#endif
