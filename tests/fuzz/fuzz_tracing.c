/* Tracing data, as feature 1 or behind a HEADER_TRACING_DATA record. */
#include "perffile/session/tracingdata.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracing_data tracing;
	struct err err = { 0 };
	struct arena arena = { 0 };
	check_err(tracing_data_parse(&tracing, cursor_over(data, size, 0x1000, "", false, &err), &arena), &err);
	for (size_t i = 0; i < tracing.tracepoints.count; i++)
		FUZZ_CHECK(tracing.tracepoints.names[i]);
	if (tracing.kallsyms)
		FUZZ_CHECK((const uint8_t *)tracing.kallsyms >= data &&
			   tracing.kallsyms_size <= size);
	tracing_data_release(&tracing);
	arena_release(&arena);
	return 0;
}
