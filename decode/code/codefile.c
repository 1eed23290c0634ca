#define _GNU_SOURCE /* memfd_create() */

#include "decode/code/codefile.h"

#include "decode/files/elf.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file that grows. */
struct growing_file {
	uint8_t *data;
	size_t size, capacity;
	bool big_endian;
	bool wide; /* words have 8 bytes, otherwise 4 */
	struct err *err;
};

/* Where the tables are in the file. */
struct file_layout {
	uint64_t attributes, attribute_size, symbols, symbol_count, texts, text_size, names,
		name_size;
	bool is_arm; /* objdump searches the attributes by the name of the section */
};

static void put_bytes(struct growing_file *out, const void *data, size_t size)
{
	if (size && vec_reserve(&out->data, out->size + size, &out->capacity, 1, out->err)) {
		memcpy(out->data + out->size, data, size);
		out->size += size;
	}
}

static void put_number(struct growing_file *out, uint64_t value, size_t size)
{
	uint8_t data[8];

	for (size_t i = 0; i < size; i++)
		data[out->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
	put_bytes(out, data, size);
}

static void put_word(struct growing_file *out, uint64_t value)
{
	put_number(out, value, out->wide ? 8 : 4);
}

/* Pads, so that what follows begins at a multiple of 8; returns where. */
static uint64_t align_bytes(struct growing_file *out)
{
	static const uint8_t zeros[8];

	put_bytes(out, zeros, -out->size & 7);
	return out->size;
}

static void put_header(struct growing_file *out, const struct code_machine *machine,
                       uint64_t sections, size_t section_count)
{
	const uint8_t ident[EI_NIDENT] = { ELFMAG0,
		                           ELFMAG1,
		                           ELFMAG2,
		                           ELFMAG3,
		                           out->wide ? ELFCLASS64 : ELFCLASS32,
		                           out->big_endian ? ELFDATA2MSB : ELFDATA2LSB,
		                           EV_CURRENT };

	put_bytes(out, ident, sizeof(ident));
	put_number(out, ET_EXEC, 2);
	put_number(out, machine->machine, 2);
	put_number(out, EV_CURRENT, 4);
	put_word(out, 0); /* entry */
	put_word(out, 0); /* program headers */
	put_word(out, sections);
	put_number(out, machine->flags, 4);
	put_number(out, out->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), 2);
	put_number(out, 0, 2);
	put_number(out, 0, 2);
	put_number(out, out->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
	put_number(out, section_count, 2);
	put_number(out, section_count - 1, 2); /* the names come last */
}

static void put_section(struct growing_file *out, const Elf64_Shdr *section)
{
	put_number(out, section->sh_name, 4);
	put_number(out, section->sh_type, 4);
	put_word(out, section->sh_flags);
	put_word(out, section->sh_addr);
	put_word(out, section->sh_offset);
	put_word(out, section->sh_size);
	put_number(out, section->sh_link, 4);
	put_number(out, section->sh_info, 4);
	put_word(out, section->sh_addralign);
	put_word(out, section->sh_entsize);
}

static void put_symbol(struct growing_file *out, uint64_t value, uint32_t name, size_t section)
{
	const uint8_t info = name ? ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE) : 0;

	put_number(out, name, 4);
	if (!out->wide) {
		put_word(out, value);
		put_word(out, 0);
	}
	put_number(out, info, 1);
	put_number(out, 0, 1);
	put_number(out, section, 2);
	if (out->wide) {
		put_word(out, value);
		put_word(out, 0);
	}
}

/* Characters of one, and of all together; what is beyond that is garbage, and left out. */
#define EXTENSIONS_MOST 1000
#define ALL_EXTENSIONS_MOST ((size_t)1 << 20)

static bool has_extensions(const struct code_mark *mark, size_t size)
{
	return mark->kind == 'x' && mark->extensions && size < ALL_EXTENSIONS_MOST &&
	       strlen(mark->extensions) < EXTENSIONS_MOST;
}

/* The names of marks, each once; of those with extensions as long as they are the same. */
struct mark_names {
	struct growing_file text;
	const char *last; /* extensions */
	uint32_t last_name;
};

/* Returns where the name of a mark is; 0: it is none. */
static uint32_t put_mark_name(struct mark_names *names, const struct code_mark *mark)
{
	static const char kinds[] = "atxd"; /* in the order of the first names */
	const char *kind = mark->kind ? strchr(kinds, mark->kind) : NULL;

	if (!kind)
		return 0;
	if (!has_extensions(mark, names->text.size))
		return 1 + 3 * (uint32_t)(kind - kinds);
	if (strcmp(names->last, mark->extensions) != 0) {
		names->last_name = (uint32_t)names->text.size;
		names->last = mark->extensions;
		put_bytes(&names->text, "$x", 2);
		put_bytes(&names->text, names->last, strlen(names->last) + 1);
	}
	return names->last_name;
}

/* The marks as symbols $a, $t, $x, $d, and $x with extensions. */
static void put_marks(struct growing_file *out, const struct code_function *functions, size_t count,
                      struct file_layout *layout)
{
	static const char first[] = "\0$a\0$t\0$x\0$d";
	struct mark_names names = { .text.err = out->err, .last = "" };

