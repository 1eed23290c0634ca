#include "decode/symbols/elfsymbols.h"

#include "decode/symbols/kallsyms.h"
#include "decode/symbols/symbolfilter.h"
#include "util/cursor.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536
#define FEW_SIZE 4096 /* the same, where few symbols of many matter */
#define NAME_PIECE 4096
#define VERSION_HIDDEN 0x8000u /* of a symbol that is not the default one of its name */
/* Limits of the bytes of all names together: a fixed number, and a multiple of the text's size. */
#define NAMES_ALWAYS 65536
#define NAMES_SHARED 16

uint64_t elf_names_limit(uint64_t text_size)
{
	return u64_add_sat(NAMES_ALWAYS, NAMES_SHARED * u64_min(text_size, UINT32_MAX));
}

bool elf_names_pay(uint64_t *left, const char *name, struct err *err)
{
	size_t length = strlen(name);

	if (length > *left)
		return err_set(err, ERR_LIMIT, "symbols whose names lie over each other");
	*left -= length;
	return true;
}

/*
 * Of a table with so many symbols it is first found out which ones matter, if the addresses are in
 * so small a share of the filter's buckets: each of these keeps the symbols of about four, so that
 * half of all may be left out at least. Without that, the default tables of a program with half a
 * million symbols take 52 % more CPU time, and -t instructions of it a third.
 */
#define FILTERED_LEAST 1024
#define FILTERED_SHARE 8

/* A section whose functions lie next to each other in the binary's address space, too. */
struct plain_section {
	uint32_t number; /* 0: there is none */
	uint64_t addr, size;
	uint64_t distance; /* from there to the binary's address space, modulo 2^64 */
};

/* The state of reading one table. */
struct symbol_reader {
	const struct elf_symbols *source;
	struct symtable *table;
	int text;            /* number of the names' text in table */
	uint64_t names_left; /* bytes of names that may still be read */
	/* where few symbols matter, their names are read when they are needed; NULL: all were */
	bool *pieces; /* of NAME_PIECE bytes of the text: it was read */
	const struct elf_section *names;
	const struct elf_section *opd; /* of runtime: the function descriptors of ppc64, or NULL */
	uint8_t *opd_data;
	uint8_t *versions; /* of a dynamic symbol table: 2 bytes for each symbol; or NULL */
	size_t version_count, number; /* number: of the next symbol */
	struct symbol_filter filter;  /* closed: some symbols are left out */
	struct plain_section plain;   /* that of the last function */
};

/*
 * Labels in assembler files count as functions if they are in code or data; like perf, this decides
 * by the name of the section.
 */
static bool has_code_name(const struct elf *elf, const struct elf_section *section)
{
	const char *name = elf_section_name(elf, section);

	return strstr(name, "text") || strstr(name, "data");
}

static bool type_accepted(const struct symbol_reader *reader, const struct elf_symbol *symbol,
                          const struct elf_section *section)
{
	if (reader->source->space == ELF_SPACE_THREAD)
		return symbol->type == STT_TLS;
	switch (symbol->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_TLS:
		return reader->source->space == ELF_SPACE_OFFSET;
	case STT_NOTYPE:
		return symbol->visibility != STV_HIDDEN && symbol->visibility != STV_INTERNAL &&
		       has_code_name(reader->source->names, section);
	default:
		return false;
	}
}

/* Whether the names are those of the kernel or of a module. */
static bool is_kernels(const struct elf_symbols *source)
{
	return source->space == ELF_SPACE_ADDR || source->space == ELF_SPACE_MODULE;
}

/* Whether it is a marker for disassemblers, or a label that compilers and assemblers generate. */
static bool name_rejected(const struct elf_symbols *source, const char *name)
{
	if (is_kernels(source) &&
	    (name[0] == '$' || text_starts(name, ".L") || text_starts(name, "L0")))
		return true;
	if (name[0] != '$' || !name[1])
		return !name[0];
	if (source->names->machine == EM_ARM || source->names->machine == EM_AARCH64)
		return strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
	if (source->names->machine == EM_RISCV)
		return name[1] == 'd' || name[1] == 'x';
	return false;
}

/* On ppc64 ELFv1 a symbol refers to a descriptor, whose first word is the address of the code. */
static uint64_t follow_descriptor(const struct symbol_reader *reader, uint64_t value)
{
	uint64_t place;

	if (!reader->opd_data || value < reader->opd->addr)
		return value;
	place = value - reader->opd->addr;
	if (place >= reader->opd->size || reader->opd->size - place < sizeof(uint64_t))
		return value;
	return load_u64(reader->opd_data + place, reader->source->runtime->swap);
}

