/*
 * Reads the functions in an ELF symbol table into a struct symtable, in the address space of the
 * binary. Rules: format reference, 8.7 ("Symbol selection").
 */
#ifndef READPERF_DECODE_SYMBOLS_ELFSYMBOLS_H
#define READPERF_DECODE_SYMBOLS_ELFSYMBOLS_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

enum elf_space {
	ELF_SPACE_OFFSET, /* file offsets in runtime, found by its program headers */
	ELF_SPACE_ADDR,   /* link-time addresses; for vmlinux */
	ELF_SPACE_MODULE, /* offset from the first byte of the code of a loaded kernel module */
	ELF_SPACE_THREAD  /* ELF_THREAD_BASE, and the place in a thread's copy of its variables */
};

/* Beyond all file offsets, so that it may be added to a place in the address space of a file. */
#define ELF_THREAD_BASE (UINT64_C(1) << 63)

struct elf_symbols {
	const struct elf *names;   /* the file with the symbol table */
	const struct elf *runtime; /* the file that was mapped; the same one, unless names is its
	                              debug file */
	enum elf_space space;
	/* ELF_SPACE_MODULE: also what is needed only to start, whose place no file says */
	bool with_init;
	enum symbol_origin origin; /* ORIGIN_DYNSYM: the dynamic symbol table; else the other one */
	/*
	 * All addresses that will be looked up, ascending: of a large table, only what can matter
	 * to them is put. NULL: not known.
	 */
	const uint64_t *addrs;
	size_t addr_count;
};

/*
 * Reads the symbols of a table in names, sorts them and sets their ends. A file without such a
 * table is no error. False with err set if the table is damaged or memory is refused; what was read
 * before that is in the table.
 */
bool elf_symbols_put(struct symtable *table, const struct elf_symbols *source, struct err *err);
/* Makes table able to convert file offsets to link-time addresses. */
bool elf_symbols_link(struct symtable *table, const struct elf *runtime, struct err *err);

/*
 * Linkers let names share their ends, but never so often that all names together are much longer
 * than the text that they are in. How many bytes the names in a text of that size may have
 * together.
 */
uint64_t elf_names_limit(uint64_t text_size);
/* Counts a name against that limit. False with err set if it is reached. */
bool elf_names_pay(uint64_t *left, const char *name, struct err *err);

#endif
