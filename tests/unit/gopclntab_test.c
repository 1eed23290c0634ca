/*
 * Names, files and lines of a stripped Go program, compared with what Go's own tools print of the same
 * program before it was stripped.
 */
#include "decode/files/gotable.h"
#include "decode/source/source.h"
#include "tests/unit/fixture.h"
#include "util/cursor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define ADDRESSES 2000

static const char source[] =
	"package main\n"
	"import (\"fmt\"; \"os\"; \"sort\"; \"strings\")\n"
	"type shape interface{ area() float64 }\n"
	"type square struct{ side float64 }\n"
	"func (s square) area() float64 { return s.side * s.side }\n"
	"func main() {\n"
	"	words := strings.Fields(strings.Join(os.Args, \" \"))\n"
	"	sort.Strings(words)\n"
	"	var s shape = square{float64(len(words))}\n"
	"	fmt.Println(s.area(), func() int { return len(words) }())\n"
	"}\n";

static const struct elf_section *text_of(const struct elf *elf)
{
	const struct elf_section *text = elf_find_section(elf, ".text");

	assert_non_null(text);
	return text;
}

/* Addresses all over the text: their number and a step that is prime to most lengths of functions. */
static void write_addresses(struct fixture *f, const struct elf_section *text)
{
	char list[ADDRESSES * 20], *end = list;

	for (size_t i = 0; i < ADDRESSES; i++)
		end += sprintf(end, "0x%" PRIx64 "\n",
		               text->addr + (text->size / ADDRESSES * i) + i % 13);
	fixture_text(f, "addresses", list);
}

/* Whether nothing is executed there: Go fills the space between functions with int3. */
static bool is_padding(const struct elf *elf, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };
	uint64_t offset;
	uint8_t byte;

	return elf_offset_of_addr(elf, addr, &offset) && elf_read(elf, offset, &byte, 1, &err) &&
	       byte == 0xcc;
}

struct wanted {
	char name[500], place[700];
};

static bool read_wanted(FILE *listed, struct wanted *wanted)
{
	if (!fgets(wanted->name, sizeof(wanted->name), listed) ||
	    !fgets(wanted->place, sizeof(wanted->place), listed))
		return false;
	wanted->name[strcspn(wanted->name, "\n")] = '\0';
	wanted->place[strcspn(wanted->place, "\n")] = '\0';
	return true;
}

static void compare_one(struct fixture *f, const struct elf *elf, uint64_t addr,
                        const struct wanted *wanted)
{
	struct source_addr asked = { .addr = addr };
	struct source_query query = { .strings = &f->strings, .addrs = &asked, .addr_count = 1 };
	enum symbol_origin origin;
	uint64_t offset;
	char place[800];

	assert_true(elf_offset_of_addr(elf, addr, &offset));
	if (!strcmp(wanted->name, "?")) {
		assert_string_equal(fixture_name(f, offset, NULL), "-");
		return;
	}
	assert_string_equal(fixture_name(f, offset, &origin), wanted->name);
	assert_int_equal(origin, ORIGIN_GOPCLNTAB);
	assert_true(symbols_answer(f->symbols, &query, &f->err));
	/* such names, which are no files, are left out everywhere */
	if (wanted->place[0] == '<' || !strcmp(wanted->place, ":-1")) {
		assert_int_equal(asked.file, STRING_EMPTY);
		assert_int_equal(asked.line, 0);
		return;
	}
	snprintf(place, sizeof(place), "%s:%" PRIu32, strings_get(&f->strings, asked.file),
	         asked.line);
	assert_string_equal(place, wanted->place);
}

struct listed_symbol {
	uint64_t addr;
	char name[300];
};

/* The symbols of whole's code, ascending, as nm lists them. */
static struct listed_symbol *list_symbols(struct fixture *f, size_t *count)
{
	struct listed_symbol *list = calloc(20000, sizeof(*list));
	char line[500], path[200];
	FILE *listed;

	assert_non_null(list);
	assert_true(fixture_run(f, ".", "nm -n whole"));
	listed = fopen(fixture_path(f, "log", path), "r");
	assert_non_null(listed);
	*count = 0;
	while (*count < 20000 && fgets(line, sizeof(line), listed))
		if (sscanf(line, "%" SCNx64 " %*[Tt] %299[^\n]", &list[*count].addr,
		           list[*count].name) == 2)
			++*count;
	fclose(listed);
	return list;
}

