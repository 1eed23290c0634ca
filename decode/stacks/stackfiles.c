#include "decode/stacks/stackfiles.h"

#include "decode/files/locate.h"
#include "perffile/session/features.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

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
		if (files->files[i].tables)
			cfi_file_release(files->files[i].tables);
		free(files->files[i].tables);
	}
	free(files->files);
	files->files = NULL;
	files->capacity = 0;
	diag_release(&files->diag);
}

static bool load_tables(struct stack_file *file, struct located *located, struct err *err)
{
	file->tables = vec_new(1, sizeof(*file->tables), err);
	return file->tables && cfi_file_load(file->tables, &located->runtime,
	                                     located->has_debug ? &located->debug : NULL, err);
}

/* Whether it is memory that cannot be executed, such as a heap; if it can, it is BINARY_JIT. */
static bool is_without_code(const struct stack_files *files, const struct binary *binary)
{
	const char *name = strings_get(files->mappings->strings, binary->name);

	return binary->kind == BINARY_SPECIAL && strcmp(name, "[vsyscall]") &&
	       strcmp(name, "[uprobes]");
}

static bool load_file(struct stack_files *files, struct stack_file *file, uint32_t number,
                      struct err *err)
{
	struct located located = { .reason = ORIGIN_FILE_MISSING };
	struct binary binary = files->mappings->binaries->items[number];
	struct file_options options = *files->options;

	file->known = true;
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
		load_tables(file, &located, err);
	else
		file->without = located.reason == ORIGIN_BUILD_ID_MISMATCH ||
		                                located.reason == ORIGIN_OTHER_FILE
		                        ? UNWIND_OTHER_FILE
		                        : UNWIND_NO_BINARY;
	located_release(&located);
	return err->code == ERR_NONE;
}

static struct stack_file *file_of(struct stack_files *files, uint32_t binary, struct err *err)
{
	size_t before = files->capacity;

	if (!vec_reserve(&files->files, (size_t)binary + 1, &files->capacity, sizeof(*files->files),
	                 err))
		return NULL;
	memset(files->files + before, 0, (files->capacity - before) * sizeof(*files->files));
	if (!files->files[binary].known && !load_file(files, &files->files[binary], binary, err))
		return NULL;
	return &files->files[binary];
}

struct unwind_rule stack_files_rule(struct stack_files *files, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err)
{
	struct stack_file *file = file_of(files, binary, err);
	struct unwind_rule rule = { .kind = UNWIND_NONE };

	if (file && file->tables)
		rule = cfi_file_rule(file->tables, addr, row, err);
	else if (file)
		rule.kind = file->without;
	return rule;
}
