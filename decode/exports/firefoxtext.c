/* Numbers of a processed profile: see firefox.c. */
#include "decode/exports/firefox.h"

#include <inttypes.h>

void firefox_print_ms(FILE *out, uint64_t ns)
{
	char text[40];
	size_t length = (size_t)snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ns / 1000000,
	                                 ns % 1000000);

	while (text[length - 1] == '0')
		length--;
	length -= text[length - 1] == '.';
	fwrite(text, 1, length, out);
}

void firefox_print_time(const struct firefox *firefox, uint64_t time)
{
	firefox_print_ms(firefox->out, time > firefox->first ? time - firefox->first : 0);
}

void firefox_begin_list(FILE *out, const char *key)
{
	fprintf(out, ",\"%s\":[", key);
}
