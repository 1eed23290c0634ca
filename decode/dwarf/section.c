#include "decode/dwarf/section.h"

#include "util/cursor.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>

/* Sections that are not needed completely are read in blocks of this size. */
#define BLOCK_SIZE ((uint64_t)16 << 10)

/* Whether debug sections have relocations. Split debug information is not linked, but has none. */
static bool has_relocations(const struct elf *elf)
{
	for (size_t i = 0; elf->type == ET_REL && i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if ((section->type == SHT_RELA || section->type == SHT_REL) &&
		    section->info < elf->section_count &&
		    text_starts(elf_section_name(elf, &elf->sections[section->info]), ".debug_"))
			return true;
	}
	return false;
}

bool section_file_open(struct section_file *file, int fd, struct err *err)
{
	struct err damage = { .code = ERR_NONE };

	*file = (struct section_file){ .err = err, .elf.fd = -1 };
	if (fd < 0)
		return false;
	if (!elf_open_packed(&file->elf, fd, &damage)) {
		err_pass_nomem(err, &damage);
		return false;
	}
	file->relocates = has_relocations(&file->elf);
	return !file->relocates || relocator_init(&file->relocator, &file->elf, err);
}

void section_file_close(struct section_file *file)
{
	relocator_release(&file->relocator);
	elf_close(&file->elf);
}

/* Reads from the file. False: the file has changed. */
static bool read_file(struct section_file *file, uint64_t offset, void *to, uint64_t size)
{
	struct err err = { .code = ERR_NONE };

	if (elf_read(&file->elf, offset, to, (size_t)size, &err))
		return true;
	file->changed = true;
	return false;
}

bool section_find(struct section *section, struct section_file *file, size_t number)
{
	const struct elf_section *found = &file->elf.sections[number];
	struct err damage = { .code = ERR_NONE };
	struct elf_packing packing;

	*section = (struct section){ .file = file, .number = number };
	if (!elf_has_bytes(found) || found->offset > file->elf.size ||
	    found->size > file->elf.size - found->offset) {
		section->file = NULL;
		return false;
	}
	section->offset = found->offset;
	section->bad = !elf_section_packing(&file->elf, found, &packing, &damage);
	section->packed = packing.kind != ELF_UNPACKED;
	section->full_size = packing.size;
	return true;
}

/* Whether the file has its bytes unpacked and without relocations, and none of them was read. */
static bool is_plain(const struct section *section)
{
	return !section->packed && !section->data && section->file && !section->file->relocates;
}

static bool has_part(const struct section *section, uint64_t offset, uint64_t size)
{
	return section->file && offset <= section->full_size && size <= section->full_size - offset;
}

bool section_cut(struct section *part, struct section *section, uint64_t offset, uint64_t size)
{
	struct bytes whole;

	*part = (struct section){ 0 };
	if (!has_part(section, offset, size))
		return false;
	*part = *section;
	part->full_size = size;
	part->blocks = NULL;
	if (is_plain(section)) {
		part->offset += offset;
		return true;
	}
	part->borrowed = true;
	part->data = NULL;
	whole = section_whole(section);
	if (!bytes_left(&whole))
		return false;
	part->packed = false;
	part->data = section->data + offset;
	return true;
}

void section_release(struct section *section)
{
	if (!section->borrowed)
		free(section->data);
	free(section->blocks);
	*section = (struct section){ 0 };
}

void section_forget(struct section *section)
{
	if (section->borrowed || section->packed || !section->file || section->file->relocates)
		return;
	free(section->data);
	free(section->blocks);
	section->data = section->blocks = NULL;
}

static bool make_room(struct section *section)
{
	/* large malloc()s take no memory before it is written */
	section->data = malloc((size_t)section->full_size);
	section->bad = !section->data;
	return section->data || err_nomem(section->file->err, (size_t)section->full_size);
}