/* The runtime's table writes [...] for the parameters of types, and leaves out the calling convention. */
static bool is_same_name(const char *symbol, const char *name)
{
	const char *left_out = strstr(name, "[...]");

	if (left_out)
		return !strncmp(symbol, name, (size_t)(left_out - name));
	return !strncmp(symbol, name, strlen(name)) &&
	       (!symbol[strlen(name)] || !strcmp(symbol + strlen(name), ".abi0"));
}

/* The name of each address is one of those that the last symbol's address before it has. */
static void compare_with_nm(struct fixture *f)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/program");
	struct err err = { .code = ERR_NONE };
	const struct elf_section *text;
	struct listed_symbol *list;
	size_t count, next = 0, named = 0;
	char path[200];
	struct elf elf;

	assert_true(elf_open(&elf, open(fixture_path(f, "program", path), O_RDONLY | O_CLOEXEC), &err));
	text = text_of(&elf);
	list = list_symbols(f, &count);
	assert_true(fixture_load(f, &binary));
	for (size_t i = 0; i < ADDRESSES; i++) {
		uint64_t addr = text->addr + text->size / ADDRESSES * i + i % 13, offset;
		enum symbol_origin origin;
		const char *name;
		bool found = false;

		if (is_padding(&elf, addr))
			continue;
		assert_true(elf_offset_of_addr(&elf, addr, &offset));
		name = fixture_name(f, offset, &origin);
		if (origin != ORIGIN_GOPCLNTAB)
			continue;
		named++;
		while (next < count && list[next].addr <= addr)
			next++;
		for (size_t k = next; k-- && list[k].addr == list[next - 1].addr;)
			found |= is_same_name(list[k].name, name);
		if (!found)
			print_message("0x%" PRIx64 ": %s, not %s\n", addr, name,
			              list[next - 1].name);
		assert_true(found);
	}
	free(list);
	elf_close(&elf);
	assert_true(named > ADDRESSES * 9 / 10);
}

static void compare(struct fixture *f)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/program");
	struct err err = { .code = ERR_NONE };
	struct wanted wanted;
	char path[200];
	size_t count = 0, named = 0;
	struct elf elf;
	FILE *listed;

	assert_true(elf_open(&elf, open(fixture_path(f, "program", path), O_RDONLY | O_CLOEXEC), &err));
	write_addresses(f, text_of(&elf));
	assert_true(fixture_run(f, ".", "go tool addr2line whole <addresses"));
	assert_true(fixture_load(f, &binary));
	assert_true(symbols_have_lines(f->symbols));
	listed = fopen(fixture_path(f, "log", path), "r");
	assert_non_null(listed);
	for (; read_wanted(listed, &wanted); count++) {
		const struct elf_section *text = text_of(&elf);

		named += strcmp(wanted.name, "?") != 0;
		uint64_t addr = text->addr + (text->size / ADDRESSES * count) + count % 13;

		if (!is_padding(&elf, addr))
			compare_one(f, &elf, addr, &wanted);
	}
	fclose(listed);
	elf_close(&elf);
	assert_int_equal(count, ADDRESSES);
	assert_true(named > ADDRESSES * 9 / 10);
}

static void build_and_compare(const char *target, const char *flags, void (*check)(struct fixture *f))
{
	char settings[100];
	struct fixture f;

	snprintf(settings, sizeof(settings), "GO111MODULE=off GOCACHE=${GOCACHE:-$PWD/cache} GOFLAGS= %s", target);
	fixture_begin(&f);
	fixture_text(&f, "main.go", source);
	if (!fixture_has("go") ||
	    !fixture_run(&f, ".", "%s go build %s -o whole main.go", settings, flags) ||
	    !fixture_run(&f, ".", "%s go build %s -ldflags='-s -w' -o program main.go", settings,
	                 flags)) {
		fixture_end(&f);
		skip();
	}
	check(&f);
	fixture_run(&f, ".", "chmod -R u+w cache");
	fixture_end(&f);
}

static void test_program(void **state)
{
	(void)state;
	build_and_compare("", "", compare);
}