/*
 * Adds the address of the bytes that threads get copies of: the values of thread-local variables
 * are offsets in those. False: there are no bytes of it (.tbss).
 */
static bool find_in_image(const struct symbol_reader *reader, uint64_t *value)
{
	const struct elf_segment *image = &reader->source->runtime->tls;

	if (*value >= image->file_size)
		return false;
	*value += image->vaddr;
	return true;
}

/* Sets the symbol's address in the binary's address space; false if it has none. */
static bool place_symbol(const struct symbol_reader *reader, const struct elf_symbol *symbol,
                         const struct elf_section *section, uint64_t *start)
{
	const struct elf_symbols *source = reader->source;
	uint64_t value = follow_descriptor(reader, symbol->value);

	/* bit 0 marks Thumb code */
	if (source->names->machine == EM_ARM && symbol->type == STT_FUNC)
		value &= ~UINT64_C(1);
	if (source->space == ELF_SPACE_THREAD) {
		*start = ELF_THREAD_BASE + value;
		return value < source->runtime->tls.memory_size;
	}
	if (symbol->type == STT_TLS && !find_in_image(reader, &value))
		return false;
	*start = value;
	if (source->space == ELF_SPACE_MODULE) {
		const uint64_t place = source->names->sections[symbol->section].place;

		*start += place;
		return source->with_init ? place != UINT64_MAX : place < ELF_MODULE_INIT;
	}
	if (source->space == ELF_SPACE_OFFSET && !elf_offset_of_addr(source->runtime, value, start))
		*start = value - (section->addr - section->offset);
	return true;
}

/*
 * Whether a library keeps this symbol only for programs that were linked to an older version of it.
 * The dynamic symbol table has a list of versions for that; the other table has names like
 * "name@VERSION", with "@@" for the default version.
 */
static bool is_old_version(const struct symbol_reader *reader, const char *name)
{
	const char *at;

	if (reader->number < reader->version_count)
		return load_u16(reader->versions + 2 * reader->number,
		                reader->source->names->swap) &
		       VERSION_HIDDEN;
	at = strchr(name, '@');
	return at && at > name && at[1] != '@' && strcmp(at, "@plt") != 0;
}

/*
 * Ends a name where the mark of the default version begins: "pow@@GLIBC_2.29" is pow, as the
 * dynamic symbol table has it, whose versions are apart. Names of Microsoft's compilers begin with
 * a question mark, and have "@@" in them.
 */
static void cut_default_version(char *name)
{
	char *at = *name == '?' ? NULL : strstr(name, "@@");

	if (at && at > name && at[2])
		*at = '\0';
}

/*
 * Notes the section of a function, if one segment has all of it. Its other functions are then
 * placed without looking at sections and segments: with a million symbols that saves a twentieth of
 * the time of -t instructions.
 */
static void note_plain_section(struct symbol_reader *reader, uint32_t number,
                               const struct elf_section *section)
{
	const struct elf *elf = reader->source->runtime;
	const uint64_t end = u64_add_sat(section->addr, section->size);

	if (reader->source->space != ELF_SPACE_OFFSET || elf->machine == EM_ARM || reader->opd_data)
		return;
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		const uint64_t segment_end = u64_add_sat(
			segment->vaddr, u64_max(segment->file_size, segment->memory_size));

		if (end <= segment->vaddr || section->addr >= segment_end)
			continue;
		if (section->addr >= segment->vaddr && end <= segment_end)
			reader->plain = (struct plain_section){ number, section->addr,
				                                section->size,
				                                segment->offset - segment->vaddr };
		return;
	}
}

/* is_function() of a symbol in any section. */
static bool is_function_anywhere(struct symbol_reader *reader, const struct elf_symbol *symbol,
                                 uint64_t *start)
{
	const struct elf_symbols *source = reader->source;
	const struct elf_section *section;

	if (symbol->section == SHN_UNDEF || symbol->section >= SHN_LORESERVE ||
	    symbol->section >= source->names->section_count ||
	    symbol->name >= reader->table->texts[reader->text].size)
		return false;
	section = &source->names->sections[symbol->section];
	if (!(section->flags & SHF_ALLOC) || !type_accepted(reader, symbol, section))
		return false;
	/* in a separate debug file the sections have no file offset of their own */
	if (section->type == SHT_NOBITS && symbol->section < source->runtime->section_count)
		section = &source->runtime->sections[symbol->section];
	if (symbol->type == STT_FUNC)
		note_plain_section(reader, symbol->section, section);
	return place_symbol(reader, symbol, section, start);
}

