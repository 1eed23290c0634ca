/* For madvise() and MAP_ANONYMOUS. */
#define _DEFAULT_SOURCE

#include "decode/dwarf/image.h"

#include "decode/files/elf.h"
#include "util/cursor.h"
#include "util/inflate.h"
#include "util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u
#define PACKED_ZLIB 1
#define PACKED_ZSTD 2
/* Deflate packs at most 1032 bytes into one; who says more wants our memory. */
#define RATIO_MAX 1032
/*
 * Sizes are only claims: memory is taken ahead for so many times the file's, and so many bytes; for packed bytes
 * not more than once the file's.
 */
#define AHEAD_GROWTH 8
#define AHEAD_MOST ((uint64_t)64 << 20)
#define AHEAD_PACKED ((uint64_t)16 << 20)
/* Bytes of an image; a multiple of what sizes are rounded up to, so that none gets beyond it. */
#define IMAGE_MAX (SIZE_MAX / 2 + 1)

/* A section that is to be inflated. */
struct packed {
	const struct elf_section *section;
	uint32_t number, kind;
	size_t header;        /* bytes in front of the packed ones */
	uint64_t size, align; /* inflated */
	size_t place;         /* in the image */
};

struct plan {
	struct packed *items;
	size_t count;
	size_t size; /* of the image */
};

static bool is_debug(const char *name)
{
	return strncmp(name, ".debug_", 7) == 0 || strncmp(name, ".zdebug_", 8) == 0;
}

/* Half of the debug sections, by what they take when they are inflated. */
static bool is_needless(const char *name)
{
	static const char *const needless[] = { "aranges", "frame", "gdb_index", "gnu_pub", "loc",
		                                "macinfo", "macro", "names",     "pub" };

	name += name[1] == 'z' ? 8 : 7;
	for (size_t i = 0; i < ARRAY_SIZE(needless); i++)
		if (strncmp(name, needless[i], strlen(needless[i])) == 0)
			return true;
	return false;
}

/* Reads the header of a compressed section; false if it is better left alone. */
static bool read_packed(const struct elf *elf, struct packed *packed)
{
	uint8_t data[24] = { 0 };
	struct err err = { .code = ERR_NONE };
	const struct elf_section *section = packed->section;

	packed->header = elf->wide ? 24 : 12;
	if (section->type == ELF_SHT_NOBITS || section->size <= packed->header ||
	    section->offset > elf->size || section->size > elf->size - section->offset ||
	    !elf_read(elf, section->offset, data, packed->header, &err))
		return false;
	packed->kind = load_u32(data, elf->swap);
	packed->size = elf->wide ? load_u64(data + 8, elf->swap) : load_u32(data + 4, elf->swap);
	packed->align = elf->wide ? load_u64(data + 16, elf->swap) : load_u32(data + 8, elf->swap);
	return (packed->kind == PACKED_ZLIB || packed->kind == PACKED_ZSTD) && packed->size &&
	       packed->size / RATIO_MAX <= section->size;
}

/* Finds out which sections to inflate, and where to. False with err set: memory refused. */
static bool make_plan(struct plan *plan, const struct elf *elf, struct err *err)
{
	plan->size = (size_t)((elf->size + PAGE - 1) & ~(uint64_t)(PAGE - 1));
	plan->items = calloc(elf->section_count + 1, sizeof(*plan->items));
	if (!plan->items)
		return err_nomem(err, (elf->section_count + 1) * sizeof(*plan->items));
	for (size_t i = 0; i < elf->section_count; i++) {
		struct packed *packed = &plan->items[plan->count];
		const char *name = elf_section_name(elf, &elf->sections[i]);

		packed->section = &elf->sections[i];
		packed->number = (uint32_t)i;
		if (!(elf->sections[i].flags & ELF_SHF_COMPRESSED) || !is_debug(name) ||
		    is_needless(name) || !read_packed(elf, packed) ||
		    packed->size > IMAGE_MAX - plan->size)
			continue;
		packed->place = plan->size;
		plan->size += (size_t)((packed->size + 15) & ~(uint64_t)15);
		plan->count++;
	}
	return true;
}

/* Maps the file, with room behind it for all that the plan inflates. False: as dwarf_image_open(). */
static bool map_file(struct dwarf_image *image, const struct elf *elf, size_t size, struct err *err)
{
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		return err_nomem(err, size);
	/* Where the kernel has large pages, writing to the room costs one fault for each. */
	madvise(data, size, MADV_HUGEPAGE);
	image->data = data;
	image->size = size;
	image->file_size = (size_t)elf->size;
	/* It was packed as a whole. */
	if (elf->fd < 0) {
		memcpy(data, elf->image, image->file_size);
		image->changed = true;
		return true;
	}
	if (mmap(data, image->file_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, elf->fd,
	         0) != MAP_FAILED)
		return true;
	return errno == ENOMEM && err_nomem(err, image->file_size);
}

/* Writes a field of a section header: 32 bit, or as wide as the file's words are. */
static void put_field(uint8_t *to, uint64_t value, bool wide, bool swap)
{
	uint32_t narrow = swap ? __builtin_bswap32((uint32_t)value) : (uint32_t)value;

	value = swap ? __builtin_bswap64(value) : value;
	memcpy(to, wide ? (const void *)&value : &narrow, wide ? sizeof(value) : sizeof(narrow));
}

/* Says in the section's header that it was never compressed. */
static void change_header(uint8_t *header, const struct elf *elf, const struct packed *packed)
{
	uint64_t flags = packed->section->flags & ~(uint64_t)ELF_SHF_COMPRESSED;
	size_t word = elf->wide ? 8 : 4;

	/* name and type of 32 bit; flags, address, offset, size; two of 32 bit; alignment */
	put_field(header + 8, flags, elf->wide, elf->swap);
	put_field(header + 8 + 2 * word, packed->place, elf->wide, elf->swap);
	put_field(header + 8 + 3 * word, packed->size, elf->wide, elf->swap);
	put_field(header + 16 + 4 * word, packed->align, elf->wide, elf->swap);
}

