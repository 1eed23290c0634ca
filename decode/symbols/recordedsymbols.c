#include "decode/symbols/recordedsymbols.h"

#include "decode/files/elf.h"
#include "perffile/session/simpleperf.h"
#include "util/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The base name under which simpleperf stores the contents of a perf-PID.map file. */
static bool is_perf_map_of(const char *path, int32_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "perf-%" PRId32 ".map", pid);
	return !strcmp(path_base(path), name);
}

/* Whether the symbols of a file of this kind and path are those of the binary. */
static bool is_file_of(const struct recorded_file *file, const struct symbol_query *query)
{
	const struct binary *binary = query->binary;
	bool same_path = !strcmp(file->path, strings_get(query->strings, binary->path));

	switch (binary->kind) {
	case BINARY_KERNEL:
		return file->type == RECORDED_KERNEL;
	case BINARY_MODULE:
		/* simpleperf uses the kernel's list if it has no file for a module */
		return file->type == RECORDED_KERNEL ||
		       (file->type == RECORDED_KERNEL_MODULE && same_path);
	case BINARY_JIT:
		return (file->type == RECORDED_ELF && same_path) ||
		       (file->type == RECORDED_SYMBOL_MAP &&
		        is_perf_map_of(file->path, binary->pid));
	case BINARY_FILE:
	case BINARY_VDSO:
		return (file->type == RECORDED_ELF || file->type == RECORDED_DEX) && same_path;
	default:
		return false;
	}
}

/*
 * Computes what must be added to the addresses of the file's symbols to convert them to the
 * binary's address space. False if that is not known.
 */
static bool find_shift(const struct recorded_file *file, const struct binary *binary,
                       uint64_t *shift)
{
	*shift = 0;
	if (binary->kind == BINARY_MODULE && file->type == RECORDED_KERNEL)
		*shift = -binary->start;
	if (binary->kind == BINARY_JIT ||
	    (file->type != RECORDED_ELF && file->type != RECORDED_KERNEL_MODULE))
		return true;
	*shift = file->min_offset - file->min_addr;
	if (file->has_min_offset)
		return true;
	/* an older recording has only the address of the code, which is where it was mapped */
	if (binary->kind == BINARY_VDSO || !binary->extent_count)
		return binary->kind != BINARY_MODULE;
	*shift = binary->extents[0].offset - file->min_addr;
	return binary->extent_count == 1 && !binary->extents_cut;
}

static bool put_file(struct symtable *table, const struct recorded_file *file, uint64_t shift,
                     struct err *err)
{
	for (const struct recorded_symbol *symbol = file->symbols; symbol; symbol = symbol->next) {
		struct symtable_item item = { .start = symbol->start + shift,
			                      .size = symbol->length,
			                      .type = STT_FUNC,
			                      .binding = STB_GLOBAL,
			                      .origin = ORIGIN_SIMPLEPERF };

		if (*symbol->name && symbol->length &&
		    !(symtable_add_name(table, symbol->name, strlen(symbol->name), &item.name,
		                        err) &&
		      symtable_put(table, &item, err)))
			return false;
	}
	return true;
}

bool recorded_symbols_put(struct symtable *table, const struct symbol_query *query, struct err *err)
{
	for (const struct recorded_file *file = query->options->recorded_files; file;
	     file = file->next) {
		uint64_t shift;

		if (!file->symbol_count || !is_file_of(file, query) ||
		    !find_shift(file, query->binary, &shift))
			continue;
		if (!put_file(table, file, shift, err) ||
		    /* for a file that is not here: its symbols have link-time addresses */
		    (file->type == RECORDED_ELF && shift && !table->link_count &&
		     !symtable_add_link(table, 0, UINT64_MAX, -shift, err)))
			return false;
	}
	return symtable_sort(table, err);
}
