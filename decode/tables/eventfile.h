/*
 * Files of formats that hold one event: that of the table for the first event with samples
 * (NAME.EXT), NAME-EVENT.EXT for each further one. Special characters in the name of an event
 * become "_".
 */
#ifndef READPERF_DECODE_TABLES_EVENTFILE_H
#define READPERF_DECODE_TABLES_EVENTFILE_H

#include "decode/tables/tables.h"

/* Writes the files of a table with write_event. False with err set: memory or the system refuses.
 */
bool event_files_write(const struct report *report, const struct table *table, struct err *err);
/* Writes a single file. */
bool report_file_write(const struct report *report, const char *name, event_writer *writer,
                       size_t event, struct err *err);

/* The name of an event of a call tree, or of a comparison. */
const char *report_event_name(const struct report *report, size_t event);
/* Whether its periods are nanoseconds. */
bool report_event_is_clock(const struct report *report, size_t event);
/* Whether the names of processes are known. */
bool report_has_processes(const struct report *report);
/* For "all": whether the recording has stacks, and whether it has samples with places. */
bool report_has_chains(const struct report *report);
bool report_has_places(const struct report *report);

#endif
