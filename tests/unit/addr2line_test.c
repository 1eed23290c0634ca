/*
 * Source files and lines: hand-made answers and line tables, and a program that is compiled here,
 * whose files and lines are known because its text stands below.
 */
#include "decode/dwarf/dwarf.h"
#include "decode/source/addr2line.h"
#include "decode/source/addr2lineparse.h"
#include "decode/dwarf/line.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void test_place_split(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		uint32_t line;
	} cases[] = {
		{ "/a/b.c:12", 6, 12 },
		{ "/a/b.c:12 (discriminator 3)", 6, 12 },
		{ "/a/b.c:?", 6, 0 },
		{ "/a/b.c:? (discriminator 1)", 6, 0 },
		{ "/a:7/b (discriminator 2).c:12", 26, 12 },
		{ "/a/b.c: (discriminator ):3", 24, 3 },
		{ "crtstuff.c:?", 0, 0 },
		{ "b.c:5", 3, 5 },
		{ "??:0", 0, 0 },
		{ "??:?", 0, 0 },
		{ "/a/b.c:x", 0, 0 },
		{ "/a/b.c", 0, 0 },
		{ "/a/b.c:99999999999", 6, UINT32_MAX },
		{ "", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t line;

		assert_int_equal(place_split(cases[i].text, strlen(cases[i].text), &line),
		                 cases[i].length);
		if (cases[i].length)
			assert_int_equal(line, cases[i].line);
	}
}

/* Two functions, two addresses; 0x20 is both, and asked for twice. */
struct asked {
	struct source_function functions[2];
	struct source_addr addrs[2];
	struct strings strings;
	struct source_query query;
	struct points rows; /* for line tables */
	struct dwarf_file file;
	struct err err;
};

static void asked_init(struct asked *asked)
{
	memset(asked, 0, sizeof(*asked));
	asked->functions[0].entry = 0x10;
	asked->functions[1].entry = asked->addrs[0].addr = 0x20;
	asked->addrs[1].addr = 0x30;
	asked->query.strings = &asked->strings;
	asked->query.functions = asked->functions;
	asked->query.addrs = asked->addrs;
	asked->query.function_count = asked->query.addr_count = 2;
	asked->query.inlines = true;
	asked->file.points = &asked->rows;
	asked->file.err = &asked->err;
	assert_true(strings_init(&asked->strings, &asked->err));
	assert_true(points_make(&asked->rows, &asked->query, &asked->err));
	assert_int_equal(asked->rows.count, 3);
}

static void asked_release(struct asked *asked)
{
	strings_release(&asked->strings);
	points_release(&asked->rows);
	free(asked->query.frames);
}

static const char *text_of(const struct asked *asked, uint32_t string)
{
	return strings_get(&asked->strings, string);
}

static void test_parse_answers(void **state)
{
	static const char answers[] = "0x0000000000000010\nmain\n/a.c:3\n"
	                              "0x0000000000000020\ninner\n/in.h:5 (discriminator 4)\n"
	                              "outer\n/a.c:?\n"
	                              "0x0000000000000020\ninner\n/in.h:5 (discriminator 4)\n"
	                              "outer\n/a.c:?\n"
	                              "0x0000000000000030\n??\n??:0";

	(void)state;
	/* Cut into two at every place. */
	for (size_t cut = 0; cut < sizeof(answers) - 1; cut++) {
		struct answer_parser parser;
		struct asked asked;

		asked_init(&asked);
		parser = (struct answer_parser){ .query = &asked.query };
		assert_true(parser_feed(&parser, answers, cut, &asked.err));
		assert_true(parser_feed(&parser, answers + cut, sizeof(answers) - 1 - cut,
		                        &asked.err));
		assert_true(parser_finish(&parser, &asked.err));
		assert_false(parser.nonsense);
		assert_int_equal(parser.answered, 4);
		assert_string_equal(text_of(&asked, asked.functions[0].file), "/a.c");
		assert_string_equal(text_of(&asked, asked.functions[1].file), "/a.c");
		assert_string_equal(text_of(&asked, asked.addrs[0].file), "/in.h");
		assert_int_equal(asked.addrs[0].line, 5);
		assert_int_equal(asked.addrs[0].frame_count, 2);
		assert_string_equal(text_of(&asked, asked.query.frames[1].function), "outer");
		assert_int_equal(asked.addrs[1].file, STRING_EMPTY);
		assert_int_equal(asked.addrs[1].frame_count, 0);
		parser_release(&parser);
		asked_release(&asked);
	}
}

static void test_parse_nonsense(void **state)
{
	static const char *const answers[] = {
		"hello\n", "0x11\nmain\n/a.c:3\n", "0x0000000000000020\n", "usage: addr2line\n-e\n",
		"0x00000000000000000010\n"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		struct answer_parser parser;
		struct asked asked;

		asked_init(&asked);
		parser = (struct answer_parser){ .query = &asked.query };
		assert_true(parser_feed(&parser, answers[i], strlen(answers[i]), &asked.err));
		assert_true(parser.nonsense);
		assert_int_equal(parser.answered, 0);
		parser_release(&parser);
		asked_release(&asked);
	}
}

