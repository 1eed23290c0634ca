#include "decode/files/elf.h"

#include "decode/files/rootfs.h"
#include "util/bytes.h"
#include "util/inflate.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* bytes of notes that are read; a vmlinux has some KiB */
#define NOTES_MAX (1u << 20)
#define HEADER_SIZE_MAX 64
/* Linkers write about a dozen; each symbol is looked up in them. */
#define SEGMENTS_MAX 1024
/* Longer section names are cut: the name of a label's section is compared for each label. */
#define SECTION_NAME_MAX 256
/* A file that is packed as a whole is unpacked in memory. */
#define UNPACKED_MAX ((size_t)256 << 20)
/*
 * How many bytes packed sections may unpack to: a fixed number, and a multiple of the file's size.
 * Compilers' debug information becomes 3 to 8 times larger, but zlib allows 1032 times and zstd
 * 32768 times.
 */
#define INFLATE_MIN ((uint64_t)64 << 20)
#define INFLATE_GROWTH 32

/* The two header tables, according to the file header. */
struct tables {
	struct header_table {
		uint64_t offset; /* in the file; 0: there is none */
		uint32_t count;
		uint16_t size; /* bytes of an item */
	} segments, sections;
	uint32_t names;
};

bool elf_read(const struct elf *elf, uint64_t offset, void *data, size_t size, struct err *err)
{
	if (offset > elf->size || size > elf->size - offset)
		return err_at(err, ERR_FORMAT, offset, "ELF file ends before %zu bytes here", size);
	if (elf->image) {
		memcpy(data, elf->image + offset, size);
		return true;
	}
	return read_whole_at(elf->fd, data, size, offset) || err_errno(err, "cannot read ELF file");
}

/* An address or an offset. */
static uint64_t read_word(struct bytes *b, bool wide)
{
	return bytes_uint(b, wide ? 8 : 4);
}

static bool read_file_header(struct elf *elf, struct tables *tables, struct err *err)
{
	uint8_t data[HEADER_SIZE_MAX] = { 0 };
	struct bytes b;

	if (elf->size < 52)
		return err_at(err, ERR_FORMAT, 0, "too short for an ELF file");
	if (!elf_read(elf, 0, data, elf->size < sizeof(data) ? 52 : sizeof(data), err))
		return false;
	if (memcmp(data, "\177ELF", 4))
		return err_at(err, ERR_FORMAT, 0, "not an ELF file");
	if (data[4] < 1 || data[4] > 2 || data[5] < 1 || data[5] > 2)
		return err_at(err, ERR_FORMAT, 4, "ELF file of unknown class or byte order");
	elf->wide = data[4] == 2;
	elf->swap = must_swap(data[5] == 2);
	b = bytes_over(data + 16, sizeof(data) - 16, elf->swap);
	elf->type = (uint16_t)bytes_uint(&b, 2);
	elf->machine = (uint16_t)bytes_uint(&b, 2);
	bytes_skip(&b, 4);
	elf->entry = read_word(&b, elf->wide);
	tables->segments.offset = read_word(&b, elf->wide);
	tables->sections.offset = read_word(&b, elf->wide);
	bytes_skip(&b, 6);
	tables->segments.size = (uint16_t)bytes_uint(&b, 2);
	tables->segments.count = (uint32_t)bytes_uint(&b, 2);
	tables->sections.size = (uint16_t)bytes_uint(&b, 2);
	tables->sections.count = (uint32_t)bytes_uint(&b, 2);
	tables->names = (uint32_t)bytes_uint(&b, 2);
	return true;
}

static struct elf_section read_section(struct bytes *b, bool wide)
{
	struct elf_section section = { .place = UINT64_MAX };

	section.name = (uint32_t)bytes_uint(b, 4);
	section.type = (uint32_t)bytes_uint(b, 4);
	section.flags = read_word(b, wide);
	section.addr = read_word(b, wide);
	section.offset = read_word(b, wide);
	section.size = read_word(b, wide);
	section.link = (uint32_t)bytes_uint(b, 4);
	section.info = (uint32_t)bytes_uint(b, 4);
	section.align = read_word(b, wide);
	section.entry_size = read_word(b, wide);
	return section;
}

