#include "util/buildid.h"

#include "util/digits.h"

#include <string.h>

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size > b->size ? a : b;
	size_t common = a->size < b->size ? a->size : b->size;

	if (!common || memcmp(a->bytes, b->bytes, common))
		return false;
	/* old recordings pad a short build id with zeros to 20 bytes */
	for (size_t i = common; i < longer->size; i++)
		if (longer->bytes[i])
			return false;
	return true;
}

void build_id_format(const struct build_id *id, char *text)
{
	for (size_t i = 0; i < id->size && i < PERF_BUILD_ID_SIZE; i++)
		text = format_hex_byte(text, id->bytes[i]);
	*text = '\0';
}