/* A table of DWARF 4, little-endian, with opcodes up to set_file (DWARF 4, 6.2). */
static const uint8_t table4[] = {
	61, 0, 0, 0, 4, 0, 28, 0, 0, 0,     /* size, version, size of the header's rest */
	1, 1, 1, 0xfb, 14, 5, 0, 1, 1, 1,   /* line base -5, range 14, opcodes from 5 on special */
	'd', 0, 0,                          /* directory 1: d */
	'a', '.', 'c', 0, 0, 0, 0,          /* file 1: a.c in the compilation's own directory */
	'b', '.', 'h', 0, 1, 0, 0, 0,       /* file 2: b.h in d */
	0, 9, 2, 0x18, 0, 0, 0, 0, 0, 0, 0, /* address 0x18 */
	12,                                 /* special: line + 2: a row for line 3 */
	3, 4, 1,                            /* line + 4, a row: the same address, now line 7 */
	2, 0x10, 4, 2, 3, 2, 1,             /* address + 0x10, file 2, line + 2, a row */
	2, 0x10, 0, 1, 1                    /* address + 0x10, end */
};

/* Reads and runs the first size bytes of the table, copied so that a sanitizer sees their end. */
static void run_table(struct asked *asked, size_t size, struct line_table *table, uint8_t **copy)
{
	bool swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	*copy = malloc(size + 1);
	assert_non_null(*copy);
	memcpy(*copy, table4, size);
	*table = (struct line_table){ .file = &asked->file, .comp_dir = "/c", .format.address_size = 8 };
	asked->rows.work = 1000;
	asked->rows.unit = 0;
	for (size_t i = 0; i < asked->rows.count; i++)
		asked->rows.items[i].sequence = UINT64_MAX;
	assert_true(line_table_read(table, bytes_over(*copy, size, swap)));
	assert_true(line_table_run(table));
}

static void assert_file(struct asked *asked, struct line_table *table, uint64_t index,
                        const char *path)
{
	uint32_t string = line_table_file(table, index, &asked->strings);

	assert_string_equal(text_of(asked, string), path);
}

static void test_line_table(void **state)
{
	const struct point *points;
	struct line_table table;
	struct asked asked;
	uint8_t *copy;

	(void)state;
	asked_init(&asked);
	for (size_t size = 0; size < sizeof(table4); size++) {
		run_table(&asked, size, &table, &copy);
		line_table_release(&table);
		free(copy);
	}
	run_table(&asked, sizeof(table4), &table, &copy);
	assert_int_equal(table.file_count, 2);
	assert_file(&asked, &table, 0, "");
	assert_file(&asked, &table, 1, "/c/a.c");
	assert_file(&asked, &table, 2, "/c/d/b.h");
	assert_file(&asked, &table, 3, "");
	points = asked.rows.items;
	assert_true(points[0].sequence == UINT64_MAX); /* 0x10 is before the first row */
	assert_int_equal(points[1].sequence, 0x18);
	assert_int_equal(points[1].row_file, 1);
	assert_int_equal(points[1].row_line, 7);
	assert_int_equal(points[2].row_file, 2);
	assert_int_equal(points[2].row_line, 9);
	line_table_release(&table);
	free(copy);
	asked_release(&asked);
}

/* The program; the tests name lines 1 and 2 of each file. */
static const char program[] = "#include \"inner.h\"\n"
                              "int alpha(int x) { return inner(x) + 1; }\n"
                              "int main(void) { return alpha(1); }\n";
static const char header[] = "/* one */\n"
                             "static int inner(int x) { return x * 2; }\n";

struct built {
	char folder[64], path[96];
	uint64_t alpha, inner;
};

static void put_file(const char *folder, const char *name, const char *text, mode_t mode)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int build(void **state)
{
	struct built *built = calloc(1, sizeof(*built));
	char command[400], name[100], type;
	uint64_t addr;
	FILE *nm;

	assert_non_null(built);
	strcpy(built->folder, "/tmp/addr2line_test.XXXXXX");
	assert_non_null(mkdtemp(built->folder));
	snprintf(built->path, sizeof(built->path), "%s/program", built->folder);
	put_file(built->folder, "program.c", program, 0644);
	put_file(built->folder, "inner.h", header, 0644);
	snprintf(command, sizeof(command), "cd %s && cc -g -O0 -o program program.c",
	         built->folder);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "nm %s", built->path);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(command, sizeof(command), nm)) {
		if (sscanf(command, "%" SCNx64 " %c %99s", &addr, &type, name) != 3)
			continue;
		built->alpha = strcmp(name, "alpha") ? built->alpha : addr;
		built->inner = strcmp(name, "inner") ? built->inner : addr;
	}
	pclose(nm);
	assert_true(built->alpha && built->inner);
	*state = built;
	return 0;
}

static int clean(void **state)
{
	struct built *built = *state;
	char command[200];

	snprintf(command, sizeof(command), "rm -rf %s", built->folder);
	assert_int_equal(system(command), 0);
	free(built);
	return 0;
}

struct warnings {
	char text[400];
	int count;
};

