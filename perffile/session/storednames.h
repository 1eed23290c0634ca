/*
 * Names in records of Android's simpleperf before 2017. In: its records. Out: files with symbols,
 * and the kernel's list. All numbers are little-endian, texts end with a NUL; the records:
 *
 *   KERNEL_SYMBOL   u32 size, a copy of /proc/kallsyms of that size
 *   DSO             u64 type (enum recorded_file_type), u64 id, u64 lowest address of code, path
 *   SYMBOL          u64 start, u64 length, u64 id of the DSO, name
 *   SPLIT           a part of a record that does not fit into 65,535 bytes, with its header
 *   SPLIT_END       nothing: the parts before it are whole
 */
#ifndef READPERF_PERFFILE_SESSION_STOREDNAMES_H
#define READPERF_PERFFILE_SESSION_STOREDNAMES_H

#include "perffile/session/session.h"

struct stored_symbol {
	struct stored_symbol *next;
	uint64_t start, length, file_id;
	const char *name;
};

struct stored_file {
	struct stored_file *next;
	uint64_t type, id, min_addr;
	const char *path;
};

/* A part of a record that is not whole yet. */
struct stored_part {
	struct stored_part *next;
	size_t size;
	uint8_t bytes[];
};

/* Lists in the order of the records; all in the session's arena. */
struct stored_names {
	struct stored_file *files, **files_end;
	struct stored_symbol *symbols, **symbols_end;
	struct stored_part *parts, **parts_end;
	size_t file_count, symbol_count, parts_size;
	const char *kernel_list;
	size_t kernel_list_size; /* bytes; the text is not terminated */
};

/*
 * Handles one of these records. c: its payload; damage is left there. False with err set when
 * memory is refused.
 */
bool stored_names_record(struct session *session, uint32_t type, struct cursor c, struct err *err);

#endif