/* Counts that do not fit in the file header are in the first section header. */
static bool large_counts(const struct elf *elf, struct tables *tables, struct err *err)
{
	size_t size = elf->wide ? 64 : 40;
	struct elf_section first;
	struct bytes b;
	uint8_t data[64];

	if (!tables->sections.offset ||
	    (tables->sections.count && tables->segments.count != PN_XNUM &&
	     tables->names != SHN_XINDEX))
		return true;
	if (!elf_read(elf, tables->sections.offset, data, size, err))
		return false;
	b = bytes_over(data, size, elf->swap);
	first = read_section(&b, elf->wide);
	if (!tables->sections.count)
		tables->sections.count = (uint32_t)u64_min(first.size, UINT32_MAX);
	if (tables->segments.count == PN_XNUM)
		tables->segments.count = first.info;
	if (tables->names == SHN_XINDEX)
		tables->names = first.link;
	return true;
}

/* size bytes at the offset, which are in the file, followed by a NUL: malloc'd. */
static uint8_t *read_bytes(const struct elf *elf, uint64_t offset, size_t size, struct err *err)
{
	uint8_t *data = malloc(size + 1);

	if ((data || err_nomem(err, size + 1)) && elf_read(elf, offset, data, size, err)) {
		data[size] = 0;
		return data;
	}
	free(data);
	return NULL;
}

static size_t align_up(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

bool elf_notes_build_id(const uint8_t *data, size_t size, uint64_t align, bool swap,
                        struct build_id *id)
{
	align = align == 8 ? 8 : 4;
	while (size >= 12) {
		uint32_t name_size = load_u32(data, swap);
		uint32_t body_size = load_u32(data + 4, swap);
		uint32_t type = load_u32(data + 8, swap);
		size_t body, next;

		if (name_size > size || body_size > size)
			return false;
		body = align_up(12 + (size_t)name_size, (size_t)align);
		next = align_up(body + body_size, (size_t)align);
		if (body > size || body_size > size - body)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(data + 12, "GNU", 4) &&
		    body_size) {
			id->size = body_size < PERF_BUILD_ID_SIZE ? (uint8_t)body_size
			                                          : PERF_BUILD_ID_SIZE;
			memcpy(id->bytes, data + body, id->size);
			return true;
		}
		if (next >= size)
			return false;
		data += next;
		size -= next;
	}
	return false;
}

/* Sets the build id, if the notes have one. *left: bytes of notes that may still be read. */
static bool read_notes(struct elf *elf, uint64_t offset, uint64_t size, uint64_t align,
                       uint64_t *left)
{
	struct err err = { .code = ERR_NONE };
	uint8_t *data;
	bool found;

	if (size > *left)
		return false;
	*left -= size;
	data = read_bytes(elf, offset, (size_t)size, &err);
	found = data && elf_notes_build_id(data, (size_t)size, align, elf->swap, &elf->build_id);
	free(data);
	return found;
}

/*
 * Reads a header table, whose items must have this size; b: its items. Malloc'd; NULL if it is
 * empty, or with err set.
 */
static uint8_t *read_table(const struct elf *elf, const struct header_table *table,
                           const char *what, size_t size, struct bytes *b, struct err *err)
{
	uint64_t offset = table->offset;
	uint8_t *data = NULL;

	if (!offset || !table->count)
		return NULL;
	if (table->size != size)
		err_at(err, ERR_FORMAT, offset, "%s headers of %u bytes", what, table->size);
	else if (offset > elf->size || table->count > (elf->size - offset) / size)
		err_at(err, ERR_FORMAT, offset, "ELF file has no room for its header table");
	else
		data = read_bytes(elf, offset, table->count * size, err);
	*b = bytes_over(data, table->count * size, elf->swap);
	return data;
}

static void bound_names(struct elf *elf)
{
	for (size_t i = 0; elf->names && i < elf->section_count; i++) {
		struct elf_section *section = &elf->sections[i];
		size_t left = section->name < elf->names_size ? elf->names_size - section->name : 0;

		if (left > SECTION_NAME_MAX &&
		    !memchr(elf->names + section->name, 0, SECTION_NAME_MAX))
			section->name = UINT32_MAX;
	}
}

/* The place of the next section of a module, behind those before it of the same kind. */
static uint64_t next_place(const struct elf_section *section, bool init, uint64_t *end)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
	const uint64_t align = section->align ? section->align : 1;
	uint64_t place;

	if ((section->flags & code) != code || align & (align - 1) || align > 4096 ||
	    *end >= ELF_MODULE_INIT - align)
		return UINT64_MAX;
	place = (*end + align - 1) & ~(align - 1);
	*end = u64_add_sat(place, section->size);
	return init ? u64_add_sat(place, ELF_MODULE_INIT) : place;
}

