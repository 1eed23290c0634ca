#include "decode/naming/binarycode.h"

#include "decode/symbols/kernel.h"
#include "util/cursor.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Of the header of a jitdump file; util/origperf.h has no constants of it. */
#define DUMP_MAGIC 0x4a695444u
#define DUMP_MACHINE_AT 12
#define DUMP_HEADER_SIZE 40
#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

#define ATTRIBUTES_MOST 65536 /* bytes; there are some hundreds */

static bool set_machine(struct binary_code *code, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_type(elf, ELF_ATTRIBUTES);
	struct err damage = { .code = ERR_NONE };

	code->machine = (struct code_machine){ .machine = elf->machine,
		                               .wide = elf->wide,
		                               .big_endian = elf->swap != HOST_BIG_ENDIAN,
		                               .flags = elf_machine_flags(elf) };
	if ((elf->machine != EM_ARM && elf->machine != EM_RISCV) || !section ||
	    section->size > ATTRIBUTES_MOST)
		return true;
	code->attributes = elf_section_data(elf, section, &damage);
	code->machine.attributes = code->attributes;
	code->machine.attribute_size = code->attributes ? (size_t)section->size : 0;
	return err_pass_nomem(err, &damage);
}

static bool add_range(struct binary_code *code, uint64_t start, uint64_t size, uint64_t link,
                      struct err *err)
{
	const struct code_range range = { start, u64_add_sat(start, size), link - start };

	return vec_append(&code->ranges, &code->range_count, &code->range_capacity, &range,
	                  sizeof(range), err);
}

static bool take_elf(struct binary_code *code, const struct elf *elf, const struct elf *names,
                     struct err *err)
{
	if (!set_machine(code, elf, err))
		return false;
	for (size_t i = 0; i < elf->segment_count; i++)
		if (!add_range(code, elf->segments[i].offset, elf->segments[i].file_size,
		               elf->segments[i].vaddr, err))
			return false;
	return elf_read_marks(names, &code->marks, &code->mark_count, &code->mark_texts, err);
}

static bool open_file(struct binary_code *code, const struct symbol_query *query, struct err *err)
{
	struct located *located = &code->located;
	const char *path = strings_get(query->strings, query->binary->path);

	if (!locate(located, query->binary, query->strings, &query->options->files, query->diag,
	            err))
		return false;
	if (!located->has_runtime)
		return true;
	if (elf_may_have_marks(&located->runtime) &&
	    !elf_find_type(&located->runtime, SHT_SYMTAB) &&
	    !locate_debug(located, path, &query->options->files, query->diag, err))
		return false;
	return take_elf(code, &located->runtime,
	                located->has_debug ? &located->debug : &located->runtime, err);
}

static bool open_vdso(struct binary_code *code, const struct symbol_query *query, struct err *err)
{
	code->has_vdso = vdso_file_open(&code->vdso, query->binary, &query->options->files,
	                                running_release(query->options), err);
	return err->code == ERR_NONE &&
	       (!code->has_vdso || take_elf(code, &code->vdso, &code->vdso, err));
}

/* The header says which machine its code is for. */
static void take_dump_header(struct binary_code *code)
{
	const uint8_t *data = (const uint8_t *)code->dump;
	bool swap;

	if (code->dump_size < DUMP_HEADER_SIZE)
		return;
	swap = load_u32(data, false) != DUMP_MAGIC;
	code->machine.machine = (uint16_t)load_u32(data + DUMP_MACHINE_AT, swap);
	code->machine.big_endian = swap != HOST_BIG_ENDIAN;
	switch (code->machine.machine) {
	case EM_386:
	case EM_ARM:
	case EM_MIPS:
	case EM_PPC:
		break;
	default:
		code->machine.wide = true;
	}
}

static bool open_dump(struct binary_code *code, const struct symbol_query *query, struct err *err)
{
	const char *path = strings_get(query->strings, query->binary->path);
	struct err problem = { .code = ERR_NONE };
	struct jit_entries entries = { .items = NULL };
	bool ok;

	code->dump = slurp_of_process(query->binary->pid, path, &query->options->files,
	                              &code->dump_size, &problem);
	if (code->dump) {
		take_dump_header(code);
		jitdump_parse((const uint8_t *)code->dump, code->dump_size, NULL, &entries,
		              &problem);
	}
	ok = err_pass_nomem(err, &problem);
	for (size_t i = 0; ok && i < entries.count; i++)
		ok = add_range(code, entries.items[i].place, entries.items[i].room,
		               entries.items[i].start, err);
	free(entries.items);
	return ok;
}

static bool open_kernel(struct binary_code *code, const struct symbol_query *query, struct err *err)
{
	const struct elf *elf;

	code->symbols = symbols_load(query, err);
	elf = code->symbols ? symbols_code_file(code->symbols) : NULL;
	if (elf && !set_machine(code, elf, err))
		return false;
	if (!elf)
		return code->symbols;
	if (query->binary->kind == BINARY_MODULE)
		return module_calls_read(&code->calls, elf, err);
	return add_range(code, 0, UINT64_MAX, symbols_link_addr(code->symbols, 0), err);
}

bool binary_code_open(struct binary_code *code, const struct symbol_query *query, struct err *err)
{
	memset(code, 0, sizeof(*code));
	if (query->binary->guest)
		return true;
	switch (query->binary->kind) {
	case BINARY_FILE:
		return open_file(code, query, err);
	case BINARY_VDSO:
		return open_vdso(code, query, err);
	case BINARY_JITDUMP:
		return open_dump(code, query, err);
	case BINARY_KERNEL:
	case BINARY_MODULE:
		return open_kernel(code, query, err);
	default:
		return true;
	}
}

void binary_code_close(struct binary_code *code)
{
	located_release(&code->located);
	if (code->has_vdso)
		elf_close(&code->vdso);
	code->has_vdso = false;
	symbols_free(code->symbols);
	code->symbols = NULL;
	free(code->dump);
	code->dump = NULL;
}

void binary_code_release(struct binary_code *code)
{
	binary_code_close(code);
	free(code->ranges);
	free(code->marks);
	free(code->mark_texts);
	free(code->attributes);
	module_calls_release(&code->calls);
	memset(code, 0, sizeof(*code));
}

size_t binary_code_read(const struct binary_code *code, uint64_t addr, uint8_t *bytes, size_t size)
{
	if (code->located.has_runtime)
		return elf_read_code(&code->located.runtime, ELF_SPACE_OFFSET, addr, 0, bytes,
		                     size);
	if (code->has_vdso)
		return elf_read_code(&code->vdso, ELF_SPACE_OFFSET, addr, 0, bytes, size);
	if (code->symbols)
		return symbols_read_code(code->symbols, addr, bytes, size);
	if (!code->dump || addr >= code->dump_size)
		return 0;
	size = (size_t)u64_min(size, code->dump_size - addr);
	memcpy(bytes, code->dump + addr, size);
	return size;
}

bool binary_code_addr(const struct binary_code *code, uint64_t link, uint64_t *addr)
{
	/* of code made at run time the last one counts, because memory is reused */
	for (size_t i = code->range_count; i-- > 0;) {
		const struct code_range *range = &code->ranges[i];

		*addr = link - range->delta;
		if (*addr >= range->start && *addr < range->end)
			return true;
	}
	return false;
}