/* One more line of what addr2line lists, without its end; false at the end. */
static bool next_line(FILE *listed, char *line, size_t size)
{
	if (!fgets(line, (int)size, listed))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

/* Whether a frame is the one that is listed; files that the compiler made up have no name here. */
static bool is_frame(const struct fixture *f, const struct source_frame *frame, const char *name,
                     const char *place)
{
	const char *file = strings_get(&f->strings, frame->file);
	char found[800];

	snprintf(found, sizeof(found), "%s:%" PRIu32, file, frame->line);
	return !strcmp(strings_get(&f->strings, frame->function), name) &&
	       (!strncmp(place, found, strlen(found)) || (!*file && strstr(place, "<autogenerated>")));
}

/*
 * What was inlined at each address is what LLVM reads in the debug information of the same program.
 * (binutils name the function around at the first address of some inlined ones.)
 */
static void compare_inlined(struct fixture *f)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/program");
	char path[200], line[800] = "", place[800];
	struct err err = { .code = ERR_NONE };
	size_t count = 0, inlined = 0;
	struct elf elf;
	FILE *listed;

	assert_true(elf_open(&elf, open(fixture_path(f, "program", path), O_RDONLY | O_CLOEXEC), &err));
	write_addresses(f, text_of(&elf));
	elf_close(&elf);
	assert_true(fixture_run(f, ".", "llvm-symbolizer --output-style=GNU --no-demangle -a -f -i -e whole <addresses"));
	assert_true(fixture_load(f, &binary));
	listed = fopen(fixture_path(f, "log", path), "r");
	assert_non_null(listed);
	for (bool more = next_line(listed, line, sizeof(line)); more; count++) {
		struct source_addr asked = { .addr = strtoull(line, NULL, 16) };
		struct source_query query = { .strings = &f->strings, .addrs = &asked,
			                      .addr_count = 1, .inlines = true };
		uint32_t depth = 0;
		bool wrapper;

		assert_true(symbols_answer(f->symbols, &query, &f->err));
		/* debug information lacks what is inlined into some functions that the compiler made up */
		wrapper = asked.frame_count &&
		          query.frames[asked.frame + asked.frame_count - 1].file == STRING_EMPTY;
		while ((more = next_line(listed, line, sizeof(line))) && strncmp(line, "0x", 2) != 0) {
			assert_true(next_line(listed, place, sizeof(place)));
			if (!wrapper && depth < asked.frame_count &&
			    !is_frame(f, &query.frames[asked.frame + depth], line, place))
				fail_msg("0x%" PRIx64 ": not %s %s", asked.addr, line, place);
			depth++;
		}
		/* of a place where nothing is inlined there is no frame */
		assert_true(wrapper || asked.frame_count == (depth > 1 ? depth : 0));
		inlined += depth > 1;
		free(query.frames);
	}
	fclose(listed);
	assert_int_equal(count, ADDRESSES);
	assert_true(inlined > ADDRESSES / 10);
}

static void test_inlined(void **state)
{
	(void)state;
	if (!fixture_has("llvm-symbolizer"))
		skip();
	build_and_compare("", "", compare_inlined);
}

static void test_inlined_position_independent(void **state)
{
	(void)state;
	if (!fixture_has("llvm-symbolizer"))
		skip();
	build_and_compare("", "-buildmode=pie", compare_inlined);
}

static void test_inlined_32_bit(void **state)
{
	(void)state;
	if (!fixture_has("llvm-symbolizer"))
		skip();
	build_and_compare("GOARCH=386", "", compare_inlined);
}

/* Its addresses are known only from its relocations, which Go's tools do not read. */
static void test_position_independent(void **state)
{
	(void)state;
	build_and_compare("", "-buildmode=pie", compare_with_nm);
}

/* A table by hand: two functions in one of the versions. */
static void made_table(struct image *image, uint32_t magic, uint64_t text)
{
	bool old = magic == 0xfffffffb, offsets = magic == 0xfffffff0 || magic == 0xfffffff1;
	uint64_t header = old ? 0 : offsets ? 72 : 64, names = header, list = header + 16;

	image_init(image, false);
	image_u32(image, magic);
	image_bytes(image, "\0\0\1\10", 4);
	image_u64(image, 2);
	if (!old) {
		image_u64(image, 0);
		if (offsets)
			image_u64(image, text);
		image_u64(image, names);
		image_u64(image, 0), image_u64(image, 0), image_u64(image, 0);
		image_u64(image, list);
		image_bytes(image, "main.a\0main.b\0\0", 16);
	}
	/* two functions of 16 bytes, their descriptions behind the list */
	if (offsets) {
		uint32_t words[] = { 0, 20, 16, 28, 32 };

		for (size_t i = 0; i < 5; i++)
			image_u32(image, words[i]);
		image_u32(image, 0), image_u32(image, 0);
		image_u32(image, 16), image_u32(image, 7);
		return;
	}
	uint64_t first = old ? 16 + 40 + 4 : 40;
	uint64_t name = old ? first + 24 : 0;

	image_u64(image, text), image_u64(image, first);
	image_u64(image, text + 16), image_u64(image, first + 12);
	image_u64(image, text + 32);
	if (old)
		image_u32(image, 0);
	image_u64(image, text), image_u32(image, (uint32_t)name);
	image_u64(image, text + 16), image_u32(image, (uint32_t)name + 7);
	if (old)
		image_bytes(image, "main.a\0main.b\0\0", 16);
}