/*
 * The kernel loads the code sections of a module one after the other in file order; those that are
 * dropped after initialization apart from the others.
 */
static void place_sections(struct elf *elf)
{
	uint64_t kept_end = 0, init_end = 0;

	for (size_t i = 0; i < elf->section_count; i++) {
		struct elf_section *section = &elf->sections[i];
		const bool init = text_starts(elf_section_name(elf, section), ".init");

		section->place = next_place(section, init, init ? &init_end : &kept_end);
	}
}

static bool read_sections(struct elf *elf, const struct tables *tables, struct err *err)
{
	const struct elf_section *names;
	struct bytes b;
	uint8_t *data = read_table(elf, &tables->sections, "section", elf->wide ? 64 : 40, &b, err);

	if (data)
		elf->sections = vec_new(tables->sections.count, sizeof(*elf->sections), err);
	while (elf->sections && elf->section_count < tables->sections.count)
		elf->sections[elf->section_count++] = read_section(&b, elf->wide);
	free(data);
	names = tables->names < elf->section_count ? &elf->sections[tables->names] : NULL;
	if (names && elf_has_bytes(names)) {
		elf->names_size = (size_t)names->size + 1;
		elf->names = (char *)elf_section_data(elf, names, err);
		bound_names(elf);
	}
	place_sections(elf);
	return err->code == ERR_NONE;
}

static struct elf_segment read_segment(struct bytes *b, bool wide, uint32_t *type)
{
	struct elf_segment segment = { .flags = 0 };

	*type = (uint32_t)bytes_uint(b, 4);
	if (wide)
		segment.flags = (uint32_t)bytes_uint(b, 4);
	segment.offset = read_word(b, wide);
	segment.vaddr = read_word(b, wide);
	read_word(b, wide); /* physical address */
	segment.file_size = read_word(b, wide);
	segment.memory_size = read_word(b, wide);
	if (!wide)
		segment.flags = (uint32_t)bytes_uint(b, 4);
	segment.align = read_word(b, wide);
	return segment;
}

static bool read_segments(struct elf *elf, const struct tables *tables, struct err *err)
{
	const uint32_t count = tables->segments.count;
	uint64_t notes_left = NOTES_MAX;
	struct bytes b;
	uint8_t *data;

	if (tables->segments.offset && count > SEGMENTS_MAX)
		return err_at(err, ERR_LIMIT, tables->segments.offset,
		              "%u program headers, more than %d", count, SEGMENTS_MAX);
	data = read_table(elf, &tables->segments, "program", elf->wide ? 56 : 32, &b, err);
	if (data)
		elf->segments = vec_new(count, sizeof(*elf->segments), err);
	for (uint32_t i = 0; elf->segments && i < count; i++) {
		uint32_t type;
		struct elf_segment segment = read_segment(&b, elf->wide, &type);

		if (type == PT_LOAD)
			elf->segments[elf->segment_count++] = segment;
		else if (type == PT_TLS)
			elf->tls = segment;
		else if (type == PT_NOTE && !elf->build_id.size)
			read_notes(elf, segment.offset, segment.file_size, segment.align,
			           &notes_left);
	}
	free(data);
	return err->code == ERR_NONE;
}

/* Prefers sections: the program headers of a separate debug file can be wrong. */
static void read_note_sections(struct elf *elf)
{
	uint64_t left = NOTES_MAX;

	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (section->type == SHT_NOTE &&
		    read_notes(elf, section->offset, section->size, section->align, &left))
			return;
	}
}

static bool read_headers(struct elf *elf, struct err *err)
{
	struct tables tables = { 0 };

	elf->inflate_left = u64_min(SIZE_MAX / 2, INFLATE_MIN + INFLATE_GROWTH * elf->size);
	if (!read_file_header(elf, &tables, err) || !large_counts(elf, &tables, err) ||
	    !read_sections(elf, &tables, err))
		return false;
	read_note_sections(elf);
	return read_segments(elf, &tables, err);
}

bool elf_open(struct elf *elf, int fd, struct err *err)
{
	struct stat status;

	memset(elf, 0, sizeof(*elf));
	elf->fd = fd;
	if (fstat(fd, &status))
		return err_errno(err, "cannot look at ELF file");
	if (!S_ISREG(status.st_mode) || status.st_size < 0)
		return err_set(err, ERR_IO, "not a regular file");
	elf->size = (uint64_t)status.st_size;
	/* so that sizes of its tables and sections fit in a size_t of 32 bits, too */
	if (elf->size > SIZE_MAX / 2)
		return err_set(err, ERR_LIMIT, "more than %zu bytes", SIZE_MAX / 2);
	return read_headers(elf, err);
}

