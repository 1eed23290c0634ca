/*
 * The unwind tables of the binaries that stacks go through, loaded when the first stack does.
 *
 * Enters: the number of a binary. Leaves: its rules, if the file on this machine is the recorded
 * one (decode/files/locate.h proves it): the rules of another would give frames that never were.
 */
#ifndef READPERF_DECODE_STACKS_STACKFILES_H
#define READPERF_DECODE_STACKS_STACKFILES_H

#include "decode/files/located.h"
#include "decode/stacks/cfifile.h"
#include "perffile/session/session.h"

enum stack_file_state {
	STACK_FILE_NEW, /* nobody asked for it yet */
	STACK_FILE_LOADED,
	STACK_FILE_WITHOUT, /* no file can have rules for it: code of a JIT compiler ... */
	STACK_FILE_MISSING,
	STACK_FILE_OTHER
};

struct stack_file {
	enum stack_file_state state;
	struct cfi_file *tables; /* owned; NULL unless loaded */
};

struct stack_files {
	struct session *session;            /* borrowed; has build ids that mappings lack */
	const struct binaries *binaries;    /* borrowed */
	struct strings *strings;            /* borrowed */
	const struct file_options *options; /* borrowed */
	struct diag diag;                   /* silent: who names functions says the same later */
	struct stack_file *files;           /* by number of the binary */
	size_t count;
	struct file_options own_options; /* those, completed */
	bool has_options;
	char *cache_dir;      /* owned; perf's own, where the user names none */
	struct map table_ids; /* name -> number of its entry in the session's table of build ids */
	bool has_table_ids;
};

void stack_files_init(struct stack_files *files, struct session *session,
                      const struct binaries *binaries, struct strings *strings,
                      const struct file_options *options);
void stack_files_release(struct stack_files *files);

/* The rule at an address of a binary. err is set when memory is refused. */
struct unwind_rule stack_files_rule(struct stack_files *files, uint32_t binary, uint64_t addr,
                                    struct err *err);
/* The row there; false: there is none. */
bool stack_files_row(struct stack_files *files, uint32_t binary, uint64_t addr, struct cfi_row *row,
                     struct err *err);

#endif
