/*
 * Extensions of Android's simpleperf to recordings: the sampled files with their symbols, in
 * feature FILE or its successor FILE2, or before 2017 in records. In: their bytes. Out: lists.
 *
 * FILE is a list of files: u32 size of the rest, path with NUL, u32 type, u64 lowest address of the
 * file's code, u32 count of symbols, and for each u64 start, u32 length, name with NUL. Then
 * follow, for DEX files, u32 count and u64 offsets of the DEX files inside; for ELF files and
 * kernel modules of later simpleperfs, the u64 offset of the lowest address of code in the file, or
 * in the module's memory.
 *
 * FILE2 is a list of u32 size and a protocol buffer of that size with the same contents. Its
 * fields: 1 path, 2 type, 3 lowest address, 4 a symbol (1 start, 2 length, 3 name); the offset is
 * field 1 in field 6 (ELF) or 7 (kernel module).
 *
 * All numbers of the records are little-endian, texts end with a NUL:
 *
 *   KERNEL_SYMBOL   u32 size, a copy of /proc/kallsyms of that size
 *   DSO             u64 type (enum recorded_file_type), u64 id, u64 lowest address of code, path
 *   SYMBOL          u64 start, u64 length, u64 id of the DSO, name
 *   SPLIT           a part of a record that does not fit into 65,535 bytes, with its header
 *   SPLIT_END       nothing: the parts before it are whole
 */
#ifndef READPERF_PERFFILE_SESSION_SIMPLEPERF_H
#define READPERF_PERFFILE_SESSION_SIMPLEPERF_H

#include "perffile/session/session.h"

enum recorded_file_type {
	RECORDED_KERNEL, /* symbols at addresses of the kernel */
	/* at addresses as in its ELF file: min_addr there is at min_offset in memory */
	RECORDED_KERNEL_MODULE,
	RECORDED_ELF,        /* the same, but at min_offset in the file */
	RECORDED_DEX,        /* at offsets in the file */
	RECORDED_SYMBOL_MAP, /* at addresses of the process, for code made at run time */
	RECORDED_UNKNOWN
};

struct recorded_symbol {
	struct recorded_symbol *next;
	uint64_t start; /* depends on the type of the file */
	uint32_t length;
	const char *name; /* as recorded, mangled; in the session's arena, as all texts here */
};

struct recorded_file {
	struct recorded_file *next;
	const char *path;    /* as MMAP records name it, also "[kernel.kallsyms]" */
	uint32_t type;       /* enum recorded_file_type, or a later one's number */
	uint64_t min_addr;   /* lowest address of its code, as in the ELF file */
	uint64_t min_offset; /* offset of that address in the file, or in the memory of a module */
	bool has_min_offset; /* older recordings do not have it */
	uint64_t id;         /* of a DSO record */
	struct recorded_symbol *symbols; /* as recorded, mostly ordered by address */
	size_t symbol_count;
};

/* A SYMBOL record, until session_recorded_files() gives the symbol to its file. */
struct stored_symbol {
	struct stored_symbol *next;
	uint64_t file_id;
	struct recorded_symbol symbol;
};

/*
 * Handles one of these records. c: its payload; damage, or refused memory, sets its error.
 */
void stored_names_record(struct session *session, uint32_t type, struct cursor c);

/*
 * After the last record: returns the list of all files of the features and records; NULL if the
 * recording has none. They live as long as the session. A damaged file is a warning, and those
 * before it are kept. err is set only when memory or the system refuses.
 */
struct recorded_file *session_recorded_files(struct session *session, struct err *err);

#endif
