/*
 * Names of inlined functions: those that the same functions have as symbols where nothing is
 * inlined, whichever compiler wrote the debug information, and wherever that is.
 */
#include "decode/dwarf/dwarf.h"
#include "decode/files/elf.h"
#include "decode/symbols/demangle.h"
#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Each function is long enough to leave code behind, and different from the others. */
static const char header_text[] =
	"#define BODY(n) { for (int i = 0; i < x; i++) { x = x * n + (x >> 3); sink = x; } return x; }\n"
	"extern volatile int sink;\n"
	"int other(int x);\n"
	"namespace fast { static inline int work(int x) BODY(3) }\n"
	"namespace slow { static inline int work(int x) BODY(5)\n"
	"namespace { inline int hidden(int x) BODY(7) struct Box { static int turn(int x) BODY(11) }; } }\n"
	"struct Outer {\n"
	"	struct Inner { int go(int x) const BODY(13) static int far(int x); };\n"
	"	template <class T> T pick(T x) const BODY(15)\n"
	"	union Both { int a; int both(int x) BODY(17) };\n"
	"	operator int() const { int x = sink; BODY(19) }\n"
	"};\n"
	"inline int Outer::Inner::far(int x) BODY(21)\n"
	"inline namespace version { template <class T> static inline T most(T x) BODY(23) }\n"
	"extern \"C\" { static inline int plain(int x) BODY(25) }\n"
	"template <class F> static inline int twice(F f) { return f(sink) + 1; }\n";

static const char first_text[] =
	"#include \"names.h\"\n"
	"volatile int sink;\n"
	"static int late(int x);\n"
	"static struct { int nameless(int x) BODY(27) } box;\n"
	"int main(int count, char **)\n"
	"{\n"
	"	int late(int), late_too(int), x = count;\n"
	"	struct Local { static int here(int x) BODY(29) };\n"
	"	auto one = [](int x) BODY(31);\n"
	"	auto two = [&](int x) { x += count; BODY(33) };\n"
	"	Outer outer;\n"
	"	Outer::Both both;\n"
	"	x += fast::work(x); x += slow::work(x); x += slow::hidden(x); x += slow::Box::turn(x);\n"
	"	x += Outer::Inner().go(x); x += Outer::Inner::far(x); x += outer.pick<int>(x);\n"
	"	x += both.both(x); x += outer; x += most<int>(x); x += plain(x); x += late(x);\n"
	"	x += Local::here(x); x += one(x); x += two(x); x += twice([](int x) BODY(35));\n"
	"	x += box.nameless(x);\n"
	"	return other(x) + late_too(x);\n"
	"}\n"
	"static inline int late(int x) BODY(37)\n"
	"int late_too(int x) { return late(x); }\n";

static const char second_text[] =
	"#include \"names.h\"\n"
	"int other(int x)\n"
	"{\n"
	"	struct Local { static int here(int x) BODY(39) };\n"
	"	x += Local::here(x); x += fast::work(x); x += slow::Box::turn(x); x += most<int>(x);\n"
	"	x += Outer::Inner::far(x);\n"
	"	return x + [](int x) BODY(41)(x);\n"
	"}\n";

static const char *const expected[] = {
	"fast::work",
	"slow::work",
	"slow::(anonymous namespace)::hidden",
	"slow::(anonymous namespace)::Box::turn",
	"Outer::Inner::go",
	"Outer::Inner::far",
	"Outer::pick<int>",
	"Outer::Both::both",
	"Outer::operator int",
	"version::most<int>",
	"plain",
	"late",
	"main::Local::here",
	"other::Local::here",
};

/* Names, each once. */
struct known {
	char *names[200];
	size_t count;
};

static bool knows(const struct known *known, const char *name)
{
	for (size_t i = 0; i < known->count; i++)
		if (strcmp(known->names[i], name) == 0)
			return true;
	return false;
}

/* Takes the name over. */
static void learn(struct known *known, char *name)
{
	assert_non_null(name);
	if (knows(known, name)) {
		free(name);
		return;
	}
	assert_true(known->count < 200);
	known->names[known->count++] = name;
}

static void forget(struct known *known)
{
	while (known->count)
		free(known->names[--known->count]);
}

/* Cuts parameters out of "f(int)::Local::g": debug information does not spell them. */
static char *without_parameters(char *name)
{
	char *open = strstr(name, "(int)::");

	if (open)
		memmove(open, open + 5, strlen(open + 5) + 1);
	return name;
}

/* The functions of the program's symbol table. */
static void read_symbols(const struct fixture *f, const char *program, struct known *known)
{
	char name[1000], path[200];
	FILE *list;

	assert_true(fixture_run(f, ".", "nm %s | sed -n 's/^[^ ]* [tTWuVwi] //p' >symbols", program));
	list = fopen(fixture_path(f, "symbols", path), "r");
	assert_non_null(list);
	while (fgets(name, sizeof(name), list)) {
		name[strcspn(name, "\n")] = '\0';
		learn(known, without_parameters(symbol_demangle(name, false)));
	}
	fclose(list);
}

/*
 * The functions that are inlined somewhere in the program's .text. refused: which allocation of the
 * lookup, 0 for none. Returns how many it made.
 */
