/*
 * One ELF file with debug information, opened through libelf and libdw. The file is mapped by us,
 * so that pages that were read can be given back while the reading goes on.
 */
#ifndef READPERF_DECODE_DWARF_FILE_H
#define READPERF_DECODE_DWARF_FILE_H

#include "decode/dwarf/image.h"
#include "decode/dwarf/line.h"

#include <elfutils/libdw.h>

struct dwarf_file {
	struct dwarf_image image;
	Elf *elf;
	Dwarf *dwarf;
	Elf_Scn *index; /* .debug_cu_index of a package, hidden from libdw, or NULL */
};

/* The sections of one Dwarf that we read. Borrowed from its Elf; absent ones are empty. */
struct dwarf_sections {
	Dwarf *dwarf;
	struct bytes info, abbrev, addr, ranges, rnglists;
	struct line_sections lines;
};

/* Bytes that must be left (memory_has()) before libelf and libdw are asked for a file, or for a unit. */
#define DWARF_MEMORY ((size_t)4 << 20)

/*
 * False if the file cannot be opened or has no debug information, only image.changed is set then; with
 * err set if memory is refused.
 */
bool dwarf_file_open(struct dwarf_file *file, const char *path, struct err *err);
/* The same for a file descriptor, which is closed in any case. -1: the file cannot be opened. */
bool dwarf_file_open_fd(struct dwarf_file *file, int fd, struct err *err);
void dwarf_file_release(struct dwarf_file *file);
/*
 * The file that `file` (opened from path) shares its common parts with (.gnu_debugaltlink), checked
 * by build id and told to libdw. symfs: the root of its name, or NULL; nothing outside is opened,
 * unless path itself is. False if there is none, or it cannot be found, which is told to diag; with err
 * set if memory is refused.
 */
bool dwarf_file_open_shared(struct dwarf_file *shared, const struct dwarf_file *file,
                            const char *path, const char *symfs, struct diag *diag,
                            struct err *err);
void dwarf_sections_find(struct dwarf_sections *sections, Dwarf *dwarf);

#endif
