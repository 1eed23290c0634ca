/* Opens files with debug information, and the files that they refer to. */
#ifndef READPERF_DECODE_DWARF_FILE_H
#define READPERF_DECODE_DWARF_FILE_H

#include "decode/dwarf/unit.h"

/*
 * Takes over fd; -1: there is no file. False if it is no readable ELF file; it may have no units.
 * points and err are borrowed while it is open. dwarf_file_release() must be called in any case.
 */
bool dwarf_file_open(struct dwarf_file *file, int fd, struct points *points, struct err *err);
void dwarf_file_release(struct dwarf_file *file);
/* Whether a file is one with split parts of the main one, which may be closed before that. */
static inline bool dwarf_file_is_split(const struct dwarf_file *file, const struct dwarf_file *main)
{
	return file != main && file != main->shared;
}
/* Adds a list of the units in a section, and takes the section over. */
bool dwarf_file_add_units(struct dwarf_file *file, const struct section *section, bool types);
/*
 * Opens the file with common parts that `file` (opened from path) refers to (.gnu_debugaltlink,
 * .debug_sup), checked by its id. symfs: the root directory for its name, or NULL; no file
 * outside is opened, unless path itself is outside. If it cannot be found, that is a warning.
 */
void dwarf_file_open_shared(struct dwarf_file *shared, struct dwarf_file *file, const char *path,
                            const char *symfs, struct diag *diag);
/*
 * Releases what was read and can be read again; texts and tables returned from the file become
 * invalid.
 */
void dwarf_file_forget(struct dwarf_file *file);

#endif
