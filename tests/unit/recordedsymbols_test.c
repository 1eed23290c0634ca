/* Names that simpleperf stored in the recording, for each kind of binary. */
#include "decode/symbols/recordedsymbols.h"

#include "perffile/session/simpleperf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KERNEL UINT64_C(0xffffffc010080000)

static struct recorded_symbol kernel_symbols[] = { { .start = KERNEL + 0x100, .length = 0x40, .name = "schedule" },
	                                           { .start = KERNEL + 0x9000, .length = 0x40, .name = "in_module" } };
static struct recorded_symbol module_symbols[] = { { .start = 0x110, .length = 8, .name = "init_module" } };
/* as in a file: simpleperf stores what was sampled, by address */
static struct recorded_symbol code[] = { { .start = 0x131a00, .length = 52, .name = "_ZN3art6Thread3RunEv" },
	                                 { .start = 0x146540, .length = 620, .name = "" },
	                                 { .start = 0x150000, .name = "empty" } };
static struct recorded_symbol first_code[] = { { .start = 0x131a00, .length = 52, .name = "_ZN3art6Thread3RunEv" } };
static struct recorded_symbol old_code[] = { { .start = 0x4003a8, .length = 40, .name = "_init" } };
static struct recorded_symbol java[] = { { .start = 0xeb44c, .length = 16, .name = "java.lang.Thread.run" } };
static struct recorded_symbol jit[] = { { .start = 0x9c9eb7f0, .length = 332, .name = "MainActivity$1.run" } };
static struct recorded_symbol map[] = { { .start = 0x7000, .length = 16, .name = "LazyCompile:~add" } };

#define SYMBOLS(items) .symbols = (items), .symbol_count = ARRAY_SIZE(items)

static struct recorded_file files[] = {
	{ .path = "[kernel.kallsyms]", .type = RECORDED_KERNEL, SYMBOLS(kernel_symbols) },
	{ .path = "/vendor/wlan.ko", .type = RECORDED_KERNEL_MODULE, .min_addr = 0x10, .min_offset = 0x3000,
	  .has_min_offset = true, SYMBOLS(module_symbols) },
	{ .path = "/vendor/old.ko", .type = RECORDED_KERNEL_MODULE, .min_addr = 0x10, SYMBOLS(module_symbols) },
	{ .path = "/apex/libart.so", .type = RECORDED_ELF, .min_addr = 0x12e000, .min_offset = 0x12d000,
	  .has_min_offset = true, SYMBOLS(code) },
	{ .path = "/data/app/base.apk!/lib/arm64/libx.so", .type = RECORDED_ELF, .min_addr = 0x131000, .min_offset = 0x1000,
	  .has_min_offset = true, SYMBOLS(first_code) },
	{ .path = "/data/t2", .type = RECORDED_ELF, .min_addr = 0x400000, SYMBOLS(old_code) },
	{ .path = "/system/framework.jar", .type = RECORDED_DEX, SYMBOLS(java) },
	{ .path = "perf.data_jit_app_cache:15480-17544", .type = RECORDED_ELF, .has_min_offset = true, SYMBOLS(jit) },
	{ .path = "/tmp/perf-7.map", .type = RECORDED_SYMBOL_MAP, SYMBOLS(map) },
	{ .path = "/strange", .type = 77, SYMBOLS(java) },
};

static struct fixture f;

static int begin(void **state)
{
	(void)state;
	fixture_begin(&f);
	for (size_t i = 1; i < ARRAY_SIZE(files); i++)
		files[i - 1].next = &files[i];
	kernel_symbols[0].next = &kernel_symbols[1];
	code[0].next = &code[1];
	code[1].next = &code[2];
	f.options.recorded_files = files;
	return 0;
}

static int end(void **state)
{
	(void)state;
	fixture_end(&f);
	return 0;
}

static void expect(const struct binary *binary, uint64_t addr, const char *wanted)
{
	char found[200];

	fixture_load(&f, binary);
	assert_int_equal(f.err.code, ERR_NONE);
	assert_string_equal(fixture_answer(&f, addr, found, sizeof(found)), wanted);
}