static unsigned long read_inlined(struct fixture *f, const char *program, unsigned long refused,
                                  struct known *known)
{
	unsigned long allocations;
	bool answered, unreadable;
	struct source_query query = { .strings = &f->strings, .inlines = true };
	const struct elf_section *section;
	char path[200];
	struct elf elf;

	f->err = (struct err){ .code = ERR_NONE };
	query.path = fixture_path(f, program, path);
	assert_true(elf_open(&elf, open(path, O_RDONLY), &f->err));
	section = elf_find_section(&elf, ".text");
	assert_non_null(section);
	query.addr_count = (size_t)section->size;
	query.addrs = calloc(query.addr_count, sizeof(*query.addrs));
	assert_non_null(query.addrs);
	for (uint64_t i = 0; i < section->size; i++)
		query.addrs[i].addr = section->addr + i;
	elf_close(&elf);
	refuse_allocation(refused);
	answered = dwarf_lookup(&query, &unreadable, &f->diag, &f->err);
	assert_int_equal(answered, f->err.code == ERR_NONE);
	allocations = allocations_seen();
	refuse_allocation(0);
	for (size_t i = 0; answered && i < query.addr_count; i++)
		for (uint32_t j = 0; j + 1 < query.addrs[i].frame_count; j++) {
			uint32_t name = query.frames[query.addrs[i].frame + j].function;

			learn(known, without_parameters(symbol_demangle(strings_get(&f->strings, name), false)));
		}
	free(query.addrs);
	free(query.frames);
	return allocations;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && strcmp(text + length - size, end) == 0;
}

/* What is inlined in program must be named as in the symbols of another that inlines nothing. */
static void check(struct fixture *f, const char *program, const struct known *symbols)
{
	struct known inlined = { .count = 0 };
	size_t lambdas = 0, nameless = 0;

	read_inlined(f, program, 0, &inlined);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		if (!knows(&inlined, expected[i]))
			fail_msg("%s: nothing is called %s", program, expected[i]);
	for (size_t i = 0; i < inlined.count; i++) {
		const char *name = inlined.names[i];
		bool lambda = ends_with(name, "::operator()");

		lambdas += lambda && (starts_with(name, "main::") || starts_with(name, "other::"));
		nameless += ends_with(name, "::nameless");
		if (!ends_with(name, "::nameless") && !starts_with(name, "twice<") &&
		    !knows(symbols, name))
			fail_msg("%s: no symbol is called %s", program, name);
	}
	assert_int_equal(lambdas, 4);
	assert_int_equal(nameless, 1);
	forget(&inlined);
}

/* Each allocation is refused once: an error, or an answer, but nothing lost. */
static void check_memory(struct fixture *f, const char *program)
{
	struct known inlined = { .count = 0 };
	unsigned long all = read_inlined(f, program, 0, &inlined);

	assert_true(all > 10);
	for (unsigned long refused = 1; refused <= all; refused++)
		read_inlined(f, program, refused, &inlined);
	forget(&inlined);
}

/* One compiler. False: it cannot do that here. */
static bool compiler(const char *name, const char *flags, const char *after)
{
	struct known symbols = { .count = 0 };
	struct fixture f;
	bool ok;

	fixture_begin(&f);
	fixture_text(&f, "names.h", header_text);
	fixture_text(&f, "first.cpp", first_text);
	fixture_text(&f, "second.cpp", second_text);
	print_message("%s %s, %s\n", name, flags, after);
	ok = fixture_run(&f, ".", "%s -O0 first.cpp second.cpp -o symbols.out", name) &&
	     fixture_run(&f, ".", "for unit in first second; do %s -g -O2 %s -c $unit.cpp || exit 1; done &&"
	             " %s -g -O2 %s first.o second.o -o program && %s",
	         name, flags, name, flags, after);
	if (ok) {
		read_symbols(&f, "symbols.out", &symbols);
		check(&f, "program", &symbols);
		check_memory(&f, "program");
		forget(&symbols);
	} else {
		print_message("cannot be done here\n");
	}
	fixture_end(&f);
	return ok;
}

static void test_names(void **state)
{
#ifndef HAVE_LIBIBERTY
	skip(); /* without it C++ names are the linker's */
#endif
	static const char *const flags[] = {
		"-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf", "-gdwarf-4 -gsplit-dwarf",
		"-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -fdebug-types-section",
		"-gdwarf-5 -fdebug-types-section -gsplit-dwarf", "-flto",
	};
	bool any = false;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!fixture_is_quick() || i % 4 < 2)
			any |= fixture_has("g++") && compiler("g++", flags[i], "true");
		if (!fixture_is_quick() || i % 4 >= 2)
			any |= fixture_has("clang++") && compiler("clang++", flags[i], "true");
	}
	/* shared in one file, and between two */
	for (size_t i = 0; fixture_has("g++") && fixture_has("dwz") && i < (fixture_is_quick() ? 1 : 2); i++) {
		any |= compiler("g++", flags[i], "dwz program");
		any |= compiler("g++", flags[i], "cp program other && dwz -m common program other");
	}
	if (!any)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
