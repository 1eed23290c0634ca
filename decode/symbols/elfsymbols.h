/*
 * The functions of an ELF symbol table, put into a struct symtable in the address space of the
 * binary. Rules: format reference, 8.7 ("Symbol selection").
 */
#ifndef READPERF_DECODE_SYMBOLS_ELFSYMBOLS_H
#define READPERF_DECODE_SYMBOLS_ELFSYMBOLS_H

#include "decode/files/elf.h"
#include "decode/symbols/symtable.h"

enum elf_space {
	ELF_SPACE_OFFSET, /* file offsets of runtime, through its program headers */
	ELF_SPACE_ADDR,   /* link-time address + relocation: vmlinux */
	ELF_SPACE_MODULE  /* offset from the first byte of a loaded kernel module's code */
};

struct elf_symbols {
	const struct elf *names;   /* has the symbol table */
	const struct elf *runtime; /* what was mapped; the same, or names is its debug file */
	enum elf_space space;
	uint64_t relocation; /* for ELF_SPACE_ADDR */
	enum symbol_origin origin;
};

/*
 * Puts the symbols of names' first table of that type (ELF_SHT_SYMTAB or _DYNSYM), sorts and gives
 * ends. No table is no error. False with err set if the table is damaged or memory is refused; what
 * was read until then is in the table.
 */
bool elf_symbols_put(struct symtable *table, const struct elf_symbols *source, uint32_t type,
                     struct err *err);
/*
 * The link-time address of the named symbol in names' .symtab; false if it is not there, or, with
 * err set, if the table is damaged or memory is refused.
 */
bool elf_symbol_addr(const struct elf *elf, const char *name, uint64_t *addr, struct err *err);
/* Gives table the way from file offsets to link-time addresses. */
bool elf_symbols_link(struct symtable *table, const struct elf *runtime, struct err *err);
#endif
