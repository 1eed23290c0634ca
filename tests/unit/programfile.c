#include "tests/unit/programfile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

const uint8_t program_id[20] = "0123456789abcdefghij";
const uint8_t other_id[20] = "another build id ...";

void program_image(struct image *image, const struct program_file *file)
{
	const struct elf_name name = { file->function ? file->function : "", ELF_BASE + PROGRAM_TEXT, 0x40,
		                       STT_FUNC, STB_GLOBAL, 1 };
	const struct elf_name dynamic = { file->dynamic ? file->dynamic : "", ELF_BASE + PROGRAM_TEXT, 0x40,
		                          STT_FUNC, STB_GLOBAL, 1 };
	struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct image symbols, names, dynsym, dynstr, note;
	struct elf_part parts[9];
	size_t count = 0;

	if (file->machine)
		whole.machine = file->machine;
	elf_name_images(&symbols, &names, &whole, &name, 1);
	elf_name_images(&dynsym, &dynstr, &whole, &dynamic, 1);
	elf_build_id_image(&note, false, file->build_id ? file->build_id : program_id, 20);
	parts[count++] = (struct elf_part){ .name = ".text", .type = 1, .flags = 6,
		                            .addr = ELF_BASE + PROGRAM_TEXT, .size = 0x40 };
	parts[count++] = (struct elf_part){ .name = ".strtab", .type = 3, .data = names.data,
		                            .size = names.size };
	parts[count++] = (struct elf_part){ .name = ".dynstr", .type = 3, .data = dynstr.data,
		                            .size = dynstr.size };
	if (file->function)
		parts[count++] = (struct elf_part){ .name = ".symtab", .type = 2, .data = symbols.data,
			                            .size = symbols.size, .entry_size = 24,
			                            .link = file->nameless ? 99 : 2 };
	if (file->dynamic)
		parts[count++] = (struct elf_part){ .name = ".dynsym", .type = 11, .data = dynsym.data,
			                            .size = dynsym.size, .link = 3, .entry_size = 24 };
	if (file->build_id)
		parts[count++] = (struct elf_part){ .name = ".note.gnu.build-id", .type = 7,
			                            .data = note.data, .size = note.size };
	if (file->link)
		parts[count++] = (struct elf_part){ .name = ".gnu_debuglink", .type = 1,
			                            .data = file->link, .size = file->link_size };
	if (file->mini)
		parts[count++] = (struct elf_part){ .name = ".gnu_debugdata", .type = 1,
			                            .data = file->mini, .size = file->mini_size };
	if (file->dwarf)
		parts[count++] = (struct elf_part){ .name = ".debug_info", .type = 1, .size = 4 };
	whole.parts = parts;
	whole.count = count;
	elf_image(image, &whole);
	image_release(&symbols), image_release(&names), image_release(&dynsym), image_release(&dynstr);
	image_release(&note);
}

void program_put(struct fixture *f, const char *path, const struct program_file *file)
{
	struct image image;

	program_image(&image, file);
	fixture_image(f, path, &image);
}

struct binary program_binary(struct fixture *f, const uint8_t *build_id)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/bin/program");

	if (build_id) {
		memcpy(binary.build_id.bytes, build_id, PERF_BUILD_ID_SIZE);
		binary.build_id.size = PERF_BUILD_ID_SIZE;
	}
	return binary;
}

void program_expect(struct fixture *f, const struct binary *binary, const char *wanted)
{
	char found[200];

	fixture_load(f, binary);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_string_equal(fixture_answer(f, PROGRAM_TEXT + 8, found, sizeof(found)), wanted);
}
