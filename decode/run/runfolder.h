/*
 * The folders recording=ID below --output: what is in one, and how a new one takes its name. Tables
 * are written into a temporary folder (.recording-XXXXXX) that gets its name in one step when all
 * of them are complete. Its owner locks it, so that what a killed run has left can be told from
 * what another run is writing now.
 */
#ifndef READPERF_DECODE_RUN_RUNFOLDER_H
#define READPERF_DECODE_RUN_RUNFOLDER_H

#include "decode/options/options.h"

struct temp_folder {
	char *path; /* owned; NULL: there is none */
	int lock;   /* descriptor */
};

/* Makes the folder of --output, if it is missing. False with err set. */
bool output_folder_make(const struct options *options, struct err *err);
/* Makes a temporary folder in a directory. False with err set. */
bool temp_folder_make(struct temp_folder *temp, const char *dir, struct err *err);
/* Removes it, unless it has got another name. */
void temp_folder_remove(struct temp_folder *temp);
/* Removes those in the directory that nobody owns any more. */
void temp_folders_remove_stale(const char *dir);
/* What becomes of tables that only the folder has that is replaced. */
enum old_tables { OLD_TABLES_STAY, OLD_TABLES_GO };
/*
 * Gives it the name `folder`. A folder of that name must be one that run_folder_is_ours() says to
 * be ours: it is replaced in one step. False with err set, and then nothing has changed.
 */
bool temp_folder_commit(struct temp_folder *temp, const char *folder, enum old_tables old_ones,
                        struct err *err);
/* Removes a table that was written anew with this ending (".csv.zst") from files with others. */
void table_remove_others(const char *dir, const char *name, const char *ending);

/*
 * Whether everything in a folder is tables of this recording, so that it may be replaced. If not,
 * err says what is there.
 */
bool run_folder_is_ours(const char *folder, const char *recording, struct err *err);
/* Whether it has all tables that its about.csv names, made with the same options. */
bool run_folder_is_complete(const char *folder, const char *recording,
                            const struct options *options);
/*
 * Whether it has each table of the temporary folder, byte for byte, but for about, header and stat:
 * they differ if the same recording lies elsewhere, or is packed.
 */
bool run_folder_agrees(const char *folder, const struct temp_folder *temp);

#endif
