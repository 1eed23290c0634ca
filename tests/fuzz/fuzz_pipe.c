/* A whole recording as it comes through a pipe. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run_recording(data, size, true);
	return 0;
}
