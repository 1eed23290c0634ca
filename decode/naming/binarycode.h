/*
 * The bytes of a binary's code, wherever they are: in its file, in the vdso, in a jitdump file, in
 * a kernel module or vmlinux.
 *
 * In:  a binary, and where to search.
 * Out: the machine, and bytes at addresses in the address space of the binary.
 */
#ifndef READPERF_DECODE_NAMING_BINARYCODE_H
#define READPERF_DECODE_NAMING_BINARYCODE_H

#include "decode/code/function.h"
#include "decode/files/jitdump.h"
#include "decode/symbols/elfcode.h"
#include "decode/symbols/modulecalls.h"
#include "decode/symbols/symbols.h"

/* Addresses that the file has elsewhere: [start, end) is at link-time address start + delta. */
struct code_range {
	uint64_t start, end, delta;
};

/* All zeros: there is no code. */
struct binary_code {
	struct code_machine machine;
	/* what the bytes are from; at most one of these */
	struct located located;
	struct elf vdso;
	bool has_vdso;
	struct symbols *symbols; /* of the kernel or a module */
	char *dump;              /* a jitdump file */
	size_t dump_size;
	struct code_range *ranges; /* owned */
	size_t range_count, range_capacity;
	struct elf_mark *marks; /* owned */
	uint8_t *mark_texts;    /* owned; what they borrow */
	uint8_t *attributes;    /* owned; what machine.attributes borrows */
	size_t mark_count;
	struct module_calls calls; /* of a module, as only its relocations know them */
};

/*
 * Finds the code. query->options: with want_code. False with err set when memory is refused; call
 * binary_code_release() in any case.
 */
bool binary_code_open(struct binary_code *code, const struct symbol_query *query, struct err *err);
/* What only reading needs; the machine, the ranges, the marks and the calls stay. */
void binary_code_close(struct binary_code *code);
void binary_code_release(struct binary_code *code);

/* Copies up to size bytes at addr; returns how many there are. */
size_t binary_code_read(const struct binary_code *code, uint64_t addr, uint8_t *bytes, size_t size);
/* The address that has this link-time address; false if there is no code. */
bool binary_code_addr(const struct binary_code *code, uint64_t link, uint64_t *addr);

#endif
