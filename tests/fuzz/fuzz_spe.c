/* A trace of Arm's Statistical Profiling Extension. Input: the place in the processor's buffer, 1 byte; the trace. */
#include "decode/spe/packet.h"
#include "decode/spe/source.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t models[] = {0, 0x413fd0c1, 0xc00fac41};
	struct spe_trace trace = {0};
	struct spe_record record;
	size_t before = 0;

	if (size < 1)
		return 0;
	trace = (struct spe_trace){.data = data + 1, .size = size - 1, .start = data[0]};
	while (spe_next(&trace, &record)) {
		FUZZ_CHECK(trace.pos > before && trace.pos <= trace.size);
		FUZZ_CHECK(record.kind < SPE_KINDS);
		FUZZ_CHECK(record.kind > SPE_STORE || spe_data_source(&record, models[trace.pos % 3]) != 0);
		before = trace.pos;
	}
	FUZZ_CHECK(trace.pos == trace.size && trace.skipped + trace.cut <= trace.size);
	return 0;
}
