/* The list of a kernel's symbols is read as a whole for the second recording of that kernel, and then kept. */
#include "decode/symbols/kernellists.h"

#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RAN UINT64_C(0xffffffff9a200000)

static const char list[] = "ffffffff9a200000 T _text\n"
			   "ffffffff9a200100 t first\n"
			   "ffffffff9a200200 t second\n"
			   "ffffffff9a200300 t third\n";

struct state {
	struct fixture f;
	struct kernel_lists lists;
	char path[200];
};

static void begin(struct state *state)
{
	*state = (struct state){ .path = "" };
	fixture_begin(&state->f);
	fixture_text(&state->f, "named", list);
	state->f.options.kallsyms = fixture_path(&state->f, "named", state->path);
}

static void end(struct state *state)
{
	kernel_lists_release(&state->lists);
	fixture_end(&state->f);
}

/* The name at addr, or why it has none, for a recording of a kernel with this build id that needs this address alone. */
static const char *name_of(struct state *state, uint8_t build_id, uint64_t addr, bool *kept)
{
	struct fixture *f = &state->f;
	struct symbol_options before = f->options;
	struct symbol_cache own = { .searched = false };
	struct binary kernel = fixture_binary(f, BINARY_KERNEL, "[kernel.kallsyms]");
	struct kept_list *place;
	static char name[80];

	kernel.ref_name = strings_put_text(&f->strings, "_text", &f->err);
	kernel.ref_addr = RAN;
	kernel.build_id.size = build_id ? 20 : 0;
	memset(kernel.build_id.bytes, build_id, kernel.build_id.size);
	f->options.kernel = &kernel;
	f->options.cache = &own;
	f->options.kernel_addrs = &addr;
	f->options.kernel_addr_count = 1;
	place = kernel_lists_begin(&state->lists, &f->options, &f->strings);
	assert_true(fixture_load(f, &kernel));
	fixture_answer(f, addr, name, sizeof(name));
	kernel_lists_end(place, !*f->said);
	*kept = place && place->list.found;
	symbols_free(f->symbols);
	f->symbols = NULL;
	symbol_cache_release(&own);
	f->options = before;
	return name;
}

static void is_kept(void **unused)
{
	struct state state;
	bool kept;

	(void)unused;
	begin(&state);
	assert_string_equal(name_of(&state, 1, RAN + 0x110, &kept), "first kallsyms");
	assert_false(kept);
	assert_string_equal(name_of(&state, 1, RAN + 0x210, &kept), "second kallsyms");
	assert_true(kept);
	/* of the kept list, although the file has gone bad, and although nobody asked for it before */
	fixture_text(&state.f, "named", "ffffffff9a200000 T _text\n");
	assert_string_equal(name_of(&state, 1, RAN + 0x310, &kept), "third kallsyms");
	assert_string_equal(name_of(&state, 2, RAN + 0x110, &kept), "_text kallsyms");
	assert_false(kept);
	assert_string_equal(name_of(&state, 1, RAN + 0x110, &kept), "first kallsyms");
	assert_true(kept);
	/* one of a kernel that does not say which it is */
	assert_string_equal(name_of(&state, 0, RAN + 0x110, &kept), "_text kallsyms");
	assert_string_equal(name_of(&state, 0, RAN + 0x110, &kept), "_text kallsyms");
	assert_false(kept);
	end(&state);
}

/* Each recording gets the warning, and what it would read itself. */
static void with_a_warning(void **unused)
{
	struct state state;
	bool kept;

	(void)unused;
	begin(&state);
	fixture_text(&state.f, "named", "no list\nffffffff9a200000 T _text\nffffffff9a200100 t first\n");
	for (int i = 0; i < 4; i++) {
		assert_string_equal(name_of(&state, 1, RAN + 0x110, &kept), "first kallsyms");
		assert_false(kept);
		assert_non_null(strstr(state.f.said, "found 'no list'"));
	}
	end(&state);
}

/* A recording with a list of its own beside it is read with that. */
static void beside_the_recording(void **unused)
{
	struct state state;
	char path[200];
	bool kept;

	(void)unused;
	begin(&state);
	state.f.options.kallsyms = NULL;
	fixture_text(&state.f, "cache/.build-id/01/01010101010101010101010101010101010101/kallsyms", list);
	for (int i = 0; i < 3; i++)
		assert_string_equal(name_of(&state, 1, RAN + 0x110, &kept), "first kallsyms");
	assert_true(kept);
	fixture_text(&state.f, "rec/perf.data", "");
	fixture_text(&state.f, "rec/kcore_dir/kallsyms", "ffffffff9a200000 T _text\nffffffff9a200100 t core\n");
	state.f.options.files.recording = fixture_path(&state.f, "rec/perf.data", path);
	assert_string_equal(name_of(&state, 1, RAN + 0x110, &kept), "core kallsyms");
	assert_false(kept);
	end(&state);
}

/* More kernels than places: that of the longest ago is read again. */
static void many_kernels(void **unused)
{
	struct state state;
	bool kept;

	(void)unused;
	begin(&state);
	for (uint8_t id = 1; id <= KERNEL_LISTS + 1; id++) {
		name_of(&state, id, RAN + 0x110, &kept);
		name_of(&state, id, RAN + 0x110, &kept);
		assert_true(kept);
	}
	name_of(&state, 2, RAN + 0x110, &kept);
	assert_true(kept);
	assert_string_equal(name_of(&state, 1, RAN + 0x310, &kept), "third kallsyms");
	assert_false(kept);
	end(&state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_kept),
		cmocka_unit_test(with_a_warning),
		cmocka_unit_test(beside_the_recording),
		cmocka_unit_test(many_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
