/*
 * The unwind tables of binaries, loaded when a stack first needs them.
 *
 * In:  the number of a binary, and an address in it.
 * Out: the rule there, if the file on this machine is the recorded one (decode/files/locate.h
 * checks it). The rules of another file would produce wrong frames.
 */
#ifndef READPERF_DECODE_STACKS_STACKFILES_H
#define READPERF_DECODE_STACKS_STACKFILES_H

#include "decode/files/locate.h"
#include "decode/machine/mapping.h"
#include "decode/files/gotable.h"
#include "decode/stacks/cfi.h"
#include "perffile/session/session.h"

/* What a Go program tells about its own stacks (gostack.c). */
struct go_stack {
	struct gopclntab table; /* empty if the file is no Go program, or damaged */
	enum cfi_machine machine;
	/* the runtime's signal handler, and the function to which it returns; or NULL */
	const struct gofunction *handler, *signal_return;
};

bool go_stack_load(struct go_stack *go, const struct elf *elf, enum cfi_machine machine,
                   struct err *err);
/* The row at an address and its short form; false if no Go function covers it. */
bool go_stack_rule(struct go_stack *go, uint64_t addr, struct cfi_row *row,
                   struct unwind_rule *rule);

enum { STUB_SECTIONS = 6 };

/* Code without unwind tables that is known by its instructions (stubcode.c). */
struct stub_code {
	enum cfi_machine machine;
	struct stub_section {
		uint64_t addr;
		size_t size;
		uint8_t *code; /* owned */
		bool plt;      /* stubs; else _init or _fini */
	} sections[STUB_SECTIONS];
	size_t count;
};

/* A section that cannot be read is left out. */
bool stub_code_load(struct stub_code *stubs, const struct elf *elf, enum cfi_machine machine,
                    struct err *err);
void stub_code_release(struct stub_code *stubs);
/* The row at an address; false if it is not that of a known instruction in such code. */
bool stub_code_row(const struct stub_code *stubs, uint64_t addr, struct cfi_row *row);

/* The tables of a binary. */
struct cfi_file {
	uint8_t without; /* enum unwind_kind: the rule of addresses in no segment */
	enum cfi_machine machine;
	struct frame_index eh, debug; /* .eh_frame and .debug_frame */
	struct go_stack go;
	struct stub_code stubs;
	struct elf_segment *segments;
	size_t segment_count;
	uint64_t entry; /* address where a program starts; 0: none */
};

/*
 * Loads the tables of a file; debug, its separate debug file, which may have a .debug_frame, may be
 * NULL. There are none for a machine whose stacks cannot be unwound. cfi_file_release() must be
 * called in any case.
 */
bool cfi_file_load(struct cfi_file *file, struct elf *runtime, struct elf *debug, struct err *err);
void cfi_file_release(struct cfi_file *file);
/*
 * The rule for the byte at this file offset, and the row that it is the short form of; UNWIND_ENTRY
 * if there is none, but a program or the dynamic linker may start there.
 */
struct unwind_rule cfi_file_rule(struct cfi_file *file, uint64_t offset, struct cfi_row *row,
                                 struct err *err);

struct stack_files {
	struct session *session;            /* borrowed */
	struct mappings *mappings;          /* borrowed; it has the binaries */
	const struct file_options *options; /* borrowed */
	struct diag diag; /* prints nothing: the same warnings come when functions are named */
	struct cfi_file **files; /* owned, by number of the binary; NULL: not looked up yet */
	size_t capacity;
};

void stack_files_init(struct stack_files *files, struct session *session, struct mappings *mappings,
                      const struct file_options *options);
void stack_files_release(struct stack_files *files);

/* cfi_file_rule() at an address of a binary. */
struct unwind_rule stack_files_rule(struct stack_files *files, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err);

#endif