#define TEXT_ADDR (ELF_BASE + 0x400)

#define TABLE_ADDR (ELF_BASE + 0x800)

/* The runtime's description of the program (moduledata), which holds the address of the text. */
static void made_module(struct image *image, const struct image *table)
{
	image_init(image, false);
	for (unsigned word = 0; word < 46; word++) {
		uint64_t names = load_u64(table->data + 32, false);

		image_u64(image, word == 0 || word == 4 || word == 7 || word == 10 ? TABLE_ADDR :
		                 word == 1                                       ? TABLE_ADDR + names :
		                 word == 22                                      ? TEXT_ADDR :
		                                                                   0);
	}
}

/* relocated: the loader fills in the address of the text. */
static void put_made(struct fixture *f, const struct image *table, bool with_module, bool relocated)
{
	const uint64_t place = ELF_BASE + 0xc00 + 22 * 8;
	uint64_t relocation[3] = { place, R_X86_64_RELATIVE, TEXT_ADDR };
	struct image module;
	uint8_t text[0x40];

	made_module(&module, table);
	if (relocated)
		memset(module.data + 22 * 8, 0, 8);
	memset(text, 0xc3, sizeof(text)); /* no padding */

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = TEXT_ADDR, .data = text,
		  .size = sizeof(text) },
		{ .name = ".gopclntab", .type = 1, .flags = 2, .addr = TABLE_ADDR,
		  .data = table->data, .size = table->size },
		{ .name = ".go.module", .type = 1, .flags = 3, .addr = ELF_BASE + 0xc00,
		  .data = module.data, .size = module.size },
		{ .name = ".rela.dyn", .type = 4, .flags = 2, .addr = ELF_BASE + 0xe00,
		  .data = relocation, .size = sizeof(relocation) },
	};
	struct elf_whole whole = { .wide = true, .type = ET_EXEC, .machine = EM_X86_64,
		                   .parts = parts, .count = relocated ? 4 : with_module ? 3 : 2 };
	struct image image;

	elf_image(&image, &whole);
	image_release(&module);
	fixture_image(f, "program", &image);
}

static void test_versions(void **state)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };
	struct fixture f;
	struct binary binary;
	char answer[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		struct image table;

		fixture_begin(&f);
		made_table(&table, magics[i], TEXT_ADDR);
		put_made(&f, &table, false, false);
		binary = fixture_binary(&f, BINARY_FILE, "/program");
		fixture_load(&f, &binary);
		assert_string_equal(fixture_answer(&f, 0x400, answer, sizeof(answer)),
		                    "main.a gopclntab");
		assert_string_equal(fixture_answer(&f, 0x40f, answer, sizeof(answer)),
		                    "main.a gopclntab");
		assert_string_equal(fixture_answer(&f, 0x410, answer, sizeof(answer)),
		                    "main.b gopclntab");
		assert_string_equal(fixture_name(&f, 0x430, NULL), "[function at 0x10420]");
		/* every prefix ends in time, and names nothing else */
		for (size_t size = 1; size < table.size; size++) {
			struct image part = table;
			const char *name;

			part.size = size;
			put_made(&f, &part, false, false);
			fixture_load(&f, &binary);
			name = fixture_name(&f, 0x400, NULL);
			assert_true(!strcmp(name, "-") || !strncmp(name, "main.a", strlen(name)) ||
			            !strncmp(name, "[function at", 12));
		}
		image_release(&table);
		fixture_end(&f);
	}
}

