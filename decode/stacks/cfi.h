/*
 * Unwind tables: how the caller's registers are found at each address of a binary.
 *
 * Enters: the sections .eh_frame_hdr, .eh_frame and .debug_frame of one binary, as bytes, and an
 * address. Leaves: the row of the table for that address, or the short form of it that the walk of
 * a stack needs (unwind.h). Nothing is read ahead: a row is computed when somebody asks for it.
 * All bytes are foreign: what is damaged has no rule.
 *
 * Formats: DWARF 5, section 6.4; Linux Standard Base 5.0 Core, chapter 10.6; System V ABI, AMD64
 * and AArch64 supplements.
 */
#ifndef READPERF_DECODE_STACKS_CFI_H
#define READPERF_DECODE_STACKS_CFI_H

#include "decode/stacks/cfirow.h"
#include "util/errhandler.h"

void cfi_release(struct cfi *cfi);

/*
 * The row for the address, from .eh_frame, else from .debug_frame: the choice is made for every
 * address, because the files that start C programs bring an .eh_frame into binaries whose own code
 * has only a .debug_frame. False if there is none; err is set only when memory is refused.
 */
bool cfi_find_row(struct cfi *cfi, uint64_t addr, struct cfi_row *row, struct err *err);

enum unwind_kind {
	UNWIND_NONE,       /* no rule for this address */
	UNWIND_NO_BINARY,  /* the file was not found */
	UNWIND_OTHER_FILE, /* the file found is not the recorded one */
	UNWIND_END,        /* the outermost frame of a thread */
	UNWIND_SP,         /* CFA = stack pointer + cfa */
	UNWIND_FP,         /* CFA = frame pointer + cfa */
	UNWIND_REGISTER,   /* CFA = another register + cfa */
	UNWIND_DEREF_FP,   /* CFA = word at frame pointer + cfa: a realigned stack */
	UNWIND_PLT,        /* x86-64: CFA = sp + 8, behind the push of an entry 8 more */
	UNWIND_SIGNAL,     /* the kernel's frame of a signal, whose place is known */
	UNWIND_SLOW        /* none of these: needs the row and all registers */
};

enum unwind_fp {
	UNWIND_FP_SAME,
	UNWIND_FP_SAVED,    /* in memory at CFA + fp_offset */
	UNWIND_FP_DEREF,    /* in memory where the frame pointer points */
	UNWIND_FP_UNDEFINED /* as good as 0 */
};

/* The short form of a row. Offsets are in words of 8 bytes. */
struct unwind_rule {
	uint8_t kind;            /* enum unwind_kind */
	uint8_t fp;              /* enum unwind_fp: the caller's frame pointer */
	uint8_t reg;             /* UNWIND_REGISTER: which; UNWIND_PLT: offset of the push */
	bool return_in_register; /* aarch64: the link register has the return address */
	int16_t cfa, fp_offset;
	int16_t return_offset; /* the return address is at CFA + this */
};

/*
 * The short form of cfi_find_row(): UNWIND_NONE where there is no row. False with err set when
 * memory is refused.
 */
bool cfi_find_rule(struct cfi *cfi, uint64_t addr, struct unwind_rule *rule, struct err *err);
/* The short form of a row. */
void cfi_shorten(enum cfi_machine machine, const struct cfi_row *row, struct unwind_rule *rule);

#endif
