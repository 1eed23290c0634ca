#include "decode/stacks/cfifile.h"

#include <stdlib.h>
#include <string.h>

/*
 * More than the code at entry points without a rule (_start of C libraries) has, in bytes. Shared
 * libraries have entry points too, often that of their first function.
 */
#define ENTRY_SIZE 128

bool cfi_file_load(struct cfi_file *file, const struct elf *runtime, const struct elf *debug,
                   struct err *err)
{
	memset(file, 0, sizeof(*file));
	if (!runtime->wide || (runtime->machine != EM_X86_64 && runtime->machine != EM_AARCH64))
		return true;
	file->segments = malloc((runtime->segment_count + 1) * sizeof(*file->segments));
	if (!file->segments)
		return err_nomem(err, (runtime->segment_count + 1) * sizeof(*file->segments));
	if (runtime->segment_count)
		memcpy(file->segments, runtime->segments,
		       runtime->segment_count * sizeof(*file->segments));
	file->segment_count = runtime->segment_count;
	file->entry = runtime->entry;
	file->cfi.machine = runtime->machine == EM_X86_64 ? CFI_X86_64 : CFI_AARCH64;
	return go_stack_load(&file->go, runtime, file->cfi.machine, err) &&
	       stub_code_load(&file->stubs, runtime, file->cfi.machine, err) &&
	       frame_index_load(&file->cfi.eh, runtime, true, err) &&
	       frame_index_load(&file->cfi.debug, runtime, false, err) &&
	       (file->cfi.debug.data || !debug || debug->machine != runtime->machine ||
	        frame_index_load(&file->cfi.debug, debug, false, err));
}

void cfi_file_release(struct cfi_file *file)
{
	cfi_release(&file->cfi);
	go_stack_release(&file->go);
	stub_code_release(&file->stubs);
	free(file->segments);
	memset(file, 0, sizeof(*file));
}

/* The segment that is loaded from the byte at this file offset, or NULL. */
static const struct elf_segment *find_segment(const struct cfi_file *file, uint64_t offset)
{
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->file_size)
			return segment;
	}
	return NULL;
}

bool cfi_file_rule(struct cfi_file *file, uint64_t offset, struct unwind_rule *rule,
                   struct err *err)
{
	const struct elf_segment *segment = find_segment(file, offset);
	struct cfi_row row;
	uint64_t addr;

	*rule = (struct unwind_rule){ .kind = UNWIND_NONE };
	if (!segment)
		return true;
	if (!(segment->flags & PF_X)) {
		rule->kind = UNWIND_NO_CODE;
		return true;
	}
	addr = segment->vaddr + (offset - segment->offset);
	if (go_stack_rule(&file->go, addr, rule))
		return true;
	if (!cfi_find_rule(&file->cfi, addr, rule, err))
		return false;
	if (rule->kind == UNWIND_NONE && stub_code_row(&file->stubs, addr, &row))
		cfi_shorten(file->cfi.machine, &row, rule);
	if (rule->kind == UNWIND_NONE && file->entry && addr - file->entry < ENTRY_SIZE)
		rule->kind = UNWIND_ENTRY;
	return true;
}

bool cfi_file_row(struct cfi_file *file, uint64_t offset, struct cfi_row *row, struct err *err)
{
	const struct elf_segment *segment = find_segment(file, offset);
	uint64_t addr = segment ? segment->vaddr + (offset - segment->offset) : 0;

	return segment &&
	       (go_stack_row(&file->go, addr, row) || cfi_find_row(&file->cfi, addr, row, err) ||
	        (err->code == ERR_NONE && stub_code_row(&file->stubs, addr, row)));
}
