#include "decode/stacks/stackfiles.h"

#include "perffile/session/features.h"
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
	go_release(&file->go.table);
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
	       cfi_find_row(&file->debug, addr, row, err) || stub_code_row(&file->stubs, addr, row);
}

/*
 * Whether a program starts at this address, where C libraries put a landing instruction before the
 * table says that nothing called _start.
 */
static bool is_start(struct cfi_file *file, uint64_t addr, struct cfi_row *row, struct err *err)
{
	return addr == file->entry && find_row(file, addr + LANDING_SIZE, row, err) &&
	       row->registers[row->return_register].where == CFI_UNDEFINED;
}

struct unwind_rule cfi_file_rule(struct cfi_file *file, uint64_t offset, struct cfi_row *row,
                                 struct err *err)
{
	struct unwind_rule rule = { .kind = file->without };
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

void stack_files_init(struct stack_files *files, struct session *session, struct mappings *mappings,
                      const struct file_options *options)
{
	*files = (struct stack_files){ .session = session,
		                       .mappings = mappings,
		                       .options = options };
	diag_init(&files->diag, NULL, NULL);
}

void stack_files_release(struct stack_files *files)
{
	for (size_t i = 0; i < files->capacity; i++) {
		if (files->files[i])
			cfi_file_release(files->files[i]);
		free(files->files[i]);
	}
	free(files->files);
	files->files = NULL;
	files->capacity = 0;
	diag_release(&files->diag);
}

/* Whether it is memory that cannot be executed, such as a heap; if it can, it is BINARY_JIT. */
static bool is_without_code(const struct stack_files *files, const struct binary *binary)
{
	const char *name = strings_get(files->mappings->strings, binary->name);

	return binary->kind == BINARY_SPECIAL && strcmp(name, "[vsyscall]") &&
	       strcmp(name, "[uprobes]");
}

static bool load_file(struct stack_files *files, struct cfi_file *file, uint32_t number,
                      struct err *err)
{
	struct located located = { .reason = ORIGIN_FILE_MISSING };
	struct binary binary = files->mappings->binaries->items[number];
	struct file_options options = *files->options;

	/* code of a run-time compiler has no rules either, but may have frame pointers */
	file->without = is_without_code(files, &binary) ? UNWIND_NO_CODE : UNWIND_NONE;
	if ((binary.kind != BINARY_FILE && binary.kind != BINARY_VDSO) || binary.guest)
		return true;
	if (!mapping_complete_build_id(files->mappings, files->session, &binary, err))
		return false;
	file_options_complete(&options, feature_text(files->session, PERF_FEATURE_HOSTNAME),
	                      feature_text(files->session, PERF_FEATURE_OSRELEASE));
	/* only its build id proves that a vdso is the recorded one */
	if (binary.kind == BINARY_VDSO)
		located.has_runtime = vdso_file_open(&located.runtime, &binary, &options, false,
		                                     err);
	else if (!locate(&located, &binary, files->mappings->strings, &options, &files->diag, err))
		return false;
	if (located.has_runtime)
		cfi_file_load(file, &located.runtime, located.has_debug ? &located.debug : NULL,
		              err);
	else
		file->without = located.reason == ORIGIN_BUILD_ID_MISMATCH ||
		                                located.reason == ORIGIN_OTHER_FILE
		                        ? UNWIND_OTHER_FILE
		                        : UNWIND_NO_BINARY;
	located_release(&located);
	return err->code == ERR_NONE;
}

struct unwind_rule stack_files_rule(struct stack_files *files, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err)
{
	const struct unwind_rule none = { .kind = UNWIND_NONE };
	const size_t before = files->capacity;
	struct cfi_file **file;

	if (!vec_reserve(&files->files, (size_t)binary + 1, &files->capacity, sizeof(*files->files),
	                 err))
		return none;
	memset(files->files + before, 0, (files->capacity - before) * sizeof(*files->files));
	file = &files->files[binary];
	if (!*file) {
		*file = vec_new(1, sizeof(**file), err);
		if (!*file || !load_file(files, *file, binary, err))
			return none;
	}
	return cfi_file_rule(*file, addr, row, err);
}
