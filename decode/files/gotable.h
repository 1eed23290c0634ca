/*
 * The Go runtime's own table of functions, .gopclntab, which strip cannot remove: names, lines, and
 * what is on the stack.
 *
 * In:  an ELF file.
 * Out: its functions, and what the table tells of their addresses. Format: src/runtime/symtab.go,
 * src/debug/gosym/pclntab.go and src/internal/abi/symtab.go of Go 1.2, 1.16, 1.18 and 1.20.
 */
#ifndef READPERF_DECODE_FILES_GOTABLE_H
#define READPERF_DECODE_FILES_GOTABLE_H

#include "decode/files/elf.h"

enum go_version {
	GO_1_2,
	GO_1_16,
	GO_1_18,
	GO_1_20 /* differs from 1.18 only in how functions are described */
};

struct gofunction {
	uint64_t start, end; /* link-time addresses */
	uint64_t place;      /* offset of its description in the table */
};

struct gopclntab {
	uint8_t *data; /* NULL: it is no Go program; a NUL follows the last byte */
	uint64_t addr; /* where the table is at run time */
	uint64_t size;
	bool swap;
	enum go_version version;
	unsigned quantum, word; /* quantum: size of the shortest instruction; word: size of a
	                           pointer; in bytes */
	uint64_t text;          /* address that the functions' offsets are relative to, or 0 */
	uint64_t names, units, files, pcs, functions; /* where these parts begin */
	struct gofunction *items;                     /* in ascending order */
	size_t count;
	uint64_t work; /* budget: bytes that may still be read of lists, or copied of texts. In a
	                  damaged table they lie over each other; at 0 there are no more */
	bool module_read;
	uint64_t
		data_addr; /* what offsets of functions' data count from, once that is read; or 0 */
};

enum go_field {
	GO_FIELD_NAME = 0,
	GO_FIELD_STACK = 3, /* how far the stack pointer has moved since the function's start */
	GO_FIELD_FILES = 4,
	GO_FIELD_LINES = 5,
	GO_FIELD_PCDATA = 6, /* how many lists of data there are */
	GO_FIELD_UNIT = 7,
	GO_FIELD_FLAGS = 8 /* from 1.20 on one more */
};

/*
 * Reads the table and its list of functions. False with err set if the table is damaged, of an
 * unknown version, or if memory is refused. go_release() must be called in any case.
 */
bool go_open(struct gopclntab *go, const struct elf *elf, struct err *err);
void go_release(struct gopclntab *go);
/* The function that covers an address, or NULL. */
const struct gofunction *go_find_function(const struct gopclntab *go, uint64_t addr);

/* Adds the bytes for so many questions about addresses to the budget. */
void go_pay(struct gopclntab *go, uint64_t questions);
/* Takes bytes from the budget. False when it is used up. */
bool go_spend(struct gopclntab *go, uint64_t bytes);
/* Reads the n-th 32-bit number after the address in a function's description. */
bool go_read_field(const struct gopclntab *go, const struct gofunction *function, unsigned n,
                   uint32_t *value);
/*
 * The value at an address of the function in a list of (value, address) steps, which is at that
 * offset. False if the list has none.
 */
bool go_value_at(struct gopclntab *go, const struct gofunction *function, uint32_t offset,
                 uint64_t addr, int32_t *value);
/* The same of a list that every function has; false also if it is empty. */
bool go_value_of_field(struct gopclntab *go, const struct gofunction *function, enum go_field field,
                       uint64_t addr, int32_t *value);
/* The name at an offset of the names, or NULL. */
const char *go_name(const struct gopclntab *go, uint32_t offset);
/* The path of the source file at an address of the function, or NULL. */
const char *go_file_at(struct gopclntab *go, const struct gofunction *function, uint64_t addr);
/* The line there, or 0. */
uint32_t go_line_at(struct gopclntab *go, const struct gofunction *function, uint64_t addr);

/* A relocation that the loader adds an address by. */
struct go_relocation {
	uint64_t place, value; /* what is written where */
};
/*
 * The first relocation of that place or, with place 0, of that value. False if there is none, or
 * with err set if they cannot be read.
 */
bool go_find_relocation(const struct elf *elf, struct go_relocation *relocation, struct err *err);

/*
 * Reads the runtime's description of the program, once: text, if the table does not tell it, and
 * data_addr. What is not found stays 0. False with err set if the file cannot be read.
 */
bool go_read_module(struct gopclntab *go, const struct elf *elf, struct err *err);
#endif