static void keep_warning(void *context, uint64_t offset, const char *text)
{
	struct warnings *warnings = context;

	(void)offset;
	snprintf(warnings->text, sizeof(warnings->text), "%s", text);
	warnings->count++;
}

enum way { WAY_DWARF, WAY_ADDR2LINE };

/* Asks about alpha and inner; the answers must be right if there are to be any. */
static void ask(const struct built *built, enum way way, bool known,
                struct warnings *warnings)
{
	uint64_t low = u64_min(built->alpha, built->inner);
	uint64_t high = u64_max(built->alpha, built->inner);
	struct source_function functions[2] = { { low, 0 }, { high, 0 } };
	struct source_addr addrs[2] = { { .addr = low }, { .addr = high } };
	struct strings strings;
	struct diag diag;
	bool unreadable;
	struct err err = { 0 };
	struct source_query query = { .path = built->path, .strings = &strings,
		                      .functions = functions, .function_count = 2,
		                      .addrs = addrs, .addr_count = 2, .inlines = true };

	memset(warnings, 0, sizeof(*warnings));
	diag_init(&diag, keep_warning, warnings);
	assert_true(strings_init(&strings, &err));
	if (way == WAY_DWARF)
		assert_true(dwarf_lookup(&query, &unreadable, &diag, &err));
	else
		assert_true(addr2line_lookup(&query, &diag, &err));
	for (int i = 0; i < 2; i++) {
		bool alpha = addrs[i].addr == built->alpha;
		char path[160];

		snprintf(path, sizeof(path), "%s/%s", built->folder,
		         alpha ? "program.c" : "inner.h");
		assert_string_equal(strings_get(&strings, functions[i].file), known ? path : "");
		assert_int_equal(addrs[i].line, known ? 2 : 0);
		if (!known)
			continue;
		assert_int_equal(addrs[i].frame_count, 1);
		assert_string_equal(strings_get(&strings, query.frames[addrs[i].frame].function),
		                    alpha ? "alpha" : "inner");
	}
	free(query.frames);
	strings_release(&strings);
	diag_release(&diag);
}

static void test_dwarf(void **state)
{
	struct warnings warnings;

	ask(*state, WAY_DWARF, true, &warnings);
	assert_int_equal(warnings.count, 0);
}

static void test_no_debug_information(void **state)
{
	struct built other = *(struct built *)*state;
	struct warnings warnings;

	strcpy(other.path, "/dev/null");
	ask(&other, WAY_DWARF, false, &warnings);
	strcpy(other.path, "/nonexistent");
	ask(&other, WAY_DWARF, false, &warnings);
	assert_int_equal(warnings.count, 0);
}

/* With DWARF 4: of DWARF 5, binutils 2.40 names a wrong file for rows that never set one. */
static void test_addr2line(void **state)
{
	const struct built *built = *state;
	char command[300];
	struct warnings warnings;

	if (system("addr2line --version >/dev/null 2>&1") != 0) {
		print_message("no addr2line: the way through it is not tested\n");
		skip();
	}
	snprintf(command, sizeof(command), "cd %s && cc -gdwarf-4 -O0 -o program program.c",
	         built->folder);
	assert_int_equal(system(command), 0);
	ask(built, WAY_ADDR2LINE, true, &warnings);
	assert_int_equal(warnings.count, 0);
}

/* Programs named addr2line that misbehave: each causes one warning, gives no answers and does not end the run. */
static void test_bad_addr2line(void **state)
{
	static const struct {
		const char *script, *warning;
	} cases[] = {
		{ "#!/bin/sh\nexit 1\n", "failed" },
		{ "#!/bin/sh\nkill -SEGV $$\n", "failed" },
		{ "#!/bin/sh\ncat /dev/zero\n", "make no sense" },
		{ "#!/bin/sh\nwhile :; do echo yes; done\n", "make no sense" },
		{ "#!/bin/sh\nexec 0<&-; exec >&-; sleep 1000\n", "failed" },
		{ "#!/bin/sh\nwhile read a; do echo $a; done\n", "failed" },
	};
	const struct built *built = *state;
	char *path = strdup(getenv("PATH")), own[300];
	struct warnings warnings;

	assert_non_null(path);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_file(built->folder, "addr2line", cases[i].script, 0755);
		snprintf(own, sizeof(own), "%s:/usr/bin:/bin", built->folder);
		assert_int_equal(setenv("PATH", own, 1), 0);
		ask(built, WAY_ADDR2LINE, false, &warnings);
		assert_int_equal(warnings.count, 1);
		assert_non_null(strstr(warnings.text, cases[i].warning));
	}
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	ask(built, WAY_ADDR2LINE, false, &warnings);
	assert_non_null(strstr(warnings.text, "cannot be started"));
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place_split),     cmocka_unit_test(test_parse_answers),
		cmocka_unit_test(test_parse_nonsense),  cmocka_unit_test(test_line_table),
		cmocka_unit_test(test_dwarf),           cmocka_unit_test(test_no_debug_information),
		cmocka_unit_test(test_addr2line),       cmocka_unit_test(test_bad_addr2line),
	};

	return cmocka_run_group_tests(tests, build, clean);
}
