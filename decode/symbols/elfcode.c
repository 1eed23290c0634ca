#include "decode/symbols/elfcode.h"

#include "util/bytes.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* How many of size bytes at an offset belong to a segment. */
static size_t size_in_segment(const struct elf *elf, uint64_t offset, size_t size)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->file_size)
			return (size_t)u64_min(size,
			                       segment->file_size - (offset - segment->offset));
	}
	return 0;
}

/* Finds the offset of code of a module; returns how many of size bytes are in its section. */
static size_t find_in_module(const struct elf *elf, uint64_t addr, size_t size, uint64_t *offset)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];
		const uint64_t place = section->place;

		if (place == UINT64_MAX || addr < place || addr - place >= section->size ||
		    !elf_has_bytes(section))
			continue;
		*offset = section->offset + (addr - place);
		return (size_t)u64_min(size, section->size - (addr - place));
	}
	return 0;
}

size_t elf_read_code(const struct elf *elf, enum elf_space space, uint64_t addr, uint64_t link,
                     uint8_t *bytes, size_t size)
{
	struct err err = { .code = ERR_NONE };
	uint64_t offset = addr;

	if (space == ELF_SPACE_MODULE)
		size = find_in_module(elf, addr + link, size, &offset);
	else if (space == ELF_SPACE_OFFSET || elf_offset_of_addr(elf, addr + link, &offset))
		size = size_in_segment(elf, offset, size);
	else
		size = 0;
	if (offset >= elf->size)
		return 0;
	size = (size_t)u64_min(size, elf->size - offset);
	return size && elf_read(elf, offset, bytes, size, &err) ? size : 0;
}

uint32_t elf_machine_flags(const struct elf *elf)
{
	struct err err = { .code = ERR_NONE };
	uint8_t bytes[4];

	if (!elf_read(elf, elf->wide ? 48 : 36, bytes, sizeof(bytes), &err))
		return 0;
	return load_u32(bytes, elf->swap);
}

bool elf_may_have_marks(const struct elf *elf)
{
	return elf->machine == EM_ARM || elf->machine == EM_AARCH64 || elf->machine == EM_RISCV;
}

/*
 * The mark that a symbol is; 0: it is none. Those of RISC-V may have extensions of the code behind
 * it, as "$xrv64i2p1_m2p0".
 */
static char mark_of(const struct elf *elf, const struct elf_symbol *symbol, const char *name)
{
	if (name[0] == '$' && name[1] && strchr(elf->machine == EM_ARM ? "atd" : "xd", name[1]) &&
	    (!name[2] || name[2] == '.' ||
	     (elf->machine == EM_RISCV && name[1] == 'x' && name[2] == 'r')))
		return name[1];
	if (elf->machine == EM_ARM && symbol->type == STT_FUNC)
		return symbol->value & 1 ? 'T' : 'A';
	return 0;
}

/* Marks in the order of their addresses, a mapping symbol before what a function says. */
static int compare_marks(const void *a, const void *b)
{
	const struct elf_mark *x = a, *y = b;

	return x->addr != y->addr ? u64_order(x->addr, y->addr) : y->kind - x->kind;
}

/* Keeps the kinds of functions only if there are no mapping symbols. */
static size_t choose_marks(struct elf_mark *marks, size_t count)
{
	bool mapped = false;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		mapped |= marks[i].kind >= 'a';
	for (size_t i = 0; i < count; i++) {
		if (mapped && marks[i].kind < 'a')
			continue;
		marks[kept] = marks[i];
		marks[kept++].kind |= 'a' - 'A';
	}
	return kept;
}

bool elf_read_marks(const struct elf *elf, struct elf_mark **marks, size_t *count, uint8_t **texts,
                    struct err *err)
{
	const struct elf_section *table = elf_find_type(elf, SHT_SYMTAB);
	const size_t entry = elf_symbol_size(elf);
	struct err problem = { .code = ERR_NONE };
	uint8_t *symbols = NULL, *names = NULL;
	size_t capacity = 0;
	uint64_t name_size = 0;
	bool borrowed = false;

	*marks = NULL;
	*texts = NULL;
	*count = 0;
	if (!table)
		table = elf_find_type(elf, SHT_DYNSYM);
	if (!elf_may_have_marks(elf) || !table || table->link >= elf->section_count)
		return true;
	symbols = elf_section_data(elf, table, &problem);
	names = symbols ? elf_section_data(elf, &elf->sections[table->link], &problem) : NULL;
	name_size = elf->sections[table->link].size;
	for (uint64_t i = 0; names && i < table->size / entry; i++) {
		const struct elf_symbol symbol = elf_decode_symbol(elf, symbols + i * entry);
		const char *name = symbol.name < name_size ? (char *)names + symbol.name : "";
		const char kind = mark_of(elf, &symbol, name);
		const struct elf_mark mark = { kind == 'T' ? symbol.value - 1 : symbol.value, kind,
			                       kind == 'x' && name[2] == 'r' ? name + 2 : NULL };

		borrowed |= mark.extensions != NULL;
		if (kind && !vec_append(marks, count, &capacity, &mark, sizeof(mark), &problem))
			break;
	}
	if (borrowed)
		*texts = names;
	else
		free(names);
	free(symbols);
	if (*count)
		qsort(*marks, *count, sizeof(**marks), compare_marks);
	*count = choose_marks(*marks, *count);
	return err_pass_nomem(err, &problem);
}