	put_bytes(&names.text, first, sizeof(first));
	layout->symbols = align_bytes(out);
	layout->symbol_count = 1;
	put_symbol(out, 0, 0, 0);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < functions[i].mark_count; k++) {
			const uint32_t name = put_mark_name(&names, &functions[i].marks[k]);

			if (!name)
				continue;
			put_symbol(out, functions[i].marks[k].addr, name, i + 1);
			layout->symbol_count++;
		}
	layout->texts = out->size;
	layout->text_size = names.text.size;
	put_bytes(out, names.text.data, names.text.size);
	free(names.text.data);
}

static void put_names(struct growing_file *out, size_t first, size_t count,
                      struct file_layout *layout)
{
	static const char last[] = "symtab\0strtab\0names\0.ARM.attributes\0.riscv.attributes";
	char name[CODE_SECTION_SIZE];

	layout->names = out->size;
	put_bytes(out, "", 1);
	for (size_t i = 0; i < count; i++) {
		int length = snprintf(name, sizeof(name), CODE_SECTION, first + i);

		put_bytes(out, name, (size_t)length + 1);
	}
	put_bytes(out, last, sizeof(last));
	layout->name_size = out->size - layout->names;
}

/* The section headers: none, one for each function, attributes if there are any, three tables. */
static void put_sections(struct growing_file *out, const struct code_function *functions,
                         size_t first, size_t count, const struct file_layout *layout)
{
	const size_t entry = out->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t offset = out->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	Elf64_Shdr section = { .sh_type = SHT_NULL };
	uint32_t name = 1;

	put_section(out, &section);
	for (size_t i = 0; i < count; i++) {
		section = (Elf64_Shdr){ .sh_name = name,
			                .sh_type = SHT_PROGBITS,
			                .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			                .sh_addr = functions[i].addr,
			                .sh_offset = offset,
			                .sh_size = functions[i].size,
			                .sh_addralign = 1 };
		put_section(out, &section);
		offset += functions[i].size;
		name += (uint32_t)snprintf(NULL, 0, CODE_SECTION, first + i) + 1;
	}
	section = (Elf64_Shdr){ .sh_name = name + (layout->is_arm ? 20 : 36),
		                .sh_type = ELF_ATTRIBUTES,
		                .sh_offset = layout->attributes,
		                .sh_size = layout->attribute_size,
		                .sh_addralign = 1 };
	if (layout->attribute_size)
		put_section(out, &section);
	section = (Elf64_Shdr){ .sh_name = name,
		                .sh_type = SHT_SYMTAB,
		                .sh_offset = layout->symbols,
		                .sh_size = layout->symbol_count * entry,
		                .sh_link = (uint32_t)count + 2 + (layout->attribute_size > 0),
		                .sh_info = (uint32_t)layout->symbol_count,
		                .sh_addralign = 8,
		                .sh_entsize = entry };
	put_section(out, &section);
	section = (Elf64_Shdr){ .sh_name = name + 7,
		                .sh_type = SHT_STRTAB,
		                .sh_offset = layout->texts,
		                .sh_size = layout->text_size,
		                .sh_addralign = 1 };
	put_section(out, &section);
	section.sh_name = name + 14;
	section.sh_offset = layout->names;
	section.sh_size = layout->name_size;
	put_section(out, &section);
}

/* The file is written to memory that has a descriptor. */
static int write_file(const struct growing_file *file)
{
	int fd = memfd_create("code", MFD_CLOEXEC);

	if (fd >= 0 && write_whole(fd, file->data, file->size))
		return fd;
	err_errno(file->err, "a temporary file for objdump cannot be written");
	if (fd >= 0)
		close(fd);
	return -1;
}

int code_file_make(const struct code_function *functions, size_t first, size_t count,
                   const struct code_machine *machine, struct err *err)
{
	struct growing_file out = { .big_endian = machine->big_endian,
		                    .wide = machine->wide,
		                    .err = err };
	struct file_layout layout = { .is_arm = machine->machine == EM_ARM };
	size_t number = count - first + 4 + (machine->attribute_size > 0), header;
	uint64_t sections;
	int fd = -1;

	functions += first;
	count -= first;
	put_header(&out, machine, 0, number);
	header = out.size;
	for (size_t i = 0; i < count; i++)
		put_bytes(&out, functions[i].bytes, functions[i].size);
	layout.attributes = out.size;
	layout.attribute_size = machine->attribute_size;
	put_bytes(&out, machine->attributes, machine->attribute_size);
	put_marks(&out, functions, count, &layout);
	put_names(&out, first, count, &layout);
	sections = align_bytes(&out);
	put_sections(&out, functions, first, count, &layout);
	if (err->code == ERR_NONE) {
		/* the header again, which knows now where the sections are */
		const size_t size = out.size;

		out.size = 0;
		put_header(&out, machine, sections, number);
		out.size = out.size == header ? size : out.size;
		fd = write_file(&out);
	}
	free(out.data);
	return fd;
}