/* Data full of what looks like a module, and relocations to search for each: it ends soon. */
static void test_false_modules(void **state)
{
	enum { SIZE = 1 << 21 };
	static uint64_t data[SIZE / 8], relocations[SIZE / 8];
	const clock_t start = clock();
	struct image table, image;
	struct fixture f;
	struct binary binary;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(data); i += 2)
		data[i] = TABLE_ADDR;
	fixture_begin(&f);
	made_table(&table, 0xfffffff1, 0);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = TEXT_ADDR, .size = 0x40 },
		{ .name = ".gopclntab", .type = 1, .flags = 2, .addr = TABLE_ADDR,
		  .data = table.data, .size = table.size },
		{ .name = ".data", .type = 1, .flags = 3, .addr = ELF_BASE + 0xc00, .data = data,
		  .size = SIZE },
		{ .name = ".rela.dyn", .type = 4, .flags = 2, .addr = ELF_BASE + 0xc00 + SIZE,
		  .data = relocations, .size = SIZE },
	};
	struct elf_whole whole = { .wide = true, .type = ET_EXEC, .machine = EM_X86_64,
		                   .parts = parts, .count = 4 };

	elf_image(&image, &whole);
	image_release(&table);
	fixture_image(&f, "program", &image);
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	fixture_load(&f, &binary);
	assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
	fixture_end(&f);
}

/* A table of Go 1.2 that is full of this byte behind its header; names begin at the 1000th byte. */
static void filled_table(struct image *table, uint8_t byte)
{
	made_table(table, 0xfffffffb, TEXT_ADDR);
	image_patch(table, 68, 1000, 4);
	while (table->size < 1 << 20)
		image_u8(table, byte);
}

/* A name of a megabyte, which may be that of any number of functions: there is a limit to all of them. */
static void test_long_names(void **state)
{
	enum { TIMES = 1000 };
	struct image table;
	struct fixture f;
	struct binary binary;
	int times = 0;

	(void)state;
	fixture_begin(&f);
	filled_table(&table, 'x');
	put_made(&f, &table, false, false);
	image_release(&table);
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	fixture_load(&f, &binary);
	while (times < TIMES && fixture_name(&f, 0x400, NULL)[0] == 'x')
		times++;
	assert_in_range(times, 16, TIMES - 1);
	fixture_end(&f);
}

/* A list of steps without an end, which may be that of any number of functions. */
static void test_long_lists(void **state)
{
	enum { TIMES = 1000 };
	struct err err = { .code = ERR_NONE };
	struct image table, image;
	struct gopclntab go;
	struct elf elf;
	int32_t value;
	int times = 0;

	(void)state;
	filled_table(&table, 2);

	const struct elf_part part = { .name = ".gopclntab", .type = 1, .flags = 2, .addr = TABLE_ADDR,
		                       .data = table.data, .size = table.size };
	const struct elf_whole whole = { .wide = true, .type = ET_EXEC, .machine = EM_X86_64,
		                         .parts = &part, .count = 1 };

	elf_image(&image, &whole);
	image_release(&table);
	assert_true(elf_open_memory(&elf, image.data, image.size, &err) && go_open(&go, &elf, &err));
	elf_close(&elf);
	for (; times < TIMES && go_value_at(&go, &go.items[0], 1000, TEXT_ADDR + 1, &value); times++)
		assert_false(go_value_at(&go, &go.items[0], 1000, UINT64_MAX, &value));
	assert_in_range(times, 16, TIMES - 1);
	go_release(&go);
}

/* From Go 1.26 on the table does not say where the text is. */
static void test_text_of_module(void **state)
{
	struct fixture f;
	struct binary binary;
	struct image table;
	char answer[100];

	(void)state;
	fixture_begin(&f);
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	for (int with_module = 0; with_module < 2; with_module++) {
		made_table(&table, 0xfffffff1, 0);
		put_made(&f, &table, with_module, false);
		image_release(&table);
		fixture_load(&f, &binary);
		assert_string_equal(fixture_answer(&f, 0x412, answer, sizeof(answer)),
		                    with_module ? "main.b gopclntab" : "- stripped");
	}
	fixture_end(&f);
}

/* If memory is refused, that is an error, or the names are the same. */
static void test_refused_memory(void **state)
{
	struct refused_loads loads = { 0 };
	struct fixture f;
	struct binary binary;
	struct image table;
	char answer[100];

	(void)state;
	fixture_begin(&f);
	made_table(&table, 0xfffffff1, 0);
	put_made(&f, &table, true, true);
	image_release(&table);
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	while (fixture_load_refused(&f, &binary, &loads)) {
		if (loads.loaded)
			assert_string_equal(fixture_answer(&f, 0x412, answer, sizeof(answer)),
			                    "main.b gopclntab");
		else
			assert_int_equal(f.err.code, ERR_NOMEM);
	}
	assert_true(loads.failed > 5);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_position_independent),
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_inlined_position_independent),
		cmocka_unit_test(test_inlined_32_bit),
		cmocka_unit_test(test_text_of_module),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_false_modules),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_long_lists),
		cmocka_unit_test(test_refused_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
