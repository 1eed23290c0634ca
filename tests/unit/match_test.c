/* Functions' names without what differs from build to build. */
#include "decode/compare/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

static void functions(void **state)
{
	static const struct {
		const char *name, *matched;
	} cases[] = {
		{ "main", "main" },
		{ "work.isra.0", "work" },
		{ "work.constprop.12", "work" },
		{ "work.part.3.cold", "work" },
		{ "work.isra.0.part.1", "work" },
		{ "work.cold", "work" },
		{ "work.cold.7", "work" },
		{ "work.lto_priv.4", "work" },
		{ "work.llvm.1234567890123", "work" },
		{ "work [clone .isra.0]", "work" },
		{ "ns::f(int) [clone .constprop.1] [clone .cold]", "ns::f(int)" },
		{ "core::fmt::write::h0123456789abcdef", "core::fmt::write" },
		{ "core::fmt::write::h0123456789abcde", "core::fmt::write::h0123456789abcde" },
		{ "main::{lambda:22:14}::operator()", "main::{lambda}::operator()" },
		{ "main::{lambda(int)#1}::operator()", "main::{lambda(int)#1}::operator()" },
		/* names that only look like those with a compiler's suffix */
		{ "version.2", "version.2" },
		{ "isra.0", "isra.0" },
		{ ".cold", ".cold" },
		{ "x.part", "x.part" },
		{ "a [clone b]", "a [clone b]" },
		{ "[unknown]", "[unknown]" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char out[100];
		size_t length = match_function(out, cases[i].name, strlen(cases[i].name));

		out[length] = '\0';
		assert_string_equal(out, cases[i].matched);
	}
}

static void binaries(void **state)
{
	static const struct {
		const char *path, *matched;
	} cases[] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so" },
		{ "/opt/a/libz.so.1.2.13", "libz.so" },
		{ "/opt/b/libz.so", "libz.so" },
		{ "/usr/bin/python3.11", "python3.11" },
		{ "/tmp/prog (deleted)", "prog" },
		{ "[kernel.kallsyms]", "[kernel.kallsyms]" },
		{ "[JIT] tid 4711", "[JIT]" },
		{ "[nf/odd]", "[nf/odd]" },
		{ "", "" },
		{ "/", "/" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char out[100];
		size_t length = match_binary(out, cases[i].path, strlen(cases[i].path));

		out[length] = '\0';
		assert_string_equal(out, cases[i].matched);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(functions), cmocka_unit_test(binaries) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