static void files_of_processes(void **state)
{
	struct binary binary = fixture_binary(&f, BINARY_FILE, "/apex/libart.so");

	(void)state;
	expect(&binary, 0x130a00, "_ZN3art6Thread3RunEv simpleperf");
	expect(&binary, 0x130a33, "_ZN3art6Thread3RunEv simpleperf");
	expect(&binary, 0x130a34, "- file-missing");
	/* the address as objdump prints it: the file is not here, but the recorded symbols give it */
	assert_int_equal(symbols_link_addr(f.symbols, 0x130a10), 0x131a10);
	binary = fixture_binary(&f, BINARY_FILE, "/data/app/base.apk!/lib/arm64/libx.so");
	expect(&binary, 0x1a00, "_ZN3art6Thread3RunEv simpleperf");
	binary = fixture_binary(&f, BINARY_FILE, "/system/framework.jar");
	expect(&binary, 0xeb450, "java.lang.Thread.run simpleperf");
	binary = fixture_binary(&f, BINARY_FILE, "/apex/libother.so");
	expect(&binary, 0x130a00, "- file-missing");
	binary = fixture_binary(&f, BINARY_FILE, "/strange");
	expect(&binary, 0xeb450, "- file-missing");
}

/* An older recording has the code's address, not its offset: the mapping gives the offset. */
static void older_recordings(void **state)
{
	struct binary binary = fixture_binary(&f, BINARY_FILE, "/data/t2");

	(void)state;
	expect(&binary, 0x3a8, "_init simpleperf");
	binary.extents[0] = (struct binary_extent){ 0x1000, 0x2000 };
	binary.extent_count = 1;
	expect(&binary, 0x13a8, "_init simpleperf");
	expect(&binary, 0x3a8, "- file-missing");
	binary.extents[1] = (struct binary_extent){ 0x5000, 0x2000 };
	binary.extent_count = 2; /* it is not known which */
	expect(&binary, 0x13a8, "- file-missing");
}

static void kernel_and_modules(void **state)
{
	struct binary binary = fixture_binary(&f, BINARY_KERNEL, "[kernel.kallsyms]");

	(void)state;
	expect(&binary, KERNEL + 0x13f, "schedule simpleperf");
	expect(&binary, KERNEL + 0x140, "- kernel-hidden");
	binary.guest = true;
	expect(&binary, KERNEL + 0x13f, "- guest");
	binary = fixture_binary(&f, BINARY_MODULE, "[wlan]");
	binary.path = strings_put_text(&f.strings, "/vendor/wlan.ko", &f.err);
	binary.start = KERNEL + 0x8000;
	expect(&binary, 0x3100, "init_module simpleperf");
	expect(&binary, 0x1000, "in_module simpleperf"); /* of the kernel's list */
	binary.path = strings_put_text(&f.strings, "/vendor/old.ko", &f.err);
	expect(&binary, 0x100, "- file-missing");
	expect(&binary, 0x1000, "in_module simpleperf");
}

static void run_time_code(void **state)
{
	struct binary binary = fixture_binary(&f, BINARY_JIT, "[JIT] tid 7");

	(void)state;
	binary.pid = 7;
	binary.path = STRING_EMPTY;
	expect(&binary, 0x700f, "LazyCompile:~add simpleperf");
	expect(&binary, 0x9c9eb7f0, "- no-perf-map");
	binary.pid = 77;
	expect(&binary, 0x700f, "- no-perf-map");
	binary.path = strings_put_text(&f.strings, "perf.data_jit_app_cache:15480-17544", &f.err);
	expect(&binary, 0x9c9eb7f0, "MainActivity$1.run simpleperf");
}

/* Whatever number of files a process has, the last one counts too. */
static void many_files(void **state)
{
	struct binary binary = fixture_binary(&f, BINARY_JIT, "[JIT] tid 7");
	struct recorded_symbol symbols[20];
	struct recorded_file maps[20];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		symbols[i] = (struct recorded_symbol){ .start = 0x1000 * i, .length = 16, .name = i < 19 ? "other" : "last" };
		maps[i] = (struct recorded_file){ .next = i < 19 ? &maps[i + 1] : NULL, .path = "/tmp/perf-7.map",
			                          .type = RECORDED_SYMBOL_MAP, .symbols = &symbols[i], .symbol_count = 1 };
	}
	f.options.recorded_files = maps;
	binary.pid = 7;
	expect(&binary, 0x13000, "last simpleperf");
	f.options.recorded_files = files;
}

static void refused_memory(void **state)
{
	struct binary binary = fixture_binary(&f, BINARY_FILE, "/apex/libart.so");
	struct refused_loads loads = { 0 };

	(void)state;
	while (fixture_load_refused(&f, &binary, &loads)) {
		assert_true(loads.loaded || f.err.code == ERR_NOMEM);
		f.err.code = ERR_NONE;
	}
	assert_true(loads.failed > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_processes), cmocka_unit_test(older_recordings),
		cmocka_unit_test(kernel_and_modules), cmocka_unit_test(run_time_code),
		cmocka_unit_test(many_files),
		cmocka_unit_test(refused_memory),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
