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

/* A DSO or SYMBOL record: three numbers and a text. */
struct stored_name {
	struct stored_name *next;
	uint64_t words[3];
	const char *text;
};

/* The numbers of a DSO record, and of a SYMBOL record. */
enum { STORED_TYPE, STORED_ID, STORED_MIN_ADDR };
enum { STORED_START, STORED_LENGTH, STORED_DSO };

struct stored_list {
	struct stored_name *first, **end;
	size_t count;
};

/* Lists in the order of the records; all in the session's arena. */
struct stored_names {
	struct stored_list files, symbols;
	const char *kernel_list;
	size_t kernel_list_size; /* bytes; the text is not terminated */
};

/*
 * Handles one of these records. c: its payload; damage is left there. False with err set when
 * memory is refused.
 */
bool stored_names_record(struct session *session, uint32_t type, struct cursor c, struct err *err);

#endif
