#include "decode/stacks/cfifile.h"

#include <stdlib.h>
#include <string.h>

/* More than the code at entry points without a rule (_start of C libraries) has, in bytes. */
#define ENTRY_SIZE 128

/*
 * Reads the bytes of a section; one that cannot be read is left out. False when memory is refused.
 */
static bool load_section(struct cfi_file *file, size_t number, struct cfi_section *to,
                         const struct elf *elf, const char *name, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, name);
	struct err problem = { .code = ERR_NONE };
	size_t size;

	if (!section)
		return true;
	file->sections[number] = elf_section_unpacked(elf, section, &size, &problem);
	if (file->sections[number])
		*to = (struct cfi_section){ file->sections[number], size, section->addr };
	return problem.code != ERR_NOMEM || err_pass(err, &problem);
}

/* .debug_frame may be packed in one of two ways. */
static bool load_debug_frame(struct cfi_file *file, const struct elf *elf, struct err *err)
{
	return load_section(file, 2, &file->cfi.debug_frame, elf, ".debug_frame", err) &&
	       (file->cfi.debug_frame.data ||
	        load_section(file, 2, &file->cfi.debug_frame, elf, ".zdebug_frame", err));
}

static uint64_t section_addr(const struct elf *elf, const char *name)
{
	const struct elf_section *section = elf_find_section(elf, name);

	return section ? section->addr : 0;
}

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
	file->cfi.swap = runtime->swap;
	file->cfi.text_addr = section_addr(runtime, ".text");
	file->cfi.data_addr = section_addr(runtime, ".got");
	return go_stack_load(&file->go, runtime, file->cfi.machine, err) &&
	       load_section(file, 0, &file->cfi.eh_frame_hdr, runtime, ".eh_frame_hdr", err) &&
	       load_section(file, 1, &file->cfi.eh_frame, runtime, ".eh_frame", err) &&
	       load_debug_frame(file, runtime, err) &&
	       (file->cfi.debug_frame.data || !debug || debug->machine != runtime->machine ||
	        load_debug_frame(file, debug, err));
}

void cfi_file_release(struct cfi_file *file)
{
	cfi_release(&file->cfi);
	go_stack_release(&file->go);
	for (size_t i = 0; i < ARRAY_SIZE(file->sections); i++)
		free(file->sections[i]);
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
	if (rule->kind == UNWIND_NONE && file->entry && addr - file->entry < ENTRY_SIZE)
		rule->kind = UNWIND_END;
	return true;
}

bool cfi_file_row(struct cfi_file *file, uint64_t offset, struct cfi_row *row, struct err *err)
{
	const struct elf_segment *segment = find_segment(file, offset);
	uint64_t addr = segment ? segment->vaddr + (offset - segment->offset) : 0;

	return segment &&
	       (go_stack_row(&file->go, addr, row) || cfi_find_row(&file->cfi, addr, row, err));
}
