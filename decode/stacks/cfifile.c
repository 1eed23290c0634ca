#include "decode/stacks/cfifile.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/*
 * More than the code at entry points without a rule (_start of C libraries) has, in bytes. Shared
 * libraries have entry points too, often that of their first function.
 */
#define ENTRY_SIZE 128
#define LANDING_SIZE 4 /* bytes of endbr64 and of bti, the targets of indirect jumps */

bool cfi_file_load(struct cfi_file *file, struct elf *runtime, struct elf *debug, struct err *err)
{
	memset(file, 0, sizeof(*file));
	if (!runtime->wide || (runtime->machine != EM_X86_64 && runtime->machine != EM_AARCH64))
		return true;
	file->segments = vec_new(runtime->segment_count, sizeof(*file->segments), err);
	if (!file->segments)
		return false;
	if (runtime->segment_count)
		memcpy(file->segments, runtime->segments,
		       runtime->segment_count * sizeof(*file->segments));
	file->segment_count = runtime->segment_count;
	file->entry = runtime->entry;
	file->machine = runtime->machine == EM_X86_64 ? CFI_X86_64 : CFI_AARCH64;
	return go_stack_load(&file->go, runtime, file->machine, err) &&
	       stub_code_load(&file->stubs, runtime, file->machine, err) &&
	       frame_index_load(&file->eh, runtime, true, err) &&
	       frame_index_load(&file->debug, runtime, false, err) &&
	       (file->debug.data || !debug || debug->machine != runtime->machine ||
	        frame_index_load(&file->debug, debug, false, err));
}

void cfi_file_release(struct cfi_file *file)
{
	frame_index_release(&file->eh);
	frame_index_release(&file->debug);
	go_stack_release(&file->go);
	stub_code_release(&file->stubs);
	free(file->segments);
	memset(file, 0, sizeof(*file));
}

/* The segment that is loaded from the byte at this file offset, or NULL. *addr: of that byte. */
static const struct elf_segment *find_segment(const struct cfi_file *file, uint64_t offset,
                                              uint64_t *addr)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		*addr = segment->vaddr + (offset - segment->offset);
		if (offset >= segment->offset && offset - segment->offset < segment->file_size)
			return segment;
	}
	return NULL;
}

/*
 * The row of .eh_frame, else of .debug_frame, else of code without tables. This is decided for each
 * address, because the start files of C programs bring an .eh_frame into binaries whose own code
 * has only a .debug_frame.
 */
static bool find_row(struct cfi_file *file, uint64_t addr, struct cfi_row *row, struct err *err)
{
	return cfi_find_row(&file->eh, addr, row, err) ||
	       (err->code == ERR_NONE && cfi_find_row(&file->debug, addr, row, err)) ||
	       (err->code == ERR_NONE && stub_code_row(&file->stubs, addr, row));
}

/*
 * Whether a program starts at this address, where C libraries put a landing instruction before the
 * table says that nothing called _start.
 */
static bool is_start(struct cfi_file *file, uint64_t addr, struct cfi_row *row, struct err *err)
{
	return addr == file->entry && find_row(file, addr + LANDING_SIZE, row, err) &&
	       row->return_register < CFI_REGISTERS &&
	       row->registers[row->return_register].where == CFI_UNDEFINED;
}

struct unwind_rule cfi_file_rule(struct cfi_file *file, uint64_t offset, struct cfi_row *row,
                                 struct err *err)
{
	struct unwind_rule rule = { .kind = UNWIND_NONE };
	uint64_t addr;
	const struct elf_segment *segment = find_segment(file, offset, &addr);

	if (!segment)
		return rule;
	if (!(segment->flags & PF_X))
		rule.kind = UNWIND_NO_CODE;
	else if (go_stack_rule(&file->go, addr, row, &rule))
		return rule;
	else if (is_start(file, addr, row, err))
		rule.kind = UNWIND_END;
	else if (find_row(file, addr, row, err))
		cfi_shorten(file->machine, row, &rule);
	else if (file->entry && addr - file->entry < ENTRY_SIZE)
		rule.kind = UNWIND_ENTRY;
	return rule;
}