bool elf_open_memory(struct elf *elf, uint8_t *image, size_t size, struct err *err)
{
	memset(elf, 0, sizeof(*elf));
	elf->fd = -1;
	elf->image = image;
	elf->size = size;
	return read_headers(elf, err);
}

static bool is_packed(int fd)
{
	uint8_t magic[INFLATE_MAGIC_SIZE];
	ssize_t size = pread(fd, magic, sizeof(magic), 0);

	return size > 0 && inflate_recognises(magic, (size_t)size);
}

bool elf_open_packed(struct elf *elf, int fd, struct err *err)
{
	uint8_t *image;
	size_t size;

	if (!is_packed(fd))
		return elf_open(elf, fd, err);
	*elf = (struct elf){ .fd = -1 };
	image = (uint8_t *)rootfs_slurp_text(fd, UNPACKED_MAX, &size, err);
	return image && elf_open_memory(elf, image, size, err);
}

void elf_close(struct elf *elf)
{
	if (elf->fd >= 0)
		close(elf->fd);
	free(elf->image);
	free(elf->sections);
	free(elf->segments);
	free(elf->names);
	memset(elf, 0, sizeof(*elf));
	elf->fd = -1;
}

uint8_t *elf_section_data(const struct elf *elf, const struct elf_section *section, struct err *err)
{
	if (elf_has_bytes(section) && section->offset <= elf->size &&
	    section->size <= elf->size - section->offset)
		return read_bytes(elf, section->offset, (size_t)section->size, err);
	err_at(err, ERR_FORMAT, section->offset, "ELF section is not in the file");
	return NULL;
}

const char *elf_section_name(const struct elf *elf, const struct elf_section *section)
{
	return elf->names && section->name < elf->names_size ? elf->names + section->name : "";
}

const struct elf_section *elf_find_section(const struct elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->section_count; i++)
		if (elf_has_bytes(&elf->sections[i]) &&
		    !strcmp(elf_section_name(elf, &elf->sections[i]), name))
			return &elf->sections[i];
	return NULL;
}

const struct elf_section *elf_find_type(const struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->section_count; i++)
		if (elf->sections[i].type == type && elf->sections[i].size)
			return &elf->sections[i];
	return NULL;
}

struct elf_relocation elf_decode_relocation(const struct elf *elf,
                                            const struct elf_section *section, const uint8_t *data)
{
	const uint64_t info = elf_load_word(elf, data, 1);

	return (struct elf_relocation){ .offset = elf_load_word(elf, data, 0),
		                        .addend = section->type == SHT_RELA
		                                          ? elf_load_word(elf, data, 2)
		                                          : 0,
		                        .symbol = (uint32_t)(info >> (elf->wide ? 32 : 8)),
		                        .type = elf->wide ? (uint32_t)info : (uint8_t)info };
}

static bool segments_overlap(const struct elf *elf)
{
	for (size_t i = 1; i < elf->segment_count; i++)
		if (elf->segments[i].offset <
		    u64_add_sat(elf->segments[i - 1].offset, elf->segments[i - 1].memory_size))
			return true;
	return false;
}

void elf_restore_offsets(struct elf *elf)
{
	uint64_t end = 0;

	if (!segments_overlap(elf))
		return;
	for (size_t i = 0; i < elf->segment_count; i++) {
		struct elf_segment *segment = &elf->segments[i];
		uint64_t align = segment->align ? segment->align : 1;

		if (align & (align - 1))
			return;
		segment->offset = end + ((segment->vaddr - end) & (align - 1));
		segment->file_size = segment->memory_size;
		end = u64_add_sat(segment->offset, segment->memory_size);
	}
}

bool elf_offset_of_addr(const struct elf *elf, uint64_t addr, uint64_t *offset)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		uint64_t size = u64_max(segment->file_size, segment->memory_size);

		if (addr < segment->vaddr || addr - segment->vaddr >= size)
			continue;
		*offset = addr - segment->vaddr + segment->offset;
		return true;
	}
	return false;
}

bool elf_has_dwarf(const struct elf *elf)
{
	static const char *const names[] = { ".debug_info", ".debug_line", ".zdebug_info",
		                             ".zdebug_line" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (elf_find_section(elf, names[i]))
			return true;
	return false;
}
