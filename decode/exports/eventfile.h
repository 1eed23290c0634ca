/*
 * Files of formats that hold one event: NAME.EXT for the first event with samples, NAME-EVENT.EXT
 * for each further one. Special characters in the name of an event become "_".
 */
#ifndef READPERF_DECODE_EXPORTS_EVENTFILE_H
#define READPERF_DECODE_EXPORTS_EVENTFILE_H

#include "decode/tables/tables.h"

#include <stdio.h>

/*
 * Writes the file of one event. False with err set when memory is refused; other errors are in
 * ferror(out).
 */
typedef bool event_writer(FILE *out, const struct report *report, size_t event, struct err *err);

/* False with err set when memory or the system refuses. */
bool event_files_write(const struct report *report, const char *name, const char *extension,
                       event_writer *writer, struct err *err);
/* Whether event_files_write() writes a file with this name. */
bool event_files_have(const struct report *report, const char *name, const char *extension,
                      const char *file);
/* Writes a single file. */
bool export_file_write(const struct report *report, const char *name, event_writer *writer,
                       size_t event, struct err *err);

/* The name of an event of a call tree, or of a comparison. */
const char *export_event_name(const struct report *report, size_t event);
/* Whether its periods are nanoseconds. */
bool export_event_is_clock(const struct report *report, size_t event);
/* Whether the names of processes are known. */
bool export_has_processes(const struct report *report);
/* Whether the recording has stacks; for "all". */
bool export_has_chains(const struct report *report);

#endif
