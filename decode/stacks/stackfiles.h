/*
 * The unwind tables of binaries, loaded when a stack first needs them.
 *
 * In:  the number of a binary.
 * Out: its rules, if the file on this machine is the recorded one (decode/files/locate.h checks
 * it). The rules of another file would produce wrong frames.
 */
#ifndef READPERF_DECODE_STACKS_STACKFILES_H
#define READPERF_DECODE_STACKS_STACKFILES_H

#include "decode/files/locate.h"
#include "decode/machine/mapping.h"
#include "decode/stacks/cfifile.h"
#include "perffile/session/session.h"

struct stack_file {
	struct cfi_file *tables; /* owned; NULL: there are none */
	uint8_t without;         /* enum unwind_kind: the rule of all addresses without tables */
	bool known;              /* the file has been looked up */
};

struct stack_files {
	struct session *session;            /* borrowed */
	struct mappings *mappings;          /* borrowed; it has the binaries */
	const struct file_options *options; /* borrowed */
	struct diag diag; /* prints nothing: the same warnings come when functions are named */
	struct stack_file *files; /* by number of the binary */
	size_t capacity;
};

void stack_files_init(struct stack_files *files, struct session *session, struct mappings *mappings,
                      const struct file_options *options);
void stack_files_release(struct stack_files *files);

/*
 * The rule at an address of a binary, and the row that it is the short form of. err is set when
 * memory is refused.
 */
struct unwind_rule stack_files_rule(struct stack_files *files, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err);

#endif