/* Whether it is a symbol to put, by everything but its name; sets its address then. */
static inline bool is_function(struct symbol_reader *reader, const struct elf_symbol *symbol,
                               uint64_t *start)
{
	const struct plain_section *plain = &reader->plain;

	if (symbol->section != plain->number || symbol->type != STT_FUNC ||
	    symbol->value - plain->addr >= plain->size ||
	    symbol->name >= reader->table->texts[reader->text].size)
		return is_function_anywhere(reader, symbol, start);
	*start = symbol->value + plain->distance;
	return true;
}

static bool note_symbol(struct symbol_reader *reader, const struct elf_symbol *symbol,
                        struct err *err)
{
	uint64_t start;

	(void)err;
	if (!is_function(reader, symbol, &start))
		return true;
	/* others may be markers for disassemblers */
	symbol_filter_note(&reader->filter, reader->number, start,
	                   u64_min(symbol->size, UINT32_MAX),
	                   symbol->type != STT_NOTYPE && symbol->name);
	/* stubs of the PLT are named after them */
	if (symbol->type == STT_GNU_IFUNC)
		symbol_filter_want(&reader->filter, reader->number);
	return true;
}

/* Whether so many symbols, from the next one on, are none that matter. */
static bool is_left_out(const struct symbol_reader *reader, size_t count)
{
	return reader->filter.closed &&
	       !symbol_filter_wants(&reader->filter, reader->number, count);
}

/* Reads the part of the names' text with the name that begins there. */
static bool read_name(struct symbol_reader *reader, size_t at, struct err *err)
{
	char *text = reader->table->texts[reader->text].data;

	for (size_t from = at / NAME_PIECE * NAME_PIECE; from < reader->names->size;
	     from += NAME_PIECE, at = from) {
		const size_t size = (size_t)u64_min(reader->names->size - from, NAME_PIECE);
		bool *piece = &reader->pieces[from / NAME_PIECE];

		if (!*piece && !elf_read(reader->source->names, reader->names->offset + from,
		                         text + from, size, err))
			return false;
		*piece = true;
		if (memchr(text + at, 0, from + size - at))
			break;
	}
	return true;
}

static bool put_symbol(struct symbol_reader *reader, const struct elf_symbol *symbol,
                       struct err *err)
{
	const struct elf_symbols *source = reader->source;
	struct symtable_item item;
	char *name;

	if (is_left_out(reader, 1) || !is_function(reader, symbol, &item.start))
		return true;
	name = reader->table->texts[reader->text].data + symbol->name;
	if (reader->pieces && !read_name(reader, symbol->name, err))
		return false;
	if (name_rejected(source, name))
		return true;
	if (!elf_names_pay(&reader->names_left, name, err))
		return false;
	cut_default_version(name);
	item.size = (uint32_t)u64_min(symbol->size, UINT32_MAX);
	item.name = symbol->name;
	if (is_kernels(source))
		item.name += (uint32_t)kernel_padding_prefix(name, strlen(name));
	item.outer = 0;
	item.text = (uint8_t)reader->text;
	item.type = symbol->type;
	item.binding = symbol->binding;
	if (is_old_version(reader, name))
		item.binding |= SYMTABLE_OLD_VERSION;
	item.origin = (uint8_t)source->origin;
	return symtable_put(reader->table, &item, err);
}

typedef bool symbol_taker(struct symbol_reader *reader, const struct elf_symbol *symbol,
                          struct err *err);

/*
 * Passes each symbol of the section on; reads the file block by block, as far as they matter.
 * Inline, as what looks at each symbol: with a million symbols that saves a twentieth of the CPU
 * time of -t instructions.
 */
static inline bool read_symbols(struct symbol_reader *reader, const struct elf_section *section,
                                symbol_taker *take, struct err *err)
{
	const struct elf *elf = reader->source->names;
	size_t size = elf_symbol_size(elf);
	size_t block_size = (reader->filter.closed ? FEW_SIZE : BLOCK_SIZE) / size * size;
	uint64_t left = section->size / size * size, offset = section->offset;
	uint8_t *block = malloc(block_size);
	bool ok = true;

	if (!block)
		return err_nomem(err, block_size);
	reader->number = 0;
	while (ok && left) {
		size_t now = left < block_size ? (size_t)left : block_size;

		if (is_left_out(reader, now / size)) {
			reader->number += now / size;
		} else {
			ok = elf_read(elf, offset, block, now, err);
			for (size_t i = 0; ok && i < now; i += size) {
				struct elf_symbol symbol = elf_decode_symbol(elf, block + i);

				ok = take(reader, &symbol, err);
				reader->number++;
			}
		}
		offset += now;
		left -= now;
	}
	free(block);
	return ok;
}