/* The file may have become shorter, or another one, since the size was read. */
static bool unpack_section(struct section *section)
{
	struct section_file *file = section->file;
	struct err damage = { .code = ERR_NONE };
	size_t size;

	section->data = elf_section_unpacked(&file->elf, &file->elf.sections[section->number],
	                                     &size, &damage);
	if (section->data && size != section->full_size) {
		free(section->data);
		section->data = NULL;
		file->changed = true;
	}
	file->changed |= damage.code == ERR_IO;
	file->packed |= damage.code == ERR_UNSUPPORTED;
	return err_pass_nomem(file->err, &damage) && section->data;
}

static bool load_section(struct section *section)
{
	struct section_file *file = section->file;
	bool ok;

	if (section->packed)
		ok = unpack_section(section);
	else
		ok = make_room(section) &&
		     read_file(file, section->offset, section->data, section->full_size);
	if (ok && file->relocates)
		ok = relocator_apply(&file->relocator, section->number, section->data,
		                     (size_t)section->full_size, file->err);
	return ok;
}

/* Reads those blocks of [offset, offset + size) that have not been read. */
static bool load_blocks(struct section *section, uint64_t offset, uint64_t size)
{
	for (uint64_t i = offset / BLOCK_SIZE; i <= (offset + size - 1) / BLOCK_SIZE; i++) {
		uint64_t start = i * BLOCK_SIZE;
		uint64_t length = u64_min(BLOCK_SIZE, section->full_size - start);

		if (section->blocks[i / 8] & 1u << i % 8)
			continue;
		if (!read_file(section->file, section->offset + start, section->data + start,
		               length))
			return false;
		section->blocks[i / 8] |= (uint8_t)(1u << i % 8);
	}
	return true;
}

static bool begin_blocks(struct section *section)
{
	size_t size = (size_t)(section->full_size / BLOCK_SIZE / 8 + 1);

	if (make_room(section))
		section->blocks = vec_new(size, 1, section->file->err);
	return section->blocks;
}

/* Makes sure that [offset, offset + size), a part of the section, is in memory. */
static bool section_need(struct section *section, uint64_t offset, uint64_t size)
{
	if (section->bad)
		return false;
	if (!section->data)
		section->bad = is_plain(section) && size < section->full_size
		                       ? !begin_blocks(section)
		                       : !load_section(section);
	if (!section->bad && section->blocks && size)
		section->bad = !load_blocks(section, offset, size);
	return !section->bad;
}

struct bytes section_part(struct section *section, uint64_t offset, uint64_t size)
{
	struct bytes b = bytes_over(NULL, 0, section->file && section->file->elf.swap);

	if (!has_part(section, offset, size) || !section_need(section, offset, size))
		b.bad = true;
	else
		b = bytes_over(section->data + offset, (size_t)size, b.swap);
	return b;
}

struct bytes section_whole(struct section *section)
{
	struct bytes b = section_part(section, 0, section->full_size);

	b.bad = false;
	return b;
}

const char *section_text(struct section *section, uint64_t offset, struct points *points)
{
	uint64_t end = offset;

	if (!section->file || offset >= section->full_size)
		return NULL;
	while (end < section->full_size) {
		uint64_t next = u64_min((end / BLOCK_SIZE + 1) * BLOCK_SIZE, section->full_size);
		const uint8_t *start, *nul;

		if (!section_need(section, end, next - end))
			return NULL;
		start = section->data + end;
		nul = memchr(start, 0, (size_t)(next - end));
		if (!points_work(points, nul ? (uint64_t)(nul - start) : next - end))
			return NULL;
		if (nul)
			return (const char *)section->data + offset;
		end = next;
	}
	return NULL;
}

struct bytes section_fetch(struct section *section, uint64_t offset, uint64_t size, uint8_t **copy)
{
	struct bytes b = bytes_over(NULL, 0, section->file->elf.swap);

	free(*copy);
	*copy = NULL;
	if (!is_plain(section))
		return section_part(section, offset, size);
	b.bad = true;
	if (!has_part(section, offset, size))
		return b;
	*copy = malloc((size_t)size);
	if (!*copy)
		err_nomem(section->file->err, (size_t)size);
	else if (read_file(section->file, section->offset + offset, *copy, size))
		return bytes_over(*copy, (size_t)size, b.swap);
	free(*copy);
	*copy = NULL;
	return b;
}
