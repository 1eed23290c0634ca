/* A whole recording in the layout that needs seeking. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run_recording(data, size, false);
	return 0;
}