/* Gives back the pages that nothing but this section is in. */
static void forget_section(const struct dwarf_image *image, const struct elf_section *section)
{
	/* some machines have larger ones than those that the image is planned in */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t from = ((size_t)section->offset + page - 1) & ~(page - 1);
	size_t to = (size_t)(section->offset + section->size) & ~(page - 1);

	if (from < to)
		madvise(image->data + from, to - from, MADV_DONTNEED);
}

/* Bytes that may still be taken before it is known what is in them. */
struct ahead {
	uint64_t packed, inflated;
};

/*
 * The packed bytes of a section, read: to use them where they are mapped would be a fault for each step of
 * 64 KB. NULL: they are better used there.
 */
static uint8_t *read_section(const struct elf *elf, const struct packed *packed, size_t size,
                             struct ahead *ahead)
{
	struct err err = { .code = ERR_NONE };
	uint8_t *data;

	if (elf->fd < 0 || size > ahead->packed || !(data = malloc(size)))
		return NULL;
	ahead->packed -= size;
	memory_populate(data, size);
	if (elf_read(elf, packed->section->offset + packed->header, data, size, &err))
		return data;
	free(data);
	return NULL;
}

/* Inflates a section into its place; false if it is damaged, or with err set: memory refused. */
static bool inflate_section(const struct dwarf_image *image, const struct elf *elf,
                            const struct packed *packed, struct ahead *ahead, struct err *err)
{
	size_t size = (size_t)packed->section->size - packed->header;
	size_t now = (size_t)u64_min(packed->size, ahead->inflated);
	uint8_t *to = image->data + packed->place, *copy = read_section(elf, packed, size, ahead);
	const uint8_t *from = copy ? copy : image->data + packed->section->offset + packed->header;
	bool ok;

	memory_populate(to, now);
	ahead->inflated -= now;
	ok = inflate_exact(packed->kind == PACKED_ZLIB ? INFLATE_ZLIB : INFLATE_ZSTD, from, size,
	                   to, (size_t)packed->size, err);
	if (ok && !copy)
		forget_section(image, packed->section);
	free(copy);
	return ok;
}

/* False with err set: memory refused. */
static bool inflate_sections(struct dwarf_image *image, const struct elf *elf,
                             const struct plan *plan, struct err *err)
{
	struct ahead ahead = { u64_min(elf->size, AHEAD_PACKED),
		               u64_min(AHEAD_GROWTH * elf->size, AHEAD_MOST) };
	size_t size = elf->wide ? 64 : 40;

	for (size_t i = 0; i < plan->count; i++) {
		const struct packed *packed = &plan->items[i];

		if (inflate_section(image, elf, packed, &ahead, err))
			change_header(image->data + elf->section_headers + packed->number * size,
			              elf, packed);
		else if (err->code != ERR_NONE)
			return false;
	}
	return true;
}

/* libdw would inflate what nothing needs: without a name it does not see it. */
static void hide_needless(struct dwarf_image *image, const struct elf *elf)
{
	uint8_t *header = image->data + elf->section_headers;

	for (size_t i = 0; i < elf->section_count; i++, header += elf->wide ? 64 : 40) {
		const struct elf_section *section = &elf->sections[i];
		const char *name = elf_section_name(elf, section);
		bool old = strncmp(name, ".z", 2) == 0;

		if (!(section->flags & ELF_SHF_COMPRESSED) && !old)
			continue;
		image->changed = true;
		if (is_debug(name) && is_needless(name))
			put_field(header, 0, false, elf->swap);
	}
}

/* The lowest address of code; 0 if there is none. */
static uint64_t lowest_code(const struct elf *elf)
{
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < elf->section_count; i++)
		if ((elf->sections[i].flags & ELF_SHF_EXECINSTR) && elf->sections[i].size)
			lowest = u64_min(lowest, elf->sections[i].addr);
	return lowest == UINT64_MAX ? 0 : lowest;
}

static bool read_image(struct dwarf_image *image, const struct elf *elf, struct err *err)
{
	struct plan plan = { 0 };
	bool ok;

	image->lowest = lowest_code(elf);
	ok = make_plan(&plan, elf, err) && map_file(image, elf, plan.size, err) &&
	     inflate_sections(image, elf, &plan, err);
	if (ok)
		hide_needless(image, elf);
	free(plan.items);
	return ok;
}

bool dwarf_image_open(struct dwarf_image *image, const char *path, struct err *err)
{
	return dwarf_image_open_fd(image, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err);
}

bool dwarf_image_open_fd(struct dwarf_image *image, int fd, struct err *err)
{
	struct err no_elf = { .code = ERR_NONE };
	struct elf elf;
	bool ok;

	*image = (struct dwarf_image){ 0 };
	if (fd < 0)
		return false;
	ok = elf_open_packed(&elf, fd, &no_elf);
	if (ok)
		ok = read_image(image, &elf, err);
	else if (no_elf.code == ERR_NOMEM)
		*err = no_elf;
	elf_close(&elf);
	if (!ok)
		dwarf_image_close(image);
	return ok;
}

void dwarf_image_close(struct dwarf_image *image)
{
	if (image->data)
		munmap(image->data, image->size);
	*image = (struct dwarf_image){ .changed = image->changed };
}

void dwarf_image_forget(const struct dwarf_image *image)
{
	if (image->data && !image->changed)
		madvise(image->data, image->file_size, MADV_DONTNEED);
}
