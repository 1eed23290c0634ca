#include "decode/files/located.h"

#include <stdlib.h>
#include <string.h>

void located_release(struct located *located)
{
	if (located->has_runtime)
		elf_close(&located->runtime);
	if (located->has_debug)
		elf_close(&located->debug);
	free(located->runtime_path);
	free(located->debug_path);
	memset(located, 0, sizeof(*located));
}