static bool is_whole(const struct elf *elf, const struct elf_section *section)
{
	return elf_has_bytes(section) && section->offset <= elf->size &&
	       section->size <= elf->size - section->offset;
}

/* Prepares to leave out what cannot matter to the addresses, if that is most of the section. */
static bool open_filter(struct symbol_reader *reader, const struct elf_section *section,
                        const struct elf_section *names, struct err *err)
{
	const struct elf_symbols *source = reader->source;
	const uint64_t count = section->size / elf_symbol_size(source->names);
	struct symbol_filter *filter = &reader->filter;

	if (!source->addrs || count < FILTERED_LEAST || !is_whole(source->names, section) ||
	    !is_whole(source->names, names))
		return true;
	if (!symbol_filter_init(filter, source->addrs, source->addr_count, (size_t)count,
	                        source->runtime->size, err))
		return false;
	if (filter->asked_count > filter->bucket_count / FILTERED_SHARE)
		symbol_filter_release(filter);
	return true;
}

/* Adds the symbols of the section: of many those that can matter to the addresses. */
static bool put_symbols(struct symbol_reader *reader, const struct elf_section *section,
                        struct err *err)
{
	if (reader->filter.buckets) {
		if (!read_symbols(reader, section, note_symbol, err))
			return false;
		symbol_filter_close(&reader->filter);
	}
	return read_symbols(reader, section, put_symbol, err);
}

static bool find_descriptors(struct symbol_reader *reader, struct err *err)
{
	const struct elf *elf = reader->source->runtime;

	reader->opd = elf->machine == EM_PPC64 ? elf_find_section(elf, ".opd") : NULL;
	if (reader->opd)
		reader->opd_data = elf_section_data(elf, reader->opd, err);
	return !reader->opd || reader->opd_data;
}

static bool take_names(struct symbol_reader *reader, const struct elf_section *section,
                       struct err *err)
{
	const struct elf *elf = reader->source->names;
	const struct elf_section *names;
	char *data;

	if (section->link >= elf->section_count)
		return err_at(err, ERR_FORMAT, section->offset, "symbol table without names");
	names = &elf->sections[section->link];
	if (!open_filter(reader, section, names, err))
		return false;
	if (reader->filter.buckets) {
		reader->names = names;
		reader->pieces = vec_new((size_t)names->size / NAME_PIECE + 1, 1, err);
		data = reader->pieces ? malloc((size_t)names->size + 1) : NULL;
		if (!data)
			return err_nomem(err, (size_t)names->size + 1);
		data[names->size] = '\0';
	} else {
		data = (char *)elf_section_data(elf, names, err);
	}
	if (!data)
		return false;
	reader->text = symtable_add_text(reader->table, data, (size_t)names->size + 1, false, err);
	reader->names_left = elf_names_limit(names->size);
	return reader->text >= 0;
}

/* Reads the versions of the symbols, which are in the same file as a dynamic symbol table. */
static bool take_versions(struct symbol_reader *reader, struct err *err)
{
	const struct elf *elf = reader->source->names;
	const struct elf_section *section = elf_find_type(elf, SHT_GNU_versym);

	if (reader->source->origin != ORIGIN_DYNSYM || !section)
		return true;
	reader->versions = elf_section_data(elf, section, err);
	reader->version_count = reader->versions ? (size_t)section->size / 2 : 0;
	return reader->versions != NULL;
}

bool elf_symbols_put(struct symtable *table, const struct elf_symbols *source, struct err *err)
{
	const uint32_t type = source->origin == ORIGIN_DYNSYM ? SHT_DYNSYM : SHT_SYMTAB;
	const struct elf_section *section = elf_find_type(source->names, type);
	struct symbol_reader reader = { .source = source, .table = table };
	bool ok;

	if (!section)
		return true;
	ok = take_names(&reader, section, err) && take_versions(&reader, err) &&
	     find_descriptors(&reader, err) && put_symbols(&reader, section, err);
	symbol_filter_release(&reader.filter);
	free(reader.pieces);
	free(reader.opd_data);
	free(reader.versions);
	ok = symtable_sort(table, err) && ok;
	symtable_fix_ends(table);
	return ok;
}

bool elf_symbols_link(struct symtable *table, const struct elf *runtime, struct err *err)
{
	for (size_t i = 0; i < runtime->segment_count; i++) {
		const struct elf_segment *segment = &runtime->segments[i];
		const uint64_t end = u64_add_sat(segment->offset, segment->file_size);

		if (!symtable_add_link(table, segment->offset, end,
		                       segment->vaddr - segment->offset, err))
			return false;
	}
	return true;
}
