#include "tests/unit/elfimage.h"

#include <stdlib.h>
#include <string.h>


void elf_word(struct image *image, bool wide, uint64_t value)
{
	image_put(image, value, wide ? 8 : 4);
}

static size_t aligned(size_t size)
{
	return (size + 15) / 16 * 16;
}

/* Where each part is, and behind them what follows: what is loaded has its address. Free it. */
static size_t *places_of(const struct elf_whole *whole)
{
	size_t at = whole->wide ? 64 + 56 : 52 + 32;
	size_t *places = malloc((whole->count + 1) * sizeof(*places));

	if (!places)
		abort();
	for (size_t i = 0; i < whole->count; i++) {
		const struct elf_part *part = &whole->parts[i];

		places[i] = part->addr ? (size_t)(part->addr - ELF_BASE) : aligned(at);
		at = places[i] + (part->type == SHT_NOBITS ? 0 : part->size);
	}
	places[whole->count] = aligned(at);
	return places;
}

static void file_header(struct image *image, const struct elf_whole *whole, size_t sections)
{
	bool wide = whole->wide;
	const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', wide ? 2 : 1, whole->big_endian ? 2 : 1, 1 };

	image_bytes(image, ident, sizeof(ident));
	image_u16(image, whole->type);
	image_u16(image, whole->machine);
	image_u32(image, 1);
	elf_word(image, wide, ELF_BASE);
	elf_word(image, wide, wide ? 64 : 52);
	elf_word(image, wide, sections);
	image_u32(image, 0);
	image_u16(image, wide ? 64 : 52);
	image_u16(image, wide ? 56 : 32);
	image_u16(image, 1);
	image_u16(image, wide ? 64 : 40);
	image_u16(image, (uint16_t)(whole->count + 2));
	image_u16(image, (uint16_t)(whole->count + 1));
}

static void program_header(struct image *image, bool wide, size_t size)
{
	image_u32(image, 1);
	if (wide)
		image_u32(image, 5);
	elf_word(image, wide, 0);
	elf_word(image, wide, ELF_BASE);
	elf_word(image, wide, ELF_BASE);
	elf_word(image, wide, size);
	elf_word(image, wide, size);
	if (!wide)
		image_u32(image, 5);
	elf_word(image, wide, 0x1000);
}

static void section_header(struct image *image, const struct elf_part *part, bool wide,
                           uint32_t name, size_t place)
{
	image_u32(image, name);
	image_u32(image, part->type);
	elf_word(image, wide, part->flags);
	elf_word(image, wide, part->addr);
	elf_word(image, wide, part->said_offset ? part->said_offset : place);
	elf_word(image, wide, part->said_size ? part->said_size : part->size);
	image_u32(image, part->link);
	image_u32(image, part->info);
	elf_word(image, wide, part->align ? part->align : 4);
	elf_word(image, wide, part->entry_size);
}

static void fill_to(struct image *image, size_t size)
{
	if (image->size < size)
		image_zeros(image, size - image->size);
}

void elf_image(struct image *image, const struct elf_whole *whole)
{
	size_t *places = places_of(whole), names = places[whole->count], sections, name = 1;
	struct elf_part own = { .name = ".shstrtab", .type = SHT_STRTAB };

	own.size = 1 + strlen(own.name) + 1;
	for (size_t i = 0; i < whole->count; i++)
		own.size += strlen(whole->parts[i].name) + 1;
	sections = aligned(names + own.size);
	image_init(image, whole->big_endian);
	file_header(image, whole, sections);
	program_header(image, whole->wide, sections);
	for (size_t i = 0; i < whole->count; i++) {
		const struct elf_part *part = &whole->parts[i];

		if (part->type == SHT_NOBITS)
			continue;
		fill_to(image, places[i]);
		if (part->data)
			image_bytes(image, part->data, part->size);
		else
			image_zeros(image, part->size);
	}
	fill_to(image, names);
	image_u8(image, 0);
	for (size_t i = 0; i < whole->count; i++)
		image_bytes(image, whole->parts[i].name, strlen(whole->parts[i].name) + 1);
	image_bytes(image, own.name, strlen(own.name) + 1);
	fill_to(image, sections);
	image_zeros(image, whole->wide ? 64 : 40);
	for (size_t i = 0; i < whole->count; i++) {
		section_header(image, &whole->parts[i], whole->wide, (uint32_t)name, places[i]);
		name += strlen(whole->parts[i].name) + 1;
	}
	section_header(image, &own, whole->wide, (uint32_t)name, names);
	free(places);
}

void elf_name_images(struct image *symbols, struct image *names, const struct elf_whole *whole,
                     const struct elf_name *list, size_t count)
{
	image_init(symbols, whole->big_endian);
	image_init(names, whole->big_endian);
	image_zeros(symbols, whole->wide ? 24 : 16);
	image_u8(names, 0);
	for (size_t i = 0; i < count; i++) {
		image_u32(symbols, (uint32_t)names->size);
		if (!whole->wide) {
			image_u32(symbols, (uint32_t)list[i].value);
			image_u32(symbols, (uint32_t)list[i].size);
		}
		image_u8(symbols, (uint8_t)(list[i].binding << 4 | list[i].type));
		image_u8(symbols, 0);
		image_u16(symbols, (uint16_t)list[i].section);
		if (whole->wide) {
			image_u64(symbols, list[i].value);
			image_u64(symbols, list[i].size);
		}
		image_bytes(names, list[i].name, strlen(list[i].name) + 1);
	}
}

void elf_build_id_image(struct image *note, bool big_endian, const void *id, size_t size)
{
	image_init(note, big_endian);
	image_u32(note, 4);
	image_u32(note, (uint32_t)size);
	image_u32(note, 3);
	image_bytes(note, "GNU", 4);
	image_bytes(note, id, size);
	image_zeros(note, (4 - size % 4) % 4);
}
