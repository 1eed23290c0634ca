/*
 * What Go programs tell about their stacks: the rows are those of the .debug_frame that Go's linker
 * wrote, and the runtime's functions that move to another stack are known.
 */
#include "decode/stacks/stackfiles.h"
#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] = "package main\n"
			     "import \"fmt\"\n"
			     "func main() { fmt.Println(\"a\") }\n";

static bool build(struct fixture *f, const char *architecture)
{
	fixture_text(f, "main.go", source);
	return fixture_run(f, ".",
	                   "HOME=$PWD GOCACHE=${GOCACHE:-$PWD/cache} GOARCH=%s CGO_ENABLED=0 go build -ldflags=-compressdwarf=false -o program main.go",
	                   architecture);
}

static uint8_t kind_at(struct cfi_file *file, uint64_t addr)
{
	struct unwind_rule rule = { .kind = UNWIND_NONE };
	struct cfi_row row;

	assert_true(go_stack_rule(&file->go, addr, &row, &rule));
	return rule.kind;
}

/* Compares one address with .debug_frame, which leaves out the bytes between functions. */
static bool compare_rows(struct cfi_file *file, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };
	struct unwind_rule rule;
	struct cfi_row go, dwarf;

	if (!cfi_find_row(&file->debug, addr, &dwarf, &err))
		return false;
	/* some functions of the runtime end above the caller's stack pointer; that is no row */
	if (!go_stack_rule(&file->go, addr, &go, &rule) || rule.kind == UNWIND_SIGNAL)
		return false;
	assert_int_equal(go.cfa.where, dwarf.cfa.where);
	assert_int_equal(go.cfa.reg, dwarf.cfa.reg);
	assert_int_equal(go.cfa.value, dwarf.cfa.value);
	assert_int_equal(go.return_register, dwarf.return_register);
	assert_int_equal(go.registers[go.return_register].where,
	                 dwarf.registers[go.return_register].where);
	assert_int_equal(go.registers[go.return_register].value,
	                 dwarf.registers[go.return_register].value);
	return true;
}

/* Returns the number of addresses that were compared. */
static size_t check_function(struct cfi_file *file, const struct gofunction *function, bool arm)
{
	const struct gopclntab *table = &file->go.table;
	size_t compared = 0;
	uint32_t offset;
	const char *name;

	assert_true(go_read_field(table, function, GO_FIELD_NAME, &offset));
	name = go_name(table, offset);
	assert_non_null(name);
	if (!strcmp(name, "runtime.goexit") || !strcmp(name, "runtime.mstart") ||
	    !strcmp(name, "runtime.rt0_go")) {
		assert_int_equal(kind_at(file, function->start), UNWIND_END);
	} else if (!strncmp(name, "runtime.sigreturn", 17) && !arm) {
		assert_int_equal(kind_at(file, function->start), UNWIND_SIGNAL);
		assert_int_equal(kind_at(file, function->start - 1), UNWIND_SIGNAL);
	} else if (strcmp(name, "runtime.sigtramp") != 0) {
		for (uint64_t addr = function->start; addr < function->end; addr += arm ? 4 : 3)
			compared += compare_rows(file, addr);
	}
	return compared;
}

/*
 * How many functions with that name move to another stack. A name may belong to two: one calls the
 * other by another convention.
 */
static unsigned count_switches(struct cfi_file *file, const char *wanted)
{
	const struct gopclntab *table = &file->go.table;
	unsigned count = 0;

	for (size_t i = 0; i < table->count; i++) {
		uint32_t offset;

		if (go_read_field(table, &table->items[i], GO_FIELD_NAME, &offset) &&
		    !strcmp(go_name(table, offset), wanted))
			count += kind_at(file, table->items[i].start) == UNWIND_SWITCH;
	}
	return count;
}

static void test_program(void **state)
{
	static const char *const architectures[] = { "amd64", "arm64" };
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(architectures); i++) {
		struct err err = { .code = ERR_NONE };
		struct cfi_file file;
		char path[200];
		size_t compared = 0;
		struct elf elf;

		if (!build(&f, architectures[i])) {
			fixture_end(&f);
			skip();
		}
		assert_true(elf_open(&elf, open(fixture_path(&f, "program", path),
		                                O_RDONLY | O_CLOEXEC), &err));
		assert_true(cfi_file_load(&file, &elf, NULL, &err));
		assert_true(file.go.table.count > 1000);
		for (size_t k = 0; k < file.go.table.count; k++)
			compared += check_function(&file, &file.go.table.items[k], i);
		assert_true(compared > 50000);
		assert_int_equal(count_switches(&file, "runtime.systemstack"), 1);
		assert_int_equal(count_switches(&file, "runtime.mcall"), 1);
		assert_int_equal(count_switches(&file, "runtime.morestack"), 1);
		assert_int_equal(count_switches(&file, "gogo"), 1);
		assert_int_equal(count_switches(&file, "main.main"), 0);
		cfi_file_release(&file);
		elf_close(&elf);
	}
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_program) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
