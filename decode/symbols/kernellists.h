/*
 * Lists of kernels' symbols that several recordings need, one after the other. The first recording
 * of a kernel reads the part that it needs, the second one the whole list, which is then kept. A
 * recording gets from it what it would read itself: a list is kept only if nothing but the kernel's
 * build id and place decides which one is read, and if that gave no warning.
 */
#ifndef READPERF_DECODE_SYMBOLS_KERNELLISTS_H
#define READPERF_DECODE_SYMBOLS_KERNELLISTS_H

#include "decode/symbols/kernel.h"

#define KERNEL_LISTS 4

struct kept_list {
	struct symbol_cache list;
	struct build_id build_id; /* of the kernel; of size 0: the place is free */
	uint64_t ref_addr;        /* where the recorded kernel had the symbol ref_name */
	char *ref_name;           /* owned */
	bool no_whole;            /* the whole list is too large, or was not found */
	uint64_t used;            /* when it was used last: a number that grows */
};

/* All zeros is valid and empty. */
struct kernel_lists {
	struct kept_list items[KERNEL_LISTS];
	uint64_t now;
};

void kernel_lists_release(struct kernel_lists *lists);

/*
 * Before the kernel and modules of a recording are looked up: if the whole list is kept or to be
 * read, makes the options use it, and any address may be looked up. NULL: the options are as they
 * were. strings: of the binaries.
 */
struct kept_list *kernel_lists_begin(struct kernel_lists *lists, struct symbol_options *options,
                                     const struct strings *strings);
/* Behind these lookups. good: they went well, and without a warning. kept may be NULL. */
void kernel_lists_end(struct kept_list *kept, bool good);

#endif
